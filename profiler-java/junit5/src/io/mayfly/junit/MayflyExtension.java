package io.mayfly.junit;

import io.mayfly.HeapAssertions;
import io.mayfly.InstanceTracker;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;

/**
 * Carries {@link AssertCollected}, {@link MaxAllocated}, {@link MaxLifetime}, {@link MaxLive}, {@link MaxRetained} and
 * {@link NoSurvivors} out; they bring it along.
 *
 * <p>With {@code @ExtendWith(MayflyExtension.class)} a test may also have a parameter of type {@link InstanceTracker}: what it
 * tracks must be collectable when the test and its {@code @AfterEach} methods are done.
 */
public final class MayflyExtension
    implements InvocationInterceptor, BeforeEachCallback, AfterTestExecutionCallback, AfterEachCallback, ParameterResolver {
  private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(MayflyExtension.class);

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(STORE).put(WholeTest.class, WholeTest.begin(context));
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
      throws Throwable {
    intercept(invocation, context);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
      throws Throwable {
    intercept(invocation, context);
  }

  /** Of a {@code @TestFactory}: what the factory itself makes is held by JUnit, and asked nothing. */
  @Override
  public void interceptDynamicTest(
      Invocation<Void> invocation, DynamicTestInvocationContext test, ExtensionContext context) throws Throwable {
    intercept(invocation, context);
  }

  /** What JUnit before 5.8 calls, and JUnit 6 does not know. */
  @SuppressWarnings("deprecation")
  public void interceptDynamicTest(Invocation<Void> invocation, ExtensionContext context) throws Throwable {
    intercept(invocation, context);
  }

  private static void intercept(Invocation<Void> invocation, ExtensionContext context) throws Throwable {
    Optional<AssertCollected> collected = annotation(context, AssertCollected.class);
    if (collected.isEmpty()) {
      allocating(invocation, context);
      return;
    }
    HeapAssertions.Body body = () -> allocatingUnchecked(invocation, context);
    HeapAssertions.assertNoSurvivors("left behind by " + context.getDisplayName(), body, collected.get().value());
  }

  private static void allocatingUnchecked(Invocation<Void> invocation, ExtensionContext context) throws Exception {
    try {
      allocating(invocation, context);
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void allocating(Invocation<Void> invocation, ExtensionContext context) throws Throwable {
    Optional<MaxAllocated> limit = annotation(context, MaxAllocated.class);
    if (limit.isEmpty()) {
      invocation.proceed();
      return;
    }
    AllocatedBytes.prepare(ofTheMethod(context).getRequiredTestMethod());
    AllocationLimit checked = AllocationLimit.begin(context.getDisplayName(), limit.get());
    if (!limit.get().allThreads() && Watched.whyNot() == null) {
      Watched.run(invocation, checked::check);
      return;
    }
    invocation.proceed();
    checked.check();
  }

  /** The context of the method that the test is of: a dynamic test's own one has neither method nor class. */
  private static ExtensionContext ofTheMethod(ExtensionContext context) {
    ExtensionContext at = context;
    while (at.getTestMethod().isEmpty() && at.getParent().isPresent()) {
      at = at.getParent().get();
    }
    return at;
  }

  /** Of the method, or else of its class and what encloses that. */
  static <A extends java.lang.annotation.Annotation> Optional<A> annotation(
      ExtensionContext test, Class<A> type) {
    ExtensionContext context = ofTheMethod(test);
    Optional<A> found = AnnotationSupport.findAnnotation(context.getTestMethod(), type);
    for (Class<?> at = context.getRequiredTestClass(); found.isEmpty() && at != null; at = at.getEnclosingClass()) {
      found = AnnotationSupport.findAnnotation(at, type);
    }
    return found;
  }

  @Override
  public void afterTestExecution(ExtensionContext context) throws Exception {
    for (Object test : context.getRequiredTestInstances().getAllInstances()) {
      for (Field field : fields(test.getClass(), MaxRetained.class)) {
        Object value = field.get(test);
        if (value != null) {
          long most = ByteCount.parse(field.getAnnotation(MaxRetained.class).value());
          HeapAssertions.assertRetained(name(field), most, value);
        }
      }
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    // Closed whatever the first checks say.
    try (WholeTest whole = context.getStore(STORE).remove(WholeTest.class, WholeTest.class)) {
      checkFields(context);
      if (whole != null) {
        whole.check(context);
      }
    }
  }

  private static void checkFields(ExtensionContext context) throws IllegalAccessException {
    List<Checked> left = new ArrayList<>();
    for (Object test : context.getRequiredTestInstances().getAllInstances()) {
      for (Field field : fields(test.getClass(), AssertCollected.class)) {
        take(test, field, left);
      }
    }
    for (Checked each : left) {
      HeapAssertions.assertGC(each.name + " is still reachable", each.reference, each.allowSoft);
    }
    InstanceTracker tracker = context.getStore(STORE).remove(InstanceTracker.class, InstanceTracker.class);
    if (tracker != null && tracker.size() > 0) {
      tracker.assertCollected("still reachable");
    }
  }

  /** Takes the object out of its field. Not in the caller's frame, where it would be held. */
  private static void take(Object test, Field field, List<Checked> left) throws IllegalAccessException {
    if (Modifier.isFinal(field.getModifiers())) {
      throw new ExtensionConfigurationException(
          "@AssertCollected " + name(field) + " is final: it would hold its object for ever, make it non-final");
    }
    Object value = field.get(test);
    if (value != null) {
      left.add(new Checked(name(field), value, field.getAnnotation(AssertCollected.class).allowSoft()));
      field.set(test, null);
    }
  }

  private static final class Checked {
    final String name;
    final WeakReference<Object> reference;
    final boolean allowSoft;

    Checked(String name, Object object, boolean allowSoft) {
      this.name = name;
      this.reference = new WeakReference<>(object);
      this.allowSoft = allowSoft;
    }
  }

  private static List<Field> fields(Class<?> test, Class<? extends java.lang.annotation.Annotation> annotation) {
    List<Field> fields = AnnotationSupport.findAnnotatedFields(test, annotation, field -> true, HierarchyTraversalMode.TOP_DOWN);
    fields.forEach(field -> field.setAccessible(true));
    return fields;
  }

  private static String name(Field field) {
    return field.getDeclaringClass().getSimpleName() + "." + field.getName();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == InstanceTracker.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context.getStore(STORE).getOrComputeIfAbsent(
        InstanceTracker.class, key -> HeapAssertions.trackInstances(), InstanceTracker.class);
  }
}
