//! The JVM's own count of allocated bytes, and how ours stands to it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use mayfly_jvmti::{AllocationCounter, Jni, Management, Thread};
use mayfly_profile::{Dropped, Following, OwnCost, Remainder, Trust};
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::memory;
use crate::mounting;
use crate::unseen::Unseen;

const BEFORE_COUNTING: &str = "before counting began (JVM start-up)";
const WHILE_PAUSED: &str = "while paused";
const AT_EXIT: &str = "after the last collection, at exit (JVM, daemon threads)";
const EXAMPLES: &str = "made by the profiler (one object of each class)";
/// Where the JVM's sampler is another agent's.
const NOT_HOOKED: &str = "made by the JVM itself or through JNI (not estimated: no sampler)";
const UNEXPLAINED: &str = "not explained";
/// No sample falls there; known by what is left.
const MOUNTING: &str =
    "made while virtual threads are mounted or unmounted, mostly their stacks (jdk.internal.vm.StackChunk)";
const CHANCE: &str = "chance (within three standard errors of the estimates)";
const REMOVED_BY_JIT: &str = "optimised away by the JIT: counted, not allocated (scalar replacement)";

/// Reads the bytes allocated by all threads, dead and alive.
#[derive(Default)]
pub(crate) struct JvmCounter {
    counter: OnceLock<Option<AllocationCounter>>,
    ended: Mutex<Ended>,
    /// Bytes allocated while nothing was counted: before the start, and in pauses.
    before: AtomicU64,
    paused: AtomicU64,
    paused_since: AtomicU64,
    /// Whether that pause is the end.
    ended_for_good: AtomicBool,
}

/// Threads that ended.
#[derive(Default)]
struct Ended {
    bytes: u64,
    /// Of these, by threads that virtual ones were mounted on.
    on_carriers: u64,
    /// Ids of threads that ended but may still be listed.
    ids: FxHashMap<i64, ()>,
}

impl JvmCounter {
    /// Looks for the JVM's counter, on the thread of that id.
    pub(crate) fn find(&self, jni: Jni<'_>, thread_id: i64) {
        self.counter.get_or_init(|| Management::find()?.allocation_counter(jni, thread_id));
    }

    /// Takes over the count of a thread that ends, and says what it allocated.
    pub(crate) fn retire(&self, engine: &Engine, jni: Jni<'_>, thread: Thread<'_>) -> Option<u64> {
        let counter = (*self.counter.get()?)?;
        let id = engine.hooks.get()?.thread_id.get(jni, thread);
        let bytes = counter.allocated_bytes(jni, id)?;
        let carrier = mounting::is_carrier(engine, jni, thread);
        let mut ended = self.ended();
        ended.on_carriers += if carrier { bytes } else { 0 };
        ended.bytes += bytes;
        ended.ids.insert(id, ());
        Some(bytes)
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

    /// Bytes allocated by threads that virtual ones are, or were, mounted on.
    fn on_carriers(&self, engine: &Engine, jni: Jni<'_>) -> u64 {
        let (Some(&Some(counter)), Some(hooks)) = (self.counter.get(), engine.hooks.get()) else { return 0 };
        let bytes = jni.with_frame(16, || {
            // Locked first, as for the total.
            let ended = self.ended();
            let mut bytes = ended.on_carriers;
            for thread in engine.tool.threads(jni) {
                let id = hooks.thread_id.get(jni, thread);
                if !ended.ids.contains_key(&id) && mounting::is_carrier(engine, jni, thread) {
                    bytes += counter.allocated_bytes(jni, id).unwrap_or(0);
                }
                jni.forget(thread.as_object());
            }
            bytes
        });
        bytes.unwrap_or(0)
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

    /// Counting ends before the JVM does.
    pub(crate) fn counting_ends(&self, engine: &Engine, jni: Jni<'_>) {
        self.ended_for_good.store(true, Relaxed);
        self.counting_stops(engine, jni);
    }

    /// The difference between the JVM's count and ours, by cause.
    fn remainder(&self, engine: &Engine, jni: Jni<'_>, total: u64, accounted: u64) -> Vec<Remainder> {
        let mut parts = self.not_counting(total);
        parts.push(Remainder::exact(EXAMPLES, engine.examples.load(Relaxed) as i64));
        parts.extend(engine.unseen.iter().flat_map(Unseen::remainder));
        let rest = total as i64 - accounted as i64 - parts.iter().map(|part| part.bytes).sum::<i64>();
        let interval = engine.unseen.as_ref().map(Unseen::interval);
        parts.extend(leftover(rest, &parts, interval, || self.on_carriers(engine, jni)));
        parts.retain(|part| part.bytes != 0);
        parts
    }

    /// What was allocated while nothing was counted.
    fn not_counting(&self, total: u64) -> Vec<Remainder> {
        let never_counted = self.before.load(Relaxed) == 0;
        let before = if never_counted { total } else { self.before.load(Relaxed) };
        let since = self.paused_since.load(Relaxed);
        let open = if since > 0 { total.saturating_sub(since) } else { 0 };
        let (open, at_exit) = if self.ended_for_good.load(Relaxed) { (0, open) } else { (open, 0) };
        vec![
            Remainder::exact(BEFORE_COUNTING, before as i64),
            Remainder::exact(WHILE_PAUSED, (self.paused.load(Relaxed) + open) as i64),
            Remainder::exact(AT_EXIT, at_exit as i64),
        ]
    }

    fn ended(&self) -> MutexGuard<'_, Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is left of the difference. Where more was counted than allocated, the JIT removed it; its error is that of the
/// estimates that were taken off before, and of what no sample fell on, which is about one interval. Where less was, it
/// is put down to virtual threads, as far as their carriers allocated so much.
fn leftover(
    bytes: i64,
    parts: &[Remainder],
    interval: Option<u64>,
    on_carriers: impl FnOnce() -> u64,
) -> Vec<Remainder> {
    let errors = parts.iter().filter_map(|part| part.error_bytes).chain(interval);
    let squares: f64 = errors.map(|error| (error as f64).powi(2)).sum();
    let error_bytes = interval.map(|_| squares.sqrt().round() as u64);
    let part = |cause: &str, bytes, named| Remainder { cause: cause.into(), bytes, error_bytes, named };
    match error_bytes {
        Some(error) if bytes.unsigned_abs() <= 3 * error => vec![part(CHANCE, bytes, false)],
        _ if bytes < 0 => vec![part(REMOVED_BY_JIT, bytes, true)],
        None => vec![part(NOT_HOOKED, bytes, false)],
        Some(error) => {
            let most = i64::try_from(on_carriers()).unwrap_or(i64::MAX);
            let near = most > 0 && bytes <= most.saturating_add(3 * error as i64);
            let mounting = if near { bytes } else { most };
            vec![part(MOUNTING, mounting, true), part(UNEXPLAINED, bytes - mounting, false)]
        }
    }
}

/// The state of trust now, with `accounted` bytes counted so far.
pub(crate) fn assess(engine: &Engine, jni: Jni<'_>, accounted: u64, own_cpu: Duration) -> Trust {
    let total = engine.counter.total(engine, jni);
    let remainder = |total| engine.counter.remainder(engine, jni, total, accounted);
    Trust {
        accounted_bytes: accounted,
        jvm_allocated_bytes: total,
        remainder: total.map(remainder).unwrap_or_default(),
        refusals: engine.rewriting.refusals(),
        dropped: dropped(engine),
        sample_interval: engine.unseen.as_ref().map(Unseen::interval),
        following: Following::default(),
        cost: OwnCost {
            cpu_ms: own_cpu.as_millis() as u64,
            native_bytes: memory::held(engine),
            rewrite_ms: engine.rewriting.milliseconds(),
        },
    }
}

/// Of classes beyond some 260,000: counted by size, as one class.
const OTHERS: &str = "their classes only, there are too many: counted as (other classes)";

fn dropped(engine: &Engine) -> Vec<Dropped> {
    [
        ("no room within #memlimit", engine.nurseries.dropped()),
        ("their stacks only, no room within #memlimit", engine.sites.overflowed()),
        (OTHERS, engine.classes.in_other_classes()),
        ("their sites only, there are too many allocating instructions", engine.places.counted_elsewhere()),
    ]
    .into_iter()
    .filter(|&(_, objects)| objects > 0)
    .map(|(cause, objects)| Dropped { cause: cause.into(), objects })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: u64 = 512 << 10;

    /// (cause, bytes) of what is left, without what is nothing.
    fn told(bytes: i64, interval: Option<u64>, on_carriers: u64) -> Vec<(String, i64)> {
        let parts = leftover(bytes, &[], interval, || on_carriers);
        assert!(parts.iter().all(|part| part.error_bytes == interval));
        parts.into_iter().filter(|part| part.bytes != 0).map(|part| (part.cause, part.bytes)).collect()
    }

    #[test]
    fn without_a_sample_the_error_is_an_interval() {
        let one = |cause: &str, bytes| vec![(cause.to_owned(), bytes)];
        for bytes in [300_000, -300_000, 3 * INTERVAL as i64] {
            assert_eq!(told(bytes, Some(INTERVAL), 0), one(CHANCE, bytes));
        }
        assert_eq!(told(10 << 20, Some(INTERVAL), 0), one(UNEXPLAINED, 10 << 20));
        assert_eq!(told(-10 << 20, Some(INTERVAL), 1 << 30), one(REMOVED_BY_JIT, -10 << 20));
        assert_eq!(told(300_000, None, 0), one(NOT_HOOKED, 300_000));
    }

    #[test]
    fn what_is_left_is_put_down_to_virtual_threads_as_far_as_their_carriers_allocated() {
        let parts = |on_carriers| told(10 << 20, Some(INTERVAL), on_carriers);
        assert_eq!(parts(1 << 30), [(MOUNTING.to_owned(), 10 << 20)]);
        assert_eq!(parts(9 << 20), [(MOUNTING.to_owned(), 10 << 20)], "within the error");
        assert_eq!(parts(4 << 20), [(MOUNTING.to_owned(), 4 << 20), (UNEXPLAINED.to_owned(), 6 << 20)]);
        assert_eq!(told(300_000, Some(INTERVAL), 1 << 30), [(CHANCE.to_owned(), 300_000)]);
    }
}
