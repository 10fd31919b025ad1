//! Samples of threads that lived briefly. HotSpot's sampler begins anew in each thread, and where threads come and go it does
//! so by the same draws over and over: seeded by the thread's address, which is used again, each draws the same distance to
//! its first sample, so some objects are always picked and others never. Such samples are no independent draws.
//!
//! What these threads allocated together is known from the JVM's counters. Their samples are scaled to it, and stated with
//! an error that holds however they were drawn.

use std::collections::BTreeMap;

use mayfly_profile::{ClassEstimate, ClassId, Estimate};
use rustc_hash::FxHashMap;

/// A thread that allocated fewer bytes than so many intervals was brief: beyond it, chance has its way within the thread.
const BRIEF_INTERVALS: u64 = 16;
/// A thread with so many samples is not brief, unless by single large objects, for which chance does not matter.
const MOST_SAMPLES: usize = 4 * BRIEF_INTERVALS as usize;

/// What a sample said. `M`: who may have made objects that an engine does not count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<M> {
    pub(crate) class: ClassId,
    /// Who made the object, if it is not counted.
    pub(crate) maker: Option<M>,
    pub(crate) estimate: Estimate,
}

/// The samples of a thread, while it may turn out to be brief.
#[derive(Debug)]
pub(crate) struct ThreadSamples<M>(Vec<Sample<M>>);

impl<M> ThreadSamples<M> {
    pub(crate) const NONE: Self = Self(Vec::new());

    pub(crate) fn add(&mut self, sample: Sample<M>) {
        if self.0.len() < MOST_SAMPLES {
            self.0.push(sample);
        }
    }
}

/// The samples of all threads that were brief.
#[derive(Debug)]
pub(crate) struct Brief<M> {
    /// What these threads allocated, by the JVM's counters.
    allocated: u64,
    /// What their samples say.
    sampled: Estimate,
    by_class: FxHashMap<ClassId, ClassEstimate>,
    by_maker: BTreeMap<M, Estimate>,
}

impl<M> Default for Brief<M> {
    fn default() -> Self {
        Self {
            allocated: 0,
            sampled: Estimate::default(),
            by_class: FxHashMap::default(),
            by_maker: BTreeMap::new(),
        }
    }
}

impl<M: Copy + Ord> Brief<M> {
    /// Takes the samples of a thread that ended and allocated so much, if it was brief; returns whether it was.
    pub(crate) fn take(&mut self, samples: &ThreadSamples<M>, allocated: u64, interval: u64) -> bool {
        if allocated >= BRIEF_INTERVALS.saturating_mul(interval) || samples.0.len() >= MOST_SAMPLES {
            return false;
        }
        self.allocated += allocated;
        for &Sample { class, maker, estimate } in &samples.0 {
            self.sampled.add(estimate);
            let of_class = self.by_class.entry(class).or_default();
            of_class.allocated.add(estimate);
            if let Some(maker) = maker {
                of_class.unseen.add(estimate);
                self.by_maker.entry(maker).or_default().add(estimate);
            }
        }
        true
    }

    /// What all samples say of a class of which `executed` bytes were counted, those of brief threads at their worth.
    pub(crate) fn class(&self, class: ClassId, all: ClassEstimate, executed: u64) -> ClassEstimate {
        let brief = self.by_class.get(&class).copied().unwrap_or_default();
        let mut worth = all.without(brief);
        let unseen = self.scaled(brief.unseen);
        // No more than was counted, or made where no hook is; none of it, or all, may be from brief threads.
        let most = (executed as f64 + 2.0 * unseen).min(self.allocated as f64);
        worth.allocated.add(Estimate::of_bytes(self.scaled(brief.allocated).min(most), most / 2.0));
        worth.unseen.add(Estimate::of_bytes(unseen, unseen));
        worth
    }

    /// What all samples say of a maker.
    pub(crate) fn maker(&self, maker: M, all: Estimate) -> Estimate {
        let brief = self.by_maker.get(&maker).copied().unwrap_or_default();
        let mut worth = all.without(brief);
        let scaled = self.scaled(brief);
        worth.add(Estimate::of_bytes(scaled, scaled));
        worth
    }

    /// What these threads allocated, where no sample says what that was.
    pub(crate) fn unsampled(&self) -> u64 {
        if self.sampled.bytes() == 0 { self.allocated } else { 0 }
    }

    /// The error of the sum of all classes, where all samples are `all`: what brief threads allocated together is known.
    pub(crate) fn error_of_sum(&self, all: Estimate) -> u64 {
        all.without(self.sampled).error_bytes()
    }

    /// Bytes as their share of what brief threads allocated.
    fn scaled(&self, part: Estimate) -> f64 {
        match self.sampled.bytes() {
            0 => 0.0,
            sampled => part.bytes() as f64 * self.allocated as f64 / sampled as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The JVM.
    const MAKER: u8 = 7;

    const INTERVAL: u64 = 512 << 10;

    fn sample(class: ClassId, maker: Option<u8>) -> Sample<u8> {
        Sample { class, maker, estimate: Estimate::of_sample(16, INTERVAL) }
    }

    /// So many threads that allocated 800 bytes each, of which one in `picked` has a sample.
    fn threads(brief: &mut Brief<u8>, count: u64, picked: u64) -> ClassEstimate {
        let mut all = ClassEstimate::default();
        for thread in 0..count {
            let mut samples = ThreadSamples::NONE;
            if thread % picked == 0 {
                samples.add(sample(ClassId(0), None));
                all.allocated.add(sample(ClassId(0), None).estimate);
            }
            assert!(brief.take(&samples, 800, INTERVAL));
        }
        all
    }

    #[test]
    fn errors_hold_however_brief_threads_were_drawn() {
        let executed = 16_000_000;
        // 20,000 threads of 800 bytes, of which one in 655 is picked by right.
        for picked in [300, 655, 1300, 30_000] {
            let mut brief = Brief::<u8>::default();
            let all = threads(&mut brief, 20_000, picked);
            let told = brief.class(ClassId(0), all, executed);
            let (bytes, error) = (told.allocated.bytes(), told.allocated.error_bytes());
            assert!(bytes.abs_diff(executed) <= 3 * error, "one in {picked}: {bytes} ± {error}");
            assert!(!told.removed(executed, INTERVAL), "one in {picked}: {bytes} ± {error}");
            assert!(!brief.class(ClassId(1), ClassEstimate::default(), executed).removed(executed, INTERVAL));
        }
    }

    #[test]
    fn what_the_jit_removed_in_large_is_found_beside_brief_threads() {
        let mut brief = Brief::<u8>::default();
        threads(&mut brief, 20_000, 655);
        assert!(brief.class(ClassId(1), ClassEstimate::default(), 1 << 30).removed(1 << 30, INTERVAL));
    }

    #[test]
    fn a_thread_that_allocates_much_is_not_brief() {
        let mut brief = Brief::<u8>::default();
        let mut samples = ThreadSamples::NONE;
        samples.add(sample(ClassId(0), None));
        assert!(!brief.take(&samples, BRIEF_INTERVALS * INTERVAL, INTERVAL));
        assert_eq!(brief.allocated, 0);
        let all = ClassEstimate { allocated: sample(ClassId(0), None).estimate, ..ClassEstimate::default() };
        assert_eq!(brief.class(ClassId(0), all, 1 << 20), all);
    }

    #[test]
    fn what_is_made_where_no_hook_is_is_scaled_to_what_was_allocated() {
        let mut brief = Brief::<u8>::default();
        let mut samples = ThreadSamples::NONE;
        samples.add(sample(ClassId(0), Some(MAKER)));
        assert!(brief.take(&samples, 4000, INTERVAL));
        let told = brief.maker(MAKER, sample(ClassId(0), Some(MAKER)).estimate);
        assert_eq!((told.bytes(), told.error_bytes()), (4000, 4000));
    }
}
