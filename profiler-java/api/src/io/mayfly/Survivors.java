package io.mayfly;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Runs a body and says what of it is left. */
final class Survivors {
  /** Paths are shown for so many survivors. */
  private static final int SHOWN = 3;

  private Survivors() {}

  static void check(String message, HeapAssertions.Body body, Class<?>[] types) {
    Object[] counted = Natives.survivors(() -> run(body), types, SHOWN);
    Distribution found = Distribution.of(counted);
    if (found.objects() == 0) {
      return;
    }
    Object[] some = (Object[]) counted[3];
    StringBuilder text = new StringBuilder(message);
    text.append(": ").append(found.objects()).append(found.objects() == 1 ? " object, " : " objects, ");
    text.append(found.bytes()).append(" bytes");
    for (Distribution.Row row : found.rows()) {
      text.append("\n  ").append(row);
    }
    List<Path> shortestFirst = new ArrayList<>();
    Heap.paths(held(some), Set.of(), Strength.SOFT, 1).forEach(shortestFirst::addAll);
    shortestFirst.sort(Comparator.comparingInt(Path::length));
    shortestFirst.forEach(path -> text.append("\n\n").append(path));
    throw new AssertionError(text.toString());
  }

  /** The body, and collections until what it left has had a chance to go. */
  private static void run(HeapAssertions.Body body) {
    try {
      body.run();
    } catch (Exception e) {
      throw Survivors.<RuntimeException>unchecked(e);
    }
    Natives.collect();
    Collecting.finishFinalizers();
    Natives.collect();
  }

  private static Object[] held(Object[] objects) {
    List<Object> holders = new ArrayList<>();
    Arrays.stream(objects).forEach(object -> holders.add(new Object[] {object}));
    return holders.toArray();
  }

  /** Throws as it is what the compiler would have declared. */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> E unchecked(Exception exception) throws E {
    throw (E) exception;
  }
}
