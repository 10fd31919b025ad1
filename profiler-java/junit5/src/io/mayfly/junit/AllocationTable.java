package io.mayfly.junit;

import io.mayfly.Allocations;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
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
public final class AllocationTable implements InvocationInterceptor, BeforeAllCallback, AfterAllCallback {
  /** How much is printed. */
  public static final String PARAMETER = "mayfly.table";

  private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(AllocationTable.class);

  /** Tests of a class of which it is remembered what they made. */
  private static final int MOST = 500;

  /**
   * Of one class. Made before its first test, with room for all: an object that is made for the table while a test runs would be left by
   * that test, as others that watch it see it.
   */
  private static final class Lines {
    private final String[] methods = new String[MOST];
    private final String[] tests = new String[MOST];
    private final long[] numbers = new long[MOST];
    private final long[] bytes = new long[MOST];
    private final boolean[] passed = new boolean[MOST];
    private int size;
    private int more;

    synchronized void add(ExtensionContext context, Allocations made, long thread, boolean hasPassed) {
      if (size == MOST) {
        more++;
        made.leftNow();
        return;
      }
      methods[size] = context.getTestMethod().map(Method::getName).orElse("");
      tests[size] = context.getDisplayName();
      numbers[size] = made.number();
      bytes[size] = Watched.bytes(made, thread);
      passed[size] = hasPassed;
      size++;
    }

    /** With the method's name for one of its repetitions, or of its dynamic tests. */
    private String name(int at) {
      return tests[at].startsWith(methods[at]) ? tests[at] : methods[at] + " " + tests[at];
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (!isOff(context) && Watched.whyNot() == null) {
      lines(context);
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
    Watched.run(invocation, (made, thread, passed) -> lines.add(context, made, thread, passed));
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
    for (int i = 0; i < lines.size; i++) {
      // One collection for all of them.
      Allocations made = collected ? Allocations.leftNow(lines.numbers[i]) : Allocations.left(lines.numbers[i]);
      collected = true;
      String method = lines.methods[i];
      String test = lines.name(i);
      boolean isOne = parameter.equals("all") || method.isEmpty();
      rows.computeIfAbsent(isOne ? test : method, key -> new TestRow(method, test)).add(made, lines.bytes[i], lines.passed[i]);
    }
    return rows.values();
  }
}
