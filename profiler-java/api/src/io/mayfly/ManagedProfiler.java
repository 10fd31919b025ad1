package io.mayfly;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;

/** What stands behind the MBean. The one class of the API that needs {@code java.management}: loaded when asked for. */
final class ManagedProfiler implements ProfilerMXBean {
  private static final String FOLDER = "mayfly.mbean.folder";

  /** No separators, and nothing hidden. */
  private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}");

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private ManagedProfiler() {}

  /** Registers a bean, if there is none of the name yet. */
  static void register() {
    try {
      ManagementFactory.getPlatformMBeanServer()
          .registerMBean(new ManagedProfiler(), new ObjectName(ProfilerMXBean.NAME));
    } catch (InstanceAlreadyExistsException e) {
      return;
    } catch (JMException e) {
      throw new IllegalStateException("Mayfly: " + ProfilerMXBean.NAME + " can't be registered", e);
    }
  }

  @Override
  public void start() {
    checkLoaded();
    Mayfly.start();
  }

  @Override
  public void pause() {
    checkLoaded();
    Mayfly.pause();
  }

  @Override
  public void reset() {
    checkLoaded();
    Mayfly.reset();
  }

  @Override
  public void report() {
    checkLoaded();
    Mayfly.report();
  }

  @Override
  public String snapshot(String name) throws IOException {
    if (name == null || !FILE_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "Mayfly: a snapshot's name has letters, digits, '.', '_' and '-' only and does not begin with a dot; "
              + "its folder is set by -D" + FOLDER);
    }
    String folder = getSnapshotFolder();
    if (folder.isEmpty()) {
      throw new IllegalStateException("Mayfly: no folder for snapshots is set: start the JVM with -D" + FOLDER + "=DIR");
    }
    checkLoaded();
    byte[] recording = snapshot0();
    if (recording == null) {
      throw new IllegalStateException("Mayfly: the agent does not profile, so there is nothing to write");
    }
    return write(Paths.get(folder).toRealPath().resolve(name), recording);
  }

  private static String write(Path file, byte[] recording) throws IOException {
    // A new file: what is there already is neither replaced nor followed.
    Files.createFile(file, OWNER_ONLY);
    try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
      out.write(recording);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
    return file.toString();
  }

  @Override
  public boolean isActive() {
    return Mayfly.isActive();
  }

  @Override
  public boolean isLoaded() {
    return Mayfly.isLoaded();
  }

  @Override
  public Map<String, String> getStatus() {
    Map<String, String> status = new LinkedHashMap<>();
    byte[] lines = Mayfly.isLoaded() ? status0() : null;
    String text = lines == null ? "" : new String(lines, StandardCharsets.UTF_8);
    for (String line : text.split("\n")) {
      int tab = line.indexOf('\t');
      if (tab > 0) {
        status.put(line.substring(0, tab), line.substring(tab + 1));
      }
    }
    return status;
  }

  @Override
  public long getProfiledMillis() {
    return number("duration_ms");
  }

  @Override
  public long getCollections() {
    return number("gcs");
  }

  @Override
  public long getResets() {
    return number("resets");
  }

  @Override
  public long getNativeBytes() {
    return number("native_bytes");
  }

  @Override
  public long getResidentBytes() {
    return ProcessMemory.own().residentBytes();
  }

  @Override
  public String getSnapshotFolder() {
    return System.getProperty(FOLDER, "");
  }

  private long number(String name) {
    String value = getStatus().get(name);
    return value == null ? -1 : Long.parseLong(value);
  }

  private static void checkLoaded() {
    if (!Mayfly.isLoaded()) {
      throw new IllegalStateException("Mayfly: no agent is in this JVM: start it with -agentpath:libmayfly.so");
    }
  }

  /** Lines of a name, a tab and a value; null if the library is there without an agent. */
  private static native byte[] status0();

  /** A recording; null if nothing is profiled. */
  private static native byte[] snapshot0();
}
