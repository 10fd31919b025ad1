package io.mayfly;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Assertions about the heap, for tests: what things weigh, and that nothing holds what should be gone.
 *
 * <p>They fail with a plain {@link AssertionError}, and throw {@link AgentMissingException} if the agent is not there:
 * without it nothing passes.
 */
public final class HeapAssertions {
  private HeapAssertions() {}

  /**
   * Asserts that an object, with all that it reaches, is not larger than a limit.
   *
   * @param message what to say first if it is
   * @param limit bytes
   * @param root the object
   */
  public static void assertSize(String message, long limit, Object root) {
    assertSize(message, Arrays.asList(root), limit);
  }

  /**
   * Asserts that some objects, with all that they reach, are not larger than a limit together.
   *
   * @param message what to say first if they are
   * @param roots the objects; the collection itself does not count
   * @param limit bytes
   */
  public static void assertSize(String message, Collection<?> roots, long limit) {
    assertSize(message, roots, limit, new Object[0]);
  }

  /**
   * Asserts that some objects, with all that they reach, are not larger than a limit together.
   *
   * @param message what to say first if they are
   * @param roots the objects; the collection itself does not count
   * @param limit bytes
   * @param skip objects that do not count; references to them are taken for null
   */
  public static void assertSize(String message, Collection<?> roots, long limit, Object[] skip) {
    checkSize(message, limit, Heap.distribution(roots, Arrays.asList(skip)));
  }

  /**
   * Asserts that some objects, with all that they reach, are not larger than a limit together.
   *
   * @param message what to say first if they are
   * @param roots the objects; the collection itself does not count
   * @param limit bytes
   * @param skip says what does not count; it is not asked about the roots
   * @return the size in bytes
   */
  public static long assertSize(String message, Collection<?> roots, long limit, MemoryFilter skip) {
    return checkSize(message, limit, Heap.distribution(roots, (object, from, field) -> !skip.reject(object)));
  }

  private static long checkSize(String message, long limit, Distribution found) {
    if (found.bytes() <= limit) {
      return found.bytes();
    }
    StringBuilder text = new StringBuilder(message);
    text.append(": leak ").append(found.bytes() - limit).append(" bytes  over limit of ").append(limit).append(" bytes");
    for (Distribution.Row row : found.rows()) {
      text.append("\n  ").append(row);
    }
    throw new AssertionError(text.toString());
  }

  /**
   * Asserts that an object keeps no more than so many bytes alive.
   *
   * @param message what to say first if it does
   * @param limit bytes
   * @param object the object
   */
  public static void assertRetained(String message, long limit, Object object) {
    long bytes = Heap.retainedSize(object);
    if (bytes > limit) {
      throw new AssertionError(
          message + ": retains " + bytes + " bytes, " + (bytes - limit) + " over the limit of " + limit + " bytes");
    }
  }

  /**
   * Asserts that an object can be collected.
   *
   * @param message what to say before the path that holds it
   * @param reference a reference to the object; nobody else should have one
   */
  public static void assertGC(String message, Reference<?> reference) {
    assertGC(message, reference, Set.of());
  }

  /**
   * Asserts that an object can be collected, also as long as some other objects live.
   *
   * @param message what to say before the path that holds it
   * @param reference a reference to the object; nobody else should have one
   * @param rootsHint objects to be taken for roots, besides all real ones
   */
  public static void assertGC(String message, Reference<?> reference, Set<?> rootsHint) {
    assertGC(message, reference, rootsHint, true);
  }

  /**
   * Asserts that an object can be collected.
   *
   * @param message what to say before the path that holds it
   * @param reference a reference to the object; nobody else should have one
   * @param allowSoft whether soft references may hold it; they are cleared then, those alone
   */
  public static void assertGC(String message, Reference<?> reference, boolean allowSoft) {
    assertGC(message, reference, Set.of(), allowSoft);
  }

  private static void assertGC(String message, Reference<?> reference, Set<?> rootsHint, boolean allowSoft) {
    int paths = Integer.getInteger("assertgc.paths", 1);
    String why = new Collecting(reference, rootsHint, paths).whyNot(allowSoft);
    if (why != null) {
      throw new AssertionError(message + ":\n" + why);
    }
  }

  /**
   * Asserts that an object can be collected.
   *
   * @param reference a reference to the object; nobody else should have one
   */
  public static void assertCollected(Reference<?> reference) {
    assertCollected("still reachable", reference);
  }

  /**
   * Asserts that an object can be collected; another name of {@link #assertGC(String, Reference)}.
   *
   * @param message what to say before the path that holds it
   * @param reference a reference to the object; nobody else should have one
   */
  public static void assertCollected(String message, Reference<?> reference) {
    assertGC(message, reference);
  }

  /** A piece of a test, which may throw. */
  @FunctionalInterface
  public interface Body {
    /**
     * Runs it.
     *
     * @throws Exception whatever goes wrong
     */
    void run() throws Exception;
  }

  /**
   * Asserts that no object of the program's own classes that came while a body ran is left when it is done. Classes of the
   * JDK do not count. What happens once only (class initialisation, caches) should have happened before: run the body once
   * beforehand.
   *
   * @param body what to run
   */
  public static void assertNoSurvivors(Body body) {
    assertNoSurvivors("objects survive", body);
  }

  /**
   * Asserts that no object of some classes, or their subclasses, that came while a body ran is left when it is done. Other
   * threads' objects count as well.
   *
   * @param message what to say before the survivors
   * @param body what to run
   * @param types the classes; none for all that are not the JDK's
   */
  public static void assertNoSurvivors(String message, Body body, Class<?>... types) {
    AgentLibrary.require();
    Survivors.check(message, body, types.length == 0 ? null : types.clone());
  }

  /**
   * Follows all objects of some classes, or their subclasses, that come from now on, to ask later what is left of them. Other
   * threads' objects count as well.
   *
   * @param types the classes; none for all that are not the JDK's, {@code Object.class} for all
   * @return a tracker
   */
  public static SurvivorTracker trackSurvivors(Class<?>... types) {
    AgentLibrary.require();
    return new SurvivorTracker(types.length == 0 ? null : types.clone());
  }

  /**
   * Follows instances, to assert later that all can be collected.
   *
   * @return a tracker
   */
  public static InstanceTracker trackInstances() {
    return new InstanceTracker();
  }

  /**
   * Follows what is logged: the parameters of records by a logger, as {@link InstanceTracker#track} under the record's
   * message.
   *
   * @param logger the logger
   * @param message the records' message as it was logged, before formatting; null for any
   * @param level the lowest level of interest, which the logger is set to
   * @return a tracker, which listens until it is closed
   */
  public static InstanceTracker trackInstances(Logger logger, String message, Level level) {
    InstanceTracker tracker = new InstanceTracker();
    tracker.listen(new LoggedInstances(tracker, logger, message, level));
    return tracker;
  }
}
