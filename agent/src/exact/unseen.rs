//! What the hooks do not see, estimated: who made each allocation that the JVM's sampler picks.
//!
//! Counts stay the hooks'; nothing here is added to them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use mayfly_jvmti::{Jni, JvmtiEnv, SampledAllocation, StackFrame};
use mayfly_profile::{ClassEstimate, ClassId, Estimate, Remainder};
use mayfly_tracking::ClassTable;
use rustc_hash::{FxHashMap, FxHashSet};

use super::maker::{Kind, Made, Maker, examine, unseen_maker};
use super::virtual_threads::with_doubt;
use crate::target_jvm::{Picked, Target};
use crate::tracking::{Brief, Drawn, Draws, Last, Rate, Sample, ThreadSamples};

/// Frames for which it is not worth while to ask whether their methods are still there.
const FEW_FRAMES: usize = 1024;

/// Threads that live briefly matter from so many bytes on, and from such a part of all.
const MUCH_BRIEF: u64 = 256 << 10;
const BRIEF_PART: u64 = 8;

/// Estimates from the samples so far.
pub(crate) struct Unseen {
    /// Threads know by it whose their samples are.
    number: u64,
    rate: Rate,
    /// How this JVM draws, from the first sample on.
    draws: OnceLock<Draws>,
    sums: Mutex<Sums>,
    /// Bytes that samples stand for, and bytes of threads that lived briefly.
    sampled_bytes: AtomicU64,
    brief_bytes: AtomicU64,
}

#[derive(Debug, Default)]
struct Sums {
    frames: FxHashMap<StackFrame, Made>,
    /// How many frames there were when unloaded ones were forgotten last.
    frames_kept: usize,
    by_maker: BTreeMap<Maker, Estimate>,
    by_class: FxHashMap<ClassId, ClassEstimate>,
    /// Bytes that all samples stand for, and the sum of these, each times the bytes between samples when it was drawn.
    drawn: (f64, f64),
    /// Classes with samples since they were last told of.
    changed: FxHashSet<ClassId>,
    /// Of threads that lived briefly: since the start, as sums by maker are, and since the last reset.
    brief: Brief<Maker>,
    brief_since_reset: Brief<Maker>,
    /// Whether such a thread ended since classes were last told of.
    brief_changed: bool,
}

thread_local! {
    /// Each with the number of whose it is.
    static OF_THREAD: RefCell<(u64, ThreadSamples<Maker>)> = const { RefCell::new((0, ThreadSamples::NONE)) };
    static LAST: Cell<Option<(u64, Last)>> = const { Cell::new(None) };
}

impl Unseen {
    /// For samples at such a rate.
    pub(crate) fn new(rate: Rate) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Relaxed) + 1;
        Self {
            number,
            rate,
            draws: OnceLock::new(),
            sums: Mutex::default(),
            sampled_bytes: AtomicU64::new(0),
            brief_bytes: AtomicU64::new(0),
        }
    }

    /// Whether much is allocated by threads that live briefly: of these the JVM's sampler draws the same over and over, so that it is
    /// not to choose what is followed.
    pub(super) fn threads_are_brief(&self) -> bool {
        let brief = self.brief_bytes.load(Relaxed);
        brief >= MUCH_BRIEF && brief >= self.sampled_bytes.load(Relaxed) / BRIEF_PART
    }

    /// Samples are about to come.
    pub(super) fn begin(&self, target: &Target, jni: Jni<'_>) {
        self.draws.get_or_init(|| Draws::without_gaps(target, jni));
    }

    /// What a sample of the running thread stands for: of each it has to be told, whether or not it is counted. `gcs`: collections so
    /// far.
    pub(super) fn draw(
        &self,
        jni: Jni<'_>,
        sample: SampledAllocation<'_>,
        gcs: u32,
        picked: Picked,
    ) -> Option<Drawn> {
        let mut last = LAST.get().filter(|(number, _)| *number == self.number).map(|(_, last)| last);
        let drawn = self.draws.get()?.take(jni, sample, &mut last, gcs, picked);
        LAST.set(last.map(|last| (self.number, last)));
        Some(drawn)
    }

    /// A sample was taken between these moments; the interval at which the JVM shall draw from now on, if that changes.
    pub(super) fn paced(&self, began: Instant, now: Instant) -> Option<u64> {
        self.rate.sampled(began, now)
    }

    /// Mean bytes between two samples, for the bytes that they stand for; `None` before the first.
    pub(crate) fn mean_interval(&self) -> Option<u64> {
        let (bytes, times_interval) = self.sums().drawn;
        (bytes > 0.0).then(|| (times_interval / bytes).round() as u64)
    }

    /// Mean bytes between two samples, at worst.
    pub(crate) fn interval(&self) -> u64 {
        self.rate.worst()
    }

    /// Takes a sampled allocation of the running thread, of a class by id and name.
    pub(crate) fn take(&self, jvmti: &JvmtiEnv, jni: Jni<'_>, (class, name): (ClassId, &str), drawn: &Drawn) {
        let maker = self.maker_of(jvmti, jni, Kind::of(name));
        let estimate = drawn.estimate;
        self.sampled_bytes.fetch_add(estimate.bytes(), Relaxed);
        let mut sums = self.sums();
        let bytes = estimate.unrounded_bytes();
        sums.drawn.0 += bytes;
        sums.drawn.1 += bytes * drawn.interval as f64;
        sums.changed.insert(class);
        let of_class = sums.by_class.entry(class).or_default();
        of_class.allocated.add(estimate);
        if let Some(maker) = maker {
            of_class.unseen.add(estimate);
            sums.by_maker.entry(maker).or_default().add(estimate);
        }
        drop(sums);
        let _ = OF_THREAD.try_with(|samples| {
            let (number, samples) = &mut *samples.borrow_mut();
            if *number != self.number {
                (*number, *samples) = (self.number, ThreadSamples::NONE);
            }
            samples.add(Sample { class, maker, estimate });
        });
    }

    /// The running thread ends, and allocated so much.
    pub(crate) fn thread_ends(&self, allocated: u64) {
        let samples = OF_THREAD.try_with(|samples| samples.replace((0, ThreadSamples::NONE)));
        let samples = samples.ok().filter(|(number, _)| *number == self.number);
        let samples = samples.map_or(ThreadSamples::NONE, |(_, samples)| samples);
        LAST.set(None);
        // As it is now: one that is brief has seen no other.
        let interval = self.rate.interval();
        let mut sums = self.sums();
        if sums.brief.take(&samples, allocated, interval) {
            self.brief_bytes.fetch_add(allocated, Relaxed);
            sums.brief_since_reset.take(&samples, allocated, interval);
            sums.brief_changed = true;
        }
    }

    /// Who made the object, if no hook sees it.
    fn maker_of(&self, jvmti: &JvmtiEnv, jni: Jni<'_>, kind: Kind) -> Option<Maker> {
        let mut stack = [None; 2];
        jvmti.with_stack(jni, stack.len(), |frames| {
            stack.iter_mut().zip(frames).for_each(|(place, frame)| *place = Some(frame));
        });
        let made = |frame: Option<StackFrame>| frame.and_then(|frame| self.made_at(jvmti, jni, frame));
        let innermost = made(stack[0]);
        unseen_maker(kind, innermost, || made(stack[1]))
    }

    fn made_at(&self, jvmti: &JvmtiEnv, jni: Jni<'_>, frame: StackFrame) -> Option<Made> {
        if let Some(&known) = self.sums().frames.get(&frame) {
            return Some(known);
        }
        // Unlocked: the JVM may wait for other threads here.
        let made = examine(jvmti, jni, frame)?;
        self.sums().frames.insert(frame, made);
        Some(made)
    }

    /// What no hook saw, by cause.
    pub(crate) fn remainder(&self) -> Vec<Remainder> {
        let sums = self.sums();
        let part = |(&maker, &all): (&Maker, &Estimate)| {
            Remainder::estimated(maker.cause(), sums.brief.maker(maker, all))
        };
        sums.by_maker.iter().map(part).collect()
    }

    /// Classes of which samples say something new, and their estimates. `executed`: bytes counted of each class;
    /// `virtual_threads`: whether there are any.
    pub(super) fn changed(
        &self,
        classes: &ClassTable,
        executed: &[u64],
        virtual_threads: bool,
    ) -> Vec<(ClassId, ClassEstimate)> {
        let mut sums = self.sums();
        let mut changed = std::mem::take(&mut sums.changed);
        let brief_changed = std::mem::take(&mut sums.brief_changed);
        if brief_changed {
            changed.extend(sums.by_class.keys());
        }
        if brief_changed || virtual_threads {
            // Classes without samples, too: so many bytes that they would be taken for removed.
            let judged = |&class: &ClassId| executed[class.row()] / 9 >= self.interval();
            changed.extend((0..executed.len()).map(ClassId::of_row).filter(judged));
        }
        let estimate = |class: ClassId| {
            let all = sums.by_class.get(&class).copied().unwrap_or_default();
            let executed = executed.get(class.row()).copied().unwrap_or_default();
            let estimate = sums.brief_since_reset.class(class, all, executed);
            let name = classes.name(class).filter(|_| virtual_threads);
            (class, name.map_or(estimate, |name| with_doubt(name, estimate, executed, self.interval())))
        };
        changed.into_iter().map(estimate).collect()
    }

    /// Estimates of classes start again from zero; those by cause are since the start, as the JVM's counter is.
    pub(crate) fn reset(&self) {
        let mut sums = self.sums();
        sums.by_class.clear();
        sums.changed.clear();
        sums.brief_since_reset = Brief::default();
    }

    /// Forgets frames whose classes were unloaded, if there are many new ones.
    pub(crate) fn forget_unloaded(&self, has_method: impl Fn(u64) -> bool) {
        let mut frames = {
            let mut sums = self.sums();
            if sums.frames.len() < 2 * sums.frames_kept.max(FEW_FRAMES) {
                return;
            }
            std::mem::take(&mut sums.frames)
        };
        // Unlocked: the JVM may wait for other threads here.
        frames.retain(|frame, _| has_method(frame.method));
        frames.shrink_to_fit();
        let mut sums = self.sums();
        sums.frames_kept = frames.len();
        // Those that were met meanwhile.
        frames.extend(sums.frames.drain());
        sums.frames = frames;
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_come_and_go_are_not_left_to_the_sampler() {
        let unseen = Unseen::new(Rate::new(512 << 10, None));
        assert!(!unseen.threads_are_brief());
        unseen.sampled_bytes.store(8 << 20, Relaxed);
        (0..60).for_each(|_| unseen.thread_ends(12 << 10));
        assert!(!unseen.threads_are_brief(), "little beside the rest");
        (0..60).for_each(|_| unseen.thread_ends(12 << 10));
        assert!(unseen.threads_are_brief());
        let long = Unseen::new(Rate::new(512 << 10, None));
        (0..10).for_each(|_| long.thread_ends(64 << 20));
        assert!(!long.threads_are_brief(), "threads that allocate much are drawn by chance");
    }

    #[test]
    fn frames_of_unloaded_methods_are_forgotten_and_others_kept() {
        let unseen = Unseen::new(Rate::new(1, None));
        let frame = |method| StackFrame { method, location: -1 };
        let met = |methods: std::ops::Range<u64>| {
            let made = Made::ByNative { of_jvm: true, clone: false };
            unseen.sums().frames.extend(methods.map(|method| (frame(method), made)));
        };
        met(0..1000);
        unseen.forget_unloaded(|_| panic!("few frames are not asked after"));
        met(1000..4000);
        unseen.forget_unloaded(|method| method % 2 == 0);
        let sums = unseen.sums();
        assert_eq!(sums.frames.len(), 2000);
        assert!(sums.frames.contains_key(&frame(0)) && !sums.frames.contains_key(&frame(1)));
        drop(sums);
        unseen.forget_unloaded(|_| panic!("nor are those that were just asked after"));
    }
}
