package sample;

import io.mayfly.InstanceTracker;
import io.mayfly.junit.AssertCollected;
import io.mayfly.junit.MaxAllocated;
import io.mayfly.junit.MaxRetained;
import io.mayfly.junit.MayflyExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

class PassingTest {
  @AssertCollected private Window window;

  @MaxRetained("64k")
  private byte[] buffer;

  @AfterEach
  void close() {
    if (window != null) {
      window.close();
    }
  }

  @Test
  void whatIsClosedIsCollected() {
    window = new Window();
    window.open();
  }

  @Test
  @AssertCollected(Window.class)
  void nothingIsLeft() {
    new Window().close();
  }

  @RepeatedTest(2)
  @MaxAllocated("256k")
  void littleIsAllocated() {
    new byte[1000].clone();
  }

  @Test
  void littleIsKept() {
    buffer = new byte[10_000];
  }

  @Test
  @ExtendWith(MayflyExtension.class)
  void trackedInstancesGo(InstanceTracker tracker) {
    tracker.track("window", new Window());
  }
}
