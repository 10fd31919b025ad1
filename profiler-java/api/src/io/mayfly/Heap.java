package io.mayfly;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Questions about the heap of this JVM: how large things are, what they hold, and who holds them.
 *
 * <p>The agent answers them: through JVMTI, so it needs no {@code --add-opens}, sees fields that reflection hides, and
 * knows local variables, thread locals and JNI references. {@link HeapAssertions} builds on this.
 *
 * <p>Every method throws {@link AgentMissingException} if the agent is not in this JVM and can't be loaded. See the guide
 * for how it is found.
 */
public final class Heap {
  private Heap() {}

  /**
   * How much memory this process takes, and its heap. Needs no agent.
   *
   * @return resident and virtual size; heap used and committed
   */
  public static ProcessMemory processMemory() {
    return ProcessMemory.own();
  }

  /**
   * As {@link #processMemory()}, of any process that can be seen from here. Its heap is known if it is this one.
   *
   * @param pid number of the process
   * @return resident and virtual size
   * @throws IllegalArgumentException if there is no such process
   */
  public static ProcessMemory processMemory(long pid) {
    return ProcessMemory.of(pid);
  }

  /**
   * Shallow size of an object, by {@link SizeModel#chosen()}.
   *
   * @param object the object
   * @return bytes
   */
  public static long sizeOf(Object object) {
    return SizeModel.chosen().sizeOf(object);
  }

  /**
   * Size of all that objects reach, each counted once: themselves, what their fields and elements refer to, and so on.
   * Classes and their static fields are not followed; referents of soft and weak references are.
   *
   * @param roots where to start
   * @return bytes
   */
  public static long recursiveSizeOf(Collection<?> roots) {
    return distribution(roots).bytes();
  }

  /**
   * As {@link #recursiveSizeOf(Collection)}, along the references that a filter accepts.
   *
   * @param roots where to start
   * @param filter which references to follow; null for all
   * @return bytes
   */
  public static long recursiveSizeOf(Collection<?> roots, Filter filter) {
    return distribution(roots, filter).bytes();
  }

  /**
   * All that objects reach, by class; as {@link #recursiveSizeOf(Collection)}. The program is stopped meanwhile, and no
   * memory of the Java heap is taken but for the answer.
   *
   * @param roots where to start
   * @return objects and bytes by class
   */
  public static Distribution distribution(Collection<?> roots) {
    return distribution(roots, Set.of());
  }

  /**
   * As {@link #distribution(Collection)}, with some objects left out, and what only they refer to.
   *
   * @param roots where to start
   * @param skipped objects that are not entered; roots are, even if they are among them
   * @return objects and bytes by class
   */
  static Distribution distribution(Collection<?> roots, Collection<?> skipped) {
    AgentLibrary.require();
    if (SizeModel.chosen() == SizeModel.JVM) {
      return Distribution.of(Natives.count(roots.toArray(), skipped.toArray()));
    }
    return distribution(roots, Filter.skipObjects(skipped, false));
  }

  /**
   * As {@link #distribution(Collection)}, along the references that a filter accepts. Runs beside the program.
   *
   * @param roots where to start
   * @param filter which references to follow; null for all
   * @return objects and bytes by class
   */
  public static Distribution distribution(Collection<?> roots, Filter filter) {
    CountingVisitor counter = new CountingVisitor();
    scan(filter, counter, roots, false);
    return counter.distribution();
  }

  /**
   * How many bytes would be free if an object were not there: its own and those of all that can be reached through it
   * only. Looks at the whole heap. An object that only the caller's local variables hold is measured as if it were held: what
   * would be free once they let go of it.
   *
   * @param object the object
   * @return bytes by the JVM's own sizes; 0 for null
   */
  public static long retainedSize(Object object) {
    AgentLibrary.require();
    return Natives.retained(new Object[] {object});
  }

  /**
   * The shortest way by which the collector reaches an object along strong references.
   *
   * @param object the object
   * @return the path; null if nothing holds it but weaker references
   */
  public static Path pathTo(Object object) {
    return pathTo(object, Strength.STRONG);
  }

  /**
   * The strongest way to an object, and the shortest of those. The calling thread's local variables that refer to the object
   * itself count only if there is no other way.
   *
   * @param object the object
   * @param strength the weakest references to follow where stronger ones lead nowhere
   * @return the path; null if there is none
   */
  public static Path pathTo(Object object, Strength strength) {
    List<Path> paths = pathsTo(object, strength, 1);
    return paths.isEmpty() ? null : paths.get(0);
  }

  /**
   * Several ways to an object that have no object in common but it, shortest first; all are as strong as the strongest needs
   * to be.
   *
   * @param object the object
   * @param strength the weakest references to follow where stronger ones lead nowhere
   * @param most how many at most
   * @return the paths
   */
  public static List<Path> pathsTo(Object object, Strength strength, int most) {
    return paths(new Object[] {new Object[] {object}}, Set.of(), strength, most).get(0);
  }

  /**
   * The shortest ways to several objects, found in one look at the heap, along strong references.
   *
   * @param objects the objects
   * @return a path for each that is held; objects are told apart by identity
   */
  public static Map<Object, Path> fromRoots(Collection<?> objects) {
    return fromRoots(objects, Set.of(), Strength.STRONG);
  }

  /**
   * The shortest ways to several objects, found in one look at the heap.
   *
   * @param objects the objects
   * @param rootsHint objects that are taken for roots, e.g. such as a program would keep in a static field
   * @param strength the weakest references to follow where stronger ones lead nowhere
   * @return a path for each that is held; objects are told apart by identity
   */
  public static Map<Object, Path> fromRoots(Collection<?> objects, Set<?> rootsHint, Strength strength) {
    return paths(objects, rootsHint, strength, null);
  }

  /**
   * As {@link #fromRoots(Collection, Set, Strength)}, telling how far it is. The program is stopped for a walk through the heap
   * and for nothing else: what is told is told before it and after it, by this thread, while the program runs.
   *
   * @param objects the objects
   * @param rootsHint objects that are taken for roots, e.g. such as a program would keep in a static field
   * @param strength the weakest references to follow where stronger ones lead nowhere
   * @param progress who is told; may throw {@link CancelException}
   * @return a path for each that is held; null if the search was cancelled
   */
  public static Map<Object, Path> fromRoots(
      Collection<?> objects, Set<?> rootsHint, Strength strength, Progress progress) {
    try {
      Steps steps = new Steps(Objects.requireNonNull(progress, "progress"));
      return paths(objects, rootsHint, strength, steps);
    } catch (CancelException e) {
      return null;
    }
  }

  private static Map<Object, Path> paths(Collection<?> objects, Set<?> rootsHint, Strength strength, Runnable step) {
    Object[] targets = objects.toArray();
    Object[] holders = new Object[targets.length];
    for (int i = 0; i < targets.length; i++) {
      holders[i] = new Object[] {targets[i]};
    }
    List<List<Path>> paths = paths(holders, rootsHint, strength, 1, step);
    Map<Object, Path> found = new IdentityHashMap<>();
    for (int i = 0; i < targets.length; i++) {
      if (!paths.get(i).isEmpty()) {
        found.put(targets[i], paths.get(i).get(0));
      }
    }
    return found;
  }

  /** Paths for each holder: all are {@link Reference}s, or all arrays of one element. */
  static List<List<Path>> paths(Object[] holders, Set<?> rootsHint, Strength strength, int most) {
    return paths(holders, rootsHint, strength, most, null);
  }

  private static List<List<Path>> paths(
      Object[] holders, Set<?> rootsHint, Strength strength, int most, Runnable step) {
    AgentLibrary.require();
    List<List<Path>> answer = new ArrayList<>();
    boolean references = holders.length > 0 && holders[0] instanceof Reference;
    Object[] hints = rootsHint.toArray();
    for (Object[][] found : Natives.paths(holders, references, hints, strength.ordinal(), most, step)) {
      List<Path> paths = new ArrayList<>();
      for (Object[] steps : found) {
        paths.add(Path.of(steps));
      }
      answer.add(paths);
    }
    return answer;
  }

  /**
   * Shows a visitor everything that can be reached, in the order of distance. Runs beside the program, on this thread.
   *
   * @param filter which references to follow, the roots excepted; null for all
   * @param visitor who is told
   * @param roots where to start
   * @param statics whether classes are entered: their static fields, supertypes and loaders
   */
  public static void scan(Filter filter, Visitor visitor, Collection<?> roots, boolean statics) {
    AgentLibrary.require();
    new Scanner(filter, visitor, statics).scan(roots);
  }

  /**
   * Where a scan of the whole heap starts: every loaded class, every live platform thread. Scan it with statics.
   *
   * @return the roots that can be named without stopping the program
   */
  public static Set<Object> interestingRoots() {
    AgentLibrary.require();
    return Identity.setOf(List.of(Natives.roots()));
  }

  /**
   * All fields that a class declares, those that reflection hides too; e.g. for {@link Filter#skipReferences}.
   *
   * @param type the class
   * @return its fields; none if it is not linked yet
   */
  public static List<Field> fieldsOf(Class<?> type) {
    AgentLibrary.require();
    Field[] fields = Natives.fields(type);
    return fields == null ? List.of() : List.of(fields);
  }

  /** Collects the whole heap, and waits for it. Also works where {@code System.gc()} is switched off. */
  public static void collect() {
    AgentLibrary.require();
    Natives.collect();
  }
}
