package io.mayfly.jmh;

import io.mayfly.Mayfly;
import io.mayfly.Profile;
import io.mayfly.Totals;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.results.TextResult;
import org.openjdk.jmh.runner.IterationType;

/**
 * What a benchmark allocates, per operation, and how long that lives: {@code -prof mayfly}, or
 * {@code -prof io.mayfly.jmh.MayflyProfiler}. The agent is in the forks only; without forks there is nothing to report.
 *
 * <p>Counts are exact, of all threads, those that come and go during an iteration included. Lifetimes are of an unbiased sample, from
 * the first measured iteration on.
 */
public class MayflyProfiler implements ExternalProfiler, InternalProfiler {
  private static final String PREFIX = "mayfly.";

  private final Settings settings;

  // In the JVM that starts the forks.
  private Path scratch;

  // In a fork.
  private boolean measuring;
  private int iterations;
  private Totals before;

  /**
   * Without options. JMH makes one to learn its name: the agent is not looked for.
   */
  public MayflyProfiler() {
    try {
      settings = Settings.parse("");
    } catch (ProfilerException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * With options.
   *
   * @param options what follows the colon of {@code -prof mayfly:…}
   * @throws ProfilerException if they make no sense, or there is no agent
   */
  public MayflyProfiler(String options) throws ProfilerException {
    settings = Settings.parse(options == null ? "" : options);
    settings.check();
  }

  @Override
  public String getDescription() {
    return "Mayfly: bytes and objects per operation, what the JIT removes, how long objects live";
  }

  @Override
  public Collection<String> addJVMInvokeOptions(BenchmarkParams params) {
    return Collections.emptyList();
  }

  @Override
  public Collection<String> addJVMOptions(BenchmarkParams params) {
    try {
      Path folder = settings.folder();
      if (folder == null && scratch == null) {
        scratch = Files.createTempDirectory("mayfly-jmh");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(scratch)));
      } else if (folder != null) {
        Files.createDirectories(folder);
      }
      return Collections.singletonList(settings.agentPath(folder == null ? scratch : folder, params.getBenchmark()));
    } catch (IOException e) {
      throw new UncheckedIOException("mayfly: no folder for the agent's reports", e);
    }
  }

  @Override
  public void beforeTrial(BenchmarkParams params) {}

  @Override
  public Collection<? extends Result<?>> afterTrial(BenchmarkResult result, long pid, File stdOut, File stdErr) {
    return Collections.emptyList();
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      // It lies in the folder for temporary files.
    }
  }

  @Override
  public boolean allowPrintOut() {
    return true;
  }

  @Override
  public boolean allowPrintErr() {
    return true;
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    if (iteration.getType() != IterationType.MEASUREMENT || !Mayfly.isActive()) {
      return;
    }
    if (!measuring) {
      measuring = true;
      Mayfly.reset(); // Warm-up is forgotten.
    }
    before = Totals.now();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    // First of all: what is allocated from here on is not the benchmark's.
    Totals after = before == null ? null : Totals.now();
    if (after == null) {
      return Collections.emptyList();
    }
    List<Result<?>> results = new ArrayList<>(perOperation(after.since(before), result.getMetadata().getAllOps()));
    before = null;
    iterations++;
    if (iterations == iteration.getCount()) {
      results.addAll(inAll());
    }
    return results;
  }

  private static List<Result<?>> perOperation(Totals made, long operations) {
    List<Result<?>> results = new ArrayList<>();
    double per = operations == 0 ? Double.NaN : operations;
    results.add(average("objects.norm", made.objects() / per, "#/op"));
    results.add(average("counted.norm", made.countedBytes() / per, "B/op"));
    if (made.jvmBytes() >= 0) {
      results.add(average("alloc.norm", made.jvmBytes() / per, "B/op"));
      long removed = Math.max(made.countedBytes() - made.jvmBytes(), 0);
      double share = made.countedBytes() == 0 ? 0 : (double) removed / made.countedBytes();
      results.add(average("removed", 100 * share, "%"));
    }
    return results;
  }

  private List<Result<?>> inAll() {
    Profile profile = Profile.afterCollection();
    if (profile == null) {
      return Collections.emptyList();
    }
    List<Result<?>> results = new ArrayList<>();
    Profile.Row all = profile.all();
    if (profile.followsLifetimes() && !Double.isNaN(all.diedBeforeFirstCollection())) {
      results.add(average("died.young", 100 * all.diedBeforeFirstCollection(), "%"));
      results.add(average("lifetime.p50", all.p50().bytes(), "B"));
      results.add(average("lifetime.p99", all.p99().bytes(), "B"));
    }
    if (settings.top() > 0) {
      results.add(new TextResult(Table.of(profile, settings.top()), PREFIX + "classes"));
    }
    return results;
  }

  private static ScalarResult average(String name, double value, String unit) {
    return new ScalarResult(PREFIX + name, value, unit, AggregationPolicy.AVG);
  }
}
