package io.mayfly.junit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The rows of a test class, as text of at most 140 columns. */
final class TestTable {
  /** Columns of a line. */
  private static final int WIDTH = 140;

  /** Columns that are left of a test's name where the line would be too long. */
  private static final int NAME = 32;

  /** Rows of a class, if not all are wanted. */
  private static final int ROWS = 10;

  /** Rows of what is left, for each test; and so many bytes are worth one. */
  private static final int LEFT = 2;

  private static final int LEAST_LEFT = 512;

  final String testClass;
  final List<TestRow> rows;
  private final int unknown;

  /** Of a class with these tests, and with more that were not remembered. */
  TestTable(String testClass, Collection<TestRow> rows, int unknown) {
    this.testClass = testClass;
    this.rows = new ArrayList<>(rows);
    this.rows.sort(Comparator.comparingLong((TestRow row) -> row.bytes).reversed());
    this.unknown = unknown;
  }

  /** As the configuration parameter wants it. */
  String text(String parameter) {
    boolean isShort = parameter.equals("short");
    int shown = parameter.equals("all") ? rows.size() : Math.min(ROWS, rows.size());
    StringBuilder text = new StringBuilder("Mayfly: what the tests of ").append(testClass).append(" allocate");
    text.append(isShort ? "\n" : ", and leave behind when all are done\n").append(head(isShort, "it allocated"));
    for (TestRow row : rows.subList(0, shown)) {
      text.append(line(row, row.name(), isShort));
      if (!isShort) {
        row.made(made -> made.leftBytes).stream().filter(made -> made.leftBytes >= LEAST_LEFT).limit(LEFT)
            .forEach(made -> text.append(fitting(" ".repeat(36), "left: ", made, made.leftBytes, made.leftObjects)));
      }
    }
    List<TestRow> others = rows.subList(shown, rows.size());
    if (!others.isEmpty()) {
      text.append(numbers(others, isShort)).append(" in ").append(others.size())
          .append(" test methods more (-Dmayfly.table=all shows each invocation)\n");
    }
    if (unknown > 0) {
      text.append("  and ").append(unknown).append(" invocations more\n");
    }
    return text.toString();
  }

  /** The titles of the columns, of a table whose lines have most of what was allocated or left. */
  static String head(boolean isShort, String most) {
    String left = isShort ? "" : String.format("%10s ", "left");
    return String.format("  %10s %8s %10s %s test: most of what %s (once: what it would not allocate if run again)\n",
        "allocated", "objects", "once", left, most);
  }

  /** The line of one test, with what is most of what it allocates. */
  static String line(TestRow row, String name, boolean isShort) {
    List<TestRow.Made> made = row.made(each -> each.bytes);
    String numbers = numbers(List.of(row), isShort) + ' ';
    return made.isEmpty()
        ? cut(numbers + name, WIDTH) + '\n'
        : fitting(numbers, name + ": ", made.get(0), made.get(0).bytes, made.get(0).objects);
  }

  /** The same, with what is most of what it leaves behind. */
  static String lineOfLeft(TestRow row, String name) {
    TestRow.Made left = row.made(each -> each.leftBytes).get(0);
    return fitting(numbers(List.of(row), false) + ' ', name + ": ", left, left.leftBytes, left.leftObjects);
  }

  private static String numbers(List<TestRow> rows, boolean isShort) {
    long bytes = 0;
    long objects = 0;
    long once = 0;
    long left = 0;
    boolean isEstimated = false;
    for (TestRow row : rows) {
      bytes += row.bytes;
      objects += row.objects();
      once += row.once;
      left += row.leftBytes();
      isEstimated |= row.isEstimated();
    }
    String count = (isEstimated ? "~" : "") + Bytes.count(objects);
    String line = String.format(Locale.ROOT, "  %10s %8s %10s ", Bytes.shown(bytes), count, Bytes.shown(once));
    return isShort ? line : line + String.format("%10s ", Bytes.shown(left));
  }

  /** What a line has room for: packages go first, then the number of objects, then the end of the test's name, then that of the line. */
  private static String fitting(String before, String name, TestRow.Made made, long bytes, long objects) {
    String number = " in " + Bytes.count(objects);
    String place = place(made.frame);
    String amount = ' ' + Bytes.shown(bytes);
    String whole = before + name + made.type + amount + number + place;
    if (whole.length() > WIDTH) {
      String type = simple(made.type);
      String simplePlace = simplePlace(place);
      whole = before + name + type + amount + number + simplePlace;
      if (whole.length() > WIDTH) {
        int room = WIDTH - before.length() - (type + amount + simplePlace).length();
        whole = before + cut(name, Math.max(NAME, room)) + type + amount + simplePlace;
      }
    }
    return cut(whole, WIDTH) + '\n';
  }

  /** {@code , shop.Basket.add:12} for {@code shop.Basket.add(Basket.java:12)}. */
  private static String place(String frame) {
    int parenthesis = frame.indexOf('(');
    if (parenthesis < 0) {
      return frame.isEmpty() ? "" : ", " + frame;
    }
    int colon = frame.lastIndexOf(':');
    String line = colon > parenthesis ? frame.substring(colon, frame.length() - 1) : "";
    return ", " + frame.substring(0, parenthesis) + line;
  }

  /** {@code , Basket.add:12} for {@code , shop.Basket.add:12}. */
  private static String simplePlace(String place) {
    int method = place.lastIndexOf('.');
    return method < 0 ? place : ", " + simple(place.substring(2, method)) + place.substring(method);
  }

  /** {@code Basket} for {@code shop.Basket}. */
  static String simple(String type) {
    return type.substring(type.lastIndexOf('.') + 1);
  }

  private static String cut(String text, int columns) {
    String end = text.endsWith(": ") ? "...: " : "...";
    return text.length() <= columns ? text : text.substring(0, columns - end.length()) + end;
  }
}
