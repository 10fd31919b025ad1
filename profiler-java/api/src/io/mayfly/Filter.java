package io.mayfly;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Set;

/**
 * Decides which references a scan follows. It is asked for every reference, not for the roots themselves.
 */
@FunctionalInterface
public interface Filter {
  /**
   * Whether a reference is to be followed and reported.
   *
   * @param object the object referred to
   * @param from the object that refers; null for static fields
   * @param field the field that refers; null for array elements
   * @return true to follow it
   */
  boolean accept(Object object, Object from, Field field);

  /**
   * Follows everything.
   *
   * @return a filter that accepts every reference
   */
  static Filter all() {
    return (object, from, field) -> true;
  }

  /**
   * Follows what all of these filters accept; they are asked in order, up to the first that refuses.
   *
   * @param filters the filters
   * @return their conjunction
   */
  static Filter compound(Filter... filters) {
    Filter[] all = filters.clone();
    return (object, from, field) -> {
      for (Filter filter : all) {
        if (!filter.accept(object, from, field)) {
          return false;
        }
      }
      return true;
    };
  }

  /**
   * Ends a scan at these objects.
   *
   * @param objects the objects, told apart by identity
   * @param include whether the objects themselves belong to the result; what they refer to does not in either case
   * @return a filter
   */
  static Filter skipObjects(Collection<?> objects, boolean include) {
    Set<Object> skipped = Identity.setOf(objects);
    return include
        ? (object, from, field) -> from == null || !skipped.contains(from)
        : (object, from, field) -> !skipped.contains(object);
  }

  /**
   * Leaves references by these fields out.
   *
   * @param fields the fields
   * @return a filter
   */
  static Filter skipReferences(Collection<Field> fields) {
    Set<Field> skipped = Set.copyOf(fields);
    return (object, from, field) -> field == null || !skipped.contains(field);
  }

  /**
   * Leaves the referents of soft, weak, phantom and all other {@link Reference}s out.
   *
   * @return a filter
   */
  static Filter skipNonStrong() {
    return (object, from, field) ->
        field == null || field.getDeclaringClass() != Reference.class || !field.getName().equals("referent");
  }
}
