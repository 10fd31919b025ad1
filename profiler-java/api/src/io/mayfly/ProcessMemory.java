package io.mayfly;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * How much memory a process takes, as Linux tells it; of this JVM its heap, too. The parts of the heap are as large as when
 * they were asked for, a moment apart.
 */
public final class ProcessMemory {
  private static final long UNKNOWN = -1;

  private final long pid;
  private final long residentBytes;
  private final long virtualBytes;
  private final long heapUsedBytes;
  private final long heapCommittedBytes;

  private ProcessMemory(long pid, long resident, long virtual, long heapUsed, long heapCommitted) {
    this.pid = pid;
    this.residentBytes = resident;
    this.virtualBytes = virtual;
    this.heapUsedBytes = heapUsed;
    this.heapCommittedBytes = heapCommitted;
  }

  static ProcessMemory own() {
    Runtime runtime = Runtime.getRuntime();
    long committed = runtime.totalMemory();
    long used = committed - runtime.freeMemory();
    // By its own name: in a container the number that others know may be another.
    return read(ProcessHandle.current().pid(), Paths.get("/proc/self/status"), used, committed);
  }

  static ProcessMemory of(long pid) {
    if (pid == ProcessHandle.current().pid()) {
      return own();
    }
    return read(pid, Paths.get("/proc", Long.toString(pid), "status"), UNKNOWN, UNKNOWN);
  }

  private static ProcessMemory read(long pid, Path status, long heapUsed, long heapCommitted) {
    String text;
    try {
      text = new String(Files.readAllBytes(status), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new IllegalArgumentException("Mayfly: there is no process " + pid + " to be seen from here", e);
    }
    return new ProcessMemory(pid, bytes(text, "VmRSS:"), bytes(text, "VmSize:"), heapUsed, heapCommitted);
  }

  /** The field's number of KiB (proc_pid_status(5)) in bytes; 0 without the field, which processes of the kernel lack. */
  static long bytes(String status, String field) {
    for (String line : status.split("\n")) {
      if (line.startsWith(field)) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    return 0;
  }

  /**
   * The process.
   *
   * @return its number, as it was asked for
   */
  public long pid() {
    return pid;
  }

  /**
   * What of the process is in memory (VmRSS): heap, code, native memory, and files mapped into it.
   *
   * @return bytes
   */
  public long residentBytes() {
    return residentBytes;
  }

  /**
   * The process's address space (VmSize), most of which usually takes no memory.
   *
   * @return bytes
   */
  public long virtualBytes() {
    return virtualBytes;
  }

  /**
   * What objects take on the Java heap, dead ones that were not collected yet included.
   *
   * @return bytes; -1 of another process
   */
  public long heapUsedBytes() {
    return heapUsedBytes;
  }

  /**
   * What the Java heap may take now without asking the system.
   *
   * @return bytes; -1 of another process
   */
  public long heapCommittedBytes() {
    return heapCommittedBytes;
  }

  @Override
  public String toString() {
    String heap = heapUsedBytes < 0 ? "" : ", heap " + heapUsedBytes + " of " + heapCommittedBytes + " bytes used";
    return "process " + pid + ": " + residentBytes + " bytes resident, " + virtualBytes + " virtual" + heap;
  }
}
