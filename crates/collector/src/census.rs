//! The living of a class, by the collection that they survived first: what is known of their ages without walking them.

use crate::history::Moment;
use crate::timeline::{Thinned, thin};

/// Groups kept per class; above it, neighbours of nearly the same age are joined.
const MOST_COHORTS: usize = 128;
/// Joined cohorts may be one such part of their age apart.
const COARSENESS: u32 = 8;

/// Survivors whose first collection lies between that of the cohort before and this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cohort {
    pub(crate) first: Moment,
    pub(crate) weight: u64,
}

impl Thinned for Cohort {
    fn ms(&self) -> u32 {
        self.first.ms
    }

    /// The later first collection holds for both: they are at least that old.
    fn replace(&mut self, before: &Self) {
        self.weight = self.weight.saturating_add(before.weight);
    }
}

/// Numbers of survivors, by cohort, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Census {
    cohorts: Vec<Cohort>,
}

impl Census {
    /// Objects survived their first collection.
    pub(crate) fn settle(&mut self, first: Moment, weight: u64) {
        let at = self.cohorts.partition_point(|cohort| cohort.first < first);
        match self.cohorts.get_mut(at).filter(|cohort| cohort.first == first) {
            Some(cohort) => cohort.weight = cohort.weight.saturating_add(weight),
            None => self.cohorts.insert(at, Cohort { first, weight }),
        }
        if self.cohorts.len() > MOST_COHORTS {
            thin(&mut self.cohorts, COARSENESS, MOST_COHORTS / 2);
        }
    }

    /// Survivors born at that time died.
    pub(crate) fn die(&mut self, birth_ms: u32, weight: u64) {
        let at = self.cohorts.partition_point(|cohort| cohort.first.ms < birth_ms);
        let Some(cohort) = self.cohorts.get_mut(at) else { return };
        cohort.weight = cohort.weight.saturating_sub(weight);
        if cohort.weight == 0 {
            self.cohorts.remove(at);
        }
    }

    pub(crate) fn cohorts(&self) -> &[Cohort] {
        &self.cohorts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(number: u32) -> Moment {
        Moment { number, ms: number * 100 + 100 }
    }

    #[test]
    fn who_settles_and_dies_is_gone() {
        let mut census = Census::default();
        census.settle(first(0), 5);
        census.settle(first(1), 7);
        census.settle(first(0), 1);
        // Born after the first collection (at 100) and up to the second (at 200).
        census.die(101, 7);
        assert_eq!(census.cohorts(), [Cohort { first: first(0), weight: 6 }]);
        census.die(100, 2);
        assert_eq!(census.cohorts()[0].weight, 4);
    }

    #[test]
    fn joined_cohorts_keep_their_number_and_find_their_dead() {
        let mut census = Census::default();
        for number in 0..10_000 {
            census.settle(first(number), 3);
            assert!(census.cohorts().len() <= MOST_COHORTS);
        }
        let total = |census: &Census| census.cohorts().iter().map(|cohort| cohort.weight).sum::<u64>();
        assert_eq!(total(&census), 30_000);
        for number in 0..10_000 {
            census.die(first(number).ms - 1, 3);
        }
        assert_eq!(census.cohorts(), []);
    }
}
