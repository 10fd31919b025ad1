//! Bytes estimated from samples, with their error.

use serde::{Deserialize, Serialize};

use crate::facts::tally::Tally;

/// A sum of bytes estimated from sampled allocations (Horvitz–Thompson), and the variance of the estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    bytes: f64,
    variance: f64,
}

impl Estimate {
    /// What one sampled object of `size` bytes stands for, if samples are `interval` bytes apart on average: it is hit
    /// with probability p = 1 − e^(−size/interval), so it stands for size / p bytes, with variance size² (1 − p) / p².
    pub fn of_sample(size: u64, interval: u64) -> Self {
        Self::of_probability(size, Self::probability(size, interval))
    }

    /// How probable it is that an object of `size` bytes is hit by samples that are `interval` bytes apart on average.
    pub fn probability(size: u64, interval: u64) -> f64 {
        if interval == 0 { 1.0 } else { -(-(size as f64) / interval as f64).exp_m1() }
    }

    /// What one sampled object of `size` bytes stands for that was hit with probability `p`.
    pub fn of_probability(size: u64, p: f64) -> Self {
        Self::of_part(size as f64, p)
    }

    fn of_part(size: f64, p: f64) -> Self {
        if p <= 0.0 {
            return Self::default();
        }
        Self { bytes: size / p, variance: size * size * (1.0 - p) / (p * p) }
    }

    /// The same of so many times as much.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { bytes: self.bytes * factor, variance: self.variance * factor * factor }
    }

    /// The same, with a further error, independent of its own.
    #[must_use]
    pub fn with_error(self, error_bytes: f64) -> Self {
        Self { variance: self.variance + error_bytes * error_bytes, ..self }
    }

    /// Adds an estimate from other samples.
    pub fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.variance += other.variance;
    }

    /// What remains without a part of these samples.
    pub fn without(self, part: Self) -> Self {
        Self { bytes: (self.bytes - part.bytes).max(0.0), variance: (self.variance - part.variance).max(0.0) }
    }

    /// So many bytes instead, with a standard error of its own: samples that were not drawn independently say no better.
    pub fn of_bytes(bytes: f64, error_bytes: f64) -> Self {
        Self { bytes, variance: error_bytes * error_bytes }
    }

    /// The estimate, in bytes.
    pub fn bytes(self) -> u64 {
        self.bytes.round() as u64
    }

    /// The same with its fractions.
    pub fn unrounded_bytes(self) -> f64 {
        self.bytes
    }

    /// Its variance, in square bytes.
    pub fn variance(self) -> f64 {
        self.variance
    }

    /// How many times as large its variance is as that of as many bytes in objects of `size`, picked independently of each other by
    /// samples `interval` bytes apart; 1 at least. Samples that repeat each other (threads that come and go), or a sampler that errs,
    /// make it larger.
    pub fn times_independent(self, size: f64, interval: u64) -> f64 {
        let of_one = 1.0 / (size.max(1.0) / (interval as f64).max(1.0)).exp_m1();
        let independent = self.bytes * size.max(1.0) * of_one;
        if independent > 0.0 { (self.variance / independent).max(1.0) } else { 1.0 }
    }

    /// Its standard error, in bytes.
    pub fn error_bytes(self) -> u64 {
        self.variance.sqrt().round() as u64
    }
}

/// What samples say of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassEstimate {
    /// All that the JVM allocated.
    pub allocated: Estimate,
    /// Of this, what no hook saw.
    pub unseen: Estimate,
}

impl ClassEstimate {
    /// Adds an estimate from other samples.
    pub fn add(&mut self, other: Self) {
        self.allocated.add(other.allocated);
        self.unseen.add(other.unseen);
    }

    /// What remains without a part of these samples.
    pub fn without(self, part: Self) -> Self {
        Self { allocated: self.allocated.without(part.allocated), unseen: self.unseen.without(part.unseen) }
    }

    /// Whether `executed` bytes counted are more than was allocated, beyond chance: by three standard errors of what
    /// samples `interval` bytes apart would say had all of them been allocated, and by a tenth. An error beyond that of
    /// independent samples counts, too.
    pub fn removed(self, executed: u64, interval: u64) -> bool {
        self.removed_within(executed, interval, None)
    }

    /// As [`Self::removed`], where no more than `most` bytes of all classes can have been removed. Samples that say more than
    /// that, beyond chance, were not drawn as they should have been; and what chance explains of that much is no proof: among
    /// many classes some are always met seldom.
    pub fn removed_within(self, executed: u64, interval: u64, most: Option<u64>) -> bool {
        let beyond = self.allocated.variance - self.allocated.bytes * interval as f64;
        let chance = 3.0 * (executed as f64 * interval as f64 + beyond.max(0.0)).sqrt();
        let missing = executed as f64 - self.allocated.bytes;
        let most = most.map_or(f64::INFINITY, |most| most as f64);
        let removed = missing.min(most);
        removed > chance && removed > executed as f64 / 10.0 && missing - chance <= most
    }
}

/// The relative standard error of two sums that were estimated independently of each other: variances add up.
pub(crate) fn joint_error(a: (f64, Tally), b: (f64, Tally)) -> f64 {
    let absolute = |(error, tally): (f64, Tally)| error * tally.objects as f64;
    let objects = a.1.objects.saturating_add(b.1.objects);
    absolute(a).hypot(absolute(b)) / (objects as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: u64 = 512 << 10;

    #[test]
    fn a_sample_stands_for_its_interval_or_for_itself_if_it_is_larger() {
        let small = Estimate::of_sample(16, INTERVAL);
        assert!(small.bytes().abs_diff(INTERVAL) <= 8);
        assert!(small.error_bytes().abs_diff(INTERVAL) <= 16);
        let large = Estimate::of_sample(64 * INTERVAL, INTERVAL);
        assert_eq!((large.bytes(), large.error_bytes()), (64 * INTERVAL, 0));
        let every = Estimate::of_sample(24, 0);
        assert_eq!((every.bytes(), every.error_bytes()), (24, 0));
    }

    #[test]
    fn the_error_of_a_hundred_samples_is_a_tenth() {
        let mut sum = Estimate::default();
        (0..100).for_each(|_| sum.add(Estimate::of_sample(24, INTERVAL)));
        let share = sum.error_bytes() as f64 / sum.bytes() as f64;
        assert!((0.099..0.101).contains(&share), "{share}");
    }

    #[test]
    fn removed_is_what_chance_does_not_explain() {
        let of = |samples: u64| {
            let mut class = ClassEstimate::default();
            (0..samples).for_each(|_| class.allocated.add(Estimate::of_sample(24, INTERVAL)));
            class
        };
        let executed = 1000 * INTERVAL;
        assert!(of(0).removed(executed, INTERVAL));
        assert!(of(800).removed(executed, INTERVAL));
        assert!(!of(910).removed(executed, INTERVAL), "within three errors (95)");
        assert!(!of(1100).removed(executed, INTERVAL));
        assert!(!of(0).removed(8 * INTERVAL, INTERVAL), "too little to tell");
        let mut vague = of(500);
        vague.allocated.add(Estimate::of_bytes(0.0, 500.0 * INTERVAL as f64));
        assert!(!vague.removed(executed, INTERVAL), "within the error of what is known otherwise");
        // 400 intervals are missing, 95 of them within chance.
        assert!(of(600).removed_within(executed, INTERVAL, Some(310 * INTERVAL)));
        assert!(!of(600).removed_within(executed, INTERVAL, Some(300 * INTERVAL)), "the JVM allocated them");
        // One class in 1,500 that is wholly allocated is met so seldom by chance: 30 samples of 55.
        assert!(of(30).removed_within(55 * INTERVAL, INTERVAL, Some(25 * INTERVAL)));
        assert!(!of(30).removed_within(55 * INTERVAL, INTERVAL, Some(5 * INTERVAL)), "chance, not the JIT");
    }
}
