package io.mayfly.junit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Which tests of all classes allocate most, and leave most behind: printed when JUnit is done. */
final class WholeRun implements ExtensionContext.Store.CloseableResource {
  /** Rows of each kind. */
  private static final int ROWS = 5;

  /** What is left is worth a row from so many bytes on. */
  private static final int LEAST_LEFT = 10 << 10;

  private static final class Named {
    final String name;
    final TestRow row;

    Named(String name, TestRow row) {
      this.name = name;
      this.row = row;
    }
  }

  private final List<Named> allocating = new ArrayList<>();
  private final List<Named> leaving = new ArrayList<>();
  private int classes;
  private int tests;
  private long bytes;

  /** Adds the tests of a class. */
  synchronized void add(TestTable table) {
    classes++;
    for (TestRow row : table.rows) {
      tests += row.invocations();
      bytes += row.bytes;
      Named named = new Named(TestTable.simple(table.testClass) + '.' + row.name(), row);
      keep(allocating, named, each -> each.row.bytes);
      if (row.leftBytes() >= LEAST_LEFT) {
        keep(leaving, named, each -> each.row.leftBytes());
      }
    }
  }

  private static void keep(List<Named> most, Named one, ToLongFunction<Named> number) {
    most.add(one);
    most.sort(Comparator.comparingLong(number).reversed());
    if (most.size() > ROWS) {
      most.remove(ROWS);
    }
  }

  @Override
  public synchronized void close() {
    if (classes > 1) {
      System.out.print(text());
    }
  }

  private String text() {
    StringBuilder text = new StringBuilder("Mayfly: ").append(Bytes.count(tests)).append(" tests of ").append(classes)
        .append(" classes allocated ").append(Bytes.shown(bytes)).append("; most:\n").append(TestTable.head(false, "it allocated"));
    allocating.forEach(each -> text.append(TestTable.line(each.row, each.name, false)));
    if (!leaving.isEmpty()) {
      text.append("Mayfly: most is left behind by:\n").append(TestTable.head(false, "is left"));
      leaving.forEach(each -> text.append(TestTable.lineOfLeft(each.row, each.name)));
    }
    return text.toString();
  }
}
