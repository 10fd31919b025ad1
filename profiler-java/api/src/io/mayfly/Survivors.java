package io.mayfly;

/** Runs a body and says what of it is left. */
final class Survivors {
  private Survivors() {}

  static void check(String message, HeapAssertions.Body body, Class<?>[] types) {
    SurvivorTracker.Left left = SurvivorTracker.describe(Natives.survivors(() -> run(body), SurvivorTracker::collect, types, SurvivorTracker.SHOWN));
    if (left.distribution().objects() > 0) {
      throw new AssertionError(message + ": " + left);
    }
  }

  private static void run(HeapAssertions.Body body) {
    try {
      body.run();
    } catch (Exception e) {
      throw Survivors.<RuntimeException>unchecked(e);
    }
  }

  /** Throws as it is what the compiler would have declared. */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> E unchecked(Exception exception) throws E {
    throw (E) exception;
  }
}
