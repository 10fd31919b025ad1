package sample;

import java.util.ArrayList;
import java.util.List;

/** Is known to a registry from open to close. */
final class Window {
  static final List<Window> OPEN = new ArrayList<>();

  void open() {
    OPEN.add(this);
  }

  void close() {
    OPEN.remove(this);
  }
}
