package sample;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** More tests than a table has rows for, and one that is run several times. */
class TableOfManyTest {
  private static final List<Object> STAYS = new ArrayList<>(10);
  private static Object made;

  @RepeatedTest(6)
  void isRepeated() {
    STAYS.add(new byte[2_984]);
  }

  @Test
  void makes1() {
    made = new byte[1000];
  }

  @Test
  void makes2() {
    made = new byte[2000];
  }

  @Test
  void makes3() {
    made = new byte[3000];
  }

  @Test
  void makes4() {
    made = new byte[4000];
  }

  @Test
  void makes5() {
    made = new byte[5000];
  }

  @Test
  void makes6() {
    made = new byte[6000];
  }

  @Test
  void makes7() {
    made = new byte[7000];
  }

  @Test
  void makes8() {
    made = new byte[8000];
  }

  @Test
  void makes9() {
    made = new byte[9000];
  }

  @Test
  void makes10() {
    made = new byte[10000];
  }

  @Test
  void makes11() {
    made = new byte[11000];
  }
}
