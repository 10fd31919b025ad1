package io.mayfly;

/**
 * Steers the Mayfly agent from inside the profiled program.
 *
 * <p>Every method may be called from any thread at any time. Without the agent each is a no-op, so calls can stay in
 * production code: the first call finds out, later ones return at once. An agent attached to the running JVM after
 * that first call is not noticed. Only {@link #load()} and {@link #start(String)} bring the agent in.
 *
 * <p>What the calling thread allocates during a call is not counted. Nothing is allocated here, but to bring the agent in.
 */
public final class Mayfly {
  /** Set once a native method was found to have no library behind it. Racing threads agree. */
  private static volatile boolean absent;

  private Mayfly() {}

  /**
   * Starts or resumes profiling, e.g. after {@code #delayprofiling} or {@link #pause()}. Objects allocated meanwhile
   * stay unknown. No effect if profiling is on.
   */
  public static void start() {
    if (absent) {
      return;
    }
    try {
      start0();
    } catch (UnsatisfiedLinkError e) {
      absent = true;
    }
  }

  /**
   * Brings the agent into this JVM and samples from now on: {@link #start(String)} without options.
   *
   * @return whether profiling began by this call
   */
  public static boolean load() {
    return start("");
  }

  /**
   * Brings the agent into this JVM, without {@code -agentpath} and without an attach, and begins to profile with the JVM's own sampler.
   * If this JVM is profiled already, whoever began that, nothing changes: as many parts of a program as like may call this. An agent
   * that is there and does nothing begins. {@code mayfly status}, {@code snapshot}, {@code live} and {@code stop} reach it as
   * any other.
   *
   * <p>The library is looked for where {@code -Dmayfly.agent} or the environment's {@code MAYFLY_AGENT} say, then beside the jar
   * of this class, then in it. JDK 24 and newer warn if {@code --enable-native-access} does not allow Java code to load a library.
   *
   * @param options as of the agent, e.g. {@code "#sample-64k#recording-run.mayfly"}: those that go with {@code #engine-sampled},
   *     which need not be named
   * @return whether profiling began by this call
   * @throws AgentMissingException if the library is not found, or is of another version
   * @throws IllegalStateException if profiling can't begin: options that can't be had, or another profiler has the JVM's sampler
   */
  public static boolean start(String options) {
    java.util.Objects.requireNonNull(options, "options");
    AgentLibrary.require();
    boolean began;
    try {
      began = Natives.start(options);
    } catch (UnsatisfiedLinkError e) {
      throw new AgentMissingException("Mayfly's library in this JVM is older than this API and can't begin to profile", e);
    }
    absent = false;
    return began;
  }

  /**
   * Stops counting and tracking new objects. Data is kept, and deaths of objects that are already tracked are still
   * noted. No effect if profiling is off.
   */
  public static void pause() {
    if (absent) {
      return;
    }
    try {
      pause0();
    } catch (UnsatisfiedLinkError e) {
      absent = true;
    }
  }

  /**
   * Ends profiling: the last report, and the end of the recording, which is whole when this returns. The program goes on, and
   * {@link #start(String)} may begin again. Nothing is collected before: what is live is what the last collection left.
   *
   * @return whether profiling ended by this call; false if there was none, or it counts exactly since the launch: that ends with the JVM
   */
  public static boolean stop() {
    if (absent) {
      return false;
    }
    try {
      return stop0();
    } catch (UnsatisfiedLinkError e) {
      absent = true;
      return false;
    }
  }

  /**
   * With {@code #threads}: from now on the stacks of the calling thread are of the pool of this name, whatever the thread is called, until
   * it gives another one or profiling ends. For threads that work on one thing after the other: a stage, a tenant, a kind of job.
   *
   * @param name of the pool, one of few: beyond 1,000 all others are one; null for the pool that the thread's own name says
   * @return whether stacks of this thread name that pool; false without the agent or {@code #threads}, and on a virtual thread
   */
  public static boolean pool(String name) {
    if (absent) {
      return false;
    }
    try {
      return pool0(name);
    } catch (UnsatisfiedLinkError e) {
      absent = true;
      return false;
    }
  }

  /**
   * Sets all counts to zero and forgets all tracked objects. Profiling stays on, or off.
   */
  public static void reset() {
    if (absent) {
      return;
    }
    try {
      reset0();
    } catch (UnsatisfiedLinkError e) {
      absent = true;
    }
  }

  /**
   * Writes a report of everything since the start or the last reset, to where the agent's options say. Works while
   * paused, and returns when the report is written.
   */
  public static void report() {
    if (absent) {
      return;
    }
    try {
      report0();
    } catch (UnsatisfiedLinkError e) {
      absent = true;
    }
  }

  /**
   * Says that the program has done so many more operations: requests, rows, whatever it measures its work in. Reports,
   * {@code mayfly diff} and budgets then give numbers per operation. While profiling is paused they are not counted, and a
   * reset sets them to zero, as with allocations. Cheap enough to be called for each of them, by any number of threads.
   *
   * @param count of operations since the last call; nothing is done if it is not positive
   */
  public static void operations(long count) {
    if (absent || count <= 0) {
      return;
    }
    try {
      operations0(count);
    } catch (UnsatisfiedLinkError e) {
      absent = true;
    }
  }

  /**
   * Says for which request the calling thread works from now on, until {@link #clearTrace()} or another call: reports then list
   * requests whose objects are still there. Only needed without a tracer that publishes OpenTelemetry's thread context, which is read
   * anyway; what is said here comes first.
   *
   * <p>It belongs to the thread that calls, virtual or not, and to no other that works for it. Call {@link #clearTrace()} in a
   * {@code finally}: a pooled thread would go on in the name of the request. Of more than 65,536 threads that did not, the oldest are
   * forgotten, which reports say.
   *
   * @param traceId 32 hexadecimal digits, or 16 as Zipkin has them
   * @param spanId 16 hexadecimal digits
   * @return whether both are ids; if not, or if one is all zero, the thread works for no request
   */
  public static boolean trace(String traceId, String spanId) {
    boolean isLong = traceId != null && traceId.length() == 32;
    boolean areIds = isHex(traceId, isLong ? 32 : 16) && isHex(spanId, 16);
    long high = areIds && isLong ? hex(traceId, 0) : 0;
    long low = areIds ? hex(traceId, isLong ? 16 : 0) : 0;
    long span = areIds ? hex(spanId, 0) : 0;
    setTrace(high, low, span);
    return (high | low) != 0 && span != 0;
  }

  /**
   * As {@link #trace(String, String)}, with the ids as numbers.
   *
   * @param traceIdHigh the first 8 bytes of the trace id
   * @param traceIdLow its last 8 bytes
   * @param spanId of the span
   */
  public static void trace(long traceIdHigh, long traceIdLow, long spanId) {
    setTrace(traceIdHigh, traceIdLow, spanId);
  }

  /** Says that the calling thread works for no request any more. */
  public static void clearTrace() {
    setTrace(0, 0, 0);
  }

  private static void setTrace(long high, long low, long span) {
    if (absent) {
      return;
    }
    try {
      trace0(high, low, span);
    } catch (UnsatisfiedLinkError e) {
      absent = true;
    }
  }

  private static boolean isHex(String id, int digits) {
    if (id == null || id.length() != digits) {
      return false;
    }
    for (int at = 0; at < digits; at++) {
      if (id.charAt(at) > 'f' || Character.digit(id.charAt(at), 16) < 0) {
        return false;
      }
    }
    return true;
  }

  private static long hex(String id, int from) {
    long value = 0;
    for (int at = from; at < from + 16; at++) {
      value = value << 4 | Character.digit(id.charAt(at), 16);
    }
    return value;
  }

  /**
   * Enters a scope: a stretch of this thread's work that ends when it is closed. Reports say what is allocated in scopes of that name,
   * and what survives them.
   *
   * @param name of the scope, one of few
   * @return to be closed by this thread, best by {@code try}
   */
  public static Scope scope(String name) {
    return Scope.open(name);
  }

  /**
   * Whether allocations are being counted.
   *
   * @return true if the agent is loaded and profiling is on
   */
  public static boolean isActive() {
    if (absent) {
      return false;
    }
    try {
      return isActive0();
    } catch (UnsatisfiedLinkError e) {
      absent = true;
      return false;
    }
  }

  /**
   * Whether the agent is there, profiling or paused; or at least its library, where {@link Heap} has loaded that.
   *
   * @return true if the agent is loaded
   */
  public static boolean isLoaded() {
    isActive();
    return !absent;
  }

  /**
   * Registers the MBean {@link ProfilerMXBean#NAME} in this JVM's MBean server, so that profiling can be steered by
   * jconsole and the like. Does nothing if it is registered already. The management classes are loaded now, and not
   * before.
   *
   * @throws IllegalStateException if this JVM lacks the module {@code java.management}
   */
  public static void registerMBean() {
    try {
      ManagedProfiler.register();
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException("Mayfly: no MBean, as this JVM lacks the module java.management", e);
    }
  }

  /**
   * The agent's library as a file, for the command line of a JVM that is to be started: where {@code -Dmayfly.agent} or the
   * environment's {@code MAYFLY_AGENT} say, else beside the jar of this class, else a copy of the one in it, which is deleted when
   * this JVM ends. Nothing is loaded.
   *
   * @return the file
   * @throws AgentMissingException if there is none
   */
  public static java.nio.file.Path agentLibrary() {
    return AgentLibrary.file();
  }

  // Bound by the JVM, which looks for these in agent libraries too.

  private static native void start0();

  private static native void pause0();

  private static native boolean stop0();

  private static native boolean pool0(String name);

  private static native void reset0();

  private static native void report0();

  private static native void operations0(long count);

  private static native void trace0(long high, long low, long span);

  private static native boolean isActive0();
}
