//! The JVM of this process, and how the agent came into it: there in every mode, profiling or not.
//!
//! Not here: profiling (`steering`), the way to reach us from outside (`remote`).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use mayfly_jvmti::{Jni, JvmtiEnv, Thread, Vm};
use mayfly_profile::{Collection, Flag, Gc, GcKind, JvmInfo, Readings};
use mayfly_recording::control::Loaded;

use super::carriers::is_carrier;
use super::collector::collector;
use super::counter::JvmCounter;
use super::flags;
use super::gc_kinds::GcCounters;
use super::gc_log::{GcLog, LargeBytes};
use super::outside_memory::OutsideMemory;
use super::process_memory;
use super::published::Published;
use crate::options::Options;

static TARGET: OnceLock<Target> = OnceLock::new();

/// The JVM that the agent is in.
pub(crate) struct Target {
    pub(crate) vm: Vm,
    pub(crate) jvmti: JvmtiEnv,
    /// Feature release, e.g. 17. Kept: the JVM has no such property again before it is initialised.
    pub(crate) jdk: u32,
    pub(crate) loaded: Loaded,
    /// Those that the agent was loaded with.
    pub(crate) options: Options,
    /// The same as the user gave them.
    pub(crate) option_text: String,
    since: Instant,
    /// Learned when the JVM runs.
    info: OnceLock<JvmInfo>,
    counter: JvmCounter,
    /// Found when profiling begins: what tells the kinds of collections apart.
    gc_counters: OnceLock<GcCounters>,
    /// Found then, too: what the JVM says of each collection.
    gc_log: OnceLock<GcLog>,
    /// And what it says of itself.
    published: OnceLock<Published>,
    /// What it has outside of the heap.
    outside_memory: OnceLock<OutsideMemory>,
    /// The JVM ends: nothing is asked of it any more.
    ended: AtomicBool,
}

/// How a JVM is reached, and its release.
pub(crate) struct JvmAccess {
    pub(crate) vm: Vm,
    pub(crate) jvmti: JvmtiEnv,
    pub(crate) jdk: u32,
}

impl Target {
    /// What is known when the agent is loaded.
    pub(crate) fn new(
        JvmAccess { vm, jvmti, jdk }: JvmAccess,
        loaded: Loaded,
        options: Options,
        option_text: String,
    ) -> Self {
        Self {
            vm,
            jvmti,
            jdk,
            loaded,
            options,
            option_text,
            since: Instant::now(),
            info: OnceLock::new(),
            counter: JvmCounter::default(),
            gc_counters: OnceLock::new(),
            gc_log: OnceLock::new(),
            published: OnceLock::new(),
            outside_memory: OnceLock::new(),
            ended: AtomicBool::new(false),
        }
    }

    /// Makes it the one of this process; the one that is there already, if there is.
    pub(crate) fn set(target: Self) -> &'static Self {
        TARGET.get_or_init(|| target)
    }

    /// The target, once the agent is loaded.
    pub(crate) fn get() -> Option<&'static Self> {
        TARGET.get()
    }

    /// The JVM runs: its facts can be learned.
    pub(crate) fn running(&self, jni: Jni<'_>) {
        self.info.get_or_init(|| self.learn(jni));
    }

    /// Whether the JVM can be asked for anything.
    pub(crate) fn is_running(&self) -> bool {
        self.info.get().is_some() && !self.ended.load(Relaxed)
    }

    /// The JVM ends.
    pub(crate) fn end(&self) {
        self.ended.store(true, Relaxed);
    }

    /// The JVM's facts; empty ones before it runs.
    pub(crate) fn info(&self) -> JvmInfo {
        self.info.get().cloned().unwrap_or_default()
    }

    /// How long the agent has been in it.
    pub(crate) fn loaded_for(&self) -> Duration {
        self.since.elapsed()
    }

    /// Looks for the JVM's counter of allocated bytes, and checks it on this thread.
    pub(crate) fn find_counter(&self, jni: Jni<'_>) {
        self.counter.find(&self.jvmti, jni);
    }

    /// Bytes allocated by all threads since the JVM started; `None` if it does not count them.
    pub(crate) fn allocated(&self, jni: Jni<'_>) -> Option<u64> {
        self.counter.total(&self.jvmti, jni)
    }

    /// Bytes allocated by threads that virtual ones are, or were, mounted on.
    pub(crate) fn allocated_on_carriers(&self, jni: Jni<'_>) -> u64 {
        self.counter.on_carriers(&self.jvmti, self.jdk, jni)
    }

    /// Whether virtual threads are mounted on the thread, by the JDK's own scheduler.
    pub(crate) fn is_carrier(&self, jni: Jni<'_>, thread: Thread<'_>) -> bool {
        is_carrier(&self.jvmti, self.jdk, jni, thread)
    }

    /// What each thread allocated so far is left out of what [`Self::thread_ends`] says.
    pub(crate) fn mark_threads(&self, jni: Jni<'_>) {
        self.counter.mark(&self.jvmti, jni);
    }

    /// A thread ends: what it allocated, if the JVM counts that.
    pub(crate) fn thread_ends(&self, jni: Jni<'_>, thread: Thread<'_>) -> Option<u64> {
        self.counter.retire(&self.jvmti, self.jdk, jni, thread)
    }

    /// Looks for what tells of collections. `large` is for G1, if its heap can be read.
    pub(crate) fn find_gc_counters(&self, gc: Gc, large: Option<Box<dyn LargeBytes>>) {
        self.gc_counters.get_or_init(GcCounters::find);
        self.gc_log.get_or_init(|| GcLog::find(gc, large));
    }

    /// A pause begins, at this time of the profiler's clock. Neither blocks nor calls the JVM.
    pub(crate) fn gc_begins(&self, at_ms: u64) {
        if let Some(counters) = self.gc_counters.get() {
            counters.begins();
        }
        if let Some(log) = self.gc_log.get() {
            log.begins(at_ms);
        }
    }

    /// What the pause did that ends now. Called at the end of each, once; neither blocks nor calls the JVM.
    pub(crate) fn gc_kind(&self) -> GcKind {
        self.gc_counters.get().map(GcCounters::kind).unwrap_or_default()
    }

    /// The pause ends that did this, the one of that number. Neither blocks nor calls the JVM.
    pub(crate) fn gc_ends(&self, number: u32, kind: GcKind) {
        if let Some(log) = self.gc_log.get() {
            log.ends(number, kind);
        }
    }

    /// The pauses that have ended since the last time, at times of the profiler's clock.
    pub(crate) fn take_collections(&self) -> Vec<Collection> {
        self.gc_log.get().map(GcLog::take).unwrap_or_default()
    }

    /// What the JVM says of itself now, and the system of its process.
    pub(crate) fn readings(&self, jni: Jni<'_>) -> Readings {
        let mut readings = self.published.get_or_init(Published::find).read();
        let outside = self.outside_memory.get_or_init(|| OutsideMemory::find(jni));
        readings.0.extend(outside.read(&self.jvmti, jni));
        readings.0.extend(process_memory::read());
        readings
    }

    /// Flags of the JVM that decide how it collects.
    pub(crate) fn flags(&self, jni: Jni<'_>) -> Vec<Flag> {
        flags::of_collecting(jni)
    }

    fn learn(&self, jni: Jni<'_>) -> JvmInfo {
        let property = |name| self.jvmti.system_property(name).unwrap_or_default();
        JvmInfo {
            pid: std::process::id(),
            version: property("java.vm.version"),
            gc: collector(jni, self.jdk),
            command: property("sun.java.command"),
        }
    }
}
