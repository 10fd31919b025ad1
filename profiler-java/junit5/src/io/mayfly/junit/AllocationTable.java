package io.mayfly.junit;

import io.mayfly.Allocations;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Prints for each test class a table of what its tests allocate, most first, and of that what is still there when the class is done; and at
 * the end which tests of all classes allocate most and leave most behind. JUnit finds it by itself with
 * {@code junit.jupiter.extensions.autodetection.enabled=true}; {@code @ExtendWith(AllocationTable.class)} names it for one class.
 *
 * <p>The configuration parameter {@code mayfly.table} is {@code full} (the ten test methods that allocate most), {@code all} (each
 * invocation of each), {@code short} (as {@code full}, without what is left) or {@code off}. No test fails by it.
 */
public final class AllocationTable implements InvocationInterceptor, AfterAllCallback {
  /** How much is printed. */
  public static final String PARAMETER = "mayfly.table";

  private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(AllocationTable.class);

  /** Tests of a class of which it is remembered what they made. */
  private static final int MOST = 500;

  /** What one test made. */
  private static final class Line {
    final String method;
    final String test;
    final Allocations made;
    final long bytes;
    final boolean passed;

    Line(ExtensionContext context, Allocations made, long thread, boolean passed) {
      this.method = context.getTestMethod().map(Method::getName).orElse("");
      this.test = name(context);
      this.made = made;
      this.bytes = Watched.bytes(made, thread);
      this.passed = passed;
    }
  }

  /** Of one class. */
  private static final class Lines {
    final List<Line> lines = new ArrayList<>();
    int more;

    synchronized void add(Line line) {
      if (lines.size() < MOST) {
        lines.add(line);
      } else {
        more++;
        line.made.leftNow();
      }
    }
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
      throws Throwable {
    watch(invocation, context);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
      throws Throwable {
    watch(invocation, context);
  }

  @Override
  public void interceptDynamicTest(
      Invocation<Void> invocation, DynamicTestInvocationContext test, ExtensionContext context) throws Throwable {
    watch(invocation, context);
  }

  private static void watch(Invocation<Void> invocation, ExtensionContext context) throws Throwable {
    Lines lines = isOff(context) || Watched.whyNot() != null ? null : lines(context);
    if (lines == null) {
      invocation.proceed();
      return;
    }
    Watched.run(invocation, (made, thread, passed) -> lines.add(new Line(context, made, thread, passed)));
  }

  /** With the method's for one of its repetitions, or of its dynamic tests. */
  private static String name(ExtensionContext context) {
    String own = context.getDisplayName();
    String method = context.getTestMethod().map(Method::getName).orElse("");
    return own.startsWith(method) || method.isEmpty() ? own : method + " " + own;
  }

  /** Of the class, which outlives its tests. */
  private static Lines lines(ExtensionContext context) {
    ExtensionContext at = context;
    while (at.getTestMethod().isPresent() && at.getParent().isPresent() || at.getTestClass().isEmpty() && at.getParent().isPresent()) {
      at = at.getParent().get();
    }
    return at.getStore(STORE).getOrComputeIfAbsent(Lines.class, key -> new Lines(), Lines.class);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (isOff(context)) {
      return;
    }
    try {
      String why = Watched.whyNot();
      if (why != null) {
        sayOnce(System.out, why);
        return;
      }
      Lines lines = context.getStore(STORE).remove(Lines.class, Lines.class);
      if (lines != null) {
        String testClass = context.getRequiredTestClass().getName();
        TestTable table = new TestTable(testClass, rows(lines, parameter(context)), lines.more);
        System.out.print(table.text(parameter(context)));
        context.getRoot().getStore(STORE).getOrComputeIfAbsent(WholeRun.class, key -> new WholeRun(), WholeRun.class).add(table);
      }
    } catch (RuntimeException | LinkageError e) {
      System.out.println("Mayfly: no table of " + context.getDisplayName() + ": " + e);
    }
  }

  private static boolean said;

  private static synchronized void sayOnce(PrintStream out, String why) {
    if (!said) {
      said = true;
      out.println("Mayfly: no tables of what tests allocate: " + why);
    }
  }

  private static boolean isOff(ExtensionContext context) {
    return parameter(context).equals("off");
  }

  private static String parameter(ExtensionContext context) {
    return context.getConfigurationParameter(PARAMETER).orElse("full").trim().toLowerCase(Locale.ROOT);
  }

  /** A row for each test method, or for each of its invocations if all are wanted. */
  private static Collection<TestRow> rows(Lines lines, String parameter) {
    Map<String, TestRow> rows = new LinkedHashMap<>();
    boolean collected = parameter.equals("short");
    for (Line line : lines.lines) {
      // One collection for all of them.
      Allocations made = collected ? line.made.leftNow() : line.made.left();
      collected = true;
      boolean isOne = parameter.equals("all") || line.method.isEmpty();
      rows.computeIfAbsent(isOne ? line.test : line.method, key -> new TestRow(line.method, line.test))
          .add(made, line.bytes, line.passed);
    }
    return rows.values();
  }
}
