package io.mayfly;

import java.lang.reflect.Field;

/**
 * Is told what a scan finds. A class is told before its first instance, after its superclass. An object is told before
 * the first reference to it or from it. Objects come in the order of their distance from the roots.
 */
public interface Visitor {
  /**
   * A class is met for the first time.
   *
   * @param type the class
   */
  default void visitClass(Class<?> type) {}

  /**
   * An object is met for the first time.
   *
   * @param map the scan
   * @param object the object; never a {@link Class}
   */
  default void visitObject(ObjectMap map, Object object) {}

  /**
   * An instance field refers to an object.
   *
   * @param map the scan
   * @param from the object that refers
   * @param to the object referred to
   * @param field the field
   */
  default void visitObjectReference(ObjectMap map, Object from, Object to, Field field) {}

  /**
   * An array refers to an object.
   *
   * @param map the scan
   * @param from the array
   * @param to the object referred to
   * @param index the element's index
   */
  default void visitArrayReference(ObjectMap map, Object from, Object to, int index) {}

  /**
   * A static field refers to an object.
   *
   * @param map the scan
   * @param to the object referred to
   * @param field the field
   */
  default void visitStaticReference(ObjectMap map, Object to, Field field) {}

  /**
   * Tells several visitors the same, in their order.
   *
   * @param visitors the visitors
   * @return one that passes everything on to each
   */
  static Visitor compound(Visitor... visitors) {
    Visitor[] all = visitors.clone();
    return new Visitor() {
      @Override
      public void visitClass(Class<?> type) {
        for (Visitor visitor : all) {
          visitor.visitClass(type);
        }
      }

      @Override
      public void visitObject(ObjectMap map, Object object) {
        for (Visitor visitor : all) {
          visitor.visitObject(map, object);
        }
      }

      @Override
      public void visitObjectReference(ObjectMap map, Object from, Object to, Field field) {
        for (Visitor visitor : all) {
          visitor.visitObjectReference(map, from, to, field);
        }
      }

      @Override
      public void visitArrayReference(ObjectMap map, Object from, Object to, int index) {
        for (Visitor visitor : all) {
          visitor.visitArrayReference(map, from, to, index);
        }
      }

      @Override
      public void visitStaticReference(ObjectMap map, Object to, Field field) {
        for (Visitor visitor : all) {
          visitor.visitStaticReference(map, to, field);
        }
      }
    };
  }
}
