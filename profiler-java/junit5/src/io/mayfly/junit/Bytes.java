package io.mayfly.junit;

import io.mayfly.Allocations;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** Numbers and rows of tables. */
final class Bytes {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB"};

  private Bytes() {}

  /** With three digits or so: {@code 12.3 KiB}. */
  static String shown(long bytes) {
    double number = bytes;
    int unit = 0;
    while (number >= 1000 && unit < UNITS.length - 1) {
      number /= 1024;
      unit++;
    }
    if (unit == 0) {
      return bytes + " B";
    }
    return String.format(Locale.ROOT, number < 10 ? "%.2f %s" : number < 100 ? "%.1f %s" : "%.0f %s", number, UNITS[unit]);
  }

  /** With three digits or so: {@code 12.3 k}. */
  static String count(long number) {
    if (number < 10_000) {
      return Long.toString(number);
    }
    boolean isMillions = number >= 1_000_000;
    double shown = number / (isMillions ? 1e6 : 1e3);
    return String.format(Locale.ROOT, shown < 100 ? "%.1f %s" : "%.0f %s", shown, isMillions ? "M" : "k");
  }

  static long sum(List<Allocations.Row> rows, ToLongFunction<Allocations.Row> number) {
    return rows.stream().mapToLong(number).sum();
  }

  /** {@code byte[] 1.00 KiB in 3, shop.Basket.add(Basket.java:12)}. */
  static String of(Allocations.Row row, long bytes, long objects) {
    return row.type() + " " + shown(bytes) + " in " + objects + (row.frame().isEmpty() ? "" : ", " + row.frame());
  }
}
