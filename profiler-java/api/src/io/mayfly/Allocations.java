package io.mayfly;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * What this thread allocated while a body ran, by class and by the program's own frame; what happens once only told apart: classes
 * that are loaded and initialised, lambdas and concatenations that are linked.
 *
 * <p>The JVM's own sampler is asked, at its densest: the first 10,000 objects are taken one by one, of many more a sample. It is
 * one agent's at a time: beside an agent that profiles there is none.
 */
public final class Allocations {
  /** Objects of one class that were made in one frame. */
  public static final class Row {
    private final char kind;
    private final long[] numbers = new long[4];
    private final String type;
    private final String frame;

    private Row(String[] fields) {
      kind = fields[0].charAt(0);
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = Long.parseLong(fields[i + 1]);
      }
      type = readable(fields[5]);
      frame = fields[6];
    }

    /**
     * The class.
     *
     * @return its name, an array's as in source code: {@code byte[]}
     */
    public String type() {
      return type;
    }

    /**
     * The first frame outside of the JDK and of what runs tests.
     *
     * @return {@code shop.Basket.add(Basket.java:12)}, without a line where the class has none; empty if there is no such frame
     */
    public String frame() {
      return frame;
    }

    /**
     * How many were made.
     *
     * @return objects
     */
    public long objects() {
      return numbers[0];
    }

    /**
     * Their shallow sizes.
     *
     * @return bytes
     */
    public long bytes() {
      return numbers[1];
    }

    /**
     * How many are still there; known after {@link Allocations#left} only.
     *
     * @return objects
     */
    public long leftObjects() {
      return numbers[2];
    }

    /**
     * Their shallow sizes.
     *
     * @return bytes
     */
    public long leftBytes() {
      return numbers[3];
    }

    @Override
    public String toString() {
      return type + ": " + bytes() + " bytes in " + objects() + (frame.isEmpty() ? "" : ", " + frame);
    }
  }

  private final long number;
  private final boolean estimated;
  private final List<Row> rows = new ArrayList<>();

  private Allocations(byte[] lines) {
    String[] texts = new String(lines, StandardCharsets.UTF_8).split("\n");
    String[] head = texts[0].split("\t");
    number = Long.parseLong(head[0]);
    estimated = head[1].equals("1");
    for (int i = 1; i < texts.length; i++) {
      rows.add(new Row(texts[i].split("\t", -1)));
    }
    rows.sort(Comparator.comparingLong(Row::bytes).reversed());
  }

  /**
   * Whether it can be asked in this JVM.
   *
   * @return null if it can, else why not
   */
  public static String whyNot() {
    try {
      AgentLibrary.require();
    } catch (AgentMissingException e) {
      return e.getMessage();
    }
    return Natives.canWatch() ? null : "an agent that profiles has the JVM's sampler; run the tests without -agentpath, with -Dmayfly.agent=/path/to/libmayfly.so";
  }

  /**
   * Runs a body on this thread. What it throws comes back unchanged.
   *
   * @param body what to run
   * @return what was allocated meanwhile
   */
  public static Allocations during(Runnable body) {
    AgentLibrary.require();
    return new Allocations(Natives.allocations(body));
  }

  /**
   * Collects, and looks for what is still there. May be asked once; what was allocated is the same as before.
   *
   * @return the same with {@link Row#leftObjects()}
   */
  public Allocations left() {
    return left(number);
  }

  /**
   * As {@link #left()}, as of the last collection.
   *
   * @return the same with {@link Row#leftObjects()}
   */
  public Allocations leftNow() {
    return leftNow(number);
  }

  /**
   * A number by which it can be asked later what is left: who keeps that alone keeps no object.
   *
   * @return the argument of {@link #left(long)} and {@link #leftNow(long)}
   */
  public long number() {
    return number;
  }

  /**
   * As {@link #left()}, of what has this number.
   *
   * @param number as {@link #number()} gave it
   * @return what was allocated, and what of it is left
   */
  public static Allocations left(long number) {
    Natives.collect();
    return leftNow(number);
  }

  /**
   * As {@link #leftNow()}, of what has this number.
   *
   * @param number as {@link #number()} gave it
   * @return what was allocated, and what of it is left
   */
  public static Allocations leftNow(long number) {
    byte[] lines = Natives.left(number);
    if (lines == null) {
      throw new IllegalStateException("it was asked already what is left");
    }
    return new Allocations(lines);
  }

  /**
   * Whether numbers are estimates, as there were many objects.
   *
   * @return false if each was taken
   */
  public boolean isEstimated() {
    return estimated;
  }

  /**
   * What the program made, each time it runs.
   *
   * @return rows, most bytes first
   */
  public List<Row> rows() {
    return of('p');
  }

  /**
   * What was made because something happened for the first time.
   *
   * @return rows, most bytes first
   */
  public List<Row> once() {
    return of('o');
  }

  /**
   * What was made by what runs the body.
   *
   * @return rows, most bytes first
   */
  public List<Row> harness() {
    return of('h');
  }

  private List<Row> of(char kind) {
    List<Row> some = new ArrayList<>(rows);
    some.removeIf(row -> row.kind != kind);
    return Collections.unmodifiableList(some);
  }

  /**
   * A class's name as in source code: {@code byte[]} for {@code [B}.
   *
   * @param name as {@link Class#getName()} gives it
   * @return the same for a class that is no array
   */
  public static String readable(String name) {
    int dimensions = 0;
    while (dimensions < name.length() && name.charAt(dimensions) == '[') {
      dimensions++;
    }
    if (dimensions == 0) {
      return name;
    }
    String element = name.substring(dimensions);
    int primitive = element.length() == 1 ? "ZBCSIJFD".indexOf(element) : -1;
    String[] names = {"boolean", "byte", "char", "short", "int", "long", "float", "double"};
    String readable = primitive >= 0 ? names[primitive] : element.replaceAll("^L|;$", "");
    return readable + "[]".repeat(dimensions);
  }
}
