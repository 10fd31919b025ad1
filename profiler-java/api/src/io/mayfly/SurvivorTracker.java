package io.mayfly;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;

/**
 * Follows the objects that come from one moment to another, and says what of them is left.
 *
 * <p>{@link HeapAssertions#trackSurvivors} marks the one moment, {@link #left()} the other. In between nothing is slowed down; both
 * walk the whole heap. Objects of all threads count. Until then a daemon thread waits.
 */
public final class SurvivorTracker implements AutoCloseable {
  /** What is left. */
  public static final class Left {
    private final Distribution distribution;
    private final List<String> paths;

    Left(Distribution distribution, List<String> paths) {
      this.distribution = distribution;
      this.paths = paths;
    }

    /**
     * By class.
     *
     * @return objects and bytes
     */
    public Distribution distribution() {
      return distribution;
    }

    /**
     * What holds the objects: the largest of each class, and others that are held in another way.
     *
     * @return shortest paths from a root, as text, shortest first; ten at most, and of those that differ in nothing but places in arrays one
     */
    public List<String> paths() {
      return paths;
    }

    /** Objects and bytes in all, a line for each of the classes that have most, and the paths. */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      text.append(distribution.objects()).append(distribution.objects() == 1 ? " object, " : " objects, ");
      text.append(distribution.bytes()).append(" bytes");
      List<Distribution.Row> rows = distribution.rows();
      rows.stream().limit(ROWS).forEach(row -> text.append("\n  ").append(row));
      if (rows.size() > ROWS) {
        text.append("\n  and ").append(rows.size() - ROWS).append(" more classes");
      }
      paths.forEach(path -> text.append("\n\n").append(path));
      return text.toString();
    }
  }

  /** Paths are looked for from so many survivors, of each class one before others. */
  static final int SHOWN = 20;

  /** Paths shown as text: of those that differ in nothing but hash codes and places in arrays one. */
  private static final int PATHS = 10;

  private static final Pattern HASHES_AND_PLACES = Pattern.compile("@[0-9a-f]+|\\[[0-9]+\\]");

  /** Classes listed as text. */
  private static final int ROWS = 20;

  /** Ends the waiting of the thread that holds the mark. */
  private final CountDownLatch end = new CountDownLatch(1);

  private final CountDownLatch marked = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile boolean dropped;
  private volatile Left left;
  private volatile Throwable failure;

  SurvivorTracker(Class<?>[] types) {
    Thread thread = new Thread(() -> hold(types), "mayfly-survivors");
    thread.setDaemon(true);
    thread.start();
    await(marked);
    rethrow();
  }

  /** Tags belong to one native call, so a thread is in it from the one moment to the other. */
  private void hold(Class<?>[] types) {
    try {
      Object[] counted = Natives.survivors(this::untilTheEnd, SurvivorTracker::collect, types, SHOWN);
      left = describe(counted);
    } catch (Dropped e) {
      // Nobody asks.
    } catch (Throwable e) {
      failure = e;
    } finally {
      marked.countDown();
      done.countDown();
    }
  }

  private void untilTheEnd() {
    marked.countDown();
    await(end);
    if (dropped) {
      throw new Dropped();
    }
  }

  /**
   * Collections until what is to go has had a chance to, and until those who listen to collections have heard of them: what they
   * allocate would be the next test's.
   */
  static void collect() {
    if (ModuleLayer.boot().findModule("java.management").isEmpty()) {
      collectTwice();
      return;
    }
    CollectionsHeard.during(SurvivorTracker::collectTwice);
  }

  private static void collectTwice() {
    Natives.collect();
    Collecting.finishFinalizers();
    Natives.collect();
  }

  static Left describe(Object[] counted) {
    Distribution found = Distribution.of(counted);
    List<String> texts = new ArrayList<>();
    if (found.objects() > 0) {
      List<Path> shortestFirst = new ArrayList<>();
      Heap.paths(held((Object[]) counted[3]), Set.of(), Strength.SOFT, 1).forEach(shortestFirst::addAll);
      shortestFirst.sort(Comparator.comparingInt(Path::length));
      Set<String> shapes = new HashSet<>();
      for (Path path : shortestFirst) {
        String text = path.toString();
        if (texts.size() < PATHS && shapes.add(HASHES_AND_PLACES.matcher(text).replaceAll("#"))) {
          texts.add(text);
        }
      }
    }
    return new Left(found, texts);
  }

  private static Object[] held(Object[] objects) {
    return Arrays.stream(objects).map(object -> new Object[] {object}).toArray();
  }

  /**
   * Collects, and says what is left of the objects that came since the tracker was made. Asked again, it says the same.
   *
   * @return objects by class, and what holds some of them
   */
  public Left left() {
    if (dropped) {
      throw new IllegalStateException("the tracker is closed: ask before");
    }
    end.countDown();
    await(done);
    rethrow();
    return left;
  }

  /**
   * Asserts that nothing is left.
   *
   * @param message what to say before what is
   */
  public void assertNone(String message) {
    assertAtMost(message, 0);
  }

  /**
   * Asserts that no more than so many bytes are left.
   *
   * @param message what to say before what is
   * @param limit bytes
   */
  public void assertAtMost(String message, long limit) {
    Left found = left();
    if (found.distribution().bytes() > limit) {
      throw new AssertionError(message + ": " + found);
    }
  }

  /** Gives up, if nobody asked what is left. */
  @Override
  public void close() {
    if (end.getCount() > 0) {
      dropped = true;
      end.countDown();
    }
    await(done);
  }

  private void rethrow() {
    if (failure instanceof RuntimeException) {
      throw (RuntimeException) failure;
    }
    if (failure instanceof Error) {
      throw (Error) failure;
    }
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  /** Waits without being interrupted: an interrupt is kept for who called. */
  private static void await(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The tracker was closed. */
  private static final class Dropped extends RuntimeException {
    private static final long serialVersionUID = 1;

    Dropped() {
      super(null, null, false, false);
    }
  }
}
