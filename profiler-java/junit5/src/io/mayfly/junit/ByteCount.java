package io.mayfly.junit;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes as annotations have them. */
final class ByteCount {
  private static final Pattern FORM = Pattern.compile("(\\d{1,15})([kmg]?)", Pattern.CASE_INSENSITIVE);

  private ByteCount() {}

  static long parse(String text) {
    Matcher form = FORM.matcher(text.trim());
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is no number of bytes: give digits, and k, m or g for powers of 1024, e.g. 64k");
    }
    int power = "kmg".indexOf(form.group(2).toLowerCase(java.util.Locale.ROOT)) + (form.group(2).isEmpty() ? 0 : 1);
    return Math.multiplyExact(Long.parseLong(form.group(1)), 1L << 10 * power);
  }
}
