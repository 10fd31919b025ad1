import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Ten small programs that count what they make, by class and by the method that makes it: {@code Truth PROGRAM SEED}. */
public final class Truth {
  static final class Point {
    long x, y;
  }

  static final class Node {
    Object next, value;
  }

  static final class Wide {
    long a, b, c, d, e, f, g, h;
  }

  static final class Rare {
    int a, b;
  }

  private static final long POINT = 32, NODE = 24, WIDE = 80, RARE = 24;

  /** What one thread made: bytes by site. */
  static final class Made {
    final long[] bytes = new long[SITES.length];

    void add(int site, long more) {
      bytes[site] += more;
    }
  }

  private static final String[][] SITES = {
    {"Truth$Point", "first"}, {"Truth$Point", "second"}, {"Truth$Point", "third"}, {"Truth$Point", "inThread"},
    {"Truth$Node", "link"}, {"Truth$Node", "keep"}, {"Truth$Wide", "wide"}, {"Truth$Wide", "wideToo"},
    {"Truth$Rare", "rare"}, {"[B", "small"}, {"[B", "large"}, {"[J", "longs"}, {"[J", "manyLongs"}, {"[I", "ints"},
  };

  static volatile Object sink;
  private static final Object[] KEPT = new Object[1 << 16];

  static void first(Made made) { sink = new Point(); made.add(0, POINT); }
  static void second(Made made) { sink = new Point(); made.add(1, POINT); }
  static void third(Made made) { sink = new Point(); made.add(2, POINT); }
  static void inThread(Made made) { sink = new Point(); made.add(3, POINT); }
  static void link(Made made) { sink = new Node(); made.add(4, NODE); }
  static void keep(Made made, int at) { KEPT[at & KEPT.length - 1] = new Node(); made.add(5, NODE); }
  static void wide(Made made) { sink = new Wide(); made.add(6, WIDE); }
  static void wideToo(Made made) { sink = new Wide(); made.add(7, WIDE); }
  static void rare(Made made) { sink = new Rare(); made.add(8, RARE); }
  static void small(Made made, int length) { sink = new byte[length]; made.add(9, array(length)); }
  static void large(Made made, int length) { sink = new byte[length]; made.add(10, array(length)); }
  static void longs(Made made, int length) { sink = new long[length]; made.add(11, array(8L * length)); }
  static void manyLongs(Made made, int length) { sink = new long[length]; made.add(12, array(8L * length)); }
  static void ints(Made made, int length) { sink = new int[length]; made.add(13, array(4L * length)); }

  private static long array(long bytes) {
    return (16 + bytes + 7) / 8 * 8;
  }

  interface Program {
    void run(Random random, Made made) throws InterruptedException;
  }

  private static final Map<String, Program> PROGRAMS = new TreeMap<>();

  static {
    PROGRAMS.put("one-class", Truth::oneClass);
    PROGRAMS.put("mixed-sizes", Truth::mixedSizes);
    PROGRAMS.put("brief-threads", Truth::briefThreads);
    PROGRAMS.put("many-sites", Truth::manySites);
    PROGRAMS.put("rare-classes", Truth::rareClasses);
    PROGRAMS.put("large-arrays", Truth::largeArrays);
    PROGRAMS.put("kept", Truth::kept);
    PROGRAMS.put("phases", Truth::phases);
    PROGRAMS.put("threads-at-once", Truth::threadsAtOnce);
    PROGRAMS.put("skewed-sizes", Truth::skewedSizes);
  }

  static void oneClass(Random random, Made made) {
    int[] shares = {1 + random.nextInt(60), 1 + random.nextInt(60)};
    for (int i = 0; i < 4_000_000; i++) {
      int at = i % 121;
      if (at < shares[0]) first(made);
      else if (at < shares[0] + shares[1]) second(made);
      else third(made);
    }
  }

  static void mixedSizes(Random random, Made made) {
    for (int i = 0; i < 1_000_000; i++) {
      small(made, random.nextInt(200));
      if (i % 1_000 == 0) large(made, 10_000 + random.nextInt(40_000));
      if (i % 3 == 0) first(made);
    }
  }

  static void briefThreads(Random random, Made made) throws InterruptedException {
    for (int thread = 0; thread < 60; thread++) {
      int objects = 5_000 + random.nextInt(30_000);
      join(new Thread(() -> many(objects, own -> inThread(own), made)));
      for (int i = 0; i < 20_000; i++) wide(made);
    }
  }

  static void manySites(Random random, Made made) {
    for (int i = 0; i < 1_500_000; i++) {
      int at = (int) Math.min(7, -Math.log(1 - random.nextDouble()) * 2);
      switch (at) {
        case 0: first(made); break;
        case 1: wide(made); break;
        case 2: link(made); break;
        case 3: second(made); break;
        case 4: small(made, 40); break;
        case 5: wideToo(made); break;
        case 6: ints(made, 10); break;
        default: third(made);
      }
    }
  }

  static void rareClasses(Random random, Made made) {
    int each = 5_000 + random.nextInt(5_000);
    for (int i = 0; i < 3_000_000; i++) {
      first(made);
      if (i % each == 0) rare(made);
      if (i % (10 * each) == 0) wide(made);
    }
  }

  static void largeArrays(Random random, Made made) {
    for (int i = 0; i < 1_000; i++) {
      longs(made, 10_000 + random.nextInt(20_000));
      if (i % 4 == 0) manyLongs(made, 30_000);
    }
  }

  static void kept(Random random, Made made) {
    int each = 20 + random.nextInt(60);
    for (int i = 0; i < 3_000_000; i++) {
      link(made);
      if (i % each == 0) keep(made, i / each);
    }
  }

  static void phases(Random random, Made made) {
    int phase = 600_000 + random.nextInt(600_000);
    for (int i = 0; i < phase; i++) first(made);
    for (int i = 0; i < phase; i++) wide(made);
    for (int i = 0; i < phase; i++) link(made);
  }

  static void threadsAtOnce(Random random, Made made) throws InterruptedException {
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      int kind = i, objects = 300_000 + random.nextInt(600_000);
      threads[i] = new Thread(() -> many(objects, own -> of(kind, own), made));
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
  }

  static void skewedSizes(Random random, Made made) {
    for (int i = 0; i < 400_000; i++) {
      ints(made, (int) (-Math.log(1 - random.nextDouble()) * 60));
      if (random.nextInt(200) == 0) longs(made, (int) Math.min(20_000, 1 / (1e-5 + random.nextDouble())));
      second(made);
    }
  }

  interface Maker {
    void make(Made made);
  }

  private static void of(int kind, Made made) {
    if (kind == 0) first(made);
    else if (kind == 1) wide(made);
    else if (kind == 2) link(made);
    else inThread(made);
  }

  private static void many(int objects, Maker maker, Made all) {
    Made own = new Made();
    for (int i = 0; i < objects; i++) maker.make(own);
    synchronized (all) {
      for (int i = 0; i < own.bytes.length; i++) all.bytes[i] += own.bytes[i];
    }
  }

  private static void join(Thread thread) throws InterruptedException {
    thread.start();
    thread.join();
  }

  public static void main(String[] arguments) throws InterruptedException {
    Made made = new Made();
    PROGRAMS.get(arguments[0]).run(new Random(Long.parseLong(arguments[1])), made);
    sink = null;
    long kept = 0;
    for (Object object : KEPT) kept += object == null ? 0 : NODE;
    if (kept > 0) System.out.println("LIVE Truth$Node keep " + kept);
    for (int i = 0; i < SITES.length; i++) {
      if (made.bytes[i] > 0) System.out.println("TRUTH " + SITES[i][0] + " " + SITES[i][1] + " " + made.bytes[i]);
    }
  }
}
