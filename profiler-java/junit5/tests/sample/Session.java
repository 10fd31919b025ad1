package sample;

/** Something that is to be short-lived. */
final class Session {
  private int uses;

  void use() {
    uses++;
  }
}
