package io.mayfly;

/** Counts the steps of a search, and tells each. */
final class Steps implements Runnable {
  /** As many as the agent takes ({@link Natives#paths}). */
  private static final int ALL = 200;

  private final Progress progress;
  private int done;

  Steps(Progress progress) {
    this.progress = progress;
    progress.update(0, ALL);
  }

  @Override
  public void run() {
    progress.update(++done, ALL);
  }
}
