package io.mayfly.spark;

import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.SparkHadoopUtil;

/** What {@code spark.mayfly.*} says, with the names and defaults of {@code spark.profiler.*} where both have it. */
final class Settings {
  private static final String PREFIX = "spark.mayfly.";
  /** What the agent takes as the value of a label, in bytes. */
  private static final int LONGEST_LABEL = 256;

  private final SparkConf conf;
  private final String applicationId;
  /** Of the application; empty where the cluster manager does not count them. */
  private final String attempt;

  Settings(SparkConf conf, String applicationId) {
    this.conf = conf;
    this.applicationId = applicationId;
    attempt = conf.get("spark.app.attempt.id", "");
  }

  boolean driverEnabled() {
    return conf.getBoolean(PREFIX + "driver.enabled", false);
  }

  boolean executorEnabled() {
    return conf.getBoolean(PREFIX + "executor.enabled", false);
  }

  /** The share of executors that are profiled. */
  double executorFraction() {
    return conf.getDouble(PREFIX + "executor.fraction", 0.1);
  }

  /** The folder for recordings of all, by the URI of a Hadoop file system; empty: they stay where they are. */
  String dfsDir() {
    return conf.get(PREFIX + "dfsDir", "");
  }

  String localDir() {
    return conf.get(PREFIX + "localDir", ".");
  }

  /** The agent's library; empty: where the Java API looks for it. */
  String library() {
    return conf.get(PREFIX + "library", "");
  }

  long dfsWriteSeconds() {
    long seconds = conf.getTimeAsSeconds(PREFIX + "dfsWriteInterval", "30s");
    if (seconds <= 0) {
      throw new IllegalArgumentException(PREFIX + "dfsWriteInterval is not positive");
    }
    return seconds;
  }

  Configuration hadoop() {
    return SparkHadoopUtil.get().newConfiguration(conf);
  }

  /** Distinguishes runs of all applications. */
  String run() {
    return attempt.isEmpty() ? applicationId : applicationId + "_" + attempt;
  }

  /** The agent's options, for the recording of this executor, or of the driver. */
  String options(String executor, String recording) {
    String wanted = conf.get(PREFIX + "options", "");
    StringBuilder all = new StringBuilder(wanted);
    if (!(wanted + "#").contains("#threads#")) {
      all.append("#threads"); // Stages are named so.
    }
    label(all, "application", conf.get("spark.app.name", ""));
    label(all, "application-id", applicationId);
    label(all, "attempt", attempt.isEmpty() ? "1" : attempt);
    label(all, "executor", executor);
    // A % stands for something there.
    return all.append("#recording-").append(recording.replace("%", "%%")).toString();
  }

  private static void label(StringBuilder options, String name, String value) {
    String allowed = value.replace('#', '_');
    while (allowed.getBytes(StandardCharsets.UTF_8).length > LONGEST_LABEL) {
      allowed = allowed.substring(0, allowed.length() - 1);
    }
    if (!allowed.isEmpty()) {
      options.append("#label-").append(name).append('=').append(allowed);
    }
  }
}
