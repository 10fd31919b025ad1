package io.mayfly;

/** How much was allocated so far, by all threads. The difference of two says what came in between. */
public final class Totals {
  private final long objects;
  private final long countedBytes;
  private final long jvmBytes;
  private final long collections;

  private Totals(long[] numbers) {
    objects = numbers[0];
    countedBytes = numbers[1];
    jvmBytes = numbers[2];
    collections = numbers[3];
  }

  /**
   * As of now.
   *
   * @return the totals; null if nothing profiles in this JVM
   */
  public static Totals now() {
    if (!Mayfly.isLoaded()) {
      return null;
    }
    long[] numbers = take0();
    return numbers == null ? null : new Totals(numbers);
  }

  /**
   * What came since then. {@link Mayfly#reset()} must not have been called in between.
   *
   * @param earlier the totals of an earlier moment
   * @return the difference
   */
  public Totals since(Totals earlier) {
    boolean known = jvmBytes >= 0 && earlier.jvmBytes >= 0;
    return new Totals(
        new long[] {
          objects - earlier.objects,
          countedBytes - earlier.countedBytes,
          known ? jvmBytes - earlier.jvmBytes : -1,
          collections - earlier.collections
        });
  }

  /**
   * Objects and arrays, as the program's code makes them: those that the JIT compiler optimises away are among them.
   *
   * @return their number
   */
  public long objects() {
    return objects;
  }

  /**
   * The sum of the shallow sizes of {@link #objects()}.
   *
   * @return bytes
   */
  public long countedBytes() {
    return countedBytes;
  }

  /**
   * What took memory, by the JVM's own count of all threads, those that ended included.
   *
   * @return bytes; -1 if the JVM does not count them
   */
  public long jvmBytes() {
    return jvmBytes;
  }

  /**
   * Collections.
   *
   * @return their number
   */
  public long collections() {
    return collections;
  }

  @Override
  public String toString() {
    return objects + " objects, " + countedBytes + " bytes, " + collections + " collections; " + jvmBytes + " bytes by the JVM";
  }

  /** Four numbers in the order of the fields; null if nothing profiles. */
  private static native long[] take0();
}
