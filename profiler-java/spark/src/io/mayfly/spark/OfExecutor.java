package io.mayfly.spark;

import io.mayfly.Mayfly;
import io.mayfly.Scope;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Profiles an executor, if it is drawn, and has the stacks of each task name its stage.
 *
 * <p>Tasks of a stage are a pool of threads to the sampled engine, and a scope where an agent counts exactly since the launch.
 */
final class OfExecutor implements ExecutorPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(MayflyPlugin.class);

  private final ThreadLocal<Scope> stages = new ThreadLocal<>();
  private Recording recording;
  /** Whether tasks say of which stage they are. Written before the first of them. */
  private volatile boolean naming;

  @Override
  public void init(PluginContext context, Map<String, String> ofDriver) {
    try {
      Settings settings = new Settings(context.conf(), context.conf().get("spark.app.id", ""));
      if (context.executorID().equals("driver")) {
        naming = settings.driverEnabled(); // Of a local master: the driver's JVM.
      } else if (settings.executorEnabled() && ThreadLocalRandom.current().nextDouble() < settings.executorFraction()) {
        recording = Recording.begin(settings, context.executorID());
        naming = true;
      }
    } catch (Throwable e) {
      LOG.warn("Mayfly does not profile executor {}: {}", context.executorID(), e.toString());
    }
  }

  @Override
  public void onTaskStart() {
    if (!naming) {
      return;
    }
    try {
      String stage = "stage " + TaskContext.get().stageId();
      Mayfly.pool(stage);
      stages.set(Mayfly.scope(stage));
    } catch (Throwable e) {
      nameNone(e);
    }
  }

  @Override
  public void onTaskSucceeded() {
    ended();
  }

  @Override
  public void onTaskFailed(TaskFailedReason reason) {
    ended();
  }

  private void ended() {
    if (!naming) {
      return;
    }
    try {
      Scope stage = stages.get();
      if (stage != null) {
        stages.remove();
        stage.close();
      }
      Mayfly.pool(null);
    } catch (Throwable e) {
      nameNone(e);
    }
  }

  private void nameNone(Throwable why) {
    naming = false;
    LOG.warn("Mayfly does not name stages from now on: {}", why.toString());
  }

  @Override
  public void shutdown() {
    if (recording != null) {
      recording.end();
    }
  }
}
