//! What the samples so far say of each class: bytes and objects, with an error that holds.

use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_profile::{ClassEstimate, ClassId, Estimate, Tally};
use mayfly_tracking::ClassTotal;
use rustc_hash::FxHashSet;

use super::calibration::{Calibration, Parts};
use crate::tracking::{Brief, Drawing, Drawn, ThreadSamples};

/// Sums of samples.
#[derive(Debug)]
pub(super) struct Estimates {
    interval: u64,
    sums: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    /// By class id, since the last reset.
    classes: Vec<OfClass>,
    /// Classes with samples since they were last told of.
    changed: FxHashSet<ClassId>,
    /// Of threads that lived briefly, since the last reset.
    brief: Brief<Infallible>,
    /// Whether such a thread ended since classes were last told of.
    brief_changed: bool,
    /// Of all classes, since the last reset.
    all: Estimate,
    /// Of all, each with the interval at which it was drawn.
    intervals: f64,
    calibration: Calibration,
    /// The same as it was told of last.
    told: Calibration,
    before: Before,
}

/// As of the last reset.
#[derive(Debug, Default)]
struct Before {
    totals: Vec<ClassTotal>,
    error_bytes: u64,
    unsampled: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct OfClass {
    parts: Parts,
    /// Sizes of its smallest and largest sample.
    smallest: u64,
    largest: u64,
}

impl Estimates {
    /// For samples `interval` bytes apart, at least.
    pub(super) fn new(interval: u64) -> Self {
        Self { interval, sums: Mutex::new(Sums::since(Calibration::new(interval), Before::default())) }
    }

    /// Mean bytes between two samples, of those that there were.
    pub(super) fn interval(&self) -> u64 {
        let sums = self.sums();
        if sums.all.bytes() == 0 {
            self.interval
        } else {
            (sums.intervals / sums.all.unrounded_bytes()) as u64
        }
    }

    /// Samples are those of such a JVM. Called before there are any.
    pub(super) fn are_drawn(&self, drawing: Drawing) {
        let mut sums = self.sums();
        sums.calibration = sums.calibration.with_drawing(drawing);
        sums.told = sums.calibration;
    }

    /// Adds a sample of a class.
    pub(super) fn add(&self, class: ClassId, drawn: Drawn) {
        let mut sums = self.sums();
        sums.changed.insert(class);
        sums.all.add(drawn.estimate);
        sums.intervals += drawn.estimate.unrounded_bytes() * drawn.interval as f64;
        sums.calibration.add(&drawn);
        let room = sums.classes.len().max(class.row() + 1);
        sums.classes.resize(room, OfClass::default());
        sums.classes[class.row()].add(&drawn);
    }

    /// A thread ended, and allocated so much.
    pub(super) fn thread_ends(&self, samples: &ThreadSamples<Infallible>, allocated: u64) {
        let mut sums = self.sums();
        if sums.brief.take(samples, allocated, self.interval) {
            sums.brief_changed = true;
        }
    }

    /// Totals of classes since the engine began, by class id; and of those of which samples say something new, what they
    /// say since the last reset.
    pub(super) fn read(&self) -> (Vec<ClassTotal>, Vec<(ClassId, ClassEstimate)>) {
        let mut sums = self.sums();
        let mut changed = std::mem::take(&mut sums.changed);
        let recalibrated = sums.calibration.differs(&sums.told);
        if recalibrated {
            sums.told = sums.calibration;
        }
        if std::mem::take(&mut sums.brief_changed) || recalibrated {
            changed.extend(sums.sampled());
        }
        let estimates = changed.into_iter().map(|class| (class, sums.estimate(class))).collect();
        (sums.totals(), estimates)
    }

    /// The error of the sum of all totals, in bytes; and bytes of which no sample says what they were.
    pub(super) fn doubt(&self) -> (u64, u64) {
        self.sums().doubt()
    }

    /// Estimates begin again from zero; the totals that they begin from.
    pub(super) fn reset(&self) -> Vec<ClassTotal> {
        let mut sums = self.sums();
        let (error_bytes, unsampled) = sums.doubt();
        let before = Before { totals: sums.totals(), error_bytes, unsampled };
        let totals = before.totals.clone();
        let calibration = sums.calibration.begun_anew();
        *sums = Sums::since(calibration, before);
        totals
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sums {
    fn since(calibration: Calibration, before: Before) -> Self {
        Self { before, calibration, told: calibration, ..Self::default() }
    }

    fn sampled(&self) -> impl Iterator<Item = ClassId> {
        (0..).zip(&self.classes).filter(|(_, class)| class.largest > 0).map(|(id, _)| ClassId(id))
    }

    /// What samples say of a class, those of brief threads at their worth.
    fn estimate(&self, class: ClassId) -> ClassEstimate {
        let known = self.classes.get(class.row()).copied().unwrap_or_default();
        let allocated = self.told.of_class(&known.parts);
        // Nobody counts: no more than brief threads allocated is all that is known.
        self.brief.class(class, ClassEstimate { allocated, ..ClassEstimate::default() }, u64::MAX)
    }

    fn totals(&self) -> Vec<ClassTotal> {
        let mut totals = self.before.totals.clone();
        totals.resize(totals.len().max(self.classes.len()), ClassTotal::default());
        for class in self.sampled() {
            let tally = self.tally(self.classes[class.row()], self.estimate(class).allocated.bytes());
            totals[class.row()].counted.add(tally);
        }
        totals
    }

    /// So many bytes of a class.
    fn tally(&self, class: OfClass, bytes: u64) -> Tally {
        let sampled = self.told.of_class(&class.parts).unrounded_bytes();
        let objects = self.told.objects(&class.parts) * bytes as f64 / sampled.max(1.0);
        let objects = objects.round() as u64;
        let bytes = if class.smallest == class.largest { objects * class.largest } else { bytes };
        Tally { objects, bytes, largest: class.largest }
    }

    fn doubt(&self) -> (u64, u64) {
        let error = (self.before.error_bytes as f64).hypot(self.brief.error_of_sum(self.all) as f64);
        (error.round() as u64, self.before.unsampled + self.brief.unsampled())
    }
}

impl OfClass {
    fn add(&mut self, drawn: &Drawn) {
        self.smallest = if self.largest == 0 { drawn.size } else { self.smallest.min(drawn.size) };
        self.largest = self.largest.max(drawn.size);
        self.parts.add(drawn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: u64 = 512 << 10;

    fn sample(size: u64) -> Drawn {
        drawn_at(size, INTERVAL)
    }

    fn drawn_at(size: u64, interval: u64) -> Drawn {
        Drawn { size, estimate: Estimate::of_sample(size, interval), interval, is_outside: false, gap: None }
    }

    #[test]
    fn objects_of_one_size_have_bytes_of_that_size() {
        let estimates = Estimates::new(INTERVAL);
        (0..7).for_each(|_| estimates.add(ClassId(3), sample(24)));
        let (totals, told) = estimates.read();
        let Tally { objects, bytes, largest } = totals[3].counted;
        assert_eq!((bytes, largest), (objects * 24, 24));
        assert!(bytes.abs_diff(7 * INTERVAL) < 200, "{bytes}");
        assert_eq!(told.len(), 1);
        assert!(told[0].1.allocated.bytes().abs_diff(bytes) <= 24);
        assert_eq!(estimates.read().1, [], "nothing new");
    }

    #[test]
    fn small_and_large_objects_of_a_class_are_counted_by_their_own_probability() {
        let estimates = Estimates::new(INTERVAL);
        estimates.add(ClassId(0), sample(16));
        estimates.add(ClassId(0), sample(100 * INTERVAL));
        let tally = estimates.read().0[0].counted;
        assert!(tally.objects.abs_diff(INTERVAL / 16 + 1) <= 1, "{tally:?}");
        assert!(tally.bytes.abs_diff(101 * INTERVAL) < 100, "{tally:?}");
    }

    #[test]
    fn each_sample_stands_for_the_interval_at_which_it_was_drawn() {
        let estimates = Estimates::new(INTERVAL);
        assert_eq!(estimates.interval(), INTERVAL);
        estimates.add(ClassId(0), sample(16));
        estimates.add(ClassId(0), drawn_at(16, 4 * INTERVAL));
        assert!(estimates.read().0[0].counted.bytes.abs_diff(5 * INTERVAL) < 100);
        assert!(estimates.interval().abs_diff(17 * INTERVAL / 5) < 100, "of most bytes it was the larger");
    }

    #[test]
    fn totals_go_on_after_a_reset_and_estimates_begin_again() {
        let estimates = Estimates::new(INTERVAL);
        estimates.add(ClassId(0), sample(16));
        let before = estimates.reset();
        assert_eq!(estimates.read(), (before.clone(), vec![]));
        estimates.add(ClassId(0), sample(16));
        let (totals, told) = estimates.read();
        assert_eq!(totals[0].counted.bytes, 2 * before[0].counted.bytes);
        assert!(told[0].1.allocated.bytes().abs_diff(INTERVAL) < 16);
        let (error, unsampled) = estimates.doubt();
        assert!(error.abs_diff((2.0f64.sqrt() * INTERVAL as f64) as u64) < 100, "{error}");
        assert_eq!(unsampled, 0);
    }

    #[test]
    fn what_brief_threads_allocated_is_known_even_if_nothing_was_sampled() {
        let estimates = Estimates::new(INTERVAL);
        estimates.thread_ends(&ThreadSamples::NONE, 800);
        assert_eq!(estimates.doubt(), (0, 800));
        estimates.thread_ends(&ThreadSamples::NONE, 100 * INTERVAL);
        assert_eq!(estimates.doubt(), (0, 800), "it was not brief");
    }
}
