//! Flags of the JVM that decide how it collects, as far as it shows them: for who reads a recording.

use std::ffi::CStr;

use mayfly_jvmti::{Jni, Management, VmFlags};
use mayfly_profile::{Flag, FlagValue};

const NUMBERS: [&CStr; 21] = [
    c"ConcGCThreads",
    c"G1HeapRegionSize",
    c"G1MaxNewSizePercent",
    c"G1NewSizePercent",
    c"InitialHeapSize",
    c"InitialTenuringThreshold",
    c"InitiatingHeapOccupancyPercent",
    c"MaxDirectMemorySize",
    c"MaxGCPauseMillis",
    c"MaxHeapSize",
    c"MaxNewSize",
    c"MaxTenuringThreshold",
    c"MinHeapSize",
    c"NewRatio",
    c"NewSize",
    c"ParallelGCThreads",
    c"PretenureSizeThreshold",
    c"SoftMaxHeapSize",
    c"SurvivorRatio",
    c"TargetSurvivorRatio",
    c"ZTenuringThreshold",
];
const SWITCHES: [&CStr; 10] = [
    c"UseAdaptiveSizePolicy",
    c"UseCompactObjectHeaders",
    c"UseCompressedOops",
    c"UseEpsilonGC",
    c"UseG1GC",
    c"UseNUMA",
    c"UseParallelGC",
    c"UseSerialGC",
    c"UseShenandoahGC",
    c"UseZGC",
];

/// Those that this JVM has and shows. Allocates in the Java heap: not to be called while it is counted.
pub(super) fn of_collecting(jni: Jni<'_>) -> Vec<Flag> {
    let Some(management) = Management::find() else { return Vec::new() };
    let number = |name: &CStr| management.number(jni, name).map(FlagValue::Number);
    let switch = |name: &CStr| management.flag(jni, name).map(FlagValue::Switch);
    let numbers = NUMBERS.into_iter().map(|name| (name, number(name)));
    let all = numbers.chain(SWITCHES.into_iter().map(|name| (name, switch(name))));
    let flag = |(name, value): (&CStr, Option<FlagValue>)| {
        Some(Flag { name: name.to_string_lossy().into_owned(), value: value? })
    };
    all.filter_map(flag).collect()
}

/// Whether the JIT compiles methods of any length here, and not only up to 8,000 bytes of code.
pub(crate) fn compiles_huge_methods() -> bool {
    VmFlags::find().and_then(|flags| flags.switch(c"DontCompileHugeMethods")) == Some(false)
}
