package io.mayfly;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Instances that are to be gone in the end, each under a name, none of them held. */
public final class InstanceTracker implements AutoCloseable {
  private static final class Instance {
    final String name;
    final String type;
    final WeakReference<Object> reference;

    Instance(String name, Object object) {
      this.name = name;
      this.type = object.getClass().getName();
      this.reference = new WeakReference<>(object);
    }
  }

  private final List<Instance> instances = new ArrayList<>();
  private AutoCloseable source;

  InstanceTracker() {}

  void listen(AutoCloseable source) {
    this.source = source;
  }

  /**
   * Follows an object.
   *
   * @param name what to ask for it by
   * @param object the object; null is passed over
   */
  public void track(String name, Object object) {
    if (object != null) {
      synchronized (instances) {
        instances.add(new Instance(name, object));
      }
    }
  }

  /**
   * How many objects are followed.
   *
   * @return those that were tracked and not asked about yet
   */
  public int size() {
    synchronized (instances) {
      return instances.size();
    }
  }

  /**
   * Asserts that all instances reported so far, or those of some names, can be collected. They are forgotten then.
   *
   * @param message what to say before what is wrong
   * @param names the names of interest; none for all
   */
  public void assertCollected(String message, String... names) {
    List<Instance> asked = take(Arrays.asList(names));
    if (asked.isEmpty()) {
      throw new AssertionError(message + ": No instance of this type reported");
    }
    AssertionError first = null;
    Throwable last = null;
    for (Instance instance : asked) {
      try {
        HeapAssertions.assertGC(message + " " + instance.name + ", " + instance.type, instance.reference);
      } catch (AssertionError e) {
        if (first == null) {
          first = e;
        } else {
          last.initCause(e);
        }
        last = e;
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private List<Instance> take(List<String> names) {
    synchronized (instances) {
      List<Instance> asked = new ArrayList<>();
      for (Instance instance : instances) {
        if (names.isEmpty() || names.contains(instance.name)) {
          asked.add(instance);
        }
      }
      instances.removeAll(asked);
      return asked;
    }
  }

  /** Stops to listen, if it listens to a logger. */
  @Override
  public void close() {
    try {
      if (source != null) {
        source.close();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
