package io.mayfly;

import java.lang.ref.Reference;
import java.lang.reflect.Field;

/**
 * What the agent does for this package. Only after {@link AgentLibrary#require}. Bound by the JVM, which looks in agent
 * libraries and in those that this class's loader has loaded.
 */
final class Natives {
  /** What {@link #version()} must answer. */
  static final int VERSION = 4;

  private Natives() {}

  /** The version of these methods that the library has. */
  static native int version();

  /** Begins to profile with the sampled engine; false if something profiles already. A library of an older Mayfly lacks it. */
  static native boolean start(String options);

  /** Shallow size in bytes (JVMTI GetObjectSize). */
  static native long size(Object object);

  /** Collects the whole heap and waits for it (JVMTI ForceGarbageCollection). */
  static native void collect();

  /** Whether a reference has lost its referent. Does not count as a use of a soft reference. */
  static native boolean isCleared(Reference<?> reference);

  /** The fields that a class itself declares, in the JVM's order; null if it is not prepared yet. */
  static native Field[] fields(Class<?> type);

  /** The ids of fields, for {@link #read}. */
  static native long[] fieldIds(Field[] fields);

  /** Reads fields that hold references: of an object, or static ones of a class if {@code object} is null. */
  static native void read(Object object, Class<?> type, long[] fields, Object[] into);

  /** All loaded classes, and all live platform threads. */
  static native Object[] roots();

  /**
   * Counts what can be reached from objects, at a safepoint and without memory of the Java heap.
   *
   * @param roots where to start
   * @param skipped objects that are left out, or null
   * @return classes as {@code Class[]}, their objects and bytes as {@code long[]}
   */
  static native Object[] count(Object[] roots, Object[] skipped);

  /**
   * Searches paths in a snapshot of the heap, along references as strong as possible. Local variables of this package's methods are not taken for roots.
   *
   * @param targets holders of what is looked for: a {@link Reference} stands for its referent, an {@code Object[1]} for
   *     its element
   * @param references whether all are references; else all are arrays
   * @param hints objects to be taken for roots
   * @param strength ordinal of the {@link Strength} of the weakest references to follow
   * @param most how many paths for each target, none of which shares an object with another
   * @param step run 200 times while the search goes on, and never while the program is stopped; what it throws ends the search.
   *     Null for none
   * @return for each target its paths, shortest first; a path is what holds the first object, as text or null, and then by
   *     turns an object and how it refers to the next
   */
  static native Object[][][] paths(
      Object[] targets, boolean references, Object[] hints, int strength, int most, Runnable step);

  /**
   * Bytes that would be free if an object were not there.
   *
   * @param holder an {@code Object[1]} with the object
   */
  static native long retained(Object[] holder);

  /**
   * Runs a body, then a collection, and counts the objects of some classes that came while the body ran and are there at the end.
   * What comes after the body does not count: listeners of the collection allocate, too.
   *
   * @param body what to run
   * @param collect what collects
   * @param types the classes, their subclasses included; null for all that are not the JDK's
   * @param most how many of the objects to return: the largest of each class, and others that are large
   * @return classes as {@code Class[]}, their objects and bytes as {@code long[]}, some of the objects as {@code Object[]}
   */
  static native Object[] survivors(Runnable body, Runnable collect, Class<?>[] types, int most);

  /** Whether {@link #allocations} can be asked: one environment at a time has the JVM's sampler. */
  static native boolean canWatch();

  /**
   * Runs a body, and says what this thread allocated meanwhile.
   *
   * @return lines as agent/src/api/allocations.rs writes them
   */
  static native byte[] allocations(Runnable body);

  /**
   * The same lines with what is there still. They are forgotten then.
   *
   * @param number that the lines begin with
   * @return null if they are forgotten already
   */
  static native byte[] left(long number);
}
