package sample;

import io.mayfly.Allocations;
import io.mayfly.junit.MaxAllocated;
import io.mayfly.junit.NoSurvivors;
import org.junit.jupiter.api.Test;

/** What the table keeps of a test is not left by the test: neither rows nor the numbers in them. */
@NoSurvivors({Allocations.class, Allocations.Row.class, long[].class})
class WatchedPassingTest {
  @Test
  void leavesNothing() {}

  @Test
  void makesSome() {
    for (int i = 0; i < 10; i++) {
      new Session().use();
    }
  }

  @Test
  @MaxAllocated("64k")
  void isLimited() {
    new Session().use();
  }
}
