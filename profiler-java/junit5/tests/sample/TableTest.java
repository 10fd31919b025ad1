package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mayfly.junit.MaxAllocated;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What the first lambdas, concatenations and classes take is far above these limits. */
class TableTest {
  private static final List<Object> STAYS = new ArrayList<>(10);

  /** Loaded by the test. */
  static final class Pair {
    static final Object[] TABLE = new Object[10_000];
    final int[] numbers = new int[3];
  }

  @Test
  @MaxAllocated("1k")
  void aLambdaAndAConcatenation() {
    String text = "b" + System.nanoTime() + 'c';
    Supplier<String> longer = () -> text + "d" + 1.5f;
    assertEquals(text.length() + 4, longer.get().length(), () -> "never " + text);
  }

  @Test
  @MaxAllocated("100")
  void aClassIsLoaded() {
    assertEquals(3, new Pair().numbers.length);
  }

  @Test
  void oneStays() {
    byte[] goes = new byte[2_000];
    STAYS.add(new byte[5_000 + goes[0]]);
  }
}
