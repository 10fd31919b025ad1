package io.mayfly.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Profiles the driver, if that is wanted. */
final class OfDriver implements DriverPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(MayflyPlugin.class);

  private Recording recording;

  /** The first moment in which Spark knows the application's id. */
  @Override
  public void registerMetrics(String applicationId, PluginContext context) {
    try {
      Settings settings = new Settings(context.conf(), applicationId);
      if (settings.driverEnabled()) {
        recording = Recording.begin(settings, "driver");
      }
    } catch (Throwable e) {
      LOG.warn("Mayfly does not profile the driver: {}", e.toString());
    }
  }

  @Override
  public void shutdown() {
    if (recording != null) {
      recording.end();
    }
  }
}
