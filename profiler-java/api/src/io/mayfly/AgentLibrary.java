package io.mayfly;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.security.CodeSource;

/**
 * Finds the agent: in the JVM already, by {@code -agentpath} or attach, or else as a library that is loaded now.
 *
 * <p>{@code -Dmayfly.agent=PATH}, then the environment's {@code MAYFLY_AGENT}, name the library; without them it is looked
 * for beside the jar of this class, then in it. {@code -Dmayfly.selfload=false} forbids to load anything.
 */
final class AgentLibrary {
  private static final String NAME = "libmayfly.so";

  private static volatile boolean present;

  private AgentLibrary() {}

  /** Sees to it that {@link Natives} work. */
  static void require() {
    if (!present) {
      find();
    }
  }

  private static synchronized void find() {
    if (present) {
      return;
    }
    if (!answers()) {
      if (!Boolean.parseBoolean(System.getProperty("mayfly.selfload", "true"))) {
        throw missing("and mayfly.selfload forbids to load it", null);
      }
      load();
    }
    present = true;
  }

  private static boolean answers() {
    int version;
    try {
      version = Natives.version();
    } catch (UnsatisfiedLinkError e) {
      return false;
    }
    if (version != Natives.VERSION) {
      throw missing(
          "the agent in this JVM is of another version (" + version + ", this API is " + Natives.VERSION + ")", null);
    }
    return true;
  }

  private static void load() {
    String named = named();
    try {
      Path file = named != null ? Paths.get(named) : besideThisClass();
      if (file != null && Files.isRegularFile(file)) {
        load(file.toAbsolutePath());
      } else if (named != null) {
        throw missing("there is no file " + named, null);
      } else if (!loadFromJar()) {
        throw missing(NAME + " is neither beside the API's jar nor in it", null);
      }
    } catch (IOException e) {
      throw missing("its library can't be copied out of the jar: " + e, e);
    }
    if (!answers()) {
      throw missing("the library loaded is not Mayfly's, or of an older version", null);
    }
  }

  /** The library as a file, for the command line of another JVM. */
  static Path file() {
    String named = named();
    try {
      Path file = named != null ? Paths.get(named) : besideThisClass();
      if (file != null && Files.isRegularFile(file)) {
        return file.toAbsolutePath();
      }
      if (named != null) {
        throw missing("there is no file " + named, null);
      }
      try (InputStream bytes = AgentLibrary.class.getResourceAsStream(resource())) {
        if (bytes == null) {
          throw missing(NAME + " is neither beside the API's jar nor in it", null);
        }
        return copied(bytes);
      }
    } catch (IOException e) {
      throw missing("its library can't be copied out of the jar: " + e, e);
    }
  }

  /** A file for the user's eyes only, which goes when this JVM ends. */
  private static Path copied(InputStream bytes) throws IOException {
    Path folder = Files.createTempDirectory("mayfly");
    Path copy = folder.resolve(NAME);
    folder.toFile().deleteOnExit();
    copy.toFile().deleteOnExit();
    Files.copy(bytes, copy, StandardCopyOption.REPLACE_EXISTING);
    return copy;
  }

  private static String named() {
    return System.getProperty("mayfly.agent", System.getenv("MAYFLY_AGENT"));
  }

  private static void load(Path file) throws IOException {
    try {
      System.load(file.toString());
    } catch (UnsatisfiedLinkError e) {
      // A library belongs to one class loader at a time; another one needs a copy.
      if (e.getMessage() == null || !e.getMessage().contains("another classloader")) {
        throw missing("its library can't be loaded: " + e.getMessage(), e);
      }
      try (InputStream bytes = Files.newInputStream(file)) {
        loadCopy(bytes);
      }
    }
  }

  private static boolean loadFromJar() throws IOException {
    try (InputStream bytes = AgentLibrary.class.getResourceAsStream(resource())) {
      if (bytes == null) {
        return false;
      }
      loadCopy(bytes);
      return true;
    }
  }

  /** Where a jar carries the library, by platform. */
  private static String resource() {
    String machine = System.getProperty("os.arch", "").replace("amd64", "x86_64").replace("arm64", "aarch64");
    return "native/linux-" + machine + "/" + NAME;
  }

  private static void loadCopy(InputStream bytes) throws IOException {
    // For the user's eyes only; on Linux a loaded file can be removed at once.
    Path folder = Files.createTempDirectory("mayfly");
    Path copy = folder.resolve(NAME);
    try {
      Files.copy(bytes, copy, StandardCopyOption.REPLACE_EXISTING);
      System.load(copy.toString());
    } catch (UnsatisfiedLinkError e) {
      throw missing("its library can't be loaded: " + e.getMessage(), e);
    } finally {
      Files.deleteIfExists(copy);
      Files.deleteIfExists(folder);
    }
  }

  private static Path besideThisClass() {
    CodeSource source = AgentLibrary.class.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return null;
    }
    try {
      URI place = source.getLocation().toURI();
      return Paths.get(place).resolveSibling(NAME);
    } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
      return null; // Not a file: nothing lies beside it.
    }
  }

  private static AgentMissingException missing(String why, Throwable cause) {
    return new AgentMissingException(
        "Mayfly's agent is not in this JVM, "
            + why
            + ". Start the JVM with -agentpath:/path/to/"
            + NAME
            + ", or name the library with -Dmayfly.agent=/path/to/"
            + NAME
            + " or the environment's MAYFLY_AGENT",
        cause);
  }
}
