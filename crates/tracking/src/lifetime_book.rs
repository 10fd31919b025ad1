//! What became of the objects of one site, as the ledger books it: the dead by how long they lived, the living by birth.
//!
//! A cell costs as much room as two tracked objects. Where there is none, cells become wider. Not here: classes, and what
//! a collection proves (`history`).

use std::mem;

use mayfly_profile::{Load, SiteLifetimes, Tally};

use crate::budget::Budget;
use crate::census::{Census, Fineness};
use crate::history::{AgeAtDeath, Evidence, History, Moment};
use crate::timeline::Timeline;

/// Room of a cell in tracked objects: some forty bytes with what a vector keeps free.
const OBJECTS_PER_CELL: usize = 2;

/// The lifetimes of one site.
#[derive(Clone, Debug)]
pub(crate) struct LifetimeBook {
    /// Of the dead; the living are put in when it is told.
    lifetimes: SiteLifetimes,
    living: Census,
    changed: bool,
    /// The collection of the whole heap as of which they were told, if some of the living were known by another moment: when there
    /// is a later one, they are not older by what lies between.
    told_by_others: Option<Option<Moment>>,
    /// Cells that room was reserved for.
    reserved: usize,
}

/// What the ages of the living follow from.
#[derive(Clone, Copy)]
pub(crate) struct Now<'a> {
    pub(crate) history: &'a History,
    pub(crate) evidence: Evidence,
    pub(crate) timeline: &'a Timeline,
    pub(crate) ms: u64,
}

impl Default for LifetimeBook {
    fn default() -> Self {
        let living = Census::new(Fineness::SITE);
        Self {
            lifetimes: SiteLifetimes::default(),
            living,
            changed: false,
            told_by_others: None,
            reserved: 0,
        }
    }
}

impl LifetimeBook {
    /// The number of the living changed.
    pub(crate) fn touch(&mut self) {
        self.changed = true;
    }

    /// Objects born at that time survived their first collection.
    pub(crate) fn settle(&mut self, first: Moment, birth_ms: u64, tally: Tally, budget: &Budget) {
        self.living.settle(first, birth_ms, tally);
        self.lifetimes.survived.add(tally);
        self.fit(budget);
    }

    /// They never were.
    pub(crate) fn unsettle(&mut self, birth_ms: u64, tally: Tally) {
        self.living.die(birth_ms, tally);
        self.lifetimes.survived = self.lifetimes.survived.without(tally);
        self.changed = true;
    }

    /// Objects that share birth and death died; `settled`: they had survived a collection.
    pub(crate) fn record_deaths(
        &mut self,
        birth_ms: u64,
        age: AgeAtDeath,
        settled: bool,
        tally: Tally,
        budget: &Budget,
    ) {
        let load = Load::held(tally, age.ms);
        self.lifetimes.ms.record_dead(age.ms.0, age.ms.1, load);
        self.lifetimes.bytes.record_dead(age.bytes.0, age.bytes.1, load);
        if settled {
            self.living.die(birth_ms, tally);
        } else if age.gcs.1 <= 1 {
            self.lifetimes.died_young.add(tally);
        }
        self.fit(budget);
    }

    /// Those of so many that live which were alive at a collection: they were born by then.
    pub(crate) fn judged(&self, living: Tally, born_by_ms: u64) -> Tally {
        let (objects, bytes) = self.living.born_by(born_by_ms);
        Tally { objects: objects.min(living.objects), bytes: bytes.min(living.bytes), ..living }
    }

    /// The lifetimes if they changed since they were told, by more than the time that went by; so many objects live.
    pub(crate) fn take(&mut self, living: Tally, now: Now<'_>) -> Option<SiteLifetimes> {
        let whole = now.evidence.whole;
        let is_stale = self.told_by_others.is_some_and(|told| told != whole);
        if !mem::take(&mut self.changed) && !is_stale {
            return None;
        }
        let mut by_others = false;
        let mut lifetimes = self.lifetimes.clone();
        let mut unknown = living;
        for cohort in self.living.cohorts() {
            for (birth_ms, objects, bytes) in cohort.births() {
                let age = now.history.living_age(birth_ms, cohort.first, now.evidence, now.timeline);
                by_others |= whole.is_none_or(|whole| birth_ms + age.ms != whole.ms);
                let held = (age.ms, now.ms.saturating_sub(birth_ms).max(age.ms));
                let load = Load::held(Tally { objects, bytes, largest: 0 }, held);
                lifetimes.ms.record_living(age.ms, load);
                lifetimes.bytes.record_living(age.bytes, load);
            }
            unknown.objects = unknown.objects.saturating_sub(cohort.weight);
            unknown.bytes = unknown.bytes.saturating_sub(cohort.bytes);
        }
        self.told_by_others = (by_others || unknown.objects > 0).then_some(whole);
        // Born since the last sweep.
        let last_ms = now.history.last().map_or(0, |last| last.ms);
        let load = Load::held(unknown, (0, now.ms.saturating_sub(last_ms)));
        lifetimes.ms.record_living(0, load);
        lifetimes.bytes.record_living(0, load);
        Some(lifetimes)
    }

    /// Its room is free again.
    pub(crate) fn give_back(&self, budget: &Budget) {
        budget.release(self.reserved * OBJECTS_PER_CELL);
    }

    fn cells(&self) -> usize {
        self.lifetimes.ms.len() + self.lifetimes.bytes.len() + self.living.cohorts().len()
    }

    /// Takes room for cells that are new, or makes do with fewer.
    fn fit(&mut self, budget: &Budget) {
        self.changed = true;
        let wanted = self.cells();
        if wanted > self.reserved && !budget.reserve((wanted - self.reserved) * OBJECTS_PER_CELL) {
            self.lifetimes.ms.coarsen();
            self.lifetimes.bytes.coarsen();
            return;
        }
        if wanted < self.reserved {
            budget.release((self.reserved - wanted) * OBJECTS_PER_CELL);
        }
        self.reserved = wanted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn age(after: u64, by: u64) -> AgeAtDeath {
        AgeAtDeath { ms: (after, by), gcs: (after.min(1), by), bytes: (after * 10, by * 10) }
    }

    fn now(history: &History, timeline: &Timeline) -> Now<'static> {
        let _ = (history, timeline);
        let (history, timeline) = (Box::leak(Box::default()), Box::leak(Box::default()));
        Now { history, evidence: Evidence::default(), timeline, ms: 10_000 }
    }

    #[test]
    fn the_dead_and_the_living_are_told_once() {
        let budget = Budget::new(1 << 20);
        let mut book = LifetimeBook::default();
        let first = Moment { number: 0, ms: 100 };
        book.settle(first, 50, Tally::of(3, 16), &budget);
        book.record_deaths(50, age(50, 900), true, Tally::of(1, 16), &budget);
        book.record_deaths(60, age(0, 1), false, Tally::of(7, 16), &budget);
        let (history, timeline) = (History::default(), Timeline::default());
        let lifetimes = book.take(Tally::of(2, 16), now(&history, &timeline)).expect("changed");
        assert_eq!(lifetimes.ms.dead().map(|cell| cell.2.objects).collect::<Vec<_>>(), [7, 1]);
        assert_eq!(lifetimes.ms.living().map(|cell| cell.1.objects).sum::<u64>(), 2);
        assert_eq!((lifetimes.died_young.objects, lifetimes.survived.objects), (7, 3));
        // Born at 50 ms, and it is second ten: at most so long each.
        let held = lifetimes.byte_seconds();
        assert!(
            held.0 <= held.1 && (held.1 - (2.0 * 16.0 * 9.95 + 16.0 * 0.9 + 7.0 * 16.0 * 0.001)).abs() < 1e-6
        );
        assert_eq!(book.take(Tally::of(2, 16), now(&history, &timeline)), None);
    }

    #[test]
    fn without_room_cells_are_wide_and_lose_nobody() {
        let budget = Budget::new(0);
        let mut book = LifetimeBook::default();
        for ms in 1..5_000 {
            book.record_deaths(0, age(ms, ms * 2), false, Tally::of(1, 16), &budget);
        }
        assert!(book.cells() < 40, "{}", book.cells());
        assert_eq!(book.lifetimes.ms.dead().map(|cell| cell.2.objects).sum::<u64>(), 4_999);
    }

    #[test]
    fn room_is_given_back() {
        let budget = Budget::new(1 << 20);
        let mut book = LifetimeBook::default();
        (1..5_000).for_each(|ms| book.record_deaths(0, age(ms, ms * 2), false, Tally::of(1, 16), &budget));
        assert!(budget.bytes() > 0);
        book.give_back(&budget);
        assert_eq!(budget.bytes(), 0);
    }
}
