package io.mayfly.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a recording, as copies in a file system that outlives this machine. Each is there whole, or as it was before: a reader
 * never sees a part. For one thread.
 */
final class Copies {
  private static final Logger LOG = LoggerFactory.getLogger(MayflyPlugin.class);
  /** Those of Spark's event logs. */
  private static final FsPermission OF_FILES = new FsPermission((short) 0660);
  private static final FsPermission OF_FOLDERS = new FsPermission((short) 0770);

  private final java.nio.file.Path from;
  private final String stem;
  private final Path to;
  private final Configuration hadoop;
  /** By name: what was copied last. */
  private final Map<String, String> copied = new HashMap<>();

  private FileContext files;
  private boolean failed;

  /** Of the files in {@code from} that are named after {@code stem}: one, or one for each time of {@code #loop}. */
  Copies(java.nio.file.Path from, String stem, String to, Configuration hadoop) {
    this.from = from;
    this.stem = stem;
    this.to = new Path(to);
    this.hadoop = hadoop;
  }

  /** Copies what has changed. If that fails, it is logged, once until it succeeds again. */
  void bringUpToDate() {
    try {
      if (files == null) {
        files = FileContext.getFileContext(to.toUri(), hadoop);
        files.mkdir(to, OF_FOLDERS, true);
      }
      try (DirectoryStream<java.nio.file.Path> found = Files.newDirectoryStream(from, this::isOurs)) {
        for (java.nio.file.Path file : found) {
          copy(file);
        }
      }
      failed = false;
    } catch (Throwable e) {
      if (!failed) {
        LOG.warn("Mayfly: the recording stays in {}, as it can't be copied to {}: {}", from, to, e.toString());
      }
      failed = true;
    }
  }

  private boolean isOurs(java.nio.file.Path file) {
    String name = file.getFileName().toString();
    return name.equals(stem + ".mayfly") || name.startsWith(stem + "-") && name.endsWith(".mayfly");
  }

  private void copy(java.nio.file.Path file) throws IOException {
    String name = file.getFileName().toString();
    BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
    String state = facts.size() + " " + facts.lastModifiedTime() + " " + facts.fileKey();
    if (state.equals(copied.get(name))) {
      return;
    }
    // Not named as a recording.
    Path part = new Path(to, name + ".part");
    EnumSet<CreateFlag> anew = EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE);
    try (OutputStream out = files.create(part, anew, Options.CreateOpts.perms(OF_FILES))) {
      Files.copy(file, out);
    }
    files.rename(part, new Path(to, name), Options.Rename.OVERWRITE);
    copied.put(name, state);
  }
}
