package java.lang;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What rewritten bytecode calls at every allocation. Counts in native memory, one slab per carrier thread, and hands
 * an object over to native code only while objects are tracked, so that counting leaves scalar replacement alone.
 *
 * <p>These methods become part of every compiled allocation: each test and each call in them costs compile time
 * everywhere. Constants are therefore patched into the class file when it is defined, so that the JIT compilers
 * drop what a session does not use.
 *
 * <p>In a session that counts by place (allocating bytecode), rewritten code also tells each place's number. Its counters
 * are found through a table in native memory, filled when a place is first executed, so that those of the places in use
 * lie close together. Per thread and place: count, count at which a sample is due, {@code state} of the sampling; for
 * arrays also bytes and largest. An object of which no place told, as it was made by reflection or in a hidden class, is counted
 * at a place of its class's own, so that stacks are taken of such objects, too.
 *
 * <p>In a balanced session ({@link #SHARES}) each count has a number beside it at which the next object is due. The short way is
 * one comparison; an object is handed over on the slow way only, which also gives out slabs and cells. Of a class that has become
 * frequent none is: C2 takes that for constant, drops the slow way, and again removes objects that need not be made.
 *
 * <p>Not here: any allocation at an allocation (who enters scopes gets a list), any static initialiser (the class is defined before the VM can run one), any policy.
 * Native code sets the static fields, and the fields it added to Thread and Class.
 */
public final class MayflyHooks {
    /** Bit of a class's cell: its objects are handed over. Patched to 0 in a session that tracks none. */
    private static final int TRACKED = 0x4D41_5901;

    /** The bits of a class's cell that are an offset. Patched to all in a session that tracks no objects. */
    private static final int OFFSET = 0x4D41_5902;

    /** Smallest size in bytes that is reported and tracked. Patched; the smallest number there is lets all pass. */
    private static final long SMALLEST = 0x4D41_5946_4C59_0003L;

    /**
     * Address of the table of places: by number, an int. At a place that makes objects of one class: where in a slab it
     * is counted. At others: index of the first of a list of (class's cell, where in a slab, index of the next).
     */
    private static final long PLACES = 0x4D41_5946_4C59_0004L;

    /** Whether the stack of each object handed over is taken. Patched to 1 or 0. */
    private static final int STACKS = 0x4D41_5905;

    /** Whether an object is handed over when its class's count says that it is due. Patched to all bits, or none. */
    private static final int SHARES = 0x4D41_5906;

    /**
     * After an attach: where a thread has what holds its stack size, 0 if that is the thread; where that is in it; what is
     * added to the address of a slab that is kept there, so that it is known from a size and from an earlier session's;
     * and where a class has the number of its redefinitions. Patched then, not read otherwise.
     */
    private static final long HOLDER_AT = 0x4D41_5946_4C59_0007L;
    private static final long SLAB_AT = 0x4D41_5946_4C59_0008L;
    private static final long SESSION = 0x4D41_5946_4C59_0009L;
    private static final long CELL_AT = 0x4D41_5946_4C59_000AL;

    /**
     * Whether every thread has somewhere to count and every class a cell before it is first allocated, so that counting needs no
     * test but at places. Patched to 1 in a session that hands nothing over from here and counts arrays of all sizes, else to 0.
     */
    private static final int NO_TESTS = 0x4D41_5907;

    /**
     * What is kept of a slab's address is the address XOR this. Patched to the address of the slab that threads share which have
     * none of their own yet, for which 0 is kept; to 0 where such threads are given one when they first allocate.
     */
    private static final long SHARED = 0x4D41_5946_4C59_000BL;

    /** No place's number. */
    private static final int NOWHERE = -1;

    /** The number of the place where objects of the class with the first cell are counted of which no place told; one more by cell. */
    private static final int UNPLACED = 3932160;

    // What lies where in a slab is drawn in docs/design/counting.md#0035-what-lies-where-in-a-slab, and compared with these by a test.

    /** Distances from the number of an array class's arrays to their bytes and to the largest. */
    private static final int CELL_BYTES = 8;
    private static final int CELL_LARGEST = 16;

    /** Distance from the number of a class's objects, and of an array class's arrays, to the one at which the next is due. */
    private static final int OBJECT_DUE = 8;
    private static final int ARRAY_DUE = 40;

    /**
     * An array of so many bytes is always due: of a class's bytes few such may be most, and a share of all arrays would miss them.
     */
    private static final int LARGE = 65536;

    /** Distances from a place's count to its other words. */
    private static final int DUE = 8;
    private static final int STATE = 16;
    private static final int BYTES = 24;
    private static final int LARGEST = 32;

    /** Where in a slab a thread notes the place of a class told at run time that it counted last, 0 if that had no place. */
    private static final int LAST = 16;

    /** Distance from an array class's cells to those for arrays below {@link #SMALLEST}. */
    private static final int BELOW = 24;

    /** Where in a slab a thread notes that the body of a {@code toString} ran. An int; no class's cell is there. */
    private static final int BUILDING = 24;

    /** An int behind that: how many overrides of {@code clone} the thread has begun to run. */
    private static final int CLONINGS = 28;

    /** Where in a slab a thread notes which count said last that an object was due, and how far it was. */
    private static final int ASKED = 32;
    private static final int ASKED_COUNT = 48;

    /** Added to that count's address if it was due as it is large, and not by its count. */
    private static final int NOT_BY_COUNT = 1;

    /** Where in the slab of a scope is the address of the slab that the thread had outside of it. 0 in the outermost one. */
    private static final int OUTER = 56;

    /** What the last entry of the scope is called; the next one's is 2 more. The lowest bit is free for a flag. */
    private static final int ENTRIES = 64;

    /** How many entries were left on this carrier. */
    private static final int ENDS = 72;

    /** Whether a virtual thread is being mounted on this carrier, or unmounted, after an attach. An int. */
    private static final int MOVING = 80;

    /** Whether a place told of an object that has not reached the constructor of Object yet. An int. */
    private static final int TOLD_OF = 84;

    /** By number of a scope's name: the address of the slab of that scope inside of this one, 0 for none yet. */
    private static final int INNER = 128;

    /** A scope in {@code Thread.mayfly$scopes}: its name's number below how deep the thread is in it, then its entry. */
    private static final long ONE_DEEPER = 1L << 32;

    /** Of an entry: objects made in it may be tracked, or it was handed over, so that native code is to be told of its end. */
    private static final long TOLD = 1;

    /** Scopes inside of one another for which a thread has room at first. */
    private static final int FEW_SCOPES = 4;

    /**
     * All bits if allocations are counted, else none. Asked first: before the VM is initialised no native method can be
     * called. An int: what it is known to be, {@code on & SHARES} is known to be, too, in a balanced session.
     */
    private static int on;

    /** Clears the low bits of a size after {@code round…} has been added. */
    private static long align;

    // Header of an array and what rounding up adds, by element size.
    private static long round1;
    private static long round2;
    private static long round4;
    private static long round8;
    private static long roundRef;
    private static int shiftRef;

    private MayflyHooks() {}

    /** Gives {@code thread} a slab and {@code type} a cell where they have none. */
    private static native void enter(Thread thread, Class<?> type);

    /** {@code moving}: no stack may be taken now. {@code entry}: of the scope, 0 for none. */
    private static native void track(Object object, int cell, long size, boolean moving, long entry);

    private static native void untrack();

    /**
     * An object is due {@code byCount}, or large: follows it, if it is its turn, or large. How many counts on the next is due; 0: never.
     * {@code moving}: no stack may be taken now. {@code entry}: of the scope, 0 for none.
     */
    private static native int follow(Object object, int cell, long size, boolean byCount, boolean moving, long entry);

    /** Forgets that the last object was due, and what became of it. */
    private static native void unfollow();

    /** Gives {@code thread} a slab; returns where place {@code id} is counted, 0 if nowhere. {@code type} is null for objects. */
    private static native int enterPlace(Thread thread, Class<?> type, int id);

    /** As {@link #enterPlace}, of a place where classes differ. */
    private static native int enterPair(int id, int cell);

    /**
     * A sample is due at the place counted at {@code offset}: how many counts on the next is, and above bit 32 its state.
     * {@code moving}: no stack may be taken now.
     */
    private static native long sample(int offset, long size, long state, boolean moving);

    /**
     * The slab in which {@code thread} counts in a scope inside of the slab {@code outer}; of its own one if that is 0. 0: it goes on
     * where it is.
     */
    private static native long enterInner(Thread thread, long outer, int name);

    /** An entry ends on this thread, or goes on in it as in another one. */
    private static native void noteEntry(long entry, boolean ends);

    /** The VM begins to end, and the program's shutdown hooks are still to run: later, what the program held is closed. */
    public static native void exiting();

    /** A {@code main} is about to return: if it is the launcher's, and no other thread goes on, the VM ends next. */
    public static native void leavingMain();

    /**
     * In {@code VirtualThread}: from a call with true to the next with false its thread is being mounted on this carrier, or
     * unmounted. Noted even while nothing is counted.
     */
    @ForceInline
    public static void moving(boolean moving) {
        Thread.currentCarrierThread().mayfly$moving = moving;
    }

    /** As {@code moving(true)}. */
    @ForceInline
    public static void leaving() {
        moving(true);
    }

    /** As {@code moving(false)}. */
    @ForceInline
    public static void arriving() {
        moving(false);
    }

    // Scopes. A thread, virtual or not, has a list of those that it is in: how many, then of each its number and depth, and its
    // entry. Its carrier has one slab for each way in which scopes are nested, so that counting knows nothing of scopes.

    /** Calls that need more of the stack than leaving a scope does, compiled or not. */
    private static final int PROBED_CALLS = 32;

    /**
     * Who enters a scope must be able to leave it: where the stack has no room for that, StackOverflowError comes before the scope is
     * entered. Its numbers have no use but to be kept, so that each call takes room.
     */
    private static long probeStack(int calls, long a, long b, long c) {
        return calls == 0 ? a : probeStack(calls - 1, b, c, a) * b + (a ^ c);
    }

    /** The thread enters the scope of that name, or is one deeper in it if it is in it already. */
    public static void enterScope(int name) {
        probeStack(PROBED_CALLS, name, name, name);
        Thread thread = Thread.currentThread();
        long[] scopes = thread.mayfly$scopes;
        int top = 0;
        if (scopes != null) {
            top = (int) scopes[0] << 1;
            for (int at = 1; at < top; at += 2) {
                if ((int) scopes[at] == name) {
                    scopes[at] += ONE_DEEPER;
                    return;
                }
            }
        }
        if (on == 0) {
            return;
        }
        if (scopes == null || top + 2 >= scopes.length) {
            scopes = roomForScopes(thread, scopes);
        }
        Thread carrier = Thread.currentCarrierThread();
        long inner = inner(carrier, carrier.mayfly$slab ^ SHARED, name);
        if (inner == 0) {
            return;
        }
        Unsafe u = Unsafe.getUnsafe();
        long entry = u.getLong(null, inner + ENTRIES) + 2;
        u.putLong(null, inner + ENTRIES, entry);
        scopes[top + 1] = name + ONE_DEEPER;
        scopes[top + 2] = entry;
        scopes[0] = (top >> 1) + 1;
        carrier.mayfly$slab = inner ^ SHARED;
    }

    /** The thread leaves the scope of that name, and with it those that it entered there and did not leave. */
    public static void exitScope(int name) {
        long[] scopes = Thread.currentThread().mayfly$scopes;
        if (scopes == null) {
            return;
        }
        int top = (int) scopes[0] << 1;
        if (top != 0 && scopes[top - 1] == name + ONE_DEEPER && (scopes[top] & TOLD) == 0) {
            Thread carrier = Thread.currentCarrierThread();
            long slab = carrier.mayfly$slab ^ SHARED;
            Unsafe u = Unsafe.getUnsafe();
            long outer = slab == 0 ? 0 : u.getLong(null, slab + OUTER);
            if (outer != 0) {
                u.putLong(null, slab + ENDS, u.getLong(null, slab + ENDS) + 1);
                carrier.mayfly$slab = outer ^ SHARED;
                scopes[0] = (top >> 1) - 1;
                return;
            }
        }
        exitInner(scopes, name);
    }

    /** As {@link #exitScope}, of any scope of those that the thread is in. */
    private static void exitInner(long[] scopes, int name) {
        int at = ((int) scopes[0] << 1) - 1;
        while (at > 0 && (int) scopes[at] != name) {
            at -= 2;
        }
        if (at > 0 && (scopes[at] -= ONE_DEEPER) < ONE_DEEPER) {
            leave(scopes, at);
        }
    }

    /** Leaves all scopes from the one at this index on. */
    private static void leave(long[] scopes, int from) {
        Unsafe u = Unsafe.getUnsafe();
        Thread carrier = Thread.currentCarrierThread();
        long slab = carrier.mayfly$slab ^ SHARED;
        for (int at = ((int) scopes[0] << 1) - 1; at >= from; at -= 2) {
            if (slab != 0) {
                add(slab + ENDS, 1);
                slab = outer(slab);
            }
            if ((scopes[at + 1] & TOLD) != 0) {
                noteEntry(scopes[at + 1], true);
            }
        }
        carrier.mayfly$slab = slab ^ SHARED;
        scopes[0] = from >> 1;
    }

    /** Room for more scopes. Counted as the program's, as all arrays. */
    @DontInline
    private static long[] roomForScopes(Thread thread, long[] scopes) {
        long[] more = new long[scopes == null ? 1 + 2 * FEW_SCOPES : 2 * scopes.length];
        array(more);
        if (scopes != null) {
            for (int at = 0; at < scopes.length; at++) {
                more[at] = scopes[at];
            }
        }
        thread.mayfly$scopes = more;
        return more;
    }

    /** The slab of a carrier in the scope of that name, inside of {@code outer}. */
    @ForceInline
    private static long inner(Thread carrier, long outer, int name) {
        long inner = outer == 0 ? 0 : Unsafe.getUnsafe().getLong(null, outer + INNER + ((long) name << 3));
        return inner != 0 ? inner : firstInner(carrier, outer, name);
    }

    @DontInline
    private static long firstInner(Thread carrier, long outer, int name) {
        return enterInner(carrier, outer, name);
    }

    /** The slab that a thread has one scope further out. */
    private static long outer(long slab) {
        long outer = Unsafe.getUnsafe().getLong(null, slab + OUTER);
        return outer != 0 ? outer : slab;
    }

    private static long outermost(long slab) {
        long outer = slab;
        while (slab != 0) {
            outer = slab;
            slab = Unsafe.getUnsafe().getLong(null, slab + OUTER);
        }
        return outer;
    }

    /** Has this carrier count where a thread with these scopes does. */
    private static void install(long[] scopes) {
        Thread carrier = Thread.currentCarrierThread();
        int top = scopes == null ? 0 : (int) scopes[0] << 1;
        long slab = carrier.mayfly$slab ^ SHARED;
        if (slab == 0 && top == 0) {
            return;
        }
        slab = outermost(slab);
        for (int at = 1; at < top; at += 2) {
            long inner = inner(carrier, slab, (int) scopes[at]);
            if (inner != 0) {
                slab = inner;
            }
        }
        carrier.mayfly$slab = slab ^ SHARED;
    }

    /** In {@code VirtualThread}, on its carrier: it is about to be mounted. */
    public static void mounting(Thread thread) {
        install(thread.mayfly$scopes);
    }

    /**
     * In {@code VirtualThread}, behind a change of the carrier's current thread. A virtual thread that the VM unmounted goes on in the VM, which
     * ends the mount by itself: {@code moving(false)} comes for others only.
     */
    public static void mounted() {
        Thread thread = Thread.currentThread(), carrier = Thread.currentCarrierThread();
        if (thread != carrier && thread.mayfly$moving) {
            thread.mayfly$moving = false;
            carrier.mayfly$moving = false;
        }
    }

    /** In {@code VirtualThread}, on its carrier: the virtual thread leaves it. */
    public static void unmounting() {
        Thread thread = Thread.currentThread(), carrier = Thread.currentCarrierThread();
        // Of a virtual thread: whether the VM unmounts it, at a monitor (JDK 24 and newer), as nobody called moving(true).
        thread.mayfly$moving = thread != carrier && !carrier.mayfly$moving;
        install(carrier.mayfly$scopes);
    }

    /** The entry of the scope that the thread is in, from now on to be told of; 0 for none. */
    private static long entry() {
        long[] scopes = Thread.currentThread().mayfly$scopes;
        if (scopes == null || scopes[0] == 0) {
            return 0;
        }
        return scopes[(int) scopes[0] << 1] |= TOLD;
    }

    /** The scopes that the thread is in, up to the one of that name, for other threads to go on in; null if it is in no such scope. */
    public static long[] handOverScope(int name) {
        long[] scopes = Thread.currentThread().mayfly$scopes;
        int at = scopes == null ? -1 : ((int) scopes[0] << 1) - 1;
        while (at > 0 && (int) scopes[at] != name) {
            at -= 2;
        }
        if (at < 0) {
            return null;
        }
        scopes[at + 1] |= TOLD;
        return copy(scopes, at + 2);
    }

    /** The first {@code length} words, as deep in each scope as if it had just been entered. */
    private static long[] copy(long[] scopes, int length) {
        long[] copy = new long[Math.max(length, 1 + 2 * FEW_SCOPES)];
        array(copy);
        copy[0] = length >> 1;
        for (int at = 1; at < length; at += 2) {
            copy[at] = (int) scopes[at] + ONE_DEEPER;
            copy[at + 1] = scopes[at + 1];
        }
        return copy;
    }

    /** The thread goes on in scopes handed over, instead of those that it was in, which are returned. */
    public static long[] enterHanded(long[] handed) {
        Thread thread = Thread.currentThread();
        long[] before = thread.mayfly$scopes;
        long[] scopes = copy(handed, ((int) handed[0] << 1) + 1);
        noteEntry(scopes[(int) scopes[0] << 1], false);
        thread.mayfly$scopes = scopes;
        install(scopes);
        return before;
    }

    /** Ends what {@link #enterHanded} began: {@code levels} scopes were handed over. */
    public static void exitHanded(long[] before, int levels) {
        Thread thread = Thread.currentThread();
        long[] scopes = thread.mayfly$scopes;
        if (scopes != null && scopes[0] >= levels) {
            leave(scopes, 2 * levels + 1);
            noteEntry(scopes[2 * levels], true);
        }
        thread.mayfly$scopes = before;
        install(before);
    }

    /** Hands an object over. */
    @ForceInline
    private static void handOver(Object o, int cell, long size) {
        track(o, cell, size, STACKS != 0 && Thread.currentCarrierThread().mayfly$moving, entry());
    }

    /** From the constructor of Object. */
    @ForceInline
    public static void object(Object o) {
        long places = PLACES;
        if (places != 0 && on != 0) {
            unlessToldOf(o.getClass(), Thread.currentCarrierThread().mayfly$slab ^ SHARED);
        }
        constructed(o);
    }

    /**
     * Counts an object at a place of its class's own, unless one told of it. That is taken for told of another object where one was
     * made between a place and the constructor of Object, by arguments of {@code super}: native code finds that out by the stack.
     */
    @ForceInline
    private static void unlessToldOf(Class<?> type, long slab) {
        Unsafe u = Unsafe.getUnsafe();
        if (slab != 0 && u.getInt(null, slab + TOLD_OF) != 0) {
            u.putInt(null, slab + TOLD_OF, 0);
        } else {
            unplaced(type);
        }
    }

    @DontInline
    private static void unplaced(Class<?> type) {
        if (on == 0) {
            return;
        }
        Thread thread = Thread.currentCarrierThread();
        int noTests = NO_TESTS;
        if (noTests == 0 && (thread.mayfly$slab == 0 || type.mayfly$cell == 0)) {
            enter(thread, type);
        }
        long slab = thread.mayfly$slab ^ SHARED;
        int cell = type.mayfly$cell;
        if (slab != 0 && cell != 0) {
            int offset = pair(UNPLACED + (cell >>> 3), cell);
            if (offset != 0) {
                add(slab + offset, 1);
                dueAgain(slab + offset, offset, 0);
            }
        }
    }

    /** Counts an object for its class. */
    @ForceInline
    private static void constructed(Object o) {
        int on = MayflyHooks.on;
        if (on == 0) {
            return;
        }
        Class<?> type = o.getClass();
        long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
        int cell = type.mayfly$cell;
        // In a local variable it is a constant for the JIT compilers, but not for javac.
        int noTests = NO_TESTS;
        if (noTests != 0) {
            Unsafe u = Unsafe.getUnsafe();
            u.putLong(null, slab + cell, u.getLong(null, slab + cell) + 1);
            return;
        }
        if ((on & SHARES) != 0) {
            long shared = SHARED;
            if (shared != 0 || slab != 0) {
                Unsafe u = Unsafe.getUnsafe();
                // At offset 0, of classes that have no cell yet, the number at which an object is due is always 0.
                long at = slab + (cell & OFFSET);
                long n = u.getLong(null, at) + 1;
                if (type.mayfly$frequent || n < u.getLong(null, at + OBJECT_DUE)) {
                    u.putLong(null, at, n);
                    return;
                }
            }
            firstOrDue(o);
            return;
        }
        if (slab == 0 || cell == 0) {
            cell = firstObject(type);
        } else {
            Unsafe u = Unsafe.getUnsafe();
            long at = slab + (cell & OFFSET);
            u.putLong(null, at, u.getLong(null, at) + 1);
        }
        if ((cell & TRACKED) != 0) {
            handOver(o, cell, 0);
        }
    }

    /** Counts an object of a thread or class that was not known yet; returns the class's cell, 0 if it has none. */
    @DontInline
    private static int firstObject(Class<?> type) {
        Thread thread = Thread.currentCarrierThread();
        enter(thread, type);
        long slab = thread.mayfly$slab ^ SHARED;
        int cell = type.mayfly$cell;
        if (slab == 0 || cell == 0) {
            return 0;
        }
        add(slab + (cell & OFFSET), 1);
        return cell;
    }

    /** Counts an object of a thread or class that was not known yet, or one that may be due. */
    @DontInline
    private static void firstOrDue(Object o) {
        Thread thread = Thread.currentCarrierThread();
        Class<?> type = o.getClass();
        if (thread.mayfly$slab == 0 || type.mayfly$cell == 0) {
            enter(thread, type);
        }
        long slab = thread.mayfly$slab ^ SHARED;
        int cell = type.mayfly$cell;
        if (slab != 0 && cell != 0) {
            long at = slab + (cell & OFFSET);
            add(at, 1);
            followIfDue(o, cell, 0, slab, at, at + OBJECT_DUE);
        }
    }

    /**
     * Hands an object over that was just counted, if it is due or large, and notes when the next one is, or that the class has become frequent.
     * In the slab that threads share which have none of their own yet nobody is followed.
     */
    private static void followIfDue(Object o, int cell, long size, long slab, long at, long due) {
        Unsafe u = Unsafe.getUnsafe();
        long n = u.getLong(null, at);
        boolean byCount = n >= u.getLong(null, due);
        if ((byCount || size >= LARGE) && slab != SHARED) {
            int ahead = follow(o, cell, size, byCount, Thread.currentCarrierThread().mayfly$moving, entry());
            if (ahead < 0) {
                o.getClass().mayfly$frequent = true;
            }
            if (byCount) {
                u.putLong(null, due, ahead <= 0 ? Long.MAX_VALUE : n + ahead);
            }
            u.putLong(null, slab + ASKED, byCount ? at : at + NOT_BY_COUNT);
            u.putLong(null, slab + ASKED_COUNT, n);
        }
    }

    /** An object is about to be constructed at a numbered place. */
    @ForceInline
    public static void place(int id) {
        if (on == 0) {
            return;
        }
        long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
        long shared = SHARED;
        if (shared != 0 || slab != 0) {
            Unsafe u = Unsafe.getUnsafe();
            u.putInt(null, slab + TOLD_OF, 1);
            // At offset 0, of places not executed yet, the word that says when a sample is due is always 0.
            long at = slab + u.getInt(null, PLACES + ((long) id << 2));
            long n = u.getLong(null, at) + 1;
            if (n < u.getLong(null, at + DUE)) {
                u.putLong(null, at, n);
                return;
            }
        }
        placeOrDue(id);
    }

    @DontInline
    private static void placeOrDue(int id) {
        Thread thread = Thread.currentCarrierThread();
        int offset = Unsafe.getUnsafe().getInt(null, PLACES + ((long) id << 2));
        if (thread.mayfly$slab == 0 || offset == 0) {
            offset = enterPlace(thread, null, id);
        }
        long slab = thread.mayfly$slab ^ SHARED;
        if (slab != 0) {
            Unsafe.getUnsafe().putInt(null, slab + TOLD_OF, 1);
        }
        if (offset != 0) {
            add(slab + offset, 1);
            dueAgain(slab + offset, offset, 0);
        }
    }

    private static void dueAgain(long at, int offset, long size) {
        Unsafe u = Unsafe.getUnsafe();
        if (u.getLong(null, at) >= u.getLong(null, at + DUE)) {
            due(at, offset, size);
        }
    }

    /** Lets native code take the stack, and plan the next sample here. */
    @DontInline
    private static void due(long at, int offset, long size) {
        Unsafe u = Unsafe.getUnsafe();
        long plan = sample(offset, size, u.getLong(null, at + STATE), Thread.currentCarrierThread().mayfly$moving);
        long next = plan == 0 ? Long.MAX_VALUE : u.getLong(null, at) + (int) plan;
        u.putLong(null, at + DUE, next);
        u.putLong(null, at + STATE, plan >>> 32);
    }

    @ForceInline
    public static void array(boolean[] a) {
        array(a, boolean[].class, (round1 + a.length) & align);
    }

    @ForceInline
    public static void array(byte[] a) {
        array(a, byte[].class, (round1 + a.length) & align);
    }

    @ForceInline
    public static void array(char[] a) {
        array(a, char[].class, (round2 + ((long) a.length << 1)) & align);
    }

    @ForceInline
    public static void array(short[] a) {
        array(a, short[].class, (round2 + ((long) a.length << 1)) & align);
    }

    @ForceInline
    public static void array(int[] a) {
        array(a, int[].class, (round4 + ((long) a.length << 2)) & align);
    }

    @ForceInline
    public static void array(float[] a) {
        array(a, float[].class, (round4 + ((long) a.length << 2)) & align);
    }

    @ForceInline
    public static void array(long[] a) {
        array(a, long[].class, (round8 + ((long) a.length << 3)) & align);
    }

    @ForceInline
    public static void array(double[] a) {
        array(a, double[].class, (round8 + ((long) a.length << 3)) & align);
    }

    /** The JVM tells of no class of arrays that it makes: each has its cell from the first array on. */
    @ForceInline
    public static void array(Object[] a) {
        Class<?> type = a.getClass();
        long size = (roundRef + ((long) a.length << shiftRef)) & align;
        int noTests = NO_TESTS;
        if (noTests != 0 && type.mayfly$cell == 0) {
            firstArray(type, size);
        } else {
            array(a, type, size);
        }
    }

    @ForceInline
    private static void array(Object a, Class<?> type, long size) {
        int on = MayflyHooks.on;
        if (on == 0) {
            return;
        }
        long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
        int cell = type.mayfly$cell;
        int noTests = NO_TESTS;
        if (noTests != 0) {
            Unsafe u = Unsafe.getUnsafe();
            long at = slab + cell;
            u.putLong(null, at, u.getLong(null, at) + 1);
            u.putLong(null, at + CELL_BYTES, u.getLong(null, at + CELL_BYTES) + size);
            if (u.getLong(null, at + CELL_LARGEST) < size) {
                u.putLong(null, at + CELL_LARGEST, size);
            }
            return;
        }
        if ((on & SHARES) != 0) {
            long shared = SHARED;
            if ((shared != 0 || slab != 0) && size >= SMALLEST) {
                Unsafe u = Unsafe.getUnsafe();
                long at = slab + (cell & OFFSET);
                long n = u.getLong(null, at) + 1;
                if (type.mayfly$frequent || n < u.getLong(null, at + ARRAY_DUE) && size < LARGE) {
                    u.putLong(null, at, n);
                    u.putLong(null, at + CELL_BYTES, u.getLong(null, at + CELL_BYTES) + size);
                    if (u.getLong(null, at + CELL_LARGEST) < size) {
                        u.putLong(null, at + CELL_LARGEST, size);
                    }
                    return;
                }
            }
            firstArrayOrDue(a, type, size);
            return;
        }
        if (slab == 0 || cell == 0) {
            cell = firstArray(type, size);
        } else {
            Unsafe u = Unsafe.getUnsafe();
            long at = slab + (cell & OFFSET);
            if (size < SMALLEST) {
                at += BELOW;
            }
            u.putLong(null, at, u.getLong(null, at) + 1);
            u.putLong(null, at + CELL_BYTES, u.getLong(null, at + CELL_BYTES) + size);
            if (u.getLong(null, at + CELL_LARGEST) < size) {
                u.putLong(null, at + CELL_LARGEST, size);
            }
        }
        if ((cell & TRACKED) != 0 && size >= SMALLEST) {
            handOver(a, cell, size);
        }
    }

    /** Like {@link #firstOrDue}; also counts those below {@link #SMALLEST}, which are never due. */
    @DontInline
    private static void firstArrayOrDue(Object a, Class<?> type, long size) {
        int cell = firstArray(type, size);
        if (cell != 0 && size >= SMALLEST) {
            long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
            long at = slab + (cell & OFFSET);
            followIfDue(a, cell, size, slab, at, at + ARRAY_DUE);
        }
    }

    @ForceInline
    public static void array(boolean[] a, int id) {
        array(a, boolean[].class, (round1 + a.length) & align, id);
    }

    @ForceInline
    public static void array(byte[] a, int id) {
        array(a, byte[].class, (round1 + a.length) & align, id);
    }

    @ForceInline
    public static void array(char[] a, int id) {
        array(a, char[].class, (round2 + ((long) a.length << 1)) & align, id);
    }

    @ForceInline
    public static void array(short[] a, int id) {
        array(a, short[].class, (round2 + ((long) a.length << 1)) & align, id);
    }

    @ForceInline
    public static void array(int[] a, int id) {
        array(a, int[].class, (round4 + ((long) a.length << 2)) & align, id);
    }

    @ForceInline
    public static void array(float[] a, int id) {
        array(a, float[].class, (round4 + ((long) a.length << 2)) & align, id);
    }

    @ForceInline
    public static void array(long[] a, int id) {
        array(a, long[].class, (round8 + ((long) a.length << 3)) & align, id);
    }

    @ForceInline
    public static void array(double[] a, int id) {
        array(a, double[].class, (round8 + ((long) a.length << 3)) & align, id);
    }

    @ForceInline
    public static void array(Object[] a, int id) {
        array(a, a.getClass(), (roundRef + ((long) a.length << shiftRef)) & align, id);
    }

    /** Counted at the place alone: native code adds its places' counts to a class. */
    @ForceInline
    private static void array(Object a, Class<?> type, long size, int id) {
        if (on == 0) {
            return;
        }
        if (size < SMALLEST) {
            array(a, type, size);
            return;
        }
        long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
        long shared = SHARED;
        boolean counted = false;
        if (shared != 0 || slab != 0) {
            Unsafe u = Unsafe.getUnsafe();
            long at = slab + u.getInt(null, PLACES + ((long) id << 2));
            long n = u.getLong(null, at) + 1;
            if (n < u.getLong(null, at + DUE)) {
                u.putLong(null, at, n);
                u.putLong(null, at + BYTES, u.getLong(null, at + BYTES) + size);
                if (u.getLong(null, at + LARGEST) < size) {
                    u.putLong(null, at + LARGEST, size);
                }
                counted = true;
            }
        }
        if (!counted) {
            arrayOrDue(type, size, id);
        }
        if (TRACKED != 0) {
            int cell = type.mayfly$cell;
            if ((cell & TRACKED) != 0) {
                handOver(a, cell, size);
            }
        }
    }

    /** Not told the array, which would escape. */
    @DontInline
    private static void arrayOrDue(Class<?> type, long size, int id) {
        Thread thread = Thread.currentCarrierThread();
        int offset = Unsafe.getUnsafe().getInt(null, PLACES + ((long) id << 2));
        if (thread.mayfly$slab == 0 || offset == 0) {
            offset = enterPlace(thread, type, id);
        }
        long slab = thread.mayfly$slab ^ SHARED;
        if (offset != 0) {
            addArray(slab + offset, offset, size);
        } else if (slab != 0 && type.mayfly$cell != 0) {
            // No room for another place: its class has some.
            long at = slab + (type.mayfly$cell & OFFSET);
            add(at, 1);
            add(at + CELL_BYTES, size);
        }
    }

    private static void addArray(long at, int offset, long size) {
        Unsafe u = Unsafe.getUnsafe();
        add(at, 1);
        add(at + BYTES, size);
        if (u.getLong(null, at + LARGEST) < size) {
            u.putLong(null, at + LARGEST, size);
        }
        dueAgain(at, offset, size);
    }

    /** Like {@link #firstObject}. */
    @DontInline
    private static int firstArray(Class<?> type, long size) {
        if (on == 0) {
            return 0;
        }
        Thread thread = Thread.currentCarrierThread();
        if (thread.mayfly$slab == 0 || type.mayfly$cell == 0) {
            enter(thread, type);
        }
        long slab = thread.mayfly$slab ^ SHARED;
        int cell = type.mayfly$cell;
        if (slab == 0 || cell == 0) {
            return 0;
        }
        long at = slab + (cell & OFFSET) + (size < SMALLEST ? BELOW : 0);
        add(at, 1);
        add(at + CELL_BYTES, size);
        Unsafe u = Unsafe.getUnsafe();
        if (u.getLong(null, at + CELL_LARGEST) < size) {
            u.putLong(null, at + CELL_LARGEST, size);
        }
        return cell;
    }

    /** An array of arrays, with the sub-arrays made together with it. */
    public static void multi(Object a) {
        any(a);
        if (on != 0 && a != null && a.getClass().getComponentType().isArray()) {
            for (Object sub : (Object[]) a) {
                if (sub != null) {
                    multi(sub);
                }
            }
        }
    }

    /** An object or array of a kind not known where it was made, e.g. a clone. Where the JIT knows, no test stays. */
    public static void any(Object o) {
        if (on == 0 || o == null) {
            return;
        }
        long places = PLACES;
        if (places != 0) {
            noteLast(Thread.currentCarrierThread().mayfly$slab ^ SHARED, 0);
            if (!o.getClass().isArray()) {
                unplaced(o.getClass());
            }
        }
        anywhere(o);
    }

    /** Notes for {@link #undo} where a thread counted last, 0 for no place. */
    @ForceInline
    private static void noteLast(long slab, long at) {
        if (slab != 0) {
            Unsafe.getUnsafe().putLong(null, slab + LAST, at);
        }
    }

    /** Counts for its class. */
    private static void anywhere(Object o) {
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
            constructed(o);
        }
    }

    /** As {@link #multi(Object)}, at a numbered place. */
    public static void multi(Object a, int id) {
        any(a, id);
        if (on != 0 && a != null && a.getClass().getComponentType().isArray()) {
            for (Object sub : (Object[]) a) {
                if (sub != null) {
                    multi(sub, id);
                }
            }
        }
    }

    /** As {@link #any(Object)}, at a numbered place: counted there first, so that a sample is due before it is tracked. */
    public static void any(Object o, int id) {
        if (on != 0 && o != null) {
            Class<?> type = o.getClass();
            countPair(type, type.isArray() ? arrayBytes(o, type) : 0, id);
            anywhere(o);
        }
    }

    /** Counts an object at a place where classes differ; {@code size} is 0 for objects that are no arrays. */
    private static void countPair(Class<?> type, long size, int id) {
        if (size < SMALLEST && size != 0) {
            return;
        }
        Thread thread = Thread.currentCarrierThread();
        if (thread.mayfly$slab == 0 || type.mayfly$cell == 0) {
            enter(thread, type);
        }
        long slab = thread.mayfly$slab ^ SHARED;
        int cell = type.mayfly$cell;
        int offset = slab == 0 || cell == 0 ? 0 : pair(id, cell);
        long at = offset == 0 ? 0 : slab + offset;
        noteLast(slab, at);
        if (at == 0) {
            return;
        }
        if (size != 0) {
            addArray(at, offset, size);
        } else {
            add(at, 1);
            dueAgain(at, offset, 0);
        }
    }

    private static int pair(int id, int cell) {
        Unsafe u = Unsafe.getUnsafe();
        int entry = u.getInt(null, PLACES + ((long) id << 2));
        while (entry != 0) {
            long at = PLACES + ((long) entry << 2);
            if (u.getInt(null, at) == cell) {
                return u.getInt(null, at + 4);
            }
            entry = u.getInt(null, at + 8);
        }
        return enterPair(id, cell);
    }

    /** An override of {@code clone} runs, and counts what it makes. */
    @ForceInline
    public static void cloning() {
        if (on != 0) {
            long slab = slab();
            if (slab != 0) {
                Unsafe u = Unsafe.getUnsafe();
                u.putInt(null, slab + CLONINGS, u.getInt(null, slab + CLONINGS) + 1);
            }
        }
    }

    /** Spreads slabs' addresses over all numbers: 2^64 divided by the golden ratio. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /**
     * {@code clone} is about to be called, in Object or an override. How many overrides began to run, by a count of which each slab has
     * its own beginning: a virtual thread that waits in an override returns on another carrier, whose count may be the same.
     */
    @ForceInline
    public static int clonings() {
        if (on == 0) {
            return 0;
        }
        long slab = slab();
        return slab == 0 ? 0 : Unsafe.getUnsafe().getInt(null, slab + CLONINGS) + (int) (slab * SPREAD >>> 32);
    }

    /** {@code clone} returned. If no override ran since {@code clonings} was asked, the object is one of Object's making. */
    @ForceInline
    public static void cloned(int clonings, Object clone) {
        if (on != 0 && clonings() == clonings) {
            any(clone);
        }
    }

    /** As {@link #cloned(int, Object)}, at a numbered place. */
    @ForceInline
    public static void cloned(int clonings, Object clone, int id) {
        if (on != 0 && clonings() == clonings) {
            any(clone, id);
        }
    }

    /** The thread's slab, given to it if it has none yet: what is noted there must not be lost. */
    @ForceInline
    private static long slab() {
        long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
        return slab != 0 ? slab : firstSlab();
    }

    @DontInline
    private static long firstSlab() {
        Thread thread = Thread.currentCarrierThread();
        enter(thread, String.class);
        return thread.mayfly$slab ^ SHARED;
    }

    /** A string builder is about to be made. If C2 fuses what follows, no other code runs before {@code built}. */
    @ForceInline
    public static void newBuilder() {
        if (on != 0) {
            long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
            if (slab != 0) {
                Unsafe.getUnsafe().putInt(null, slab + BUILDING, 0);
            }
        }
    }

    /** The body of a string builder's {@code toString} runs, and counts what it makes. */
    @ForceInline
    public static void building() {
        if (on != 0) {
            long slab = slab();
            if (slab != 0) {
                Unsafe.getUnsafe().putInt(null, slab + BUILDING, 1);
            }
        }
    }

    /** A string builder's {@code toString} returned. If no body ran since a builder was made, C2 made the string of the whole concatenation. */
    @ForceInline
    public static void built(String s) {
        if (on == 0) {
            return;
        }
        long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
        if (slab == 0) {
            return;
        }
        Unsafe u = Unsafe.getUnsafe();
        if (u.getInt(null, slab + BUILDING) != 0) {
            u.putInt(null, slab + BUILDING, 0);
        } else if (s != null) {
            fused(s);
        }
    }

    /** As {@link #built(String)}, at a numbered place. */
    @ForceInline
    public static void built(String s, int id) {
        if (on == 0) {
            return;
        }
        long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
        if (slab == 0) {
            return;
        }
        Unsafe u = Unsafe.getUnsafe();
        if (u.getInt(null, slab + BUILDING) != 0) {
            u.putInt(null, slab + BUILDING, 0);
        } else if (s != null) {
            fused(s, id);
        }
    }

    @DontInline
    private static void fused(String s, int id) {
        any(s, id);
        any(s.value(), id);
    }

    @DontInline
    private static void fused(String s) {
        any(s);
        array(s.value());
    }

    /**
     * The arrays that the VM made for an exception's stack trace: chunks of an {@code Object[]} that holds arrays of
     * methods, places, classes, and the next chunk. (An element may stand there twice, as a mark.)
     */
    @DontInline
    public static void backtrace(Object backtrace) {
        backtrace(backtrace, NOWHERE);
    }

    /** As {@link #backtrace(Object)}, at a numbered place. */
    @DontInline
    public static void backtrace(Object backtrace, int id) {
        if (on == 0) {
            return;
        }
        Object chunk = backtrace;
        while (chunk instanceof Object[]) {
            chunk = chunkOfTrace((Object[]) chunk, id);
        }
    }

    /** Counts one chunk; returns the next, or null. */
    private static Object chunkOfTrace(Object[] chunk, int id) {
        anyAt(chunk, id);
        Object next = null;
        for (int i = 0; i < chunk.length; i++) {
            Object part = chunk[i];
            if (isChunkOfTrace(part)) {
                next = part;
            } else if (part != null && part.getClass().isArray() && (i == 0 || part != chunk[0])) {
                anyAt(part, id);
            }
        }
        return next;
    }

    private static void anyAt(Object o, int id) {
        if (id == NOWHERE) {
            any(o);
        } else {
            any(o, id);
        }
    }

    /** A chunk begins with its {@code short[]}, an array of classes with a class. */
    private static boolean isChunkOfTrace(Object part) {
        return part instanceof Object[] && ((Object[]) part).length > 0 && ((Object[]) part)[0] instanceof short[];
    }

    /** Takes back what a callee counted: the caller of a body that the JIT replaces counts the array instead. */
    public static void undo(Object a) {
        if (on == 0 || a == null) {
            return;
        }
        Class<?> type = a.getClass();
        long slab = Thread.currentCarrierThread().mayfly$slab ^ SHARED;
        int cell = type.mayfly$cell;
        if (slab == 0 || cell == 0) {
            return;
        }
        long size = arrayBytes(a, type);
        long at = slab + (cell & OFFSET) + (size < SMALLEST ? BELOW : 0);
        add(at, -1);
        add(at + CELL_BYTES, -size);
        if (PLACES != 0) {
            undoAtPlace(slab, size);
        }
        if ((cell & TRACKED) != 0 && size >= SMALLEST) {
            untrack();
        }
        if ((on & SHARES) != 0 && size >= SMALLEST) {
            undoIfAsked(slab, at);
        }
    }

    /** Has the next array due if the one taken back, whose count is off already, was. */
    private static void undoIfAsked(long slab, long at) {
        Unsafe u = Unsafe.getUnsafe();
        long n = u.getLong(null, at) + 1;
        long asked = u.getLong(null, slab + ASKED);
        if ((asked == at || asked == at + NOT_BY_COUNT) && u.getLong(null, slab + ASKED_COUNT) == n) {
            unfollow();
            if (asked == at) {
                u.putLong(null, at + ARRAY_DUE, n);
            }
            u.putLong(null, slab + ASKED, 0);
        }
    }

    private static void undoAtPlace(long slab, long size) {
        Unsafe u = Unsafe.getUnsafe();
        long at = u.getLong(null, slab + LAST);
        if (at != 0 && size >= SMALLEST) {
            add(at, -1);
            add(at + BYTES, -size);
            u.putLong(null, slab + LAST, 0);
        }
    }

    private static long arrayBytes(Object a, Class<?> type) {
        long length = Array.getLength(a);
        Class<?> element = type.getComponentType();
        if (!element.isPrimitive()) {
            return (roundRef + (length << shiftRef)) & align;
        }
        if (element == byte.class || element == boolean.class) {
            return (round1 + length) & align;
        }
        if (element == char.class || element == short.class) {
            return (round2 + (length << 1)) & align;
        }
        if (element == int.class || element == float.class) {
            return (round4 + (length << 2)) & align;
        }
        return (round8 + (length << 3)) & align;
    }

    /**
     * Bytes of an object of a class, from the JVM's own structure of it: where a class has the address of that, and where its layout
     * is in there. Odd where objects are made in an unusual way; 0 for a primitive type.
     */
    private static int objectBytes(Class<?> type, long structureAt, long layoutAt) {
        Unsafe u = Unsafe.getUnsafe();
        long structure = u.getLong(type, structureAt);
        return structure == 0 ? 0 : u.getInt(null, structure + layoutAt);
    }

    private static void add(long address, long n) {
        Unsafe u = Unsafe.getUnsafe();
        u.putLong(null, address, u.getLong(null, address) + n);
    }

    // After an attach no field can be added. Each access to one of the fields named mayfly$ is then a call of the method of its
    // name: native code changes this class so before it defines it. Values are kept where the JDK has no use for them: a
    // thread's stack size is read before it starts, the number of a class's redefinitions is compared with itself only.

    /** Bits of a class's number of redefinitions that remain its own; above them are whether it is tracked, and its cell. */
    private static final int REDEFINITIONS = (1 << 13) - 1;

    @ForceInline
    static long mayfly$slab(Thread thread) {
        Object holder = holder(thread);
        if (holder == null) {
            return 0;
        }
        long slab = Unsafe.getUnsafe().getLong(holder, SLAB_AT) ^ SESSION;
        return slab >>> 48 == 0 ? slab : 0;
    }

    static void mayfly$slab(Thread thread, long slab) {
        Object holder = holder(thread);
        if (holder != null) {
            Unsafe.getUnsafe().putLong(holder, SLAB_AT, slab == 0 ? 0 : slab ^ SESSION);
        }
    }

    /** Null while a native thread makes its own thread object. */
    @ForceInline
    private static Object holder(Thread thread) {
        // Not a constant for javac, but for the JIT compilers.
        long at = HOLDER_AT;
        return at == 0 ? thread : Unsafe.getUnsafe().getReference(thread, at);
    }

    /** A multiple of 8, and {@link #TRACKED} as it is patched then. */
    @ForceInline
    static int mayfly$cell(Class<?> type) {
        return Unsafe.getUnsafe().getInt(type, CELL_AT) >>> 11 & ~3;
    }

    /** The JVM may count a redefinition meanwhile. */
    static void mayfly$cell(Class<?> type, int cell) {
        Unsafe u = Unsafe.getUnsafe();
        int kept = cell >>> 3 << 14 | (cell & 1) << 13;
        int old;
        do {
            old = u.getIntVolatile(type, CELL_AT);
        } while (!u.compareAndSetInt(type, CELL_AT, old, old & REDEFINITIONS | kept));
    }

    /** After an attach no class becomes frequent: that can't be made a constant. */
    static boolean mayfly$frequent(Class<?> type) {
        return false;
    }

    static void mayfly$frequent(Class<?> type, boolean frequent) {}

    static boolean mayfly$moving(Thread thread) {
        long slab = mayfly$slab(thread);
        return slab != 0 && Unsafe.getUnsafe().getInt(null, slab + MOVING) != 0;
    }

    static void mayfly$moving(Thread thread, boolean moving) {
        long slab = mayfly$slab(thread);
        if (slab != 0) {
            Unsafe.getUnsafe().putInt(null, slab + MOVING, moving ? 1 : 0);
        }
    }

    /** There are no scopes then. */
    static long[] mayfly$scopes(Thread thread) {
        return null;
    }

    static void mayfly$scopes(Thread thread, long[] scopes) {}

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
