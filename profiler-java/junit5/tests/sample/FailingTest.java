package sample;

import io.mayfly.InstanceTracker;
import io.mayfly.junit.AssertCollected;
import io.mayfly.junit.MaxAllocated;
import io.mayfly.junit.MaxRetained;
import io.mayfly.junit.MayflyExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

class FailingTest {
  static volatile Object kept;

  @AssertCollected private Window window;

  @MaxRetained("64k")
  private Object buffer;

  @AfterEach
  void forget() {
    buffer = null;
  }

  @Test
  void theFieldIsHeld() {
    window = new Window();
    window.open();
  }

  @Test
  @AssertCollected(Window.class)
  void oneIsLeft() {
    kept = new Object[] {new Window()};
  }

  @Test
  @MaxAllocated("64k")
  void muchIsAllocated() {
    kept = new byte[100_000];
  }

  @Test
  void muchIsKept() {
    buffer = new byte[100_000];
  }

  @Test
  @ExtendWith(MayflyExtension.class)
  void oneIsTracked(InstanceTracker tracker) {
    kept = new Window();
    tracker.track("window", kept);
  }

  @Test
  @MaxAllocated("much")
  void theLimitMakesNoSense() {}
}
