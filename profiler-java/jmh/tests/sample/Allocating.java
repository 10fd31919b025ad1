package sample;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What each operation makes is known by arithmetic, headers of 12 and 16 bytes taken for granted. */
@State(Scope.Thread)
public class Allocating {
  /** Two numbers. */
  private static final class Pair {
    final int left;
    final int right;

    Pair(int left, int right) {
      this.left = left;
      this.right = right;
    }
  }

  private Object kept;
  private int number;

  /** A thousand arrays of 1016 bytes. */
  @Benchmark
  public Object arrays() {
    for (int i = 0; i < 1000; i++) {
      kept = new byte[1000];
    }
    return kept;
  }

  /** A thread that comes, makes a hundred arrays of 10,016 bytes, and goes. */
  @Benchmark
  public Object thread() throws InterruptedException {
    Thread thread =
        new Thread(
            () -> {
              for (int i = 0; i < 100; i++) {
                kept = new byte[10_000];
              }
            });
    thread.start();
    thread.join();
    return kept;
  }

  /** Ten thousand pairs of 24 bytes, which nobody keeps. */
  @Benchmark
  public int pairs() {
    int sum = 0;
    for (int i = 0; i < 10_000; i++) {
      Pair pair = new Pair(number++, i);
      sum += pair.left + pair.right;
    }
    return sum;
  }
}
