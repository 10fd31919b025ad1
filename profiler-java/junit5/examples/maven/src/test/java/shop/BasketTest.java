package shop;

import io.mayfly.junit.MaxAllocated;
import io.mayfly.junit.MaxLifetime;
import io.mayfly.junit.NoSurvivors;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BasketTest {
  /** What somebody wants to buy. */
  static final class Basket {
    private static final List<Basket> FORGOTTEN = new ArrayList<>();
    private final List<String> goods = new ArrayList<>();

    void add(String what) {
      goods.add(what);
    }

    void forget() {
      FORGOTTEN.add(this);
    }
  }

  @Test
  @NoSurvivors(Basket.class)
  @MaxAllocated(value = "1m", allThreads = true)
  void aBasketGoes() {
    new Basket().add("tea");
  }

  /** One collection may come while a basket is in use. */
  @Test
  @MaxLifetime(value = Basket.class, collections = 1)
  void basketsDieYoung() {
    for (int i = 0; i < 100; i++) {
      new Basket().add("tea");
    }
  }

  /** Passes; the report says what it leaves. */
  @Test
  void aBasketIsForgotten() {
    new Basket().forget();
  }
}
