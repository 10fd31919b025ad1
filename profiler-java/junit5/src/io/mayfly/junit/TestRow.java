package io.mayfly.junit;

import io.mayfly.Allocations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** What a test made, or all invocations of one method together. */
final class TestRow {
  /** Objects of one class that were made in one frame. */
  static final class Made {
    final String type;
    final String frame;
    long objects;
    long bytes;
    long leftObjects;
    long leftBytes;

    Made(Allocations.Row row) {
      this.type = row.type();
      this.frame = row.frame();
    }
  }

  private final String method;
  private final String test;
  private final Map<String, Made> made = new HashMap<>();
  private int invocations;
  private int failed;
  private boolean isEstimated;
  long bytes;
  long once;

  /** Of a test, by its name, and by that of its method; empty if it has none. */
  TestRow(String method, String test) {
    this.method = method;
    this.test = test;
  }

  /** Adds an invocation: what it made, of which the program allocated so many bytes. */
  void add(Allocations allocations, long bytes, boolean passed) {
    invocations++;
    failed += passed ? 0 : 1;
    isEstimated |= allocations.isEstimated();
    this.bytes += bytes;
    once += Bytes.sum(allocations.once(), Allocations.Row::bytes);
    for (Allocations.Row row : allocations.rows()) {
      Made sum = made.computeIfAbsent(row.type() + ' ' + row.frame(), key -> new Made(row));
      sum.objects += row.objects();
      sum.bytes += row.bytes();
      sum.leftObjects += row.leftObjects();
      sum.leftBytes += row.leftBytes();
    }
  }

  String name() {
    String name = invocations > 1 ? method + ", " + invocations + " times" : test;
    return failed == 0 ? name : name + (invocations > 1 ? " (" + failed + " failed)" : " (failed)");
  }

  int invocations() {
    return invocations;
  }

  boolean isEstimated() {
    return isEstimated;
  }

  long objects() {
    return sum(made -> made.objects);
  }

  long leftBytes() {
    return sum(made -> made.leftBytes);
  }

  private long sum(ToLongFunction<Made> number) {
    return made.values().stream().mapToLong(number).sum();
  }

  /** By so much, most first. */
  List<Made> made(ToLongFunction<Made> number) {
    List<Made> sorted = new ArrayList<>(made.values());
    sorted.sort(Comparator.comparingLong(number).reversed().thenComparing(each -> each.type + each.frame));
    return sorted;
  }
}
