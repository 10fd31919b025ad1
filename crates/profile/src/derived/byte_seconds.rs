//! Byte-seconds: how much memory objects held times how long they held it.
//!
//! No age at death is known but an interval it lies in: the middle of it is taken. Of the living it is the time up to
//! which they were last known alive. Sizes are the mean of the class, apart for the living and each lifetime bucket, unless bytes are
//! known by age ([`crate::lifetime::lifetimes::ByteAges`]).

use crate::facts::buckets::BucketBounds;
use crate::facts::tally::Tally;
use crate::stream::profile::ClassProfile;

/// Byte-seconds of the tracked objects of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByteSeconds {
    /// Of the dead, from birth to death.
    pub dead: f64,
    /// Of the living, from birth to when they were last known alive.
    pub living: f64,
}

impl ByteSeconds {
    /// Of both.
    pub fn all(self) -> f64 {
        self.dead + self.living
    }
}

impl ClassProfile {
    /// Its byte-seconds so far; `None` if nothing is known of lifetimes.
    pub fn byte_seconds(&self, buckets: &BucketBounds) -> Option<ByteSeconds> {
        self.byte_seconds_if(buckets, |after, by| (after + by) / 2.0)
    }

    /// Between what they lie: as if each of the dead died as soon as its interval allows, and as late.
    pub fn byte_seconds_between(&self, buckets: &BucketBounds) -> Option<[ByteSeconds; 2]> {
        let least = self.byte_seconds_if(buckets, |after, _| after)?;
        Some([least, self.byte_seconds_if(buckets, |_, by| by)?])
    }

    /// The same with so old a death in each interval.
    fn byte_seconds_if(&self, buckets: &BucketBounds, died: impl Fn(f64, f64) -> f64) -> Option<ByteSeconds> {
        let ages = &self.lifetimes.as_ref()?.ms;
        if self.byte_ages.is_some() {
            return Some(self.byte_seconds_of_lives(buckets, died));
        }
        let sizes = self.sizes(buckets);
        let dead = ages.deaths().map(|(after, by, weight)| {
            // Where the end is not known, no more than the begin is.
            let by = if by == u64::MAX { after } else { by };
            died(after as f64, by as f64) * weight as f64 * sizes.of_dead(by)
        });
        let size = self.live.and_then(mean_size).unwrap_or(0.0);
        let living = ages.living().map(|(age, weight)| age as f64 * weight as f64 * size);
        Some(ByteSeconds { dead: dead.sum::<f64>() / 1000.0, living: living.sum::<f64>() / 1000.0 })
    }

    /// The same where bytes are known by age.
    fn byte_seconds_of_lives(&self, buckets: &BucketBounds, died: impl Fn(f64, f64) -> f64) -> ByteSeconds {
        let mut held = ByteSeconds::default();
        for life in self.lives(buckets) {
            let seconds = died(life.after as f64, life.by.unwrap_or(life.after) as f64) / 1_000.0;
            let part = if life.by.is_some() { &mut held.dead } else { &mut held.living };
            *part += life.tally.bytes as f64 * seconds;
        }
        held
    }

    /// Mean sizes of its dead by bucket.
    pub(crate) fn sizes<'a>(&'a self, buckets: &'a BucketBounds) -> Sizes<'a> {
        Sizes { collected: &self.collected, buckets, of_all: mean_size(self.dead()).unwrap_or(0.0) }
    }
}

/// Mean sizes of the dead of a class.
pub(crate) struct Sizes<'a> {
    collected: &'a [Tally],
    buckets: &'a BucketBounds,
    of_all: f64,
}

impl Sizes<'_> {
    /// Of those that were gone at this age, in milliseconds.
    pub(crate) fn of_dead(&self, by_ms: u64) -> f64 {
        let bucket = self.collected.get(self.buckets.index_of(by_ms)).copied().unwrap_or_default();
        mean_size(bucket).unwrap_or(self.of_all)
    }
}

fn mean_size(tally: Tally) -> Option<f64> {
    (tally.objects > 0).then(|| tally.bytes as f64 / tally.objects as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifetime::lifetimes::Lifetimes;

    fn class(collected: Vec<Tally>, live: Tally, record: impl Fn(&mut Lifetimes)) -> ClassProfile {
        let mut lifetimes = Lifetimes::default();
        record(&mut lifetimes);
        ClassProfile { collected, live: Some(live), lifetimes: Some(lifetimes), ..ClassProfile::default() }
    }

    /// Ages are kept in steps of at most 6.25 %.
    fn about(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 0.07, "{value} for {expected}");
    }

    #[test]
    fn the_dead_count_to_the_middle_of_their_interval_and_the_living_so_far() {
        let buckets = BucketBounds::new(vec![5]).expect("ascending");
        let class = class(vec![Tally::of(10, 100), Tally::default()], Tally::of(3, 1000), |lifetimes| {
            lifetimes.ms.record_deaths(2_000, 4_000, 10);
            lifetimes.ms.record_living(8_000, 3);
        });
        let known = class.byte_seconds(&buckets).expect("lifetimes");
        about(known.dead, 10.0 * 100.0 * 3.0);
        about(known.living, 3.0 * 1000.0 * 8.0);
        let [least, most] = class.byte_seconds_between(&buckets).expect("lifetimes");
        about(least.dead, 10.0 * 100.0 * 2.0);
        about(most.dead, 10.0 * 100.0 * 4.0);
        assert_eq!((least.living, most.living), (known.living, known.living));
        assert_eq!(known.all(), known.dead + known.living);
    }

    #[test]
    fn large_objects_that_live_long_are_not_averaged_with_small_ones_that_do_not() {
        let buckets = BucketBounds::new(vec![5]).expect("ascending");
        let class = class(vec![Tally::of(1000, 16), Tally::of(1, 1 << 20)], Tally::default(), |lifetimes| {
            lifetimes.ms.record_deaths(900, 1_100, 1000);
            lifetimes.ms.record_deaths(50_000, 60_000, 1);
        });
        about(class.byte_seconds(&buckets).expect("lifetimes").dead, 16_000.0 + 55.0 * f64::from(1 << 20));
    }

    #[test]
    fn without_lifetimes_nothing_is_said() {
        assert_eq!(ClassProfile::default().byte_seconds(&BucketBounds::default()), None);
    }
}
