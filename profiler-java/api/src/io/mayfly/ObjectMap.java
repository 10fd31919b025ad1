package io.mayfly;

/** The objects of a scan, and a name for each. */
public interface ObjectMap {
  /**
   * Whether the scan has met an object.
   *
   * @param object any object
   * @return true from the call of {@link Visitor#visitObject} on
   */
  boolean isKnown(Object object);

  /**
   * A name for an object, unique in the scan: its identity hash code in hexadecimal digits, or a small number where
   * another object has that already.
   *
   * @param object an object that the scan has met
   * @return its name
   * @throws IllegalArgumentException if the scan has not met it
   */
  String getID(Object object);
}
