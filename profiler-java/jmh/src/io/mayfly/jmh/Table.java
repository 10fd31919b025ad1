package io.mayfly.jmh;

import io.mayfly.Profile;
import java.util.Locale;

/** The classes that took most memory, as text. */
final class Table {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  private Table() {}

  static String of(Profile profile, int top) {
    StringBuilder text = new StringBuilder("Most memory, in all measured iterations of a fork:\n");
    boolean lifetimes = profile.followsLifetimes();
    text.append(String.format(Locale.ROOT, "%12s %10s", "objects", "bytes"));
    text.append(lifetimes ? "  died young  p50 lived  p99 lived  class\n" : "  class\n");
    profile.classes().stream().limit(top).forEach(row -> append(text, row, lifetimes));
    text.append("bytes took memory; objects are all that were made, optimised away or not.");
    if (lifetimes) {
      text.append(" lived: bytes allocated meanwhile");
      text.append(profile.followsEveryObject() ? ".\n" : ", of a sample.\n");
    } else {
      text.append('\n');
    }
    return text.toString();
  }

  private static void append(StringBuilder text, Profile.Row row, boolean lifetimes) {
    text.append(String.format(Locale.ROOT, "%12d %10s", row.objects(), bytes(row.bytesTaken())));
    if (lifetimes) {
      double young = row.diedBeforeFirstCollection();
      String share = Double.isNaN(young) ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * young);
      text.append(String.format(Locale.ROOT, "  %10s", share));
      text.append(String.format(Locale.ROOT, "  %9s", bytes(row.p50().bytes())));
      text.append(String.format(Locale.ROOT, "  %9s", bytes(row.p99().bytes())));
    }
    text.append("  ").append(row.name()).append('\n');
  }

  private static String bytes(double bytes) {
    if (Double.isNaN(bytes)) {
      return "-";
    }
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? String.format(Locale.ROOT, "%.0f B", value) : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
  }
}
