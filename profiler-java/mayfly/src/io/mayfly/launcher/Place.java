package io.mayfly.launcher;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Where command and agent lie outside of the jar: in a folder that only this user can look into, named after their contents. It is made whole
 * under another name and then renamed, so that nobody finds half of it, and what lies there is compared with the jar before it is run.
 */
final class Place {
  private static final Set<PosixFilePermission> OURS_ALONE = PosixFilePermissions.fromString("rwx------");
  private static final FileAttribute<?> FOR_US_ALONE = PosixFilePermissions.asFileAttribute(OURS_ALONE);

  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int STICKY = 01000;

  private final Path folder;

  private Place(Path folder) {
    this.folder = folder;
  }

  /** First choice first. The last is a new folder, which goes when this JVM ends. */
  static List<Place> all() {
    List<Place> places = new ArrayList<>();
    String named = System.getenv("MAYFLY_CACHE");
    if (named != null && !named.isEmpty()) {
      places.add(new Place(Paths.get(named)));
      return places;
    }
    add(places, System.getenv("XDG_CACHE_HOME"), "mayfly");
    // "?" for a user that the system does not know.
    add(places, System.getenv("HOME"), ".cache/mayfly");
    add(places, System.getProperty("user.home"), ".cache/mayfly");
    add(places, System.getProperty("java.io.tmpdir"), "mayfly-" + System.getProperty("user.name"));
    places.add(new Place(null));
    return places;
  }

  private static void add(List<Place> places, String folder, String below) {
    if (folder != null && folder.startsWith("/")) {
      places.add(new Place(Paths.get(folder, below)));
    }
  }

  /** The folder with command and agent, which are written if they are not there. */
  Path natives(String platform) throws IOException {
    Natives natives = Natives.of(platform);
    if (folder == null) {
      return forNow(natives, Files.createTempDirectory("mayfly", FOR_US_ALONE));
    }
    makeOurs();
    Path known = folder.resolve(natives.name());
    if (isOurs(known) && natives.lieIn(known)) {
      return known;
    }
    Path made = Files.createTempDirectory(folder, ".new", FOR_US_ALONE);
    natives.write(made);
    return renamed(made, known, natives);
  }

  private static Path renamed(Path made, Path known, Natives natives) throws IOException {
    for (int attempt = 0; attempt < 2; attempt++) {
      try {
        return Files.move(made, known, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException taken) {
        // Another one was faster; or what is there is not whole, and makes way.
        if (isOurs(known) && natives.lieIn(known)) {
          delete(made);
          return known;
        }
        delete(known);
      }
    }
    return forNow(made);
  }

  private static Path forNow(Natives natives, Path made) throws IOException {
    natives.write(made);
    return forNow(made);
  }

  /** It is deleted when this JVM ends: the last that is named goes first. */
  private static Path forNow(Path made) {
    made.toFile().deleteOnExit();
    made.resolve(Natives.AGENT).toFile().deleteOnExit();
    made.resolve(Natives.COMMAND).toFile().deleteOnExit();
    return made;
  }

  private static void delete(Path made) throws IOException {
    Files.deleteIfExists(made.resolve(Natives.AGENT));
    Files.deleteIfExists(made.resolve(Natives.COMMAND));
    Files.deleteIfExists(made);
  }

  private void makeOurs() throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(folder.toAbsolutePath().getParent());
      try {
        Files.createDirectory(folder, FOR_US_ALONE);
      } catch (IOException e) {
        // Another one may have been faster.
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
          throw e;
        }
      }
    }
    if (!isOurs(folder) || !isKept(folder.toAbsolutePath().getParent())) {
      throw new IOException(folder + " is not a folder that this user alone may use (chmod 700)");
    }
  }

  /** A folder, no link to one, of this user, closed to all others: nobody else can have put anything into it. */
  private static boolean isOurs(Path path) throws IOException {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
        && Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS).equals(OURS_ALONE)
        && Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(ourselves());
  }

  /** Nobody but this user and root can put another folder in the place of one in it: theirs, and closed to others but for a sticky one. */
  private static boolean isKept(Path parent) throws IOException {
    int mode = (Integer) Files.getAttribute(parent, "unix:mode");
    boolean isSafe = (mode & WRITABLE_BY_OTHERS) == 0 || (mode & STICKY) != 0;
    return isSafe && (Files.getAttribute(parent, "unix:uid").equals(0) || Files.getOwner(parent).equals(ourselves()));
  }

  private static UserPrincipal ourselves() throws IOException {
    return Files.getOwner(Paths.get("/proc/self/"));
  }
}
