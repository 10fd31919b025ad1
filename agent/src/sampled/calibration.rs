//! Sets samples right by what threads are known to have allocated between them: inside of their buffers and outside, each for
//! itself ([why](../../../docs/design/sampling.md#0045-why-totals-of-samples-were-off-and-what-sets-them-right)). A ratio estimator by two strata; objects that are picked for
//! certain are in neither.

use mayfly_profile::Estimate;

use crate::tracking::{Drawing, Drawn};

/// So many intervals of samples that agree are added to each ratio inside: a few samples change nothing by their chance.
const INERTIA: f64 = 16.0;
/// Ratios that moved by less are told as they were: each class would have to be told anew.
const NOTABLE: f64 = 2e-3;

/// Up to JDK 24 what is inside of buffers is picked too rarely or too often where much is allocated outside of them: by so much times the
/// root of its share, as was seen of arrays of 1 to 100 KB beside small objects.
const BESIDE_OUTSIDE: f64 = 0.35;

/// Objects of so many intervals are picked, however the JVM's sampler errs: no distance is that long.
const CERTAIN_INTERVALS: u64 = 16;

/// Samples of a class, by where they were allocated.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    inside: Part,
    outside: Part,
    /// Picked for certain: each stands for itself.
    certain: Part,
}

impl Parts {
    pub(super) fn add(&mut self, drawn: &Drawn) {
        let part = if is_certain(drawn) {
            &mut self.certain
        } else if drawn.is_outside {
            &mut self.outside
        } else {
            &mut self.inside
        };
        part.add(drawn);
    }
}

impl Parts {
    /// What they say as they are.
    pub(super) fn bytes(&self) -> f64 {
        [self.inside, self.outside, self.certain].iter().map(|part| part.bytes.unrounded_bytes()).sum()
    }

    /// Adds such a share of other samples.
    pub(super) fn add_share(&mut self, other: &Self, share: f64) {
        self.inside.add_share(&other.inside, share);
        self.outside.add_share(&other.outside, share);
        self.certain.add_share(&other.certain, share);
    }
}

fn is_certain(drawn: &Drawn) -> bool {
    drawn.size >= drawn.interval.saturating_mul(CERTAIN_INTERVALS)
}

#[derive(Clone, Copy, Debug, Default)]
struct Part {
    objects: f64,
    bytes: Estimate,
    samples: u32,
}

impl Part {
    fn add(&mut self, drawn: &Drawn) {
        // Each stands for one over its probability.
        self.objects += drawn.estimate.unrounded_bytes() / drawn.size.max(1) as f64;
        self.bytes.add(drawn.estimate);
        self.samples += 1;
    }

    fn add_share(&mut self, other: &Self, share: f64) {
        self.objects += other.objects * share;
        // As if each sample lay in what was not read, or not, by this chance: which parts are read is chance, too.
        let by_chance = (other.bytes.variance() * share * (1.0 - share)).max(0.0).sqrt();
        self.bytes.add(other.bytes.scaled(share).with_error(by_chance));
        self.samples += other.samples;
    }
}

/// What is known of all gaps between samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calibration {
    inside: Stratum,
    outside: Stratum,
    /// Inside and outside, of gaps without a collection, without the samples at their ends.
    between: (f64, f64),
    unsplit: f64,
    /// Mean bytes between samples.
    interval: f64,
    drawing: Drawing,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stratum {
    allocated: f64,
    /// What the samples at the ends of these gaps say.
    drawn: f64,
}

impl Calibration {
    /// For samples so many bytes apart.
    pub(super) fn new(interval: u64) -> Self {
        Self { interval: interval as f64, ..Self::default() }
    }

    /// The same without any sample.
    pub(super) fn begun_anew(self) -> Self {
        Self { interval: self.interval, drawing: self.drawing, ..Self::default() }
    }

    /// For samples of such a JVM.
    pub(super) fn with_drawing(self, drawing: Drawing) -> Self {
        Self { drawing, ..self }
    }

    /// Whether it says anything else by now.
    pub(super) fn differs(&self, told: &Self) -> bool {
        let moved = |now: f64, before: f64| (now / before - 1.0).abs() > NOTABLE;
        moved(self.inside_ratio(), told.inside_ratio()) || moved(self.outside_ratio(), told.outside_ratio())
    }

    /// Another sample, if it is known what came before it.
    pub(super) fn add(&mut self, drawn: &Drawn) {
        let Some(gap) = drawn.gap else { return };
        let own = drawn.size.min(gap.bytes());
        let between = gap.before(own, drawn.is_outside);
        self.inside.allocated += between.inside as f64;
        self.outside.allocated += between.outside as f64;
        self.unsplit += between.unsplit as f64;
        if gap.unsplit == 0 {
            self.between.0 += between.inside as f64;
            self.between.1 += between.outside as f64;
        }
        if !is_certain(drawn) {
            let stratum = if drawn.is_outside { &mut self.outside } else { &mut self.inside };
            stratum.allocated += own as f64;
            stratum.drawn += drawn.estimate.unrounded_bytes();
        }
    }

    /// What samples of a class say together.
    pub(super) fn of_class(&self, parts: &Parts) -> Estimate {
        let mut all = parts.inside.bytes.scaled(self.inside_ratio());
        all.add(self.of_outside(parts.outside));
        let (times, share) = self.drawing.doubt();
        let by_chance = all.error_bytes() as f64 * (times * times - 1.0).sqrt();
        let inside = parts.inside.bytes.unrounded_bytes() * self.inside_ratio();
        let beside_outside = inside * self.doubt_beside_outside();
        // The next one might as well have come.
        let one_more =
            all.unrounded_bytes() / f64::from((parts.inside.samples + parts.outside.samples).max(1));
        let mut all = all
            .with_error(by_chance.hypot(all.unrounded_bytes() * share))
            .with_error(beside_outside)
            .with_error(one_more);
        all.add(parts.certain.bytes);
        all
    }

    /// By what share objects inside of buffers may be off, as others are allocated outside.
    fn doubt_beside_outside(&self) -> f64 {
        let all = self.inside.allocated + self.outside.allocated + self.unsplit;
        let erring = self.drawing == Drawing::Corrected && all > 0.0;
        if erring { BESIDE_OUTSIDE * (self.outside.allocated / all).sqrt() } else { 0.0 }
    }

    /// Objects of a class that these samples stand for.
    pub(super) fn objects(&self, parts: &Parts) -> f64 {
        parts.inside.objects * self.inside_ratio()
            + parts.outside.objects * self.outside_ratio()
            + parts.certain.objects
    }

    /// What was inferred beyond the samples is as sure as their number; and to which of the classes outside it belongs, as their
    /// shares.
    fn of_outside(&self, part: Part) -> Estimate {
        let ratio = self.outside_ratio();
        let estimate = part.bytes.scaled(ratio);
        let inferred = estimate.unrounded_bytes() * (1.0 - 1.0 / ratio).max(0.0);
        let share = (part.bytes.unrounded_bytes() / self.outside.drawn.max(1.0)).min(1.0);
        let by_number = inferred * estimate.unrounded_bytes() / f64::from(part.samples.max(1));
        let by_share = inferred * (1.0 - share) / 2.0;
        estimate.with_error(by_number.sqrt().hypot(by_share))
    }

    fn inside_ratio(&self) -> f64 {
        let inertia = INERTIA * self.interval;
        let known = self.inside.allocated + self.unsplit * self.share_inside();
        if inertia > 0.0 { (known + inertia) / (self.inside.drawn + inertia) } else { 1.0 }
    }

    fn outside_ratio(&self) -> f64 {
        let known = self.outside.allocated + self.unsplit * (1.0 - self.share_inside());
        if known > 0.0 && self.outside.drawn > 0.0 { known / self.outside.drawn } else { 1.0 }
    }

    fn share_inside(&self) -> f64 {
        let (inside, outside) = self.between;
        let split = inside + outside;
        if split > 0.0 { inside / split } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracking::Gap;

    const INTERVAL: u64 = 512 << 10;

    fn drawn(size: u64, is_outside: bool, gap: Option<Gap>) -> Drawn {
        Drawn { size, estimate: Estimate::of_sample(size, INTERVAL), interval: INTERVAL, is_outside, gap }
    }

    /// A thousand samples of small objects inside, each `gap` bytes after the last; and what they say.
    fn inside(gap: Option<Gap>) -> f64 {
        let (mut calibration, mut parts) = (Calibration::new(INTERVAL), Parts::default());
        for _ in 0..1000 {
            let drawn = drawn(16, false, gap);
            calibration.add(&drawn);
            parts.add(&drawn);
        }
        calibration.of_class(&parts).unrounded_bytes() / (1000 * INTERVAL) as f64
    }

    #[test]
    fn of_a_share_that_chance_left_unread_the_error_is_that_of_as_many_samples() {
        let mut all = Parts::default();
        (0..1000).for_each(|_| all.add(&drawn(16, false, None)));
        let mut share = Parts::default();
        share.add_share(&all, 0.25);
        let [all, share] = [all, share].map(|parts| parts.inside.bytes);
        assert!((share.unrounded_bytes() / all.unrounded_bytes() - 0.25).abs() < 1e-9);
        assert!((share.variance() / all.variance() - 0.25).abs() < 1e-6, "and not a sixteenth");
    }

    #[test]
    fn samples_that_come_too_often_stand_for_less() {
        assert!((inside(None) - 1.0).abs() < 1e-3);
        for share in [8u64, 10, 12] {
            let gap = Gap { inside: INTERVAL * share / 10, ..Gap::default() };
            assert!((inside(Some(gap)) - share as f64 / 10.0).abs() < 0.01, "{share}");
        }
        let collected = Gap { unsplit: INTERVAL / 2, ..Gap::default() };
        assert!((inside(Some(collected)) - 0.5).abs() < 0.01);
    }

    #[test]
    fn where_the_jvm_errs_errors_are_larger() {
        let mut parts = Parts::default();
        (0..10_000).for_each(|_| parts.add(&drawn(16, false, None)));
        let share = |drawing| {
            let told = Calibration::new(INTERVAL).with_drawing(drawing).of_class(&parts);
            told.error_bytes() as f64 / told.unrounded_bytes()
        };
        for (drawing, expected) in
            [(Drawing::Exact, 0.01), (Drawing::Corrected, 0.03354), (Drawing::Unknown, 0.15075)]
        {
            assert!((share(drawing) - expected).abs() < 1e-4, "{drawing:?}: {}", share(drawing));
        }
    }

    #[test]
    fn beside_much_that_is_outside_of_buffers_errors_are_larger() {
        let share = |drawing, outside: u64| {
            let (mut calibration, mut small) =
                (Calibration::new(INTERVAL).with_drawing(drawing), Parts::default());
            for _ in 0..400 {
                let drawn = drawn(24, false, Some(Gap { inside: INTERVAL, outside, unsplit: 0 }));
                calibration.add(&drawn);
                small.add(&drawn);
            }
            let told = calibration.of_class(&small);
            told.error_bytes() as f64 / told.unrounded_bytes()
        };
        assert!((0.05..0.09).contains(&share(Drawing::Exact, 9 * INTERVAL)), "chance alone");
        assert!((0.07..0.09).contains(&share(Drawing::Corrected, 0)));
        let beside = share(Drawing::Corrected, 9 * INTERVAL);
        assert!((0.3..0.4).contains(&beside), "{beside}");
    }

    #[test]
    fn what_was_allocated_outside_is_that_of_the_samples_there_with_its_error() {
        let (mut calibration, mut rare, mut other) =
            (Calibration::new(INTERVAL), Parts::default(), Parts::default());
        let gap = Gap { outside: 10 * INTERVAL, inside: INTERVAL, unsplit: 0 };
        for at in 0..100 {
            let drawn = drawn(INTERVAL / 8, true, Some(gap));
            calibration.add(&drawn);
            if at % 4 == 0 { &mut other } else { &mut rare }.add(&drawn);
        }
        let told = calibration.of_class(&rare);
        assert!(told.bytes().abs_diff(750 * INTERVAL) < INTERVAL, "{told:?}");
        assert!(told.error_bytes() > 750 * INTERVAL / 9, "75 samples, and another class beside: {told:?}");
        let objects = calibration.objects(&other);
        assert!((objects - 2000.0).abs() < 1.0, "{objects}");
    }

    #[test]
    fn a_huge_object_stands_for_itself_whatever_else_is_outside() {
        let (mut calibration, mut huge, mut others) =
            (Calibration::new(INTERVAL), Parts::default(), Parts::default());
        let size = 500 * INTERVAL;
        for at in 0..100 {
            let gap = Gap { outside: INTERVAL, inside: INTERVAL, unsplit: 0 };
            let other = drawn(INTERVAL / 8, true, Some(gap));
            calibration.add(&other);
            others.add(&other);
            if at % 25 == 0 {
                // For want of room for it there was a collection.
                let large = drawn(size, true, Some(Gap { unsplit: size + INTERVAL, ..Gap::default() }));
                calibration.add(&large);
                huge.add(&large);
            }
        }
        let told = calibration.with_drawing(Drawing::Corrected).of_class(&huge);
        assert_eq!((told.bytes(), told.error_bytes()), (4 * size, 0));
        assert!((calibration.objects(&huge) - 4.0).abs() < 1e-9);
        let told = calibration.of_class(&others).unrounded_bytes() / INTERVAL as f64;
        assert!((100.0..104.0).contains(&told), "a part of what was allocated before the huge ones: {told}");
    }
}
