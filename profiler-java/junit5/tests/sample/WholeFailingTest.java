package sample;

import io.mayfly.junit.MaxAllocated;
import io.mayfly.junit.MaxLifetime;
import io.mayfly.junit.MaxLive;
import io.mayfly.junit.NoSurvivors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class WholeFailingTest {
  private static Object left;
  private Object kept;
  private Session session;

  @AfterEach
  void leave() {
    left = kept;
  }

  @Test
  @NoSurvivors(Window.class)
  void afterEachLeavesOne() {
    kept = new Window();
  }

  @Test
  @MaxLive("512k")
  void muchIsLeft() {
    kept = new byte[1_000_000];
  }

  @Test
  @MaxAllocated(value = "64k", allThreads = true)
  void anotherThreadAllocates() throws InterruptedException {
    WholePassingTest.allocateElsewhere();
  }

  @RepeatedTest(3)
  @MaxAllocated("256k")
  void oneRepetitionAllocates(RepetitionInfo repetition) {
    FailingTest.kept = new byte[repetition.getCurrentRepetition() == 2 ? 300_000 : 10];
  }

  @Test
  @MaxLifetime(value = Session.class, collections = 0)
  void aSessionSurvives() {
    session = new Session();
  }

  @Test
  @MaxLifetime(value = Session.class, bytes = "64k")
  void aSessionLivesLong() {
    session = new Session();
    for (int i = 0; i < 10; i++) {
      System.gc();
      FailingTest.kept = new byte[100_000];
    }
  }

  @Test
  @MaxLifetime(Session.class)
  void thereIsNoLimit() {}
}
