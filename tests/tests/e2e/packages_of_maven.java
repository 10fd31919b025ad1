package shop;

import io.mayfly.HeapAssertions;
import io.mayfly.Mayfly;
import io.mayfly.junit.MayflyExtension;
import io.mayfly.junit.NoSurvivors;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(MayflyExtension.class)
class BasketTest {
  static final class Basket {}

  static final List<Basket> FORGOTTEN = new ArrayList<>();

  @Test
  @NoSurvivors(Basket.class)
  void aBasketGoes() {
    new Basket();
  }

  @Test
  void aBasketIsForgotten() {
    FORGOTTEN.add(new Basket());
    HeapAssertions.assertGC("a basket stays", new WeakReference<>(FORGOTTEN.get(0)));
  }

  @Test
  void theProgramIsRecorded() {
    Mayfly.start("#sample-64k#recording-" + System.getProperty("recording"));
    for (int i = 0; i < 400_000; i++) {
      FORGOTTEN.add(new Basket());
    }
    Mayfly.stop();
  }
}
