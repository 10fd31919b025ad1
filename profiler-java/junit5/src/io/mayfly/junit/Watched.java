package io.mayfly.junit;

import io.mayfly.Allocations;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.InvocationInterceptor.Invocation;

/** A test that runs while what its thread allocates is watched, for all who want to know. */
final class Watched {
  /** Who wants to know. */
  interface Taker {
    /** A failure of the test goes before one that is thrown here. {@code bytes}: by the JVM's count of the thread, -1 if it does not count. */
    void take(Allocations made, long bytes, boolean passed);
  }

  /** Of the test that runs on this thread. */
  private static final ThreadLocal<List<Taker>> TAKERS = new ThreadLocal<>();

  private static String whyNot;
  private static boolean asked;

  private Watched() {}

  /** Null if tests can be watched, else why not. */
  static synchronized String whyNot() {
    if (!asked) {
      whyNot = ask();
      asked = true;
    }
    return whyNot;
  }

  private static String ask() {
    try {
      String why = Allocations.whyNot();
      if (why == null) {
        OnceOnly.happen();
        // What this does for the first time is no test's.
        Allocations.during(() -> {}).leftNow();
      }
      return why;
    } catch (RuntimeException | LinkageError e) {
      return e.toString();
    }
  }

  /** Runs it. To be asked only where tests can be watched. */
  static void run(Invocation<Void> invocation, Taker taker) throws Throwable {
    List<Taker> takers = TAKERS.get();
    if (takers != null) {
      takers.add(taker);
      invocation.proceed();
      return;
    }
    takers = new ArrayList<>();
    takers.add(taker);
    TAKERS.set(takers);
    Throwable[] thrown = new Throwable[1];
    long[] bytes = {-1};
    Allocations made;
    try {
      made = Allocations.during(() -> proceed(invocation, thrown, bytes));
    } finally {
      TAKERS.remove();
    }
    // Who came last wanted it first.
    for (int i = takers.size() - 1; i >= 0; i--) {
      try {
        takers.get(i).take(made, bytes[0], thrown[0] == null);
      } catch (RuntimeException | Error e) {
        thrown[0] = thrown[0] == null ? e : thrown[0];
      }
    }
    if (thrown[0] != null) {
      throw thrown[0];
    }
  }

  private static void proceed(Invocation<Void> invocation, Throwable[] thrown, long[] bytes) {
    long before = AllocatedBytes.ofThisThreadIfKnown();
    try {
      invocation.proceed();
    } catch (Throwable e) {
      thrown[0] = e;
    }
    long after = AllocatedBytes.ofThisThreadIfKnown();
    bytes[0] = before < 0 || after < 0 ? -1 : after - before;
  }

  /** What the program allocated, each time it runs: by the JVM's count where of many objects a sample was taken. */
  static long bytes(Allocations made, long thread) {
    if (!made.isEstimated() || thread < 0) {
      return Bytes.sum(made.rows(), Allocations.Row::bytes);
    }
    return thread - Bytes.sum(made.once(), Allocations.Row::bytes) - Bytes.sum(made.harness(), Allocations.Row::bytes);
  }
}
