package io.mayfly.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Samples executors and the driver of a Spark application, from inside: {@code spark.plugins=io.mayfly.spark.MayflyPlugin}.
 *
 * <p>Nothing is profiled unless {@code spark.mayfly.driver.enabled} or {@code spark.mayfly.executor.enabled} say so. Whatever goes
 * wrong is one line in Spark's log, and the application goes on.
 */
public class MayflyPlugin implements SparkPlugin {
  /** As Spark makes it. */
  public MayflyPlugin() {}

  @Override
  public DriverPlugin driverPlugin() {
    return new OfDriver();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new OfExecutor();
  }
}
