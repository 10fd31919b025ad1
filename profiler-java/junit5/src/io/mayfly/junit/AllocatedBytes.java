package io.mayfly.junit;

import io.mayfly.Totals;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** The JVM's count of what a thread, or all together, have allocated so far. */
final class AllocatedBytes {
  private static final com.sun.management.ThreadMXBean THREADS = bean();

  private static final Method WARM = warmMethod();

  /** Of JDK 21, and of later updates of 11 and 17; null before. */
  private static final Method TOTAL = totalMethod();

  private AllocatedBytes() {}

  private static Method warmMethod() {
    try {
      return AllocatedBytes.class.getDeclaredMethod("warm");
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Method totalMethod() {
    try {
      return com.sun.management.ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  /** By all threads, those that ended included. */
  static long ofAllThreads() {
    if (TOTAL != null) {
      try {
        return known((Long) TOTAL.invoke(THREADS));
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException(e);
      }
    }
    Totals totals = Totals.now();
    if (totals == null || totals.jvmBytes() < 0) {
      throw new IllegalStateException(
          "this JVM does not say what ended threads allocated (JDK 21 and updates of 11 and 17 do): @MaxAllocated(allThreads = true)"
              + " needs an agent that profiles, -agentpath:/path/to/libmayfly.so");
    }
    return totals.jvmBytes();
  }

  static long ofThisThread() {
    return known(THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()));
  }

  /** -1 if the JVM does not count. */
  static long ofThisThreadIfKnown() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** What the JVM does not know is -1, and so would be its difference 0. */
  private static long known(long bytes) {
    if (bytes >= 0) {
      return bytes;
    }
    throw new IllegalStateException(
        THREADS.isThreadAllocatedMemoryEnabled()
            ? "@MaxAllocated: the JVM does not count what this thread allocates, as of a virtual thread; run the test on a platform thread"
            : "@MaxAllocated: the JVM's count of what threads allocate is switched off; the test or its program calls"
                + " ThreadMXBean.setThreadAllocatedMemoryEnabled(false): leave it on");
  }

  /**
   * Has the JDK make what it needs to call a method by reflection, up to hundreds of KiB, without calling it: it looks for a
   * receiver last.
   */
  static void prepare(Method method) throws IllegalAccessException {
    if (Modifier.isStatic(method.getModifiers())) {
      return;
    }
    try {
      method.setAccessible(true);
      method.invoke(null, new Object[method.getParameterCount()]);
    } catch (NullPointerException | IllegalArgumentException | InvocationTargetException e) {
      // There is no receiver, as intended.
    }
    OnceOnly.happen();
    try {
      WARM.invoke(new AllocatedBytes());
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A method of the shape that tests have: the JDK's code for calling such is shared. */
  void warm() {}

  private static com.sun.management.ThreadMXBean bean() {
    if (!(ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean)) {
      throw new IllegalStateException("this JVM does not count what its threads allocate: @MaxAllocated needs HotSpot");
    }
    var bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    bean.setThreadAllocatedMemoryEnabled(true);
    // Once beforehand: what the first call allocates does not count as the test's.
    bean.getThreadAllocatedBytes(Thread.currentThread().getId());
    return bean;
  }
}
