package java.lang;

/** Compile-time stand-in: the real class, with the field that the agent adds. */
public final class Class<T> {
    int mayfly$cell;
    boolean mayfly$frequent;

    public native boolean isArray();

    public native boolean isPrimitive();

    public native Class<?> getComponentType();
}
