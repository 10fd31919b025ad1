//! What the samples so far say of each class: bytes and objects, with an error that holds. Where a census reads young collections, that
//! is what it did not read, and is added to its exact counts.

use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_profile::{ClassEstimate, ClassId, Estimate, Tally};
use mayfly_tracking::ClassTotal;
use rustc_hash::{FxHashMap, FxHashSet};

use super::calibration::{Calibration, Parts};
use crate::tracking::{Brief, Drawing, Drawn, Now, Period, ThreadSamples, Young};

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
    read: Read,
}

/// What a census says beside samples.
#[derive(Debug, Default)]
struct Read {
    /// Whether there is one.
    is_there: bool,
    /// Exact counts, since the last reset.
    born: FxHashMap<ClassId, Tally>,
    /// Samples of each period of which it is not known yet whether it is among these.
    pending: FxHashMap<(ClassId, Period), Parts>,
    /// The same of each class, as of when classes were last told of.
    tail: FxHashMap<ClassId, Parts>,
    /// The periods in which samples were last taken; `None`: they are.
    closed: Option<Now>,
    /// Of periods that ended and were not read, what samples say: bytes.
    unread: f64,
    /// Of all that may be of any class and is not read, as of when classes were last told of: bytes, about.
    gap: f64,
    /// Bytes between two samples, at least.
    interval: f64,
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
        self.sums().interval(self.interval as f64) as u64
    }

    /// Samples are those of such a JVM. Called before there are any.
    pub(super) fn are_drawn(&self, drawing: Drawing) {
        let mut sums = self.sums();
        sums.calibration = sums.calibration.with_drawing(drawing);
        sums.told = sums.calibration;
    }

    /// Samples are taken from now on, or are not.
    pub(super) fn is_open_from(&self, open: bool, now: Now) {
        let closed = &mut self.sums().read.closed;
        // Who closes it again changes nothing.
        *closed = (!open).then(|| closed.unwrap_or(now));
    }

    /// Adds a sample of a class. `period`: the census may read the object after that period; `None`: it does not.
    pub(super) fn add(&self, class: ClassId, drawn: Drawn, period: Option<Period>) {
        let mut sums = self.sums();
        sums.changed.insert(class);
        sums.all.add(drawn.estimate);
        sums.intervals += drawn.estimate.unrounded_bytes() * drawn.interval as f64;
        sums.calibration.add(&drawn);
        let room = sums.classes.len().max(class.row() + 1);
        sums.classes.resize(room, OfClass::default());
        sums.classes[class.row()].measure(&drawn);
        match period {
            None => sums.classes[class.row()].parts.add(&drawn),
            Some(period) => sums.read.pending.entry((class, period)).or_default().add(&drawn),
        }
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
    pub(super) fn read(&self, young: &Young) -> (Vec<ClassTotal>, Vec<(ClassId, ClassEstimate)>) {
        let mut sums = self.sums();
        sums.settle(young, self.interval);
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
    pub(super) fn reset(&self, young: &Young) -> Vec<ClassTotal> {
        let mut sums = self.sums();
        sums.settle(young, self.interval);
        let (error_bytes, unsampled) = sums.doubt();
        let before = Before { totals: sums.totals(), error_bytes, unsampled };
        let totals = before.totals.clone();
        let calibration = sums.calibration.begun_anew();
        let read = Read { closed: sums.read.closed, ..Read::default() };
        *sums = Sums { read, ..Sums::since(calibration, before) };
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

    /// Mean bytes between two samples; `least` if there were none.
    fn interval(&self, least: f64) -> f64 {
        match self.all.bytes() {
            0 => least,
            _ => self.intervals / self.all.unrounded_bytes(),
        }
    }

    fn sampled(&self) -> impl Iterator<Item = ClassId> {
        (0..).zip(&self.classes).filter(|(_, class)| class.largest > 0).map(|(id, _)| ClassId(id))
    }

    /// Takes what the census read: samples of periods that were read say nothing new.
    fn settle(&mut self, young: &Young, interval: u64) {
        if !young.is_read() {
            return;
        }
        let Self { read, classes, changed, .. } = self;
        read.is_there = true;
        read.interval = interval as f64;
        let mut born = young.born();
        changed.extend(born.changed.keys());
        read.born.extend(born.changed.drain());
        let before = born.before;
        read.tail.clear();
        let Read { pending, tail, unread, closed, .. } = read;
        pending.retain(|&(class, period), parts| {
            // Of a class of which others than the program's objects are read, all samples count.
            let is_mixed = born.mixed.contains(&class);
            let stays = !before.is_after(period) && !is_mixed;
            if stays {
                tail.entry(class).or_default().add_share(parts, 1.0);
            } else {
                let share = if is_mixed { 1.0 } else { young.unread_of(period) };
                *unread += if is_mixed { 0.0 } else { share * parts.bytes() };
                classes[class.row()].parts.add_share(parts, share);
                changed.insert(class);
            }
            stays
        });
        // Where something was not read, so much of it is met by no sample on average.
        let is_whole = closed.is_some_and(|closed| before.is_after_all(closed)) && !young.has_gaps();
        self.note_gap(if is_whole { 0.0 } else { interval as f64 });
    }

    /// Notes how much is not read: `least`, and what samples say. Where that changed, errors of all classes
    /// did.
    fn note_gap(&mut self, least: f64) {
        let gap = least + self.read.unread + self.read.tail.values().map(Parts::bytes).sum::<f64>();
        if (gap - self.read.gap).abs() > self.read.gap / 8.0 {
            self.read.gap = gap;
            self.changed.extend(self.read.born.keys());
        }
    }

    /// Samples of a class that the census did not read.
    fn parts(&self, class: ClassId) -> Parts {
        let mut parts = self.classes.get(class.row()).map_or_else(Parts::default, |known| known.parts);
        if let Some(tail) = self.read.tail.get(&class) {
            parts.add_share(tail, 1.0);
        }
        parts
    }

    /// What was read of a class: exact. Of what was not, no sample may have met it: about as much as it has of the rest, but no more than
    /// lies between two samples. What samples met has the error of samples.
    fn born(&self, class: ClassId) -> Estimate {
        let Some(born) = self.read.born.get(&class) else { return Estimate::default() };
        let all: u64 = self.read.born.values().map(|tally| tally.bytes).sum();
        let unmet = self.read.gap * born.bytes as f64 / (all as f64).max(1.0);
        Estimate::of_bytes(born.bytes as f64, unmet.min(self.interval(self.read.interval)))
    }

    /// What samples say of a class, those of brief threads at their worth, and the census.
    fn estimate(&self, class: ClassId) -> ClassEstimate {
        let mut allocated = self.told.of_class(&self.parts(class));
        allocated.add(self.born(class));
        // Nobody counts: no more than brief threads allocated is all that is known.
        self.brief.class(class, ClassEstimate { allocated, ..ClassEstimate::default() }, u64::MAX)
    }

    fn totals(&self) -> Vec<ClassTotal> {
        let mut totals = self.before.totals.clone();
        totals.resize(totals.len().max(self.classes.len()), ClassTotal::default());
        for class in self.sampled() {
            let born = self.read.born.get(&class).map_or(0, |born| born.bytes);
            let bytes = self.estimate(class).allocated.bytes().saturating_sub(born);
            totals[class.row()].counted.add(self.tally(class, bytes));
        }
        for (class, &born) in &self.read.born {
            totals.resize(totals.len().max(class.row() + 1), ClassTotal::default());
            totals[class.row()].counted.add(born);
        }
        totals
    }

    /// So many bytes of a class that are not read.
    fn tally(&self, id: ClassId, bytes: u64) -> Tally {
        let (class, parts) = (self.classes[id.row()], self.parts(id));
        let sampled = self.told.of_class(&parts).unrounded_bytes();
        let objects = self.told.objects(&parts) * bytes as f64 / sampled.max(1.0);
        let objects = objects.round() as u64;
        let bytes = if class.smallest == class.largest { objects * class.largest } else { bytes };
        Tally { objects, bytes, largest: class.largest }
    }

    fn doubt(&self) -> (u64, u64) {
        if self.read.is_there {
            let classes = self.sampled().map(|class| self.told.of_class(&self.parts(class)).variance());
            let variance: f64 = classes.sum();
            let error = (self.before.error_bytes as f64).hypot(variance.sqrt());
            return (error.round() as u64, self.before.unsampled);
        }
        let error = (self.before.error_bytes as f64).hypot(self.brief.error_of_sum(self.all) as f64);
        (error.round() as u64, self.before.unsampled + self.brief.unsampled())
    }
}

impl OfClass {
    fn measure(&mut self, drawn: &Drawn) {
        self.smallest = if self.largest == 0 { drawn.size } else { self.smallest.min(drawn.size) };
        self.largest = self.largest.max(drawn.size);
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
        (0..7).for_each(|_| estimates.add(ClassId(3), sample(24), None));
        let (totals, told) = estimates.read(&Young::default());
        let Tally { objects, bytes, largest } = totals[3].counted;
        assert_eq!((bytes, largest), (objects * 24, 24));
        assert!(bytes.abs_diff(7 * INTERVAL) < 200, "{bytes}");
        assert_eq!(told.len(), 1);
        assert!(told[0].1.allocated.bytes().abs_diff(bytes) <= 24);
        assert_eq!(estimates.read(&Young::default()).1, [], "nothing new");
    }

    #[test]
    fn small_and_large_objects_of_a_class_are_counted_by_their_own_probability() {
        let estimates = Estimates::new(INTERVAL);
        estimates.add(ClassId(0), sample(16), None);
        estimates.add(ClassId(0), sample(100 * INTERVAL), None);
        let tally = estimates.read(&Young::default()).0[0].counted;
        assert!(tally.objects.abs_diff(INTERVAL / 16 + 1) <= 1, "{tally:?}");
        assert!(tally.bytes.abs_diff(101 * INTERVAL) < 100, "{tally:?}");
    }

    #[test]
    fn each_sample_stands_for_the_interval_at_which_it_was_drawn() {
        let estimates = Estimates::new(INTERVAL);
        assert_eq!(estimates.interval(), INTERVAL);
        estimates.add(ClassId(0), sample(16), None);
        estimates.add(ClassId(0), drawn_at(16, 4 * INTERVAL), None);
        assert!(estimates.read(&Young::default()).0[0].counted.bytes.abs_diff(5 * INTERVAL) < 100);
        assert!(estimates.interval().abs_diff(17 * INTERVAL / 5) < 100, "of most bytes it was the larger");
    }

    #[test]
    fn totals_go_on_after_a_reset_and_estimates_begin_again() {
        let estimates = Estimates::new(INTERVAL);
        estimates.add(ClassId(0), sample(16), None);
        let before = estimates.reset(&Young::default());
        assert_eq!(estimates.read(&Young::default()), (before.clone(), vec![]));
        estimates.add(ClassId(0), sample(16), None);
        let (totals, told) = estimates.read(&Young::default());
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

    #[test]
    fn where_much_is_not_read_the_error_is_that_of_its_samples() {
        let (estimates, young) = (Estimates::new(INTERVAL), Young::default());
        young.is_read_from_now_on([], Some(INTERVAL), true);
        estimates.is_open_from(true, young.now());
        for _ in 0..400 {
            estimates.add(ClassId(1), sample(16), young.period_of(16, young.now()));
        }
        young.pause_ends(Some(1.0), true, true);
        young.note(young.now(), [(ClassId(1), Tally::of(160_000, 16))]);
        let allocated = estimates.read(&young).1[0].1.allocated;
        let samples = allocated.error_bytes() as f64 / (20 * INTERVAL) as f64;
        assert!((0.9..1.2).contains(&samples), "of 400, and not all that was not read: {samples}");
    }

    #[test]
    fn what_was_read_is_exact_and_samples_count_for_what_was_not() {
        let (estimates, young) = (Estimates::new(INTERVAL), Young::default());
        young.is_read_from_now_on([ClassId(9)], Some(INTERVAL), true);
        let take = |class, size| {
            estimates.add(ClassId(class), sample(size), young.period_of(size, young.now()));
        };
        estimates.is_open_from(true, young.now());
        (0..5).for_each(|_| take(1, 16));
        take(2, 100 * INTERVAL);
        take(9, 24);
        young.pause_ends(Some(0.0), false, false);
        let exact = Tally::of(160_000, 16);
        young.note(young.now(), [(ClassId(1), exact), (ClassId(9), exact)]);
        let (totals, told) = estimates.read(&young);
        assert_eq!(totals[1].counted, exact, "whatever samples said");
        assert_eq!(totals[2].counted.bytes, 100 * INTERVAL, "large ones were not counted");
        assert!(totals[9].counted.bytes.abs_diff(INTERVAL) < 32, "mixed: of the sample");
        let error = |told: &[(ClassId, ClassEstimate)], class| {
            told.iter().find(|row| row.0 == ClassId(class)).expect("told").1.allocated.error_bytes()
        };
        assert!(error(&told, 1) > 0, "what came since may be of it: samples are taken");
        // A period of which a half was read, and one that goes on.
        (0..4).for_each(|_| take(1, 16));
        take(2, 100 * INTERVAL);
        young.pause_ends(Some(0.5), true, true);
        take(1, 16);
        let large = Tally::of(1, 100 * INTERVAL);
        young.note(young.now(), [(ClassId(2), large), (ClassId(1), Tally::of(200_000, 16))]);
        let totals = estimates.read(&young).0;
        assert_eq!(totals[2].counted.objects, 2, "one by its sample, and one that was counted");
        let bytes = totals[1].counted.bytes;
        assert!(bytes.abs_diff(200_000 * 16 + 3 * INTERVAL) < 64, "{bytes}");
        let (error_bytes, unsampled) = estimates.doubt();
        assert!(error_bytes > INTERVAL && unsampled == 0, "{error_bytes}");
        // Nothing was sampled after what was read last, and all before it was read: there is no gap.
        for (unread, is_exact) in [(0.0, true), (0.01, false)] {
            let (estimates, young) = (Estimates::new(INTERVAL), Young::default());
            young.is_read_from_now_on([], Some(INTERVAL), true);
            young.pause_ends(Some(unread), unread > 0.0, true);
            estimates.add(ClassId(1), sample(16), young.period_of(16, young.now()));
            estimates.is_open_from(false, young.now());
            young.pause_ends(Some(0.0), false, true);
            young.note(young.now(), [(ClassId(1), exact)]);
            let (totals, told) = estimates.read(&young);
            assert_eq!((totals[1].counted, error(&told, 1) == 0), (exact, is_exact), "{unread}");
            if is_exact {
                assert_eq!(estimates.doubt(), (0, 0));
            }
            assert_eq!(estimates.reset(&young)[1].counted, exact);
            young.restart();
            assert_eq!(estimates.read(&young).0[1].counted, exact, "totals go on");
        }
    }
}
