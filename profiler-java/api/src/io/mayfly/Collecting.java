package io.mayfly;

import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Has an object collected, or says what holds it.
 *
 * <p>A pass is mostly one collection. Where the object stays, finalizers and other threads get some time to let go of it;
 * and what a path shows counts only if the object is still there afterwards.
 */
final class Collecting {
  /** For how long something may still let go of the object, in milliseconds: {@code -Dmayfly.assertgc.patience}. */
  private static final long PATIENCE = Long.getLong("mayfly.assertgc.patience", 1000);

  /** At most so many soft references in a row are cleared for one object. */
  private static final int MOST_SOFT = 100;

  /** No reference that should keep the object was found, and it is there. */
  private static final String UNCLEAR =
      "Not found!!! No strong or soft reference holds it, but it is still there after "
          + PATIENCE
          + " ms and several collections: ";

  private final Reference<?> reference;
  private final Set<?> rootsHint;
  private final int most;

  Collecting(Reference<?> reference, Set<?> rootsHint, int most) {
    this.reference = Objects.requireNonNull(reference, "reference");
    this.rootsHint = rootsHint;
    this.most = Math.max(most, 1);
  }

  /**
   * Collects the referent.
   *
   * @param allowSoft whether soft references may be cleared for it, as the collector does when memory runs short
   * @return null if it is gone, else what holds it
   */
  String whyNot(boolean allowSoft) {
    AgentLibrary.require();
    if (isGone(allowSoft)) {
      return null;
    }
    finishFinalizers();
    if (isGone(allowSoft) || allowSoft && isGoneSoftly()) {
      return null;
    }
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE);
    long left = PATIENCE;
    for (long pause = 10; left > 0; pause *= 4) {
      pause(Math.min(pause, left));
      finishFinalizers();
      if (isGone(allowSoft)) {
        return null;
      }
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
    return proven(allowSoft);
  }

  /** What holds it, if it is still there once that is known. */
  private String proven(boolean allowSoft) {
    Holders holders = holders();
    if (holders.strength == Strength.SOFT && allowSoft) {
      if (isGoneSoftly()) {
        return null;
      }
      holders = holders();
    }
    boolean softly = holders.strength == Strength.SOFT && !allowSoft;
    return !softly && isGone() ? null : holders.text;
  }

  /** Some collectors clear soft references whenever they are asked to collect: where these count, look before. */
  private boolean isGone(boolean allowSoft) {
    return (allowSoft || !isHeldSoftly()) && isGone();
  }

  /** Whether soft references are what keeps the object. */
  private boolean isHeldSoftly() {
    for (Path path : find(Strength.SOFT, 1)) {
      return path.strength() == Strength.SOFT;
    }
    return false;
  }

  private boolean isGone() {
    if (Natives.isCleared(reference)) {
      return true;
    }
    Natives.collect();
    return Natives.isCleared(reference);
  }

  /** Clears the soft references that hold the object, one after the other, if nothing stronger does. */
  private boolean isGoneSoftly() {
    for (int cleared = 0; cleared < MOST_SOFT && clearSoft(); cleared++) {
      if (isGone()) {
        return true;
      }
    }
    return false;
  }

  /** Clears one of them; false if there is none. No path is kept: it would hold the object itself. */
  private boolean clearSoft() {
    for (Path path : find(Strength.SOFT, 1)) {
      for (Path at = path; path.strength() == Strength.SOFT && at.nextNode() != null; at = at.nextNode()) {
        if (at.getObject() instanceof SoftReference && at.nextStrength() == Strength.SOFT) {
          // As the collector does when memory runs short; it enqueues, too.
          ((SoftReference<?>) at.getObject()).enqueue();
          return true;
        }
      }
    }
    return false;
  }

  /** What holds the object, as text: paths would hold it themselves. */
  private static final class Holders {
    final String text;
    final Strength strength;

    Holders(String text, Strength strength) {
      this.text = text;
      this.strength = strength;
    }
  }

  private Holders holders() {
    List<Path> paths = find(Strength.ALL, most);
    if (paths.isEmpty()) {
      return new Holders(UNCLEAR + "the JVM itself may hold it, or the stack of a virtual thread", Strength.ALL);
    }
    StringBuilder text = new StringBuilder();
    for (Path path : paths) {
      text.append(text.length() == 0 ? "" : "\n\n").append(path);
    }
    Strength strength = paths.get(0).strength();
    boolean kept = strength.compareTo(Strength.SOFT) <= 0;
    return new Holders(kept ? text.toString() : UNCLEAR + "the strongest way to it is\n" + text, strength);
  }

  private List<Path> find(Strength strength, int paths) {
    return Heap.paths(new Object[] {reference}, rootsHint, strength, paths).get(0);
  }

  @SuppressWarnings({"deprecation", "removal"})
  static void finishFinalizers() {
    try {
      System.runFinalization();
    } catch (LinkageError e) {
      // A JDK without finalizers.
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(Math.max(millis, 1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
