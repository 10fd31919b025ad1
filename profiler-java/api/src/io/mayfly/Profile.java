package io.mayfly;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What was counted since the start or the last {@link Mayfly#reset()}, and how long it lived, as of one moment.
 *
 * <p>Needs an agent that profiles: {@code java -agentpath:libmayfly.so=#trackcollections …}. Without {@code #trackcollections}
 * nothing is known of lifetimes.
 */
public final class Profile {
  /** A length of life by three clocks. What is not known, or longer than anything seen, is {@code NaN}. */
  public static final class Age {
    private final double millis;
    private final double collections;
    private final double bytes;

    Age(Row row, String which) {
      millis = 1000 * row.measure(which + "_s");
      collections = row.measure(which + "_gcs");
      bytes = row.measure(which + "_bytes");
    }

    /**
     * By time.
     *
     * @return milliseconds
     */
    public double millis() {
      return millis;
    }

    /**
     * By collections.
     *
     * @return collections survived
     */
    public double collections() {
      return collections;
    }

    /**
     * By what the whole JVM allocated meanwhile: a clock that does not depend on the machine's speed.
     *
     * @return bytes
     */
    public double bytes() {
      return bytes;
    }
  }

  /** One class, or all together. */
  public static final class Row {
    private final Map<String, Integer> places;
    private final String[] fields;

    Row(Map<String, Integer> places, String line) {
      this.places = places;
      this.fields = line.split("\t", -1);
    }

    /**
     * Any of the numbers that reports have, by the key that JSON, tables and budgets have for it: the guide lists them.
     *
     * @param key for example {@code "p90_s"} or {@code "survived_bytes"}
     * @return the number; {@code NaN} if it is not known
     * @throws IllegalArgumentException there is no measure of this key
     */
    public double measure(String key) {
      Integer place = places.get(key);
      if (place == null) {
        throw new IllegalArgumentException("there is no measure " + key + ", but " + places.keySet());
      }
      return number(fields[place]);
    }

    /**
     * The class.
     *
     * @return its name as {@link Class#getName()} gives it; empty for all together
     */
    public String name() {
      return fields[fields.length - 1];
    }

    /**
     * All that was made, also what the JIT compiler optimised away.
     *
     * @return objects
     */
    public long objects() {
      return whole(measure("objects"));
    }

    /**
     * The sum of the shallow sizes of {@link #objects()}.
     *
     * @return bytes
     */
    public long bytes() {
      return whole(measure("bytes"));
    }

    /**
     * Of these, what took memory: less where the JIT compiler optimised objects away, by the JVM's own samples.
     *
     * @return bytes
     */
    public long bytesTaken() {
      return whole(measure("rank_bytes"));
    }

    /**
     * Tracked objects that were not seen dead.
     *
     * @return objects; -1 if lifetimes are not followed
     */
    public long liveObjects() {
      return whole(measure("live_objects"));
    }

    /**
     * The sum of the shallow sizes of {@link #liveObjects()}.
     *
     * @return bytes; -1 if lifetimes are not followed
     */
    public long liveBytes() {
      return whole(measure("live_bytes"));
    }

    /**
     * Tracked objects that were seen dead.
     *
     * @return objects; -1 if lifetimes are not followed
     */
    public long deadObjects() {
      return whole(measure("dead_objects"));
    }

    /**
     * The sum of the shallow sizes of {@link #deadObjects()}.
     *
     * @return bytes; -1 if lifetimes are not followed
     */
    public long deadBytes() {
      return whole(measure("dead_bytes"));
    }

    /**
     * Of the dead, how many were gone at the first collection after they were made.
     *
     * @return a share, 0 to 1; {@code NaN} if none died
     */
    public double diedBeforeFirstCollection() {
      return measure("died_before_first_gc_share");
    }

    /**
     * The age that half of them do not pass.
     *
     * @return the median
     */
    public Age p50() {
      return new Age(this, "p50");
    }

    /**
     * The age that 99 of 100 do not pass.
     *
     * @return the percentile
     */
    public Age p99() {
      return new Age(this, "p99");
    }

    /**
     * The greatest age at which one of them was seen alive: at least one lived so long.
     *
     * @return a lower bound of the longest life
     */
    public Age oldest() {
      return new Age(this, "oldest");
    }

    @Override
    public String toString() {
      return name() + ": " + objects() + ", " + bytes() + "B";
    }
  }

  private final String[] run;
  private final Row all;
  private final List<Row> classes;

  private Profile(byte[] lines) {
    String[] rows = new String(lines, StandardCharsets.UTF_8).split("\n");
    run = rows[0].split("\t", -1);
    String[] keys = rows[1].split("\t", -1);
    Map<String, Integer> places = new LinkedHashMap<>();
    for (int i = 1; i < keys.length - 1; i++) {
      places.put(keys[i], i);
    }
    all = new Row(places, rows[2]);
    List<Row> classes = new ArrayList<>();
    for (int i = 3; i < rows.length; i++) {
      classes.add(new Row(places, rows[i]));
    }
    this.classes = Collections.unmodifiableList(classes);
  }

  /**
   * The profile so far. What died since the last collection still counts as live.
   *
   * @return the profile; null if nothing profiles in this JVM
   */
  public static Profile now() {
    return of(false);
  }

  /**
   * The profile after a collection of the whole heap: what is live then is reachable.
   *
   * @return the profile; null if nothing profiles in this JVM
   */
  public static Profile afterCollection() {
    return of(true);
  }

  /**
   * The profile so far, which is read when it is asked for: reading allocates some objects for each class, which a later profile would have.
   *
   * @return what gives the profile of this moment; null if nothing profiles in this JVM
   */
  public static Supplier<Profile> taken() {
    byte[] lines = Mayfly.isLoaded() ? take0(false) : null;
    return lines == null ? null : () -> new Profile(lines);
  }

  private static Profile of(boolean collect) {
    byte[] lines = Mayfly.isLoaded() ? take0(collect) : null;
    return lines == null ? null : new Profile(lines);
  }

  /**
   * Profiled time.
   *
   * @return milliseconds
   */
  public long millis() {
    return Long.parseLong(run[1]);
  }

  /**
   * Collections since the agent started.
   *
   * @return their number
   */
  public long collections() {
    return Long.parseLong(run[2]);
  }

  /**
   * Whether lifetimes are followed ({@code #trackcollections}).
   *
   * @return false if nothing is known of them
   */
  public boolean followsLifetimes() {
    return run[7].equals("1");
  }

  /**
   * Whether numbers of live and dead objects are of every object; else they are estimates from a share of them.
   *
   * @return true if they are exact
   */
  public boolean followsEveryObject() {
    return followsLifetimes() && run[8].equals("1");
  }

  /**
   * All classes together.
   *
   * @return the sums, and lifetimes of all objects
   */
  public Row all() {
    return all;
  }

  /**
   * A row for each class, most bytes first.
   *
   * @return the rows
   */
  public List<Row> classes() {
    return classes;
  }

  /**
   * The row of a class.
   *
   * @param name as {@link Class#getName()} gives it
   * @return the row; null if no object of the class was counted
   */
  public Row of(String name) {
    for (Row row : classes) {
      if (row.name().equals(name)) {
        return row;
      }
    }
    return null;
  }

  private static double number(String field) {
    return field.isEmpty() ? Double.NaN : Double.parseDouble(field);
  }

  private static long whole(double number) {
    return Double.isNaN(number) ? -1 : (long) number;
  }

  /** Lines as agent/src/api/profile.rs writes them; null if nothing profiles. */
  private static native byte[] take0(boolean collect);
}
