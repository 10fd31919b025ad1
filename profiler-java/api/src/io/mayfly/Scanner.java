package io.mayfly;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * A breadth-first scan, which runs beside the program: what changes meanwhile may be met in its old state or its new one.
 */
final class Scanner implements ObjectMap {
  /** A package whose objects are met and not entered: they belong to the JVM's own book-keeping. */
  private static final String REFLECTION = "java.lang.reflect.";

  private final Filter filter;
  private final Visitor visitor;
  private final boolean statics;
  private final Set<Object> known = Identity.setOf(Set.of());
  private final ArrayDeque<Object> queue = new ArrayDeque<>();
  private final Set<Class<?>> classes = new HashSet<>();

  /** Made when a name is asked for, as most scans need none. */
  private Map<Object, String> names;

  private Map<String, Object> named;

  Scanner(Filter filter, Visitor visitor, boolean statics) {
    this.filter = filter == null ? Filter.all() : filter;
    this.visitor = visitor;
    this.statics = statics;
  }

  void scan(Collection<?> roots) {
    for (Object root : roots) {
      if (root != null) {
        meet(root);
      }
    }
    for (Object next = queue.poll(); next != null; next = queue.poll()) {
      if (next instanceof Class) {
        enterClass((Class<?>) next);
      } else if (next instanceof Object[]) {
        enterArray((Object[]) next);
      } else {
        enterObject(next);
      }
    }
  }

  /** Whether the visitor knows it, from now on at least. */
  private void meet(Object object) {
    if (object instanceof Class) {
      meetClass((Class<?>) object);
    } else if (known.add(object)) {
      meetClass(object.getClass());
      visitor.visitObject(this, object);
      queue.add(object);
    }
  }

  private void meetClass(Class<?> type) {
    if (type.getSuperclass() != null && !classes.contains(type.getSuperclass())) {
      meetClass(type.getSuperclass());
    }
    if (classes.add(type)) {
      visitor.visitClass(type);
      if (statics) {
        queue.add(type);
      }
    }
  }

  private void enterArray(Object[] array) {
    for (int index = 0; index < array.length; index++) {
      Object to = array[index];
      if (to != null && filter.accept(to, array, null)) {
        meet(to);
        if (!(to instanceof Class)) {
          visitor.visitArrayReference(this, array, to, index);
        }
      }
    }
  }

  private void enterObject(Object from) {
    Class<?> type = from.getClass();
    if (type.isArray() || type.getName().startsWith(REFLECTION)) {
      return;
    }
    ClassFields fields = ClassFields.of(type);
    Object[] values = new Object[fields.instance.length];
    if (values.length == 0) {
      return;
    }
    Natives.read(from, type, fields.instanceIds, values);
    for (int i = 0; i < values.length; i++) {
      Field field = fields.instance[i];
      Object to = values[i];
      if (to != null && filter.accept(to, from, field)) {
        meet(to);
        if (!(to instanceof Class)) {
          visitor.visitObjectReference(this, from, to, field);
        }
      }
    }
  }

  /** What a class refers to: its statics, supertypes and loader. */
  private void enterClass(Class<?> type) {
    for (Class<?> supertype : type.getInterfaces()) {
      meetClass(supertype);
    }
    if (type.getClassLoader() != null) {
      meet(type.getClassLoader());
    }
    if (isOurs(type)) {
      return;
    }
    ClassFields fields = ClassFields.of(type);
    Object[] values = new Object[fields.statics.length];
    if (values.length == 0) {
      return;
    }
    Natives.read(null, type, fields.staticIds, values);
    for (int i = 0; i < values.length; i++) {
      Field field = fields.statics[i];
      Object to = values[i];
      if (to != null && !isReflection(to) && filter.accept(to, null, field)) {
        meet(to);
        if (!(to instanceof Class)) {
          visitor.visitStaticReference(this, to, field);
        }
      }
    }
  }

  private static boolean isOurs(Class<?> type) {
    return type.getName().startsWith("io.mayfly.");
  }

  private static boolean isReflection(Object object) {
    String name = object.getClass().getName();
    return name.startsWith("jdk.internal.reflect.") || name.startsWith("sun.reflect.");
  }

  @Override
  public boolean isKnown(Object object) {
    return known.contains(object);
  }

  @Override
  public String getID(Object object) {
    if (!isKnown(object)) {
      throw new IllegalArgumentException("the scan has not met this " + object.getClass().getName());
    }
    if (names == null) {
      names = new IdentityHashMap<>();
      named = new HashMap<>();
    }
    return names.computeIfAbsent(object, this::newName);
  }

  private String newName(Object object) {
    String name = Integer.toHexString(System.identityHashCode(object));
    for (int number = 1; named.putIfAbsent(name, object) != null; number++) {
      name = Integer.toHexString(number);
    }
    return name;
  }
}
