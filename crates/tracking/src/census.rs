//! The living of a class, by the collection that they survived first: what is known of their ages without walking them.

use mayfly_profile::Tally;

use crate::history::Moment;
use crate::timeline::{Thinned, thin};

/// How finely survivors are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fineness {
    /// Groups kept; above it, neighbours of nearly the same age are joined.
    most_cohorts: usize,
    /// Joined cohorts may be one such part of their age apart; more only if too many remain.
    coarseness: u64,
}

impl Fineness {
    /// Of a class.
    pub(crate) const CLASS: Self = Self { most_cohorts: 256, coarseness: 32 };
    /// Of a site, of which there are many: about two per octave of ages.
    pub(crate) const SITE: Self = Self { most_cohorts: 32, coarseness: 2 };
}
/// Births of one cohort lie in one span of 2^this many milliseconds, until it is joined.
const SPAN_LOG2: u32 = 4;
/// Parts into which the births of a joined cohort are spread.
const SPREAD: u64 = 8;

/// Survivors born at about the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cohort {
    /// The collection that they survived first.
    pub(crate) first: Moment,
    /// Their first and their last birth, in milliseconds.
    births: (u64, u64),
    /// How many, and their bytes.
    pub(crate) weight: u64,
    pub(crate) bytes: u64,
}

impl Cohort {
    /// The births as (milliseconds, weight, bytes): spread evenly, as when each was is not kept.
    pub(crate) fn births(&self) -> impl Iterator<Item = (u64, u64, u64)> + use<> {
        let Self { births: (first, last), weight, bytes, .. } = *self;
        let width = last - first;
        let parts = if width >> SPAN_LOG2 == 0 { 1 } else { SPREAD };
        let up_to =
            move |whole: u64, part: u64| (u128::from(whole) * u128::from(part) / u128::from(parts)) as u64;
        let share = move |whole: u64, part: u64| up_to(whole, part + 1) - up_to(whole, part);
        // In the middle of each part.
        let birth = move |part: u64| first + width * (2 * part + 1) / (2 * parts);
        (0..parts).map(move |part| (birth(part), share(weight, part), share(bytes, part)))
    }

    /// Whether a birth belongs here, if its first collection is that one.
    fn takes(&self, birth_ms: u64, first: Moment) -> bool {
        let holds = self.births.0 <= birth_ms && birth_ms <= self.births.1;
        holds || self.first == first && self.births.0 >> SPAN_LOG2 == birth_ms >> SPAN_LOG2
    }
}

impl Thinned for Cohort {
    fn ms(&self) -> u64 {
        self.births.1
    }

    fn replace(&mut self, before: &Self) {
        self.births.0 = before.births.0;
        self.weight = self.weight.saturating_add(before.weight);
        self.bytes = self.bytes.saturating_add(before.bytes);
    }
}

/// Numbers of survivors, by cohort, oldest first; their births do not overlap.
#[derive(Clone, Debug)]
pub(crate) struct Census {
    cohorts: Vec<Cohort>,
    fineness: Fineness,
}

impl Census {
    /// Nobody yet.
    pub(crate) fn new(fineness: Fineness) -> Self {
        Self { cohorts: Vec::new(), fineness }
    }

    /// Objects born at that time survived their first collection.
    pub(crate) fn settle(&mut self, first: Moment, birth_ms: u64, tally: Tally) {
        let (weight, bytes) = (tally.objects, tally.bytes);
        let at = self.first_up_to(birth_ms);
        let mut near = [Some(at), at.checked_sub(1)].into_iter().flatten();
        let taker = near.find(|&at| self.cohorts.get(at).is_some_and(|c| c.takes(birth_ms, first)));
        match taker {
            Some(at) => {
                let cohort = &mut self.cohorts[at];
                cohort.weight = cohort.weight.saturating_add(weight);
                cohort.bytes = cohort.bytes.saturating_add(bytes);
                cohort.births = (cohort.births.0.min(birth_ms), cohort.births.1.max(birth_ms));
            }
            None => self.cohorts.insert(at, Cohort { first, births: (birth_ms, birth_ms), weight, bytes }),
        }
        let Fineness { most_cohorts, coarseness } = self.fineness;
        if self.cohorts.len() > most_cohorts {
            thin(&mut self.cohorts, coarseness, most_cohorts / 2);
        }
    }

    /// Survivors born at that time died.
    pub(crate) fn die(&mut self, birth_ms: u64, tally: Tally) {
        let at = self.first_up_to(birth_ms);
        let Some(cohort) = self.cohorts.get_mut(at) else { return };
        cohort.weight = cohort.weight.saturating_sub(tally.objects);
        cohort.bytes = cohort.bytes.saturating_sub(tally.bytes);
        if cohort.weight == 0 {
            self.cohorts.remove(at);
        }
    }

    /// How many of them were born by then, and their bytes. Of a cohort that was born before and after it, in proportion.
    pub(crate) fn born_by(&self, ms: u64) -> (u64, u64) {
        let born = self.cohorts.iter().take_while(|cohort| cohort.births.0 <= ms).flat_map(|cohort| {
            let whole = (cohort.births.1 <= ms).then_some((cohort.births.0, cohort.weight, cohort.bytes));
            let parts = whole.is_none().then(|| cohort.births().filter(move |birth| birth.0 <= ms));
            whole.into_iter().chain(parts.into_iter().flatten())
        });
        born.fold((0, 0), |(weight, bytes), birth| (weight + birth.1, bytes + birth.2))
    }

    pub(crate) fn cohorts(&self) -> &[Cohort] {
        &self.cohorts
    }

    /// The first cohort with births at that time or later.
    fn first_up_to(&self, birth_ms: u64) -> usize {
        self.cohorts.partition_point(|cohort| cohort.births.1 < birth_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(number: u32) -> Moment {
        Moment { number, ms: u64::from(number) * 100 + 100 }
    }

    #[test]
    fn who_settles_and_dies_is_gone() {
        let mut census = Census::new(Fineness::CLASS);
        let tally = |objects| Tally::of(objects, 16);
        census.settle(first(0), 80, tally(5));
        census.settle(first(1), 110, tally(7));
        census.settle(first(0), 84, tally(1));
        census.die(110, tally(7));
        assert_eq!(census.cohorts(), [Cohort { first: first(0), births: (80, 84), weight: 6, bytes: 96 }]);
        census.die(84, tally(2));
        assert_eq!(census.cohorts()[0].weight, 4);
    }

    #[test]
    fn births_of_a_joined_cohort_are_spread() {
        let cohort = Cohort { first: first(5), births: (100, 260), weight: 21, bytes: 210 };
        let births: Vec<_> = cohort.births().collect();
        assert_eq!(births.iter().map(|birth| birth.1).sum::<u64>(), 21);
        assert_eq!(births.iter().map(|birth| birth.2).sum::<u64>(), 210);
        assert_eq!((births[0].0, births[7].0), (110, 250));
    }

    #[test]
    fn of_those_that_were_born_by_a_time_no_later_one_is() {
        let mut census = Census::new(Fineness::CLASS);
        census.settle(first(0), 80, Tally::of(5, 16));
        census.settle(first(3), 390, Tally::of(7, 10));
        assert_eq!([79, 80, 389, 390].map(|ms| census.born_by(ms)), [(0, 0), (5, 80), (5, 80), (12, 150)]);
    }

    #[test]
    fn joined_cohorts_keep_their_number_and_find_their_dead() {
        for fineness in [Fineness::CLASS, Fineness::SITE] {
            let mut census = Census::new(fineness);
            for number in 0..10_000 {
                census.settle(first(number), first(number).ms - 1, Tally::of(3, 16));
                assert!(census.cohorts().len() <= fineness.most_cohorts);
            }
            let total = |census: &Census| census.cohorts().iter().map(|cohort| cohort.weight).sum::<u64>();
            assert_eq!(total(&census), 30_000);
            for number in 0..10_000 {
                census.die(first(number).ms - 1, Tally::of(3, 16));
            }
            assert_eq!(census.cohorts(), []);
        }
    }
}
