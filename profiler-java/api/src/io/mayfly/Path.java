package io.mayfly;

import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;

/**
 * How an object is held: a node of the way from what the collector starts from to it.
 *
 * <p>The first node usually stands for a root that is no object (a static field, a local variable, a JNI reference); each
 * following one is an object, and refers to the next.
 */
public final class Path {
  private final Object object;
  private final String root;
  private final String reference;
  private final Path next;

  private Path(Object object, String root, String reference, Path next) {
    this.object = object;
    this.root = root;
    this.reference = reference;
    this.next = next;
  }

  /** From what {@link Natives#paths} answers: the root's text or null, then objects and references by turns. */
  static Path of(Object[] steps) {
    Path path = null;
    for (int i = steps.length - 1; i > 0; i -= 2) {
      path = new Path(steps[i], null, path == null ? null : (String) steps[i + 1], path);
    }
    return steps[0] == null ? path : new Path(null, (String) steps[0], null, path);
  }

  /**
   * The object of this node.
   *
   * @return the object; null for a root that is none
   */
  public Object getObject() {
    return object;
  }

  /**
   * The node that this one refers to.
   *
   * @return the next node; null at the end of the path
   */
  public Path nextNode() {
    return next;
  }

  /**
   * By what this node refers to the next.
   *
   * @return name of the field, {@code [index]} of an array's element, or what else it is; null at the end of the path and
   *     for a root that is no object
   */
  public String describeReference() {
    return reference;
  }

  /**
   * What this node is.
   *
   * @return class name and identity hash code of the object, with {@code class} before it for a class, or the kind and place of a
   *     root: {@code static TYPE CLASS.FIELD}, {@code local variable 2 of CLASS.METHOD, thread "NAME"} and so on
   */
  public String describeObject() {
    if (object == null) {
      return root;
    }
    Class<?> type = object.getClass();
    String name = object instanceof Class ? "class " + ((Class<?>) object).getName() : type.getName();
    return name + "@" + Integer.toHexString(System.identityHashCode(object));
  }

  /**
   * The weakest reference on the path, from this node on.
   *
   * @return how strongly this node holds the last one
   */
  public Strength strength() {
    Strength weakest = Strength.STRONG;
    for (Path at = this; at != null; at = at.next) {
      weakest = at.nextStrength().compareTo(weakest) > 0 ? at.nextStrength() : weakest;
    }
    return weakest;
  }

  /** How strongly this node refers to the next. */
  Strength nextStrength() {
    if (!(object instanceof Reference) || !"referent".equals(reference)) {
      return Strength.STRONG;
    }
    if (object instanceof SoftReference) {
      return Strength.SOFT;
    }
    return object instanceof WeakReference ? Strength.WEAK : Strength.ALL;
  }

  /**
   * Number of objects on the path, from this node on.
   *
   * @return how many objects, the last included
   */
  public int length() {
    int length = 0;
    for (Path at = this; at != null; at = at.next) {
      length += at.object == null ? 0 : 1;
    }
    return length;
  }

  /** A line for each node. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Path at = this; at != null; at = at.next) {
      text.append(at.describeObject());
      if (at.next != null) {
        text.append(at.reference == null ? "" : "-" + at.reference).append("->\n");
      }
    }
    return text.toString();
  }

  /** Nodes of the same object are equal. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Path && object == ((Path) other).object && (object != null || this == other);
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(object == null ? this : object);
  }
}
