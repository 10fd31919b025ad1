//! The newest collections, with what the JVM publishes of each: written inside GC callbacks, read by the agent's thread.
//!
//! The writer neither blocks nor allocates. Not here: what a pause did (`gc_kinds`), and what it proves (`mayfly-tracking`).

use std::array;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};
use std::time::Instant;

use mayfly_jvmti::{PerfData, PerfText};
use mayfly_profile::{Collection, Gc, GcKind, GenerationUse, Tenuring};

use super::heap_use::{AGES, HeapUse};

/// Collections kept until they are read, which happens after each.
const RING: usize = 256;
/// What a word holds of which nothing is known.
const ABSENT: u64 = u64::MAX;
/// Words of the cause, of eight bytes.
const CAUSE_WORDS: usize = 6;

/// What is kept of a collection.
#[derive(Debug)]
struct Slot {
    /// One more than how many came before it; 0 while it is written.
    turn: AtomicU32,
    number: AtomicU32,
    at_ms: AtomicU64,
    pause_us: AtomicU64,
    kind: AtomicU32,
    /// Of each generation: used before, used after, capacity.
    used: [[AtomicU64; 3]; 2],
    /// Threshold, desired survivors.
    tenuring: [AtomicU64; 2],
    ages: [AtomicU64; AGES],
    cause: [AtomicU64; CAUSE_WORDS],
    /// Bytes of large objects that it freed.
    large_freed: AtomicU64,
}

/// How many bytes of the old generation large objects of G1 have, read anew each time.
pub(crate) trait LargeBytes: Send + Sync {
    /// `None` if it is not known. Neither blocks nor calls the JVM.
    fn now(&self) -> Option<u64>;
}

/// When the running collection began, and what was used then.
struct Begun {
    at_ms: AtomicU64,
    since_ns: AtomicU64,
    used: [AtomicU64; 2],
    large: AtomicU64,
}

/// The collections of this JVM that ended, as long as somebody notes them.
pub(crate) struct GcLog {
    started: Instant,
    heap: Option<HeapUse>,
    large: Option<Box<dyn LargeBytes>>,
    /// The cause of the running collection, and that of the one before.
    causes: Option<[PerfText; 2]>,
    begun: Begun,
    ended: AtomicU32,
    taken: AtomicU32,
    ring: Box<[Slot]>,
}

impl GcLog {
    /// Finds out what this VM publishes.
    pub(super) fn find(gc: Gc, large: Option<Box<dyn LargeBytes>>) -> Self {
        let cause = |name| PerfData::find()?.changing_text(name);
        Self {
            started: Instant::now(),
            heap: HeapUse::find(gc),
            large,
            causes: cause("sun.gc.cause").zip(cause("sun.gc.lastCause")).map(Into::into),
            begun: Begun { at_ms: absent(), since_ns: absent(), used: [absent(), absent()], large: absent() },
            ended: AtomicU32::new(0),
            taken: AtomicU32::new(0),
            ring: (0..RING).map(|_| Slot::default()).collect(),
        }
    }

    /// A collection begins, at this time of the profiler's clock.
    pub(super) fn begins(&self, at_ms: u64) {
        self.begun.at_ms.store(at_ms, Relaxed);
        self.begun.since_ns.store(self.now_ns(), Relaxed);
        let used = self.heap.as_ref().map(HeapUse::before).unwrap_or_default();
        self.begun.used.iter().zip(used).for_each(|(word, used)| set(word, used));
        set(&self.begun.large, self.large_bytes());
    }

    /// It ends, the one of that number.
    pub(super) fn ends(&self, number: u32, kind: GcKind) {
        let before = self.ended.load(Relaxed);
        let slot = &self.ring[before as usize % RING];
        slot.turn.store(0, Relaxed);
        // Nothing of what follows is seen with the old turn.
        fence(Release);
        slot.number.store(number, Relaxed);
        slot.kind.store(kind as u32, Relaxed);
        slot.at_ms.store(self.begun.at_ms.swap(ABSENT, Relaxed), Relaxed);
        let since = self.begun.since_ns.swap(ABSENT, Relaxed);
        set(&slot.pause_us, (since != ABSENT).then(|| self.now_ns().saturating_sub(since) / 1_000));
        self.note_heap(slot, kind);
        self.note_cause(slot);
        slot.turn.store(before.wrapping_add(1), Release);
        self.ended.store(before.wrapping_add(1), Release);
    }

    /// Those that ended since the last time. Their bytes are not known here, and their times are the profiler's clock's.
    pub(crate) fn take(&self) -> Vec<Collection> {
        let ended = self.ended.load(Acquire);
        let first = self.taken.swap(ended, Relaxed).max(ended.saturating_sub(RING as u32));
        (first..ended).filter_map(|before| self.ring[before as usize % RING].read(before + 1)).collect()
    }

    fn note_heap(&self, slot: &Slot, kind: GcKind) {
        let after = self.heap.as_ref().map(HeapUse::after).unwrap_or_default();
        for (([before, used, capacity], begun), after) in
            slot.used.iter().map(|words| words.each_ref()).zip(&self.begun.used).zip(after)
        {
            before.store(begun.swap(ABSENT, Relaxed), Relaxed);
            set(used, after.0);
            set(capacity, after.1);
        }
        let large = get(&self.begun.large).zip(self.large_bytes());
        set(&slot.large_freed, large.map(|(had, has)| had.saturating_sub(has)));
        // They stay those of the last young collection.
        let heap = self.heap.as_ref().filter(|_| kind == GcKind::Young);
        let (threshold, desired) = heap.map(HeapUse::tenuring).unwrap_or_default();
        slot.tenuring.iter().zip([threshold, desired]).for_each(|(word, value)| set(word, value));
        let ages = heap.map(HeapUse::ages).unwrap_or_default();
        slot.ages.iter().zip(ages).for_each(|(word, age)| set(word, age));
    }

    /// The JVM may have put its cause away before it says that the collection has ended.
    fn note_cause(&self, slot: &Slot) {
        const NONE: &[u8] = b"No GC";
        let mut text = [0; CAUSE_WORDS * 8];
        if let Some([now, last]) = &self.causes {
            let length = now.copy_to(&mut text);
            if text[..length] == *NONE {
                text.fill(0);
                last.copy_to(&mut text);
            }
        }
        for (word, bytes) in slot.cause.iter().zip(text.as_chunks().0) {
            word.store(u64::from_ne_bytes(*bytes), Relaxed);
        }
    }

    fn large_bytes(&self) -> Option<u64> {
        self.large.as_ref()?.now()
    }

    fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }
}

impl Default for Slot {
    fn default() -> Self {
        Self {
            turn: AtomicU32::new(0),
            number: AtomicU32::new(0),
            at_ms: absent(),
            pause_us: absent(),
            kind: AtomicU32::new(0),
            used: array::from_fn(|_| array::from_fn(|_| absent())),
            tenuring: array::from_fn(|_| absent()),
            ages: array::from_fn(|_| absent()),
            cause: Default::default(),
            large_freed: absent(),
        }
    }
}

impl Slot {
    /// What it holds, if it is still of that turn when all is read.
    fn read(&self, turn: u32) -> Option<Collection> {
        if self.turn.load(Acquire) != turn {
            return None;
        }
        let [young, old] = self.used.each_ref().map(|[before, after, capacity]| {
            let (before, capacity) = (get(before), get(capacity));
            get(after).map(|after| GenerationUse { before, after, capacity })
        });
        let [threshold, desired_survivor_bytes] = self.tenuring.each_ref().map(get);
        let cause = self.cause.each_ref().map(|word| word.load(Relaxed).to_ne_bytes());
        let cause = cause.as_flattened().split(|&byte| byte == 0).next().unwrap_or_default();
        let collection = Collection {
            number: self.number.load(Relaxed),
            at_ms: get(&self.at_ms)?,
            pause_us: get(&self.pause_us)?,
            bytes: 0,
            kind: GcKind::ALL.get(self.kind.load(Relaxed) as usize).copied().unwrap_or_default(),
            cause: String::from_utf8_lossy(cause).into_owned(),
            young,
            old,
            tenuring: threshold.map(|threshold| Tenuring {
                threshold: threshold as u32,
                desired_survivor_bytes,
                age_bytes: self.ages.iter().map_while(get).collect(),
            }),
            large_freed: get(&self.large_freed),
        };
        fence(Acquire);
        (self.turn.load(Relaxed) == turn).then_some(collection)
    }
}

fn absent() -> AtomicU64 {
    AtomicU64::new(ABSENT)
}

fn set(word: &AtomicU64, value: Option<u64>) {
    word.store(value.unwrap_or(ABSENT), Relaxed);
}

fn get(word: &AtomicU64) -> Option<u64> {
    Some(word.load(Relaxed)).filter(|&value| value != ABSENT)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// In no JVM nothing is published.
    fn log() -> GcLog {
        GcLog::find(Gc::Serial, None)
    }

    /// As many bytes as were put into it.
    struct Large(Arc<AtomicU64>);

    impl LargeBytes for Large {
        fn now(&self) -> Option<u64> {
            get(&self.0)
        }
    }

    #[test]
    fn large_objects_that_are_gone_when_it_ends_were_freed() {
        let bytes = Arc::new(AtomicU64::new(30));
        let log = GcLog::find(Gc::G1, Some(Box::new(Large(bytes.clone()))));
        for (number, [before, after]) in
            [[30, 10], [10, 10], [10, 20], [ABSENT, 5], [5, ABSENT]].into_iter().enumerate()
        {
            bytes.store(before, Relaxed);
            log.begins(0);
            bytes.store(after, Relaxed);
            log.ends(number as u32, GcKind::Young);
        }
        let freed: Vec<_> = log.take().iter().map(|gc| gc.large_freed).collect();
        assert_eq!(freed, [Some(20), Some(0), Some(0), None, None]);
    }

    #[test]
    fn each_is_taken_once_and_what_is_not_published_is_absent() {
        let log = log();
        for number in 0..3 {
            log.begins(100 + u64::from(number));
            log.ends(number, GcKind::Young);
        }
        let taken = log.take();
        let rows: Vec<_> = taken.iter().map(|gc| (gc.number, gc.at_ms, gc.kind)).collect();
        assert_eq!(rows, [(0, 100, GcKind::Young), (1, 101, GcKind::Young), (2, 102, GcKind::Young)]);
        let of_heap = |gc: &Collection| (gc.young, gc.old, gc.tenuring.clone(), gc.cause.clone());
        assert!(taken.iter().all(|gc| of_heap(gc) == (None, None, None, String::new())));
        assert_eq!(log.take(), []);
    }

    #[test]
    fn the_newest_are_kept_until_they_are_taken() {
        let log = log();
        for number in 0..RING as u32 + 10 {
            log.begins(u64::from(number));
            log.ends(number, GcKind::Full);
        }
        let numbers: Vec<_> = log.take().iter().map(|gc| gc.number).collect();
        assert_eq!((numbers.len(), numbers[0]), (RING, 10));
    }

    #[test]
    fn causes_are_texts() {
        let slot = Slot::default();
        let mut bytes = [0; CAUSE_WORDS * 8];
        bytes[..11].copy_from_slice(b"System.gc()");
        slot.cause.iter().zip(bytes.as_chunks().0).for_each(|(word, bytes)| {
            word.store(u64::from_ne_bytes(*bytes), Relaxed);
        });
        slot.at_ms.store(5, Relaxed);
        slot.pause_us.store(7, Relaxed);
        slot.turn.store(1, Release);
        assert_eq!(slot.read(1).map(|gc| gc.cause), Some("System.gc()".into()));
        assert_eq!(slot.read(2), None, "another took its place");
    }
}
