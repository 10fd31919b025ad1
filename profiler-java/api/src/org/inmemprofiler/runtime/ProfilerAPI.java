package org.inmemprofiler.runtime;

import io.mayfly.Mayfly;

/**
 * InMemProfiler's control calls under their own names, for programs that already make them. New code calls
 * {@link Mayfly}.
 */
public final class ProfilerAPI {
  private ProfilerAPI() {}

  /** Starts or resumes profiling. Same as {@link Mayfly#start()}. */
  public static void beginPausedProfiling() {
    Mayfly.start();
  }

  /** Pauses profiling and keeps the data. Same as {@link Mayfly#pause()}. */
  public static void pauseProfiling() {
    Mayfly.pause();
  }

  /** Sets all counts to zero. Same as {@link Mayfly#reset()}. */
  public static void resetData() {
    Mayfly.reset();
  }

  /** Writes a report. Same as {@link Mayfly#report()}. */
  public static void outputData() {
    Mayfly.report();
  }
}
