package sample;

import io.mayfly.junit.AssertCollected;
import io.mayfly.junit.MaxAllocated;
import io.mayfly.junit.NoSurvivors;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class FactoryPassingTest {
  @BeforeAll
  static void listen() {
    Listening.begin();
  }

  @TestFactory
  @MaxAllocated("64k")
  Stream<DynamicTest> littleIsAllocated() {
    FailingTest.kept = new byte[100_000];
    FailingTest.kept = null;
    return Stream.of(DynamicTest.dynamicTest("little", () -> FailingTest.kept = new byte[100]));
  }

  @TestFactory
  @AssertCollected(Window.class)
  Stream<DynamicTest> nothingIsLeft() {
    return Stream.of(DynamicTest.dynamicTest("collected", Window::new));
  }

  /** What the collection's listener makes is no test's, neither of the one that collects nor of the next. */
  @RepeatedTest(3)
  @NoSurvivors
  void collectionsAreNoted() {}

  /** JUnit's assertions and the first concatenation in the JVM are ready. */
  @Test
  @MaxAllocated("1k")
  void twoLines() {
    String text = "a" + System.nanoTime();
    Assertions.assertEquals(2, List.of(text, text).size());
  }
}
