package io.mayfly;

import java.io.IOException;
import java.util.Map;

/**
 * The agent as JMX shows it, under the name {@link #NAME}: for jconsole, JDK Mission Control, and bridges to HTTP.
 *
 * <p>Registered by {@link Mayfly#registerMBean()} or the agent's option {@code #mbean}. Whoever may call operations of this
 * JVM's MBean server may call these.
 */
public interface ProfilerMXBean {
  /** The bean's name. */
  String NAME = "io.mayfly:type=Profiler";

  /** As {@link Mayfly#start()}. */
  void start();

  /** As {@link Mayfly#pause()}. */
  void pause();

  /** As {@link Mayfly#reset()}. */
  void reset();

  /** As {@link Mayfly#report()}. */
  void report();

  /**
   * Writes the profile so far, as a recording that {@code mayfly report} reads.
   *
   * @param name of a new file in {@link #getSnapshotFolder()}: letters, digits, {@code .}, {@code _} and {@code -}
   * @return the file's absolute path
   * @throws IOException if the file can't be written; it is there already, for example
   */
  String snapshot(String name) throws IOException;

  /**
   * Whether allocations are being counted.
   *
   * @return true if the agent is there and profiling is on
   */
  boolean isActive();

  /**
   * Whether the agent is there.
   *
   * @return true if it is, profiling or paused
   */
  boolean isLoaded();

  /**
   * What {@code mayfly status} shows, by name: {@code mayfly}, {@code loaded}, {@code options}, {@code jvm}, {@code gc},
   * {@code command}; of a profiling agent also {@code profiling}, {@code tracking}, {@code duration_ms}, {@code gcs},
   * {@code resets}, {@code native_bytes}, {@code recording}.
   *
   * @return names and values; empty without the agent
   */
  Map<String, String> getStatus();

  /**
   * Time profiled since the start or the last reset.
   *
   * @return milliseconds; -1 if nothing is profiled
   */
  long getProfiledMillis();

  /**
   * Collections seen.
   *
   * @return their number; -1 if nothing is profiled
   */
  long getCollections();

  /**
   * How often all counts were set to zero.
   *
   * @return times; -1 if nothing is profiled
   */
  long getResets();

  /**
   * Native memory that the agent holds.
   *
   * @return bytes, about; -1 if nothing is profiled
   */
  long getNativeBytes();

  /**
   * What of the process is in memory.
   *
   * @return bytes
   */
  long getResidentBytes();

  /**
   * The folder of {@link #snapshot}: the system property {@code mayfly.mbean.folder}.
   *
   * @return its path; empty if none is set, and snapshots are refused
   */
  String getSnapshotFolder();
}
