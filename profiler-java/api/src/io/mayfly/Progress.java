package io.mayfly;

/**
 * Is told how far a search is.
 *
 * <p>As INSANE told a {@code BoundedRangeModel}: 200 times, the first nine tenths while the heap is read, the last one while
 * paths are searched.
 */
@FunctionalInterface
public interface Progress {
  /**
   * So much is done. Runs on the thread that searches, while the program runs; the search waits for it.
   *
   * @param value what is done: 0 first, then one more each time
   * @param maximum what is to be done
   * @throws CancelException to end the search
   */
  void update(int value, int maximum);
}
