package sample;

import com.sun.management.ThreadMXBean;
import io.mayfly.junit.AssertCollected;
import io.mayfly.junit.MaxAllocated;
import io.mayfly.junit.NoSurvivors;
import java.lang.management.ManagementFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class FactoryFailingTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static Object left;

  @BeforeEach
  void listen() {
    Listening.begin();
  }

  @AfterEach
  void countAgain() {
    THREADS.setThreadAllocatedMemoryEnabled(true);
  }

  @TestFactory
  @MaxAllocated("64k")
  Stream<DynamicTest> muchIsAllocated() {
    return Stream.of(DynamicTest.dynamicTest("much", () -> FailingTest.kept = new byte[100_000]));
  }

  @TestFactory
  @AssertCollected(Window.class)
  Stream<DynamicTest> oneIsLeft() {
    return Stream.of(DynamicTest.dynamicTest("left behind", () -> FailingTest.kept = new Window()));
  }

  @Test
  @MaxAllocated("64k")
  void countingIsOff() {
    THREADS.setThreadAllocatedMemoryEnabled(false);
    FailingTest.kept = new byte[100_000];
  }

  /** Among all that the listener makes. */
  @Test
  @NoSurvivors
  void twoAreLeft() {
    left = new Object[] {new Window(), new Session(), new Session()};
  }
}
