package io.mayfly;

import java.util.concurrent.ConcurrentHashMap;

/**
 * A stretch of a thread's work, from {@link Mayfly#scope} to {@link #close()}: reports say what is allocated in it, and what of that
 * survives it.
 *
 * <pre>{@code
 * try (Scope request = Mayfly.scope("request")) {
 *   handle();
 * }
 * }</pre>
 *
 * <p>A scope belongs to the thread, virtual or not, that entered it. An object belongs to the innermost scope of the thread that
 * makes it. A scope that is entered again while the thread is in it goes on, and is not counted twice. What other threads do for it
 * belongs to it if it was {@linkplain #handOver() handed over}.
 *
 * <p>Names are meant to be few, e.g. one for each kind of request. With more than 254 of them, the others are one scope.
 *
 * <p>Without the agent nothing happens. Entering makes this one object, outside of the scope.
 */
public final class Scope implements AutoCloseable {
  private static final ConcurrentHashMap<String, Integer> NUMBERS = new ConcurrentHashMap<>();

  /** What is entered where there is no agent that counts. */
  private static final Scope NONE = new Scope(0, null, 0);

  /** Set once the native method was found to have no library behind it. Racing threads agree. */
  private static boolean absent;

  private final int number;
  private final Thread thread;
  /** Scopes handed over that it goes on in, and those that its thread was in before; 0 if it was just entered. */
  private final int levels;

  private long[] before;
  private boolean closed;

  private Scope(int number, Thread thread, int levels) {
    this.number = number;
    this.thread = thread;
    this.levels = levels;
  }

  static Scope open(String name) {
    if (absent) {
      return NONE;
    }
    int number = number(name);
    if (number == 0) {
      return NONE;
    }
    Scope scope = new Scope(number, Thread.currentThread(), 0);
    enter(number);
    return scope;
  }

  private static int number(String name) {
    Integer known = NUMBERS.get(name);
    return known != null ? known : newNumber(name);
  }

  private static int newNumber(String name) {
    try {
      int number = number0(name);
      // No room is kept for names that are all the same scope.
      if (number != 0 && NUMBERS.size() < 1024) {
        NUMBERS.put(name, number);
      }
      return number;
    } catch (UnsatisfiedLinkError e) {
      absent = true;
      return 0;
    }
  }

  /**
   * For tasks that other threads run as a part of this scope. To be called by the thread that is in it.
   *
   * @return what takes tasks into the scope; if the thread is not in it, or without the agent, it lets them run as they are
   */
  public HandOver handOver() {
    boolean isInside = number != 0 && !closed && thread == Thread.currentThread();
    if (!isInside) {
      return new HandOver(null);
    }
    HandOver handOver = new HandOver(handOver(null, number));
    // The agent forgets entries that ended some collections ago, but for those that went on elsewhere once.
    handOver.enter().close();
    return handOver;
  }

  static Scope goOn(long[] handed) {
    if (handed == null) {
      return NONE;
    }
    Scope scope = new Scope((int) handed[2 * (int) handed[0] - 1], Thread.currentThread(), (int) handed[0]);
    scope.before = enterHanded(handed);
    return scope;
  }

  /**
   * Leaves the scope, and with it those that were entered inside of it and not left. Does nothing the second time, and on another
   * thread than the one that entered it.
   */
  @Override
  public void close() {
    if (closed || number == 0 || thread != Thread.currentThread()) {
      return;
    }
    closed = true;
    if (levels == 0) {
      exit(number);
    } else {
      exitHanded(before, levels);
    }
  }

  private static native int number0(String name);

  // The agent puts code into these when it loads this class. Without it they do nothing.

  private static void enter(int number) {}

  private static void exit(int number) {}

  private static long[] handOver(long[] none, int number) {
    return none;
  }

  private static long[] enterHanded(long[] handed) {
    return handed;
  }

  private static void exitHanded(long[] before, int levels) {}
}
