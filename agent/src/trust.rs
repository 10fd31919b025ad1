//! The JVM's own count of allocated bytes, and how ours stands to it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use mayfly_jvmti::{AllocationCounter, Jni, Management, Thread};
use mayfly_profile::{Dropped, OwnCost, Remainder, Trust};
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::hooks::Hooks;

const BEFORE_COUNTING: &str = "before counting began (JVM start-up)";
const WHILE_PAUSED: &str = "while paused";
const NOT_HOOKED: &str = "made by the JVM itself or through JNI";
const REMOVED_BY_JIT: &str = "counted, but the JIT removed the allocation (scalar replacement)";

/// Reads the bytes allocated by all threads, dead and alive.
#[derive(Default)]
pub(crate) struct JvmCounter {
    counter: OnceLock<Option<AllocationCounter>>,
    ended: Mutex<Ended>,
    /// Bytes allocated while nothing was counted: before the start, and in pauses.
    before: AtomicU64,
    paused: AtomicU64,
    paused_since: AtomicU64,
}

/// Threads that ended.
#[derive(Default)]
struct Ended {
    bytes: u64,
    /// Ids of threads that ended but may still be listed.
    ids: FxHashMap<i64, ()>,
}

impl JvmCounter {
    /// Looks for the JVM's counter, on the thread of that id.
    pub(crate) fn find(&self, jni: Jni<'_>, thread_id: i64) {
        self.counter.get_or_init(|| Management::find()?.allocation_counter(jni, thread_id));
    }

    /// Takes over the count of a thread that ends.
    pub(crate) fn retire(&self, jni: Jni<'_>, hooks: &Hooks, thread: Thread<'_>) {
        let Some(Some(counter)) = self.counter.get() else { return };
        let id = hooks.thread_id.get(jni, thread);
        if let Some(bytes) = counter.allocated_bytes(jni, id) {
            let mut ended = self.ended();
            ended.bytes += bytes;
            ended.ids.insert(id, ());
        }
    }

    /// Bytes allocated by all threads since the JVM started; `None` if it does not count them.
    pub(crate) fn total(&self, engine: &Engine, jni: Jni<'_>) -> Option<u64> {
        let counter = (*self.counter.get()?)?;
        let hooks = engine.hooks.get()?;
        jni.with_frame(16, || {
            // Locked first: a thread that ends meanwhile waits, and is counted while it is still listed.
            let mut ended = self.ended();
            let mut bytes = ended.bytes;
            let mut still_listed = FxHashMap::default();
            for thread in engine.tool.threads(jni) {
                let id = hooks.thread_id.get(jni, thread);
                if ended.ids.contains_key(&id) {
                    still_listed.insert(id, ());
                } else {
                    bytes += counter.allocated_bytes(jni, id).unwrap_or(0);
                }
                jni.forget(thread.as_object());
            }
            ended.ids = still_listed;
            bytes
        })
    }

    /// Counting begins, or goes on after a pause.
    pub(crate) fn counting_starts(&self, engine: &Engine, jni: Jni<'_>) {
        let total = self.total(engine, jni).unwrap_or(0);
        if self.before.load(Relaxed) == 0 {
            self.before.store(total, Relaxed);
        } else {
            self.paused.fetch_add(total.saturating_sub(self.paused_since.swap(0, Relaxed)), Relaxed);
        }
    }

    /// A pause begins.
    pub(crate) fn counting_stops(&self, engine: &Engine, jni: Jni<'_>) {
        self.paused_since.store(self.total(engine, jni).unwrap_or(0), Relaxed);
    }

    /// The difference between the JVM's count and ours, by cause.
    fn remainder(&self, total: u64, accounted: u64) -> Vec<Remainder> {
        let never_counted = self.before.load(Relaxed) == 0;
        let before = if never_counted { total } else { self.before.load(Relaxed) };
        let since = self.paused_since.load(Relaxed);
        let paused = self.paused.load(Relaxed) + if since > 0 { total.saturating_sub(since) } else { 0 };
        let rest = total as i64 - accounted as i64 - before as i64 - paused as i64;
        let rest_cause = if rest < 0 { REMOVED_BY_JIT } else { NOT_HOOKED };
        [(BEFORE_COUNTING, before as i64), (WHILE_PAUSED, paused as i64), (rest_cause, rest)]
            .into_iter()
            .filter(|&(_, bytes)| bytes != 0)
            .map(|(cause, bytes)| Remainder { cause: cause.into(), bytes })
            .collect()
    }

    fn ended(&self) -> MutexGuard<'_, Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of trust now, with `accounted` bytes counted so far.
pub(crate) fn assess(engine: &Engine, jni: Jni<'_>, accounted: u64, own_cpu: Duration) -> Trust {
    let total = engine.counter.total(engine, jni);
    Trust {
        accounted_bytes: accounted,
        jvm_allocated_bytes: total,
        remainder: total.map(|total| engine.counter.remainder(total, accounted)).unwrap_or_default(),
        refusals: engine.rewriting.refusals(),
        dropped: dropped(engine),
        cost: OwnCost {
            cpu_ms: own_cpu.as_millis() as u64,
            native_bytes: engine.native_bytes(),
            rewrite_ms: engine.rewriting.milliseconds(),
        },
    }
}

fn dropped(engine: &Engine) -> Vec<Dropped> {
    [
        ("no room within #memlimit", engine.nurseries.dropped()),
        ("their stacks only, no room within #memlimit", engine.sites.overflowed()),
    ]
    .into_iter()
    .filter(|&(_, objects)| objects > 0)
    .map(|(cause, objects)| Dropped { cause: cause.into(), objects })
    .collect()
}
