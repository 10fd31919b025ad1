package io.mayfly;

/**
 * What an object is taken to weigh.
 *
 * <p>{@code -Dmayfly.sizes=insane} makes {@link #INSANE} the default, so that limits which were written for that tool
 * keep their meaning.
 */
public enum SizeModel {
  /** The shallow size that this JVM gives the object: header, fields and padding, with its layout and pointer size. */
  JVM {
    @Override
    public long sizeOf(Object object) {
      AgentLibrary.require();
      return Natives.size(object);
    }
  },
  /**
   * INSANE's model of a 32-bit JVM: a header of 8 bytes, or 12 for arrays; 8 bytes for a {@code long} or {@code double}
   * field and 4 for any other, elements of their own size; rounded up to 8. The same on every JVM, but for the fields
   * that its library has.
   */
  INSANE {
    @Override
    public long sizeOf(Object object) {
      Class<?> type = object.getClass();
      if (!type.isArray()) {
        return ClassFields.of(type).modelSize;
      }
      long length = java.lang.reflect.Array.getLength(object);
      return 12 + length * elementBytes(type.getComponentType()) + 7 & ~7L;
    }
  };

  private static final SizeModel CHOSEN = named(System.getProperty("mayfly.sizes", "jvm"));

  /**
   * The model of {@code -Dmayfly.sizes}, by default {@link #JVM}.
   *
   * @return the default model
   */
  public static SizeModel chosen() {
    return CHOSEN;
  }

  /**
   * Shallow size of an object.
   *
   * @param object the object
   * @return bytes
   * @throws AgentMissingException if the agent can't be reached
   */
  public abstract long sizeOf(Object object);

  private static SizeModel named(String name) {
    for (SizeModel model : values()) {
      if (model.name().equalsIgnoreCase(name)) {
        return model;
      }
    }
    throw new IllegalArgumentException("mayfly.sizes is '" + name + "': give jvm or insane");
  }

  private static int elementBytes(Class<?> element) {
    if (element == long.class || element == double.class) {
      return 8;
    }
    if (element == byte.class || element == boolean.class) {
      return 1;
    }
    return element == char.class || element == short.class ? 2 : 4;
  }
}
