package io.mayfly;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Objects and bytes by class, most bytes first. */
public final class Distribution {
  /** One class's objects. */
  public static final class Row {
    private final Class<?> type;
    private final long objects;
    private final long bytes;

    Row(Class<?> type, long objects, long bytes) {
      this.type = type;
      this.objects = objects;
      this.bytes = bytes;
    }

    /**
     * The class.
     *
     * @return the class of all these objects
     */
    public Class<?> type() {
      return type;
    }

    /**
     * Their number.
     *
     * @return objects
     */
    public long objects() {
      return objects;
    }

    /**
     * The sum of their shallow sizes.
     *
     * @return bytes
     */
    public long bytes() {
      return bytes;
    }

    @Override
    public String toString() {
      return type.getName() + ": " + objects + ", " + bytes + "B";
    }
  }

  private final List<Row> rows;
  private final long objects;
  private final long bytes;

  Distribution(List<Row> rows) {
    List<Row> sorted = new ArrayList<>(rows);
    sorted.sort(
        Comparator.comparingLong(Row::bytes).reversed().thenComparing(row -> row.type.getName()));
    this.rows = Collections.unmodifiableList(sorted);
    this.objects = rows.stream().mapToLong(Row::objects).sum();
    this.bytes = rows.stream().mapToLong(Row::bytes).sum();
  }

  /** From what {@link Natives#count} and {@link Natives#survivors} answer. */
  static Distribution of(Object[] counted) {
    Class<?>[] types = (Class<?>[]) counted[0];
    long[] objects = (long[]) counted[1];
    long[] bytes = (long[]) counted[2];
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      rows.add(new Row(types[i], objects[i], bytes[i]));
    }
    return new Distribution(rows);
  }

  /**
   * A row for each class that has objects, by bytes, then by name.
   *
   * @return the rows, most bytes first
   */
  public List<Row> rows() {
    return rows;
  }

  /**
   * All objects.
   *
   * @return their number
   */
  public long objects() {
    return objects;
  }

  /**
   * The sum of all shallow sizes.
   *
   * @return bytes
   */
  public long bytes() {
    return bytes;
  }

  /** A line {@code class: objects, bytesB} for each class. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Row row : rows) {
      text.append(text.length() == 0 ? "" : "\n").append(row);
    }
    return text.toString();
  }
}
