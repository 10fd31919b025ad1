package io.mayfly.junit;

import io.mayfly.Allocations;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Prints for each test class a table of what each of its tests allocates, and of that what is still there when the class is done. JUnit finds
 * it by itself with {@code junit.jupiter.extensions.autodetection.enabled=true}; {@code @ExtendWith(AllocationTable.class)} names it for
 * one class.
 *
 * <p>The configuration parameter {@code mayfly.table} is {@code full}, {@code short} (a line for each test, without what is left)
 * or {@code off}. No test fails by it.
 */
public final class AllocationTable implements InvocationInterceptor, AfterAllCallback {
  /** How much is printed. */
  public static final String PARAMETER = "mayfly.table";

  private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(AllocationTable.class);

  /** Tests of a class of which it is remembered what they made. */
  private static final int MOST = 500;

  /** Rows of what is left, for each test. */
  private static final int LEFT = 2;

  /** What one test made. */
  private static final class Line {
    final String test;
    final Allocations made;
    final long bytes;
    final boolean passed;

    Line(String test, Allocations made, long thread, boolean passed) {
      this.test = test;
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
    String test = name(context);
    Watched.run(invocation, (made, thread, passed) -> lines.add(new Line(test, made, thread, passed)));
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
        boolean isShort = parameter(context).equals("short");
        System.out.print(table(context.getRequiredTestClass().getName(), lines, isShort));
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

  private static String table(String testClass, Lines lines, boolean isShort) {
    StringBuilder text = new StringBuilder("Mayfly: what the tests of ").append(testClass).append(" allocate");
    text.append(isShort ? "" : ", and leave behind when all are done").append(" (once: what happens once only, not in the others)\n");
    text.append(String.format("  %10s %8s %10s ", "allocated", "objects", "once"));
    text.append(isShort ? "" : String.format("%10s ", "left")).append(" test: most of it\n");
    boolean collected = false;
    for (Line line : lines.lines) {
      // One collection for all of them.
      Allocations made = collected || isShort ? line.made.leftNow() : line.made.left();
      collected = true;
      row(text, line, made, isShort);
    }
    if (lines.more > 0) {
      text.append("  and ").append(lines.more).append(" more tests\n");
    }
    return text.toString();
  }

  private static void row(StringBuilder text, Line line, Allocations made, boolean isShort) {
    List<Allocations.Row> rows = made.rows();
    String about = made.isEstimated() ? "~" : "";
    long objects = Bytes.sum(rows, Allocations.Row::objects);
    text.append(String.format("  %10s %8s %10s ", Bytes.shown(line.bytes), about + objects,
        Bytes.shown(Bytes.sum(made.once(), Allocations.Row::bytes))));
    text.append(isShort ? "" : String.format("%10s ", Bytes.shown(Bytes.sum(rows, Allocations.Row::leftBytes))));
    text.append(' ').append(line.test).append(line.passed ? "" : " (failed)");
    if (!rows.isEmpty()) {
      Allocations.Row most = rows.get(0);
      text.append(": ").append(Bytes.of(most, most.bytes(), most.objects()));
    }
    text.append('\n');
    if (!isShort) {
      rows.stream().filter(row -> row.leftObjects() > 0)
          .sorted(Comparator.comparingLong(Allocations.Row::leftBytes).reversed()).limit(LEFT)
          .forEach(row -> text.append(" ".repeat(34)).append("left:  ").append(Bytes.of(row, row.leftBytes(), row.leftObjects())).append('\n'));
    }
  }
}
