//! What the agent relies on that depends on the JDK's release: one page.
//!
//! A new release is tried by the tests on its JVM (`just matrix`), and what differs is written down here. Two tables are
//! with the code that is compiled without the agent: which methods are intrinsics or need a hook of their own
//! (`crates/classfile/src/allocation/methods.rs`), and the slots of HotSpot's management table
//! (`crates/jvmti/src/management.rs`, `VERSIONS`).

use std::ffi::CStr;
use std::ops::RangeInclusive;

use mayfly_profile::{Frame, Gc};

/// Oldest release with sampled allocations and early class hooks.
pub(crate) const OLDEST: u32 = 11;
/// From here on `Thread.currentCarrierThread` tells the thread that runs, before it is `Thread.currentThread`.
pub(crate) const FIRST_WITH_CURRENT_CARRIER: u32 = 19;
/// The first with virtual threads that are no preview.
pub(crate) const FIRST_WITH_VIRTUAL_THREADS: u32 = 21;
/// From here on ZGC is always generational, and has no flag for it.
pub(crate) const FIRST_WITH_ONLY_GENERATIONAL_ZGC: u32 = 24;

/// From here on what fills unused parts of threads' buffers has classes of its own: no arrays of `int` that look like others.
pub(crate) const FIRST_WITH_FILLER_CLASSES: u32 = 19;

/// Up to here the allocation sampler takes a sample's size off the next distance drawn, and picks the first object of each thread
/// that leaves its buffer.
pub(crate) const LAST_WITH_SHORTENED_DRAWS: u32 = 11;
/// From here on it counts what is allocated outside of buffers as it does what is inside (JDK-8356372).
pub(crate) const FIRST_WITH_EXACT_SAMPLER: u32 = 25;

/// `Thread`'s own number of it, by which the JVM counts its bytes (JDK 11 to 27).
pub(crate) const THREAD_ID_FIELD: &CStr = c"tid";
/// How large a thread's stack is to be: read when it is started, and never again (JDK 11 to 18; in its holder later).
pub(crate) const STACK_SIZE_FIELD: (&CStr, &CStr) = (c"stackSize", c"J");
/// What `Thread` keeps of platform threads alone (JDK 19 to 27), and its class.
pub(crate) const THREAD_HOLDER_FIELD: (&CStr, &CStr) = (c"holder", c"Ljava/lang/Thread$FieldHolder;");
pub(crate) const THREAD_HOLDER_CLASS: &CStr = c"java/lang/Thread$FieldHolder";
/// How often a class was redefined: `Class` compares it with what it was when it cached what reflection shows (JDK 11 to 27).
pub(crate) const REDEFINED_COUNT_FIELD: (&CStr, &CStr) = (c"classRedefinedCount", c"I");
/// From here on the JVM looks at all its classes once per batch of classes that are changed; in JDK 11 once per class of it, in a pause.
pub(crate) const FIRST_WITH_CHEAP_BATCHES: u32 = 17;
/// Loaded as soon as a flight recording begins.
pub(crate) const FLIGHT_RECORDER_CLASS: &str = "jdk.jfr.internal.PlatformRecorder";
/// Up to here the JVM crashes at the end of a flight recording that has stacks of methods which were changed meanwhile
/// (seen on 11.0.13, in `ObjectSampleCheckpoint::write_stacktrace`).
pub(crate) const LAST_TO_CRASH_WITH_FLIGHT_RECORDER: u32 = 11;
/// The library of a debugger's agent (`-agentlib:jdwp`).
pub(crate) const DEBUGGER_LIBRARY: &str = "/libjdwp.so";
/// Releases that may crash when classes are changed in a JVM that runs with that agent: seen on 21.0.8 and 21.0.13 in `VM_RedefineClasses`, each
/// fourth time where all cores are busy, never on 17 and 25. Their cache of method ids grows beside the program (up to JDK-8313332).
pub(crate) const CRASH_WITH_DEBUGGER: RangeInclusive<u32> = 18..=22;
/// From here on the JVM keeps names and modifiers of parameters when it writes out a loaded class (JDK-8240908).
pub(crate) const FIRST_KEEPING_PARAMETERS: u32 = 19;
/// Begins the names of classes that are not rewritten once they are loaded: the JVM enters their methods by code of its own.
pub(crate) const LEFT_ALONE: [&str; 1] = ["jdk.internal.vm.Continuation"];

/// Threads that virtual ones are mounted on, by the JDK's own scheduler (JDK 21 to 27).
pub(crate) const CARRIER_CLASS: &str = "jdk.internal.misc.CarrierThread";
/// What virtual threads are.
pub(crate) const VIRTUAL_THREAD_CLASS: &str = "java.lang.VirtualThread";
/// The classes of virtual threads, by the JVM's own means and on platform threads of their own (JDK 21 to 27).
pub(crate) const VIRTUAL_THREAD_CLASSES: [&str; 2] =
    [VIRTUAL_THREAD_CLASS, "java.lang.ThreadBuilders$BoundVirtualThread"];
/// Begins the names of classes of which JDKs make objects while a virtual thread is mounted or unmounted: `VirtualThread`'s
/// own and those of its schedulers, up to JDK 23 a queue of delayed tasks, too.
pub(crate) const MADE_WHILE_MOUNTING: [&str; 6] = [
    VIRTUAL_THREAD_CLASS,
    "java.util.concurrent.ForkJoin",
    "java.util.concurrent.Scheduled",
    "java.util.concurrent.RunnableScheduledFuture",
    "java.util.concurrent.Executors$",
    "java.util.concurrent.locks.AbstractQueued",
];

/// Flags that choose a collector. Not asked for where the management interface is newer than we know.
pub(crate) const COLLECTOR_FLAGS: [(&CStr, Gc); 6] = [
    (c"UseG1GC", Gc::G1),
    (c"UseParallelGC", Gc::Parallel),
    (c"UseSerialGC", Gc::Serial),
    (c"UseZGC", Gc::Zgc),
    (c"UseShenandoahGC", Gc::Shenandoah),
    (c"UseEpsilonGC", Gc::Epsilon),
];
/// The flag for generations in ZGC, from JDK 21 to 23.
pub(crate) const GENERATIONAL_ZGC_FLAG: &CStr = c"ZGenerational";
/// The flag of Shenandoah that says whether it has generations: `generational` (from JDK 24 on).
pub(crate) const SHENANDOAH_MODE: &CStr = c"ShenandoahGCMode";
/// Begins the name of a collector's first or third counter, `sun.gc.collector.N.name` (where flags are not shown).
pub(crate) const COLLECTOR_COUNTER_NAMES: [(&str, Gc); 5] = [
    ("G1 ", Gc::G1),
    ("Parallel ", Gc::Parallel),
    ("Serial ", Gc::Serial),
    ("ZGC minor", Gc::GenerationalZgc),
    ("Shenandoah", Gc::Shenandoah),
];
/// Numbers N of `sun.gc.collector.N.invocations`, in JDK 11 to 27: young pauses, full ones, pauses of concurrent cycles (of
/// major collections in generational ZGC). Shenandoah's say something else, which is not needed.
pub(crate) const PAUSE_COUNTERS: [u32; 3] = [0, 1, 2];

/// The hooks' class, whose frames are no part of a stack.
pub(crate) const HOOKS_CLASS: &str = "java.lang.MayflyHooks";

/// Whether the innermost frames, hooks aside, are those of an array that the callee counts and its caller takes back: that
/// one's own caller counts it (`undone` in the table of methods of `mayfly-classfile`).
pub(crate) fn is_taken_back<'a>(mut frames: impl Iterator<Item = &'a Frame>) -> bool {
    let (Some(callee), Some(caller)) = (frames.next(), frames.next()) else { return false };
    matches!(
        (&*callee.class, &*callee.method, &*caller.class, &*caller.method),
        ("java.lang.reflect.Array", "newArray" | "newInstance", "java.util.Arrays", "copyOf" | "copyOfRange")
            | ("java.lang.StringUTF16", "newBytesFor", "java.lang.StringUTF16", "toBytes" | "toBytes0")
    )
}

/// Where the Vector API is.
pub(crate) const VECTOR_PACKAGE: &str = "jdk.incubator.vector.";
/// Where C2's own code of it is.
pub(crate) const VECTOR_SUPPORT_PACKAGE: &str = "jdk.internal.vm.vector.";

/// Whether the JVM makes objects of a class without running a constructor.
pub(crate) fn is_made_by_the_jvm(class: &str) -> bool {
    const BEGINS: [&str; 4] =
        ["java.lang.Class", "java.lang.reflect.", "java.lang.invoke.", "jdk.internal.vm."];
    /// Made in Java, with constructors.
    const IN_JAVA: [&str; 2] = ["java.lang.ClassValue", "java.lang.ClassLoader"];
    !IN_JAVA.contains(&class) && BEGINS.iter().any(|begin| class.starts_with(begin))
}

/// Whether a class's native methods are entry points of the JVM, which allocates there on its own behalf.
pub(crate) fn has_entry_points_of_the_jvm(class: &str) -> bool {
    const PACKAGES: [&str; 4] =
        ["java.lang.invoke.", "java.lang.reflect.", "jdk.internal.reflect.", "jdk.internal.vm."];
    const CLASSES: [&str; 14] = [
        "java.lang.Class",
        "java.lang.ClassLoader",
        "java.lang.Module",
        "java.lang.Object",
        "java.lang.Package",
        "java.lang.Shutdown",
        "java.lang.StackStreamFactory$AbstractStackWalker",
        "java.lang.StackTraceElement",
        "java.lang.String",
        "java.lang.Thread",
        "java.lang.Throwable",
        "jdk.internal.loader.BootLoader",
        "jdk.internal.misc.Unsafe",
        "jdk.internal.misc.VM",
    ];
    PACKAGES.iter().any(|package| class.starts_with(package)) || CLASSES.contains(&class)
}
