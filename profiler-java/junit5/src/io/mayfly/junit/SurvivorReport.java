package io.mayfly.junit;

import io.mayfly.HeapAssertions;
import io.mayfly.SurvivorTracker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * Writes for each test class what outlives its tests, and what holds it: {@code mayfly-report-CLASS.txt} in the folder that the
 * configuration parameter (or system property) {@code mayfly.report} names. Without that it does nothing. JUnit finds it by itself
 * with {@code -Djunit.jupiter.extensions.autodetection.enabled=true}. Needs JUnit 5.9 or newer.
 *
 * <p>What outlives a test is what came from before its test object was made until the next one's is, or the class is done, and is
 * there after a collection: the program's own classes, of all threads. No test fails by it.
 */
public final class SurvivorReport
    implements TestInstancePreConstructCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  /** Names the folder. */
  public static final String FOLDER = "mayfly.report";

  private static final String AT_ONCE = "tests ran at the same time: what outlives one of them can't be told apart";

  /** Tests of a JVM follow each other: one is open at a time. */
  private static Open open;

  /** Tests whose method runs now. */
  private static int running;

  /** Rows by test class, in the order of the tests. */
  private static final Map<String, List<String>> ROWS = new LinkedHashMap<>();

  /** From the mark to the next one. */
  private static final class Open {
    final SurvivorTracker tracker = HeapAssertions.trackSurvivors();
    String testClass;
    String test;
    boolean atOnce;
  }

  @Override
  public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context) {
    begin(context);
  }

  /** Once more, as a test object may serve several tests. */
  @Override
  public void beforeEach(ExtensionContext context) {
    if (folder(context).isEmpty()) {
      return;
    }
    synchronized (ROWS) {
      begin(context);
      running++;
      open.testClass = context.getRequiredTestClass().getName();
      open.test = context.getDisplayName();
      open.atOnce = running > 1;
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (folder(context).isPresent()) {
      synchronized (ROWS) {
        running--;
      }
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    Optional<String> folder = folder(context);
    if (folder.isEmpty()) {
      return;
    }
    synchronized (ROWS) {
      finish();
      String testClass = context.getRequiredTestClass().getName();
      List<String> rows = ROWS.remove(testClass);
      if (rows != null) {
        write(Paths.get(folder.get()), testClass, rows);
      }
    }
  }

  private static void begin(ExtensionContext context) {
    if (folder(context).isEmpty()) {
      return;
    }
    synchronized (ROWS) {
      if (open != null && open.test != null && running == 0) {
        finish();
      }
      if (open != null && running > 0) {
        open.atOnce = true;
      }
      if (open == null) {
        open = new Open();
      }
    }
  }

  private static void finish() {
    Open done = open;
    open = null;
    if (done == null) {
      return;
    }
    if (done.test == null) {
      done.tracker.close();
      return;
    }
    String left;
    if (done.atOnce) {
      done.tracker.close();
      left = AT_ONCE;
    } else {
      SurvivorTracker.Left found = done.tracker.left();
      left = found.distribution().objects() == 0 ? "nothing" : found.toString();
    }
    ROWS.computeIfAbsent(done.testClass, name -> new ArrayList<>()).add(done.test + ": " + left);
  }

  private static void write(Path folder, String testClass, List<String> rows) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(testClass).append(": what outlives its tests\n");
    rows.forEach(row -> text.append('\n').append(row).append('\n'));
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("mayfly-report-" + testClass + ".txt"), text);
  }

  private static Optional<String> folder(ExtensionContext context) {
    return context.getConfigurationParameter(FOLDER).filter(folder -> !folder.isBlank());
  }
}
