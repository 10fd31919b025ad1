package io.mayfly.junit;

import io.mayfly.Allocations;
import io.mayfly.Profile;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/** A {@link MaxAllocated} while its test runs: what was allocated before, and afterwards. */
final class AllocationLimit {
  /** Classes named. */
  private static final int ROWS = 10;

  /** Classes named with their frames. */
  private static final int FRAMES = 3;

  private static final ClassLoadingMXBean CLASSES = ManagementFactory.getClassLoadingMXBean();

  private final String test;
  private final MaxAllocated limit;
  private final long most;
  private Supplier<Profile> before;
  private long classes;
  private long bytes;

  private AllocationLimit(String test, MaxAllocated limit) {
    this.test = test;
    this.limit = limit;
    this.most = ByteCount.parse(limit.value());
  }

  static AllocationLimit begin(String test, MaxAllocated limit) {
    AllocationLimit begun = new AllocationLimit(test, limit);
    begun.before = Profile.taken();
    begun.classes = CLASSES.getTotalLoadedClassCount();
    begun.allocatedBytes(); // What the first call allocates does not count as the test's.
    begun.bytes = begun.allocatedBytes();
    return begun;
  }

  private long allocatedBytes() {
    return limit.allThreads() ? AllocatedBytes.ofAllThreads() : AllocatedBytes.ofThisThread();
  }

  /** Fails if it was more, without what happens once only and what JUnit makes. */
  void check(Allocations made, long thread, boolean passed) {
    allocatedBytes(); // Fails where the JVM does not count: then neither is known.
    List<Allocations.Row> rows = made.rows();
    long allocated = Watched.bytes(made, thread);
    if (!passed || allocated <= most) {
      return;
    }
    StringBuilder text = new StringBuilder(over(allocated)).append("\nmost of it:");
    rows.stream().limit(FRAMES).forEach(row -> text.append("\n  ").append(row));
    long once = Bytes.sum(made.once(), Allocations.Row::bytes);
    if (once > 0) {
      text.append("\nanother ").append(once).append(" bytes are of what happens once only (classes loaded, lambdas linked), which does not count");
    }
    throw new AssertionError(text.toString());
  }

  private String over(long allocated) {
    return test + " allocated " + allocated + " bytes" + (limit.allThreads() ? " on all threads, " : ", ") + (allocated - most)
        + " over the limit of " + most + " bytes (@MaxAllocated(\"" + limit.value() + "\"))";
  }

  /** Fails if it was more. */
  void check() {
    long allocated = allocatedBytes() - bytes;
    if (allocated <= most) {
      return;
    }
    long loaded = CLASSES.getTotalLoadedClassCount() - classes;
    throw new AssertionError(over(allocated) + loading(loaded) + byClass());
  }

  private static String loading(long loaded) {
    if (loaded == 0) {
      return "";
    }
    return "\nmeanwhile " + loaded + (loaded == 1 ? " class was" : " classes were")
        + " loaded, which takes some KiB each and happens once only: run the code once before, as in @BeforeAll";
  }

  /** What came by class, if something counts that. */
  private String byClass() {
    Supplier<Profile> after = Profile.taken();
    if (before == null || after == null) {
      return "\nby class and site: run the tests with -agentpath:/path/to/libmayfly.so=#trace, which also writes where each was allocated";
    }
    List<Came> rows = came(before.get(), after.get());
    rows.sort(Comparator.comparingLong((Came came) -> came.bytes).reversed());
    StringBuilder text = new StringBuilder("\nmade meanwhile by all threads:");
    rows.stream().limit(ROWS).forEach(came -> text.append("\n  ").append(came));
    if (rows.size() > ROWS) {
      text.append("\n  and ").append(rows.size() - ROWS).append(" more classes");
    }
    return text.toString();
  }

  private static List<Came> came(Profile before, Profile after) {
    List<Came> rows = new ArrayList<>();
    for (Profile.Row row : after.classes()) {
      Profile.Row known = before.of(row.name());
      long objects = row.objects() - (known == null ? 0 : known.objects());
      if (objects > 0) {
        rows.add(new Came(row.name(), objects, row.bytes() - (known == null ? 0 : known.bytes())));
      }
    }
    return rows;
  }

  private static final class Came {
    final String name;
    final long objects;
    final long bytes;

    Came(String name, long objects, long bytes) {
      this.name = name;
      this.objects = objects;
      this.bytes = bytes;
    }

    @Override
    public String toString() {
      return Allocations.readable(name) + ": " + objects + ", " + bytes + "B";
    }
  }
}
