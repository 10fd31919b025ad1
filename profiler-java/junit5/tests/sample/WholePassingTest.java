package sample;

import io.mayfly.junit.MaxAllocated;
import io.mayfly.junit.MaxLifetime;
import io.mayfly.junit.MaxLive;
import io.mayfly.junit.NoSurvivors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WholePassingTest {
  private Window window;
  private Object kept;

  @BeforeEach
  void make() {
    window = new Window();
    window.open();
  }

  @AfterEach
  void close() {
    window.close();
  }

  @Test
  @NoSurvivors(Window.class)
  void whatIsClosedAfterwardsIsGone() {}

  @Test
  @NoSurvivors
  void whatAFieldHoldsGoesWithTheTest() {
    kept = new Window();
  }

  @Test
  @MaxLive("512k")
  void whatAFieldHoldsIsNotLive() {
    kept = new byte[1_000_000];
  }

  @Test
  @MaxLive(value = "0", of = Window.class)
  void otherClassesMayStay() {
    FailingTest.kept = new byte[100_000];
  }

  @Test
  @MaxAllocated(value = "64k")
  void otherThreadsMayAllocate() throws InterruptedException {
    allocateElsewhere();
  }

  @Test
  @MaxAllocated(value = "2m", allThreads = true)
  void allThreadsTogetherAllocateLittle() throws InterruptedException {
    allocateElsewhere();
  }

  @Test
  @MaxLifetime(value = Session.class, collections = 0, bytes = "1m")
  void sessionsDieYoung() {
    for (int i = 0; i < 100; i++) {
      new Session().use();
    }
  }

  static void allocateElsewhere() throws InterruptedException {
    Thread thread = new Thread(() -> FailingTest.kept = new byte[1_000_000]);
    thread.start();
    thread.join();
    FailingTest.kept = null;
  }
}
