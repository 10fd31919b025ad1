package io.mayfly;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * The fields of a class as the JVM has them, those that reflection hides too, with the ids by which they are read
 * without regard to modules and access.
 */
final class ClassFields {
  private static final ClassValue<ClassFields> CACHE =
      new ClassValue<>() {
        @Override
        protected ClassFields computeValue(Class<?> type) {
          AgentLibrary.require();
          return new ClassFields(type);
        }
      };

  /** Instance fields that hold references, inherited ones first. */
  final Field[] instance;

  final long[] instanceIds;

  /** Static fields of the class's own that hold references. */
  final Field[] statics;

  final long[] staticIds;

  /** Size of an instance in {@link SizeModel#INSANE}. */
  final long modelSize;

  /** Whether the JVM knows the fields: it does once the class is prepared, before its first instance. */
  private final boolean complete;

  private ClassFields(Class<?> type) {
    List<Field> instanceFields = new ArrayList<>();
    List<Field> staticFields = new ArrayList<>();
    long bytes = 8;
    List<Class<?>> line = new ArrayList<>();
    for (Class<?> at = type; at != null && !type.isArray() && !type.isPrimitive(); at = at.getSuperclass()) {
      line.add(0, at);
    }
    boolean all = true;
    for (Class<?> declaring : line) {
      Field[] fields = Natives.fields(declaring);
      all &= fields != null;
      for (Field field : fields == null ? new Field[0] : fields) {
        boolean isStatic = Modifier.isStatic(field.getModifiers());
        if (!isStatic) {
          bytes += field.getType() == long.class || field.getType() == double.class ? 8 : 4;
        }
        if (!field.getType().isPrimitive() && (!isStatic || declaring == type)) {
          (isStatic ? staticFields : instanceFields).add(field);
        }
      }
    }
    complete = all;
    modelSize = bytes + 7 & ~7L;
    instance = instanceFields.toArray(new Field[0]);
    statics = staticFields.toArray(new Field[0]);
    instanceIds = Natives.fieldIds(instance);
    staticIds = Natives.fieldIds(statics);
  }

  static ClassFields of(Class<?> type) {
    ClassFields fields = CACHE.get(type);
    if (!fields.complete) {
      CACHE.remove(type);
    }
    return fields;
  }
}
