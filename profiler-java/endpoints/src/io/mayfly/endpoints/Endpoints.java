package io.mayfly.endpoints;

import io.mayfly.Mayfly;
import io.mayfly.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of endpoints, {@code GET /orders/{id}}, few whatever clients send, and scopes of these names.
 *
 * <p>Nothing here throws: a request never fails because it is measured.
 */
final class Endpoints {
  /** The agent has room for 254 names of scopes; some are left to the program. */
  private static final int MOST_NAMES = 200;

  private static final String OTHERS = "(other endpoints)";
  private static final int MOST_SEGMENTS = 4;
  private static final int LONGEST_WORD = 30;
  private static final String[] METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"};
  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+");
  /** Starts with a letter, and has no two digits side by side: ids have some. */
  private static final Pattern WORD = Pattern.compile("[A-Za-z_](?:[A-Za-z_~-]|[0-9](?![0-9]))*");
  private static final Pattern FILE = Pattern.compile(".*(\\.[A-Za-z][A-Za-z0-9]{0,7})");

  /** By method, then by pattern. A client may send any word as a method, which then has no name of its own. */
  private static final Map<String, Map<String, String>> NAMES = new HashMap<>();

  private static int names;

  static {
    for (String method : METHODS) {
      NAMES.put(method, new ConcurrentHashMap<>());
    }
  }

  private Endpoints() {}

  /** Whether there is anything to do: an agent, profiling or paused. */
  static boolean areWatched() {
    return Mayfly.isLoaded();
  }

  /** Enters the scope of an endpoint, to be closed on this thread. */
  static Scope enter(String method, String pattern) {
    return Mayfly.scope(name(method, pattern));
  }

  static String name(String method, String pattern) {
    Map<String, String> known = NAMES.get(method);
    if (known == null) {
      return OTHERS;
    }
    String name = known.get(pattern);
    return name == null ? newName(known, method, pattern) : name;
  }

  private static synchronized String newName(Map<String, String> known, String method, String pattern) {
    String name = known.get(pattern);
    if (name == null && names < MOST_NAMES) {
      names++;
      name = method + " " + pattern;
      known.put(pattern, name);
    }
    return name == null ? OTHERS : name;
  }

  /** Templates of a path, one behind the other, without expressions: {@code orders} and <code>{id: [0-9]{3}}</code> are <code>/orders/{id}</code>. */
  static String joined(List<String> templates) {
    StringBuilder pattern = new StringBuilder();
    for (String template : templates) {
      for (String segment : withoutExpressions(template).split("/")) {
        if (!segment.isEmpty()) {
          pattern.append('/').append(segment);
        }
      }
    }
    return pattern.length() == 0 ? "/" : pattern.toString();
  }

  private static String withoutExpressions(String template) {
    StringBuilder rest = new StringBuilder();
    int depth = 0;
    boolean isExpression = false;
    for (char c : template.toCharArray()) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      isExpression = depth > 0 && (isExpression || c == ':');
      if (!isExpression && c != ' ') {
        rest.append(c);
      }
    }
    return rest.toString();
  }

  /** A path with what differs from request to request left out: {@code /orders/17/lines.json} is <code>/orders/{n}/*.json</code>. */
  static String folded(String path) {
    StringBuilder pattern = new StringBuilder();
    String[] segments = path.split("/");
    int count = 0;
    for (int i = 0; i < segments.length; i++) {
      // A parameter of the path, as ;jsessionid=…, is none of its words.
      String segment = segments[i].split(";", 2)[0];
      if (segment.isEmpty()) {
        continue;
      }
      if (count++ == MOST_SEGMENTS) {
        return pattern.append("/**").toString();
      }
      pattern.append('/').append(folded(segment, i == segments.length - 1));
    }
    return count == 0 ? "/" : pattern.toString();
  }

  private static String folded(String segment, boolean isLast) {
    if (segment.length() <= LONGEST_WORD && WORD.matcher(segment).matches()) {
      return segment;
    }
    if (NUMBER.matcher(segment).matches()) {
      return "{n}";
    }
    Matcher file = FILE.matcher(segment);
    return isLast && file.matches() ? "*" + file.group(1) : "{id}";
  }
}
