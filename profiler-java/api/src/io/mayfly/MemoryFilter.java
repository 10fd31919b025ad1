package io.mayfly;

/** Says which objects {@link HeapAssertions#assertSize} leaves out, with all that only they refer to. */
@FunctionalInterface
public interface MemoryFilter {
  /**
   * Whether an object is to be left out.
   *
   * @param object an object found
   * @return true to leave it out
   */
  boolean reject(Object object);
}
