package io.mayfly.junit;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;

/**
 * Has happen, before a test is measured, what happens once in a JVM and takes hundreds of KiB: JUnit's assertions are loaded, and the
 * JDK makes what it needs for the first lambda, the first concatenation of strings and the first stream.
 */
final class OnceOnly {
  private static volatile boolean happened;

  static volatile Object sink;

  private OnceOnly() {}

  static void happen() {
    if (happened) {
      return;
    }
    happened = true;
    assertions();
    language(System.nanoTime(), "once", 'c');
    streams();
  }

  private static void assertions() {
    Assertions.assertTrue(sink == null || sink != null);
    Assertions.assertFalse(false, "never");
    Assertions.assertEquals(1, 1);
    Assertions.assertEquals(1L, 1L, "never");
    Assertions.assertEquals("a", String.valueOf('a'));
    Assertions.assertNotNull("a");
    Assertions.assertNull(null);
    Assertions.assertSame(sink, sink);
    Assertions.assertArrayEquals(new int[1], new int[1]);
    Assertions.assertIterableEquals(List.of(1), List.of(1));
    sink = Assertions.assertThrows(IllegalStateException.class, () -> fail("expected"));
    Assertions.assertAll(() -> Assertions.assertTrue(true));
  }

  private static void fail(String why) {
    throw new IllegalStateException(why);
  }

  /** Of the shapes that code has most. */
  private static void language(long number, String text, char letter) {
    sink = "a" + number;
    sink = text + number;
    sink = text + letter + text;
    sink = text + (int) number + ", " + sink + text;
    sink = 1 + text;
    Supplier<Object> captures = () -> text;
    Supplier<Object> refers = text::length;
    IntFunction<int[]> makes = int[]::new;
    sink = List.of(captures.get(), refers.get(), makes.apply(1));
    sink = String.format("%d %s %.1f", number, text, 1.5);
  }

  private static void streams() {
    sink = Stream.of("b", "a").filter(text -> !text.isEmpty()).map(String::length).mapToInt(length -> length).sum();
    sink = Stream.of("b", "a").sorted().collect(Collectors.toList());
    sink = Stream.of("b", "a").collect(Collectors.toMap(text -> text, String::length));
    sink = Stream.of("b", "a").collect(Collectors.joining(","));
  }
}
