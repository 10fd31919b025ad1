import io.mayfly.Heap;
import io.mayfly.HeapAssertions;
import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** What assertions take in a heap of so many objects: {@code Assertions OBJECTS ROUNDS}; a line "NAME MILLISECONDS" each. */
public final class Assertions {
  private static final class Node {
    final Object payload;
    final Node next;

    Node(Object payload, Node next) {
      this.payload = payload;
      this.next = next;
    }
  }

  private static final List<Object> KEPT = new ArrayList<>();
  private static Object leak;
  private static Object soft;

  public static void main(String[] args) {
    int objects = Integer.parseInt(args[0]);
    Node last = null;
    for (int i = 0; i < objects / 3; i++) {
      last = new Node(new int[] {i}, i % 1000 == 0 ? null : last);
      KEPT.add(i % 2 == 0 ? last : List.of(last));
    }
    last = null;
    for (int round = 0; round <= Integer.parseInt(args[1]); round++) {
      boolean warm = round > 0;
      time(warm, "collection", Heap::collect);
      time(warm, "pass", () -> HeapAssertions.assertGC("pass", unheld()));
      time(warm, "pass-softly", () -> HeapAssertions.assertGC("soft", softly()));
      time(warm, "fail", () -> HeapAssertions.assertGC("fail", held()));
      time(warm, "no-survivors", () -> HeapAssertions.assertNoSurvivors(Assertions::unheld));
      time(warm, "size", () -> HeapAssertions.assertSize("size", Long.MAX_VALUE, KEPT));
      time(warm, "size-with-filter", () -> HeapAssertions.assertSize("size", KEPT, Long.MAX_VALUE, object -> false));
      time(warm, "retained", () -> Heap.retainedSize(KEPT));
      time(warm, "path", () -> Heap.pathTo(KEPT.get(KEPT.size() / 2)));
    }
  }

  private static Reference<Object> unheld() {
    return new WeakReference<>(new Object());
  }

  private static Reference<Object> held() {
    Object object = new Object();
    leak = new Node(object, null);
    return new WeakReference<>(object);
  }

  private static Reference<Object> softly() {
    Object object = new Object();
    soft = new SoftReference<>(object);
    return new WeakReference<>(object);
  }

  private static void time(boolean told, String name, Runnable question) {
    long start = System.nanoTime();
    try {
      question.run();
    } catch (AssertionError e) {
      if (!name.equals("fail")) {
        throw e;
      }
    }
    if (told) {
      System.out.println(name + " " + (System.nanoTime() - start) / 1000);
    }
  }
}
