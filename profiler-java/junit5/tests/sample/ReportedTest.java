package sample;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

@TestMethodOrder(MethodOrderer.MethodName.class)
class ReportedTest {
  private Window window;

  @AfterEach
  void close() {
    if (window != null) {
      window.close();
    }
  }

  @Test
  void a() {
    new Window().open();
  }

  @Test
  void b() {
    window = new Window();
    window.open();
  }

  @Test
  void c() {
    for (int i = 0; i < 5; i++) {
      new Window().open();
    }
  }
}
