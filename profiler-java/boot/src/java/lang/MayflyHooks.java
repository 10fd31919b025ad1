package java.lang;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What rewritten bytecode calls at every allocation. Counts in native memory, one slab per carrier thread, and hands
 * an object over to native code only while objects are tracked, so that counting leaves scalar replacement alone.
 *
 * <p>Not here: any allocation, any static initialiser (the class is defined before the VM can run one), any policy.
 * Native code sets the static fields, and the fields it added to Thread and Class.
 */
public final class MayflyHooks {
    private static final int OFF = 0;
    private static final int TRACK = 2;

    /** Bit of {@code Class.mayfly$cell}: objects of the class pass the filters. The lowest three bits are flags. */
    private static final int TRACKED = 1;

    private static final int CELL = ~7;

    /** Distance from an array class's cells to those for arrays below {@link #smallest}. */
    private static final int BELOW = 24;

    /** Whether allocations are counted (1), or counted and handed over (2). */
    private static int mode;

    /** Smallest size in bytes that is reported and tracked. */
    private static long smallest;

    private static long alignMask;
    private static long base1;
    private static long base2;
    private static long base4;
    private static long base8;
    private static long baseRef;
    private static int shiftRef;

    private MayflyHooks() {}

    /** Gives {@code thread} a slab and {@code type} a cell where they have none. */
    private static native void enter(Thread thread, Class<?> type);

    private static native void track(Object object, int cell, long size);

    private static native void untrack();

    /** From the constructor of Object. */
    @ForceInline
    public static void object(Object o) {
        int m = mode;
        if (m == OFF) {
            return;
        }
        Class<?> type = o.getClass();
        Thread thread = Thread.currentCarrierThread();
        long slab = thread.mayfly$slab;
        int cell = type.mayfly$cell;
        if (slab == 0 | cell == 0) {
            enter(thread, type);
            slab = thread.mayfly$slab;
            cell = type.mayfly$cell;
            if (slab == 0 | cell == 0) {
                return;
            }
        }
        add(slab + (cell & CELL), 1);
        if (m == TRACK && (cell & TRACKED) != 0) {
            track(o, cell, 0);
        }
    }

    @ForceInline
    public static void array(boolean[] a) {
        array(a, base1 + a.length);
    }

    @ForceInline
    public static void array(byte[] a) {
        array(a, base1 + a.length);
    }

    @ForceInline
    public static void array(char[] a) {
        array(a, base2 + ((long) a.length << 1));
    }

    @ForceInline
    public static void array(short[] a) {
        array(a, base2 + ((long) a.length << 1));
    }

    @ForceInline
    public static void array(int[] a) {
        array(a, base4 + ((long) a.length << 2));
    }

    @ForceInline
    public static void array(float[] a) {
        array(a, base4 + ((long) a.length << 2));
    }

    @ForceInline
    public static void array(long[] a) {
        array(a, base8 + ((long) a.length << 3));
    }

    @ForceInline
    public static void array(double[] a) {
        array(a, base8 + ((long) a.length << 3));
    }

    @ForceInline
    public static void array(Object[] a) {
        array(a, baseRef + ((long) a.length << shiftRef));
    }

    /** An array of arrays, with the sub-arrays made together with it. */
    public static void multi(Object a) {
        any(a);
        if (a != null && a.getClass().getComponentType().isArray()) {
            for (Object sub : (Object[]) a) {
                if (sub != null) {
                    multi(sub);
                }
            }
        }
    }

    /** An object or array of a kind not known where it was made, e.g. a clone. The JIT often knows, and one test stays. */
    @ForceInline
    public static void any(Object o) {
        if (mode == OFF || o == null) {
            return;
        }
        if (o instanceof byte[]) {
            array((byte[]) o);
        } else if (o instanceof Object[]) {
            array((Object[]) o);
        } else if (o instanceof char[]) {
            array((char[]) o);
        } else if (o instanceof int[]) {
            array((int[]) o);
        } else if (o instanceof long[]) {
            array((long[]) o);
        } else if (o instanceof double[]) {
            array((double[]) o);
        } else if (o instanceof boolean[]) {
            array((boolean[]) o);
        } else if (o instanceof short[]) {
            array((short[]) o);
        } else if (o instanceof float[]) {
            array((float[]) o);
        } else {
            object(o);
        }
    }

    /** Takes back what a callee counted: the caller of a body that the JIT replaces counts the array instead. */
    public static void undo(Object a) {
        if (mode == OFF || a == null) {
            return;
        }
        Class<?> type = a.getClass();
        long slab = Thread.currentCarrierThread().mayfly$slab;
        int cell = type.mayfly$cell;
        if (slab == 0 | cell == 0) {
            return;
        }
        long size = (arrayBytes(a, type) + alignMask) & ~alignMask;
        long at = slab + (cell & CELL) + (size < smallest ? BELOW : 0);
        add(at, -1);
        add(at + 8, -size);
        if (mode == TRACK && (cell & TRACKED) != 0 && size >= smallest) {
            untrack();
        }
    }

    private static long arrayBytes(Object a, Class<?> type) {
        long length = Array.getLength(a);
        Class<?> element = type.getComponentType();
        if (!element.isPrimitive()) {
            return baseRef + (length << shiftRef);
        }
        if (element == byte.class || element == boolean.class) {
            return base1 + length;
        }
        if (element == char.class || element == short.class) {
            return base2 + (length << 1);
        }
        if (element == int.class || element == float.class) {
            return base4 + (length << 2);
        }
        return base8 + (length << 3);
    }

    @ForceInline
    private static void array(Object a, long unaligned) {
        int m = mode;
        if (m == OFF) {
            return;
        }
        Class<?> type = a.getClass();
        Thread thread = Thread.currentCarrierThread();
        long slab = thread.mayfly$slab;
        int cell = type.mayfly$cell;
        if (slab == 0 | cell == 0) {
            enter(thread, type);
            slab = thread.mayfly$slab;
            cell = type.mayfly$cell;
            if (slab == 0 | cell == 0) {
                return;
            }
        }
        long size = (unaligned + alignMask) & ~alignMask;
        long at = slab + (cell & CELL);
        if (size < smallest) {
            add(at + BELOW, 1);
            add(at + BELOW + 8, size);
            return;
        }
        add(at, 1);
        add(at + 8, size);
        Unsafe u = Unsafe.getUnsafe();
        if (size > u.getLong(at + 16)) {
            u.putLong(at + 16, size);
        }
        if (m == TRACK && (cell & TRACKED) != 0) {
            track(a, cell, size);
        }
    }

    @ForceInline
    private static void add(long address, long n) {
        Unsafe u = Unsafe.getUnsafe();
        u.putLong(address, u.getLong(address) + n);
    }

    /** What reflection may see of {@code fields}: all but those that the agent added. */
    public static Field[] visibleFields(Class<?> type, Field[] fields) {
        if ((type != Thread.class && type != Class.class) || fields == null) {
            return fields;
        }
        int added = 0;
        for (Field field : fields) {
            if (isAdded(field)) {
                added++;
            }
        }
        if (added == 0) {
            return fields;
        }
        Field[] visible = new Field[fields.length - added];
        int at = 0;
        for (Field field : fields) {
            if (!isAdded(field)) {
                visible[at++] = field;
            }
        }
        return visible;
    }

    private static boolean isAdded(Field field) {
        return field.getName().startsWith("mayfly$");
    }
}
