package io.mayfly;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Counts the objects of a scan, and their bytes, by class. */
public final class CountingVisitor implements Visitor {
  private static final class Count {
    long objects;
    long bytes;
  }

  private final Map<Class<?>, Count> counts = new LinkedHashMap<>();
  private final SizeModel sizes;

  /** Sizes by the chosen model, {@link SizeModel#chosen()}. */
  public CountingVisitor() {
    this(SizeModel.chosen());
  }

  /**
   * Sizes by a model of one's own choice.
   *
   * @param sizes what objects weigh
   */
  public CountingVisitor(SizeModel sizes) {
    this.sizes = sizes;
  }

  @Override
  public void visitClass(Class<?> type) {
    counts.put(type, new Count());
  }

  @Override
  public void visitObject(ObjectMap map, Object object) {
    Count count = counts.get(object.getClass());
    count.objects++;
    count.bytes += sizes.sizeOf(object);
  }

  /**
   * The classes met, with or without instances.
   *
   * @return the classes, in the order of the scan
   */
  public Set<Class<?>> getClasses() {
    return counts.keySet();
  }

  /**
   * How many instances of a class were met, those of subclasses not included.
   *
   * @param type a class met
   * @return objects
   * @throws IllegalArgumentException if the class was not met
   */
  public long getCountForClass(Class<?> type) {
    return count(type).objects;
  }

  /**
   * Shallow sizes of the instances of a class.
   *
   * @param type a class met
   * @return bytes
   * @throws IllegalArgumentException if the class was not met
   */
  public long getSizeForClass(Class<?> type) {
    return count(type).bytes;
  }

  /**
   * All objects met.
   *
   * @return their number
   */
  public long getTotalCount() {
    return counts.values().stream().mapToLong(count -> count.objects).sum();
  }

  /**
   * Shallow sizes of all objects met.
   *
   * @return bytes
   */
  public long getTotalSize() {
    return counts.values().stream().mapToLong(count -> count.bytes).sum();
  }

  /**
   * The classes that have instances.
   *
   * @return objects and bytes by class
   */
  public Distribution distribution() {
    List<Distribution.Row> rows = new ArrayList<>();
    counts.forEach(
        (type, count) -> {
          if (count.objects > 0) {
            rows.add(new Distribution.Row(type, count.objects, count.bytes));
          }
        });
    return new Distribution(rows);
  }

  private Count count(Class<?> type) {
    Count count = counts.get(type);
    if (count == null) {
      throw new IllegalArgumentException("Unknown class");
    }
    return count;
  }
}
