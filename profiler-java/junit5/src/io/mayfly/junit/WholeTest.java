package io.mayfly.junit;

import io.mayfly.HeapAssertions;
import io.mayfly.Mayfly;
import io.mayfly.Profile;
import io.mayfly.SurvivorTracker;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What is asked of a test from before {@code @BeforeEach} to after {@code @AfterEach}. */
final class WholeTest implements AutoCloseable {
  private SurvivorTracker noSurvivors;
  private SurvivorTracker maxLive;
  private MaxLifetime maxLifetime;

  private WholeTest() {}

  static WholeTest begin(ExtensionContext context) {
    WholeTest test = new WholeTest();
    // What this makes for the first time is no test's.
    ByteCount.parse("0");
    try {
      test.maxLifetime = MayflyExtension.annotation(context, MaxLifetime.class).orElse(null);
      if (test.maxLifetime != null) {
        beginLifetimes(test.maxLifetime);
      }
      Optional<MaxLive> live = MayflyExtension.annotation(context, MaxLive.class);
      if (live.isPresent()) {
        ByteCount.parse(live.get().value());
        Class<?>[] of = live.get().of();
        test.maxLive = HeapAssertions.trackSurvivors(of.length == 0 ? new Class<?>[] {Object.class} : of);
      }
      Optional<NoSurvivors> none = MayflyExtension.annotation(context, NoSurvivors.class);
      if (none.isPresent()) {
        test.noSurvivors = HeapAssertions.trackSurvivors(none.get().value());
      }
    } catch (RuntimeException | Error e) {
      test.close();
      throw e;
    }
    return test;
  }

  private static void beginLifetimes(MaxLifetime limits) {
    if (limits.bytes().isEmpty() && limits.collections() < 0 && limits.millis() < 0) {
      throw new ExtensionConfigurationException("@MaxLifetime has no limit: give bytes, collections or millis");
    }
    if (!limits.bytes().isEmpty()) {
      ByteCount.parse(limits.bytes());
    }
    Profile profile = Profile.now();
    if (profile == null || !profile.followsLifetimes()) {
      throw new IllegalStateException(
          "@MaxLifetime needs an agent that follows lifetimes: start the JVM with"
              + " -agentpath:/path/to/libmayfly.so=#trackcollections");
    }
    Mayfly.reset();
  }

  /** Fails if something is left, or lived too long. After a test that failed nothing is asked. */
  void check(ExtensionContext context) throws IllegalAccessException {
    if (context.getExecutionException().isPresent()) {
      return;
    }
    if (maxLifetime != null) {
      checkLifetimes(context.getDisplayName(), maxLifetime);
    }
    if (noSurvivors != null || maxLive != null) {
      releaseFields(context);
    }
    if (noSurvivors != null) {
      noSurvivors.assertNone("outlives " + context.getDisplayName());
    }
    if (maxLive != null) {
      String limit = MayflyExtension.annotation(context, MaxLive.class).orElseThrow(IllegalStateException::new).value();
      maxLive.assertAtMost(
          "more than " + limit + " outlives " + context.getDisplayName() + " (@MaxLive)", ByteCount.parse(limit));
    }
  }

  private static void checkLifetimes(String test, MaxLifetime limits) {
    Profile profile = Profile.afterCollection();
    if (profile == null) {
      throw new IllegalStateException("@MaxLifetime: profiling has ended");
    }
    for (Class<?> type : limits.value()) {
      Profile.Row row = profile.of(type.getName());
      if (row == null) {
        continue;
      }
      Profile.Age oldest = row.oldest();
      if (!limits.bytes().isEmpty()) {
        check(test, type, oldest.bytes(), ByteCount.parse(limits.bytes()), "was alive while the JVM allocated %d bytes");
      }
      if (limits.collections() >= 0) {
        check(test, type, oldest.collections(), limits.collections(), "survived %d collections");
      }
      if (limits.millis() >= 0) {
        check(test, type, oldest.millis(), limits.millis(), "was alive for %d ms");
      }
    }
  }

  private static void check(String test, Class<?> type, double age, long most, String what) {
    if (age > most) {
      throw new AssertionError(
          "a " + type.getName() + " of " + test + " " + String.format(Locale.ROOT, what, (long) age) + ", the limit is " + most
              + " (@MaxLifetime)");
    }
  }

  /** The test object is not used again, but JUnit still has it. */
  private static void releaseFields(ExtensionContext context) throws IllegalAccessException {
    boolean livesOn =
        context.getTestInstanceLifecycle().filter(TestInstance.Lifecycle.PER_CLASS::equals).isPresent();
    if (livesOn) {
      return;
    }
    for (Object test : context.getRequiredTestInstances().getAllInstances()) {
      for (Class<?> at = test.getClass(); at != null && at != Object.class; at = at.getSuperclass()) {
        for (Field field : at.getDeclaredFields()) {
          int modifiers = field.getModifiers();
          if (!Modifier.isStatic(modifiers) && !Modifier.isFinal(modifiers) && !field.getType().isPrimitive()) {
            field.setAccessible(true);
            field.set(test, null);
          }
        }
      }
    }
  }

  @Override
  public void close() {
    if (noSurvivors != null) {
      noSurvivors.close();
    }
    if (maxLive != null) {
      maxLive.close();
    }
  }
}
