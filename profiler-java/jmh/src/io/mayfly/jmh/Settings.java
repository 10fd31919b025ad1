package io.mayfly.jmh;

import io.mayfly.AgentMissingException;
import io.mayfly.Mayfly;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.openjdk.jmh.profile.ProfilerException;

/** What follows the colon of {@code -prof mayfly:…}. */
final class Settings {
  private static final String HELP =
      "-prof mayfly[:NAME=VALUE;…]\n"
          + "  options=#…  options of the agent, instead of #sample-512k: which objects are followed, and how\n"
          + "  lib=FILE    libmayfly.so; else -Dmayfly.agent, MAYFLY_AGENT, or beside mayfly-api.jar\n"
          + "  dir=DIR     keeps a recording of each fork there, for `mayfly report`, and the agent's reports\n"
          + "  top=N       so many classes are listed; 10 if not given, 0 for none";

  /** Counts stay exact, and what the JIT compiler optimises away stays so. */
  private String options = "#sample-512k";

  private String library;
  private String folder;
  private int top = 10;

  private Settings() {}

  static Settings parse(String line) throws ProfilerException {
    Settings settings = new Settings();
    for (String part : line.split(";")) {
      if (!part.isBlank()) {
        settings.take(part.trim());
      }
    }
    return settings;
  }

  private void take(String part) throws ProfilerException {
    int equals = part.indexOf('=');
    String name = equals < 0 ? part : part.substring(0, equals);
    String value = equals < 0 ? "" : part.substring(equals + 1);
    if (name.equals("help")) {
      throw new ProfilerException(HELP);
    }
    if (value.isEmpty()) {
      throw new ProfilerException("mayfly: '" + part + "' is not NAME=VALUE\n" + HELP);
    }
    switch (name) {
      case "options":
        options = value;
        break;
      case "lib":
        library = value;
        break;
      case "dir":
        folder = value;
        break;
      case "top":
        top = number(value);
        break;
      default:
        throw new ProfilerException("mayfly: there is no option '" + name + "'\n" + HELP);
    }
    if (!options.startsWith("#")) {
      throw new ProfilerException("mayfly: options='" + options + "' are no options of the agent: they begin with #");
    }
    if (folder != null && folder.contains("#")) {
      throw new ProfilerException("mayfly: dir='" + folder + "' can't have a # in it");
    }
  }

  private static int number(String value) throws ProfilerException {
    try {
      return Integer.parseUnsignedInt(value);
    } catch (NumberFormatException e) {
      throw new ProfilerException("mayfly: top='" + value + "' is no number");
    }
  }

  /** How many classes are listed. */
  int top() {
    return top;
  }

  /** Where recordings are kept; null if they are not. */
  Path folder() {
    return folder == null ? null : Paths.get(folder).toAbsolutePath();
  }

  /** The JVM's option that brings the agent, whose reports go into a folder. */
  String agentPath(Path reports, String benchmark) {
    Path file = library != null ? Paths.get(library).toAbsolutePath() : Mayfly.agentLibrary();
    String all = options + "#live-0#output-" + template(reports);
    if (folder != null) {
      all += "#recording-" + template(folder().resolve(benchmark.replaceAll("[^A-Za-z0-9._-]", "_"))) + "-%p.mayfly";
    }
    return "-agentpath:" + file + "=" + all;
  }

  /** A percent sign begins a code there. */
  private static String template(Path path) {
    return path.toString().replace("%", "%%");
  }

  /** Whether there is an agent, before the first fork. */
  void check() throws ProfilerException {
    if (library != null && !Paths.get(library).toFile().isFile()) {
      throw new ProfilerException("mayfly: there is no file " + library);
    }
    try {
      if (library == null && !Mayfly.isLoaded()) {
        Mayfly.agentLibrary();
      }
    } catch (AgentMissingException e) {
      throw new ProfilerException(e.getMessage() + ", or -prof mayfly:lib=FILE");
    }
  }
}
