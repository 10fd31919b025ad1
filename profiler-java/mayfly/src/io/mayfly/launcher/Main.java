package io.mayfly.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the command of this platform, with the arguments, streams and exit code of its own. */
public final class Main {
  /** As the command ends that can't be carried out. */
  private static final int USAGE = 2;

  /** Which JVM is this one, and no program to look at. */
  private static final String LAUNCHER = "MAYFLY_LAUNCHER";

  /** How long a signal that came to all of a terminal's processes may take to end the command. */
  private static final long GRACE_SECONDS = 3;

  private Main() {}

  /**
   * Runs the command.
   *
   * @param args of the command
   * @throws InterruptedException never
   */
  public static void main(String[] args) throws InterruptedException {
    Process command;
    try {
      command = start(Arrays.asList(args));
    } catch (IOException e) {
      System.err.println("mayfly: " + e.getMessage());
      System.exit(USAGE);
      return;
    }
    // A signal ends this JVM only after the command has ended by it, and with its code.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(ended(command))));
    System.exit(command.waitFor());
  }

  private static Process start(List<String> args) throws IOException {
    String platform = Natives.platform();
    IOException first = null;
    for (Place place : Place.all()) {
      try {
        return start(place.natives(platform), args);
      } catch (IOException e) {
        // A folder that is full, or mounted noexec, or not ours alone.
        first = first == null ? e : first;
      }
    }
    throw new IOException(
        "can't run the command out of the jar: " + first.getMessage() + "; name a folder of your own with MAYFLY_CACHE", first);
  }

  private static Process start(Path folder, List<String> args) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(folder.resolve(Natives.COMMAND).toString());
    words.addAll(args);
    ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
    builder.environment().put(LAUNCHER, Long.toString(ProcessHandle.current().pid()));
    return builder.start();
  }

  private static int ended(Process command) {
    try {
      if (!command.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
        command.destroy();
      }
      return command.waitFor();
    } catch (InterruptedException e) {
      return USAGE;
    }
  }
}
