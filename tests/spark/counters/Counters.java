package counters;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * What an executor's own JVM counts as allocated since this plugin began, in files of the folder {@code spark.counters.dir}:
 * {@code EXECUTOR.task} when the last task ended, {@code EXECUTOR.now} later than anything that a recording has.
 */
public final class Counters implements SparkPlugin {
  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {};
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new OfExecutor();
  }

  private static final class OfExecutor implements ExecutorPlugin {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Timer timer = new Timer("counters", true);
    private long before;
    private Path folder;
    private String executor;

    @Override
    public void init(PluginContext context, Map<String, String> ofDriver) {
      before = threads.getTotalThreadAllocatedBytes();
      folder = Paths.get(context.conf().get("spark.counters.dir"));
      executor = context.executorID();
      TimerTask task =
          new TimerTask() {
            @Override
            public void run() {
              write("now");
            }
          };
      timer.schedule(task, 0, 50);
    }

    @Override
    public void onTaskSucceeded() {
      write("task");
    }

    @Override
    public void shutdown() {
      timer.cancel();
      write("now");
    }

    private synchronized void write(String when) {
      try {
        Path part = folder.resolve(executor + ".part");
        Files.writeString(part, Long.toString(threads.getTotalThreadAllocatedBytes() - before));
        Files.move(part, folder.resolve(executor + "." + when), StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
