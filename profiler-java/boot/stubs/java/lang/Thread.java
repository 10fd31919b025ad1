package java.lang;

/** Compile-time stand-in: the real class, with the field that the agent adds. */
public class Thread {
    long mayfly$slab;
    boolean mayfly$moving;
    long[] mayfly$scopes;

    public static native Thread currentThread();

    static native Thread currentCarrierThread();
}
