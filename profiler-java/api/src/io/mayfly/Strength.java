package io.mayfly;

/**
 * Which references a path may lead through. Each includes those before it.
 */
public enum Strength {
  /** Ordinary references: what they lead to cannot be collected. */
  STRONG,
  /** Also the referents of {@link java.lang.ref.SoftReference}s: collected when memory runs short. */
  SOFT,
  /** Also the referents of {@link java.lang.ref.WeakReference}s: collected by the next collection. */
  WEAK,
  /** Also the referents of phantom references, and of the JVM's own references to objects with a finalizer. */
  ALL
}
