package io.mayfly.launcher;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/** The command and the agent of a platform, as they lie in the jar: beside them their checksums. */
final class Natives {
  static final String COMMAND = "mayfly";
  static final String AGENT = "libmayfly.so";

  private static final String SUMS = "SHA256SUMS";
  private static final int SUM_LENGTH = 64;

  private final String platform;
  private final String sums;

  private Natives(String platform, String sums) {
    this.platform = platform;
    this.sums = sums;
  }

  /** The platform of this JVM, e.g. {@code linux-x86_64}. */
  static String platform() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch", "").replace("amd64", "x86_64").replace("arm64", "aarch64");
    return system + "-" + machine;
  }

  /** Those of a platform. */
  static Natives of(String platform) throws IOException {
    try (InputStream in = Natives.class.getResourceAsStream(resource(platform, SUMS))) {
      if (in == null) {
        throw new IOException("this jar has no command for " + platform + ": mayfly runs on Linux, on x86-64 and aarch64");
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      in.transferTo(out);
      return new Natives(platform, new String(out.toByteArray(), StandardCharsets.UTF_8));
    }
  }

  private static String resource(String platform, String name) {
    return "/io/mayfly/native/" + platform + "/" + name;
  }

  /** A name for exactly these contents. */
  String name() throws IOException {
    return hex(digest().digest(sums.getBytes(StandardCharsets.UTF_8))).substring(0, 32);
  }

  /** Writes both into a new folder. */
  void write(Path folder) throws IOException {
    write(COMMAND, folder, "rwx------");
    write(AGENT, folder, "r-x------");
  }

  private void write(String name, Path folder, String mode) throws IOException {
    Path file = folder.resolve(name);
    MessageDigest digest = digest();
    try (InputStream in = Natives.class.getResourceAsStream(resource(platform, name));
        OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      if (in == null) {
        throw new IOException("the jar lacks " + name + " for " + platform + ": fetch it anew");
      }
      new DigestInputStream(in, digest).transferTo(out);
    }
    if (!hex(digest.digest()).equals(sum(name))) {
      throw new IOException(name + " in the jar is damaged: fetch it anew");
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  /** Whether both lie there as they are in the jar. */
  boolean lieIn(Path folder) throws IOException {
    return isWhole(folder, COMMAND) && isWhole(folder, AGENT);
  }

  private boolean isWhole(Path folder, String name) throws IOException {
    Path file = folder.resolve(name);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    MessageDigest digest = digest();
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return hex(digest.digest()).equals(sum(name));
  }

  private String sum(String name) throws IOException {
    for (String line : sums.split("\n")) {
      if (line.length() > SUM_LENGTH && line.substring(SUM_LENGTH).trim().equals(name)) {
        return line.substring(0, SUM_LENGTH);
      }
    }
    throw new IOException("the jar has no checksum of " + name + ": fetch it anew");
  }

  private static MessageDigest digest() throws IOException {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IOException("this JVM lacks SHA-256", e);
    }
  }

  private static String hex(byte[] bytes) {
    StringBuilder hex = new StringBuilder();
    for (byte b : bytes) {
      hex.append(String.format("%02x", b));
    }
    return hex.toString();
  }
}
