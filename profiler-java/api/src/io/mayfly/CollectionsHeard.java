package io.mayfly;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;

/**
 * Waits until the program's listeners of collections (Micrometer has one) have heard of those that we force: one thread of the JVM calls
 * them in the order in which they came, so after ours all others are done.
 */
final class CollectionsHeard {
  /** A listener may hang. */
  private static final long PATIENCE_MS = 2_000;

  private final Semaphore heard = new Semaphore(0);
  private final NotificationListener listener = (notification, handback) -> heard.release();
  private final List<GarbageCollectorMXBean> beans = new ArrayList<>();
  private final long before;

  private CollectionsHeard() {
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (bean instanceof NotificationEmitter) {
        ((NotificationEmitter) bean).addNotificationListener(listener, null, null);
        beans.add(bean);
      }
    }
    before = collections();
  }

  /** Runs what collects, and waits. */
  static void during(Runnable collect) {
    CollectionsHeard begun = new CollectionsHeard();
    try {
      collect.run();
    } finally {
      begun.end();
    }
  }

  private long collections() {
    return beans.stream().mapToLong(bean -> Math.max(0, bean.getCollectionCount())).sum();
  }

  private void end() {
    try {
      heard.tryAcquire((int) (collections() - before), PATIENCE_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (GarbageCollectorMXBean bean : beans) {
      try {
        ((NotificationEmitter) bean).removeNotificationListener(listener);
      } catch (ListenerNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
