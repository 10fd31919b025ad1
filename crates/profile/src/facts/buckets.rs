//! Lifetime buckets: user-chosen boundaries in seconds, closed by an infinite one.

use serde::{Deserialize, Serialize};

use crate::facts::tally::Tally;

/// Upper bounds of the finite lifetime buckets, in seconds, strictly ascending; one more bucket reaches to infinity.
///
/// An object belongs to the first bucket whose bound is above its lifetime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct BucketBounds(Vec<u64>);

impl BucketBounds {
    /// Takes strictly ascending bounds above zero; `None` otherwise.
    pub fn new(bounds: Vec<u64>) -> Option<Self> {
        let ascending = bounds.windows(2).all(|pair| pair[0] < pair[1]);
        (ascending && bounds.first().is_some_and(|&first| first > 0)).then_some(Self(bounds))
    }

    /// Number of buckets, the infinite one included.
    pub fn len(&self) -> usize {
        self.0.len() + 1
    }

    /// Never true: there is always the infinite bucket.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The bucket of a lifetime in milliseconds.
    pub fn index_of(&self, lifetime_ms: u64) -> usize {
        self.0.partition_point(|&bound| bound.saturating_mul(1000) <= lifetime_ms)
    }

    /// Every bucket as (from, to) in seconds; `to` is `None` for the infinite one.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, Option<u64>)> + '_ {
        (0..self.len()).map(|i| (if i == 0 { 0 } else { self.0[i - 1] }, self.0.get(i).copied()))
    }
}

impl BucketBounds {
    /// The bounds that both have; without any there is one bucket for all lifetimes.
    pub(crate) fn common(&self, other: &Self) -> Self {
        Self(self.0.iter().copied().filter(|bound| other.0.contains(bound)).collect())
    }

    /// Sums of these buckets' tallies over the buckets of `to`, whose bounds are among these.
    pub(crate) fn regrouped(&self, tallies: &[Tally], to: &Self) -> Vec<Tally> {
        let mut sums = vec![Tally::default(); to.len()];
        for ((from, _), &tally) in self.ranges().zip(tallies) {
            sums[to.0.partition_point(|&bound| bound <= from)].add(tally);
        }
        sums
    }
}

impl TryFrom<Vec<u64>> for BucketBounds {
    type Error = &'static str;

    fn try_from(bounds: Vec<u64>) -> Result<Self, Self::Error> {
        // None are left where profiles were merged that have none in common.
        if bounds.is_empty() {
            return Ok(Self(bounds));
        }
        Self::new(bounds).ok_or("bucket bounds are not ascending from above zero")
    }
}

impl From<BucketBounds> for Vec<u64> {
    fn from(bounds: BucketBounds) -> Self {
        bounds.0
    }
}

impl Default for BucketBounds {
    /// InMemProfiler's: 5 s, 30 s, 1 min, 5 min, 30 min.
    fn default() -> Self {
        Self(vec![5, 30, 60, 300, 1800])
    }
}
