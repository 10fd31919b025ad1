package io.mayfly.spark;

import io.mayfly.Mayfly;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A recording of this JVM, from the begin of profiling to its end, copied to where those of all others are. */
final class Recording {
  private static final Logger LOG = LoggerFactory.getLogger(MayflyPlugin.class);
  /** The JVM ends no later for a file system that does not answer. */
  private static final int PATIENCE_SECONDS = 20;

  /** Whether profiling is ours to end. */
  private final boolean began;
  private final ScheduledExecutorService copying;
  private final Copies copies;
  private boolean ended;

  private Recording(boolean began, ScheduledExecutorService copying, Copies copies) {
    this.began = began;
    this.copying = copying;
    this.copies = copies;
  }

  /**
   * Begins to profile this JVM.
   *
   * @param executor its id, or {@code driver}
   * @throws IOException if there is no folder for the recording, or no library where the settings say
   * @throws RuntimeException if the agent can't be had, or not so
   */
  static Recording begin(Settings settings, String executor) throws IOException {
    long seconds = settings.dfsWriteSeconds();
    if (!settings.library().isEmpty()) {
      System.setProperty("mayfly.agent", library(settings.library()).toString());
    }
    String stem = settings.run() + "-" + (executor.equals("driver") ? executor : "executor-" + executor);
    Path folder = Files.createDirectories(Paths.get(settings.localDir()).toAbsolutePath().normalize());
    Path file = folder.resolve(stem + ".mayfly");
    if (!Mayfly.start(settings.options(executor, file.toString()))) {
      LOG.info("Mayfly: this JVM is profiled already; its recording stays where its own options say");
      return new Recording(false, null, null);
    }
    LOG.info("Mayfly records into {}", file);
    Recording recording = copied(settings, folder, stem, seconds);
    // Spark's own hook does not wait for an executor that is ending already.
    Runtime.getRuntime().addShutdownHook(new Thread(recording::end, "mayfly-end"));
    return recording;
  }

  private static Recording copied(Settings settings, Path folder, String stem, long seconds) {
    if (settings.dfsDir().isEmpty()) {
      return new Recording(true, null, null);
    }
    Copies copies = new Copies(folder, stem, settings.dfsDir() + "/" + settings.run(), settings.hadoop());
    ScheduledExecutorService copying = Executors.newSingleThreadScheduledExecutor(Recording::thread);
    copying.scheduleWithFixedDelay(copies::bringUpToDate, seconds, seconds, TimeUnit.SECONDS);
    return new Recording(true, copying, copies);
  }

  /** A file, or one that Spark has brought here ({@code --files}). */
  private static Path library(String named) throws IOException {
    Path file = Paths.get(named).toAbsolutePath();
    Path brought = Files.isRegularFile(file) ? file : Paths.get(SparkFiles.get(Paths.get(named).getFileName().toString()));
    if (!Files.isRegularFile(brought)) {
      throw new FileNotFoundException("spark.mayfly.library: there is no file " + named);
    }
    return brought;
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "mayfly-copy");
    thread.setDaemon(true);
    return thread;
  }

  /** Ends profiling, and copies the rest; whoever comes second waits until that is done. */
  synchronized void end() {
    if (ended) {
      return;
    }
    ended = true;
    try {
      if (began) {
        Mayfly.stop();
      }
      if (copying != null) {
        Future<?> last = copying.submit(copies::bringUpToDate);
        copying.shutdown();
        last.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    } catch (Throwable e) {
      LOG.warn("Mayfly: the end of the recording may be missing in spark.mayfly.dfsDir: {}", e.toString());
    }
  }
}
