//! When those that are alive were born, on one clock, and what died that had become old.

use crate::derived::quiet_end::LastPart;
use crate::lifetime::site_lifetimes::{Spread, end};
use crate::stream::profile::Profile;

/// All, but for what ages are too coarse to tell.
const YOUNG: f64 = 0.95;

/// So many times as much as before came lately: not by chance of samples that are enough to be judged.
const AT_HAND: f64 = 2.0;

/// What goes on has this share of its pace.
const GOES_ON: f64 = 0.5;

/// How far a clock has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// From the oldest age at which anything is known alive to the end of the time that is looked at.
    pub(super) whole: f64,
    /// How much came after that time.
    pub(super) after: f64,
}

impl Profile {
    /// The oldest ages at which anything is known alive, in milliseconds and in bytes allocated since; of all classes, whichever are left out later.
    pub(crate) fn oldest_living(&self) -> [u64; 2] {
        self.oldest_of_all.unwrap_or_else(|| {
            let known = || self.classes.iter().filter_map(|class| class.lifetimes.as_ref());
            let ms = known().flat_map(|known| known.ms.living().map(|(age, _)| age)).max();
            let bytes = known().flat_map(|known| known.bytes.living().map(|(age, _)| age)).max();
            [ms, bytes].map(|oldest| oldest.unwrap_or(0))
        })
    }
}

impl Clock {
    /// Milliseconds, and bytes allocated.
    pub(super) fn both(profile: &Profile) -> [Self; 2] {
        profile.oldest_living().map(|oldest| Self { whole: oldest.max(1) as f64, after: 0.0 })
    }

    /// The same until the last part of a run began; `None` if nothing is known alive that is older.
    pub(super) fn before([ms, bytes]: [Self; 2], end: LastPart) -> Option<[Self; 2]> {
        let without = |clock: Self, after: u64| {
            let after = after as f64;
            (clock.whole > after).then_some(Self { whole: clock.whole - after, after })
        };
        Some([without(ms, end.ms)?, without(bytes, end.allocated)?])
    }
}

/// Of those alive, how many were born when; of those that became old, how many died. In bytes, or in samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Births {
    /// Alive, born in the first half of the time.
    pub early: f64,
    /// Alive, born in the third quarter.
    pub middle: f64,
    /// Alive, born in the last quarter, by quarters of that: the youngest first.
    pub last: [f64; 4],
    /// Alive, born after the time.
    pub after: f64,
    /// Died after they had lived for half of the time.
    pub died_old: f64,
    /// Died after their first collection, nobody knows when: it may have been after half of the time.
    pub died_some_time: f64,
    /// Died before that, after their first collection and after a sixteenth of the time for all that is known.
    pub died_later: f64,
    /// Died after their first collection, within a sixteenth of the time.
    pub died_soon: f64,
    /// Died before their first collection, after a sixteenth of the time for all that is known: collections are far apart.
    pub died_unseen: f64,
    /// Of these, those that may have died after half of the time.
    pub died_unseen_late: f64,
}

impl Births {
    /// Died, and not soon.
    pub(super) fn died(&self) -> f64 {
        self.died_old + self.died_some_time + self.died_later
    }

    /// Alive, born in the last quarter.
    pub fn recent(&self) -> f64 {
        self.last.iter().sum()
    }

    /// All that are alive and were born in the time.
    pub fn living(&self) -> f64 {
        self.early + self.middle + self.recent()
    }

    /// Those alive that were born in the second half.
    pub fn late(&self) -> f64 {
        self.middle + self.recent()
    }

    /// Those that stay of [`Self::late`]: where much more than before came in the last sixteenth of the time, and some die young, that is work
    /// at hand, which comes and goes.
    pub(super) fn staying(&self) -> f64 {
        let [newest, before @ ..] = self.last;
        let before = before.iter().sum::<f64>() / before.len() as f64;
        if newest > AT_HAND * before && self.died_soon + self.died() + self.died_unseen > 0.0 {
            (self.late() - newest) * 8.0 / 7.0
        } else {
            self.late()
        }
    }

    /// Whether after the time that is looked at they come at half the pace of lately, or faster.
    pub(super) fn goes_on(&self, clock: Clock) -> bool {
        self.after / clock.after.max(1.0) >= GOES_ON * self.late() / (clock.whole / 2.0)
    }

    /// Whether all that is alive may be work at hand: it came within a sixteenth of the time, and as many died as young.
    pub(super) fn may_be_at_hand(&self) -> bool {
        self.last[0] >= YOUNG * self.living() && self.died_soon >= self.living()
    }

    /// The largest share of those born in the last quarter that falls into half of it.
    pub(super) fn most_at_once(&self) -> f64 {
        let pairs = self.last.windows(2).map(|pair| pair[0] + pair[1]);
        pairs.fold(0.0, f64::max) / self.recent().max(f64::MIN_POSITIVE)
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.early += other.early;
        self.middle += other.middle;
        self.last.iter_mut().zip(other.last).for_each(|(part, more)| *part += more);
        self.after += other.after;
        self.died_old += other.died_old;
        self.died_some_time += other.died_some_time;
        self.died_later += other.died_later;
        self.died_soon += other.died_soon;
        self.died_unseen += other.died_unseen;
        self.died_unseen_late += other.died_unseen_late;
    }

    pub(super) fn times(&self, factor: f64) -> Self {
        Self {
            early: self.early * factor,
            middle: self.middle * factor,
            last: self.last.map(|part| part * factor),
            after: self.after * factor,
            died_old: self.died_old * factor,
            died_some_time: self.died_some_time * factor,
            died_later: self.died_later * factor,
            died_soon: self.died_soon * factor,
            died_unseen: self.died_unseen * factor,
            died_unseen_late: self.died_unseen_late * factor,
        }
    }

    /// Counts those that were last known alive at an age between these; births within are taken to be spread evenly.
    pub(super) fn alive(&mut self, (from, to): (f64, f64), amount: f64, clock: Clock) {
        let whole = clock.whole;
        let (from, to) = ((from - clock.after).min(whole), (to - clock.after).min(whole));
        let share = |above: f64, below: f64| match to - from {
            0.0 => f64::from(u8::from(above <= from && (from < below || below >= whole))),
            width => (to.min(below) - from.max(above)).max(0.0) / width,
        };
        self.after += amount * share(-clock.after, 0.0);
        let sixteenth = |at: usize| whole / 16.0 * at as f64;
        for (at, part) in self.last.iter_mut().enumerate() {
            *part += amount * share(sixteenth(at), sixteenth(at + 1));
        }
        self.middle += amount * share(whole / 4.0, whole / 2.0);
        self.early += amount * share(whole / 2.0, whole);
    }

    /// Counts those that died at an age between these. What no collection saw alive says nothing of what stays: of objects that are dropped
    /// after a while some are seen, however far apart collections are.
    pub(super) fn dead(&mut self, (after, by): (f64, f64), amount: f64, clock: Clock) {
        let half = clock.whole / 2.0;
        if after > half {
            self.died_old += amount;
        } else if after <= 0.0 {
            self.died_unseen += if by > half / 8.0 { amount } else { 0.0 };
            self.died_unseen_late += if by > half { amount } else { 0.0 };
        } else if by > half {
            self.died_some_time += amount;
        } else if by > half / 8.0 {
            self.died_later += amount;
        } else {
            self.died_soon += amount;
        }
    }

    /// By the lifetimes of a site, in bytes.
    pub(super) fn of_spread(spread: &Spread, clock: Clock) -> Self {
        let mut births = Self::default();
        for ((from, to), load) in spread.living_between() {
            births.alive((from as f64, to as f64), load.bytes as f64, clock);
        }
        for (after, by, load) in spread.dead() {
            births.dead((after as f64, end(after, by) as f64), load.bytes as f64, clock);
        }
        births
    }

    /// By ages of a class, each with its weight.
    pub(super) fn of_ages(ages: &crate::lifetime::ages::Ages, clock: Clock) -> Self {
        let mut births = Self::default();
        for (age, weight) in ages.living() {
            births.alive((age as f64, age as f64), weight as f64, clock);
        }
        for (after, by, weight) in ages.deaths() {
            births.dead((after as f64, end(after, by) as f64), weight as f64, clock);
        }
        births
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_in_a_quiet_end_is_apart() {
        let clock = Clock { whole: 80.0, after: 20.0 };
        let mut births = Births::default();
        for (from, to) in
            [(0.0, 10.0), (20.0, 20.0), (50.0, 50.0), (10.0, 30.0), (90.0, 90.0), (100.0, 100.0)]
        {
            births.alive((from, to), 1.0, clock);
        }
        let last = [1.25, 0.25, 0.0, 0.0];
        let expected = Births { early: 2.0, middle: 1.0, last, after: 1.5, ..Births::default() };
        assert_eq!((births, births.living()), (expected, 4.5));
        let at = |after| Births { after, ..expected }.goes_on(clock);
        assert_eq!([1.5, 0.7, 0.5, 0.0].map(at), [true, true, false, false]);
    }

    /// A batch of four seconds beside what leaks, in a minute: the leak was stated at twice its rate.
    #[test]
    fn work_at_hand_is_no_growth() {
        let leak = Births { early: 8.0, middle: 4.0, last: [1.0; 4], ..Births::default() };
        let with_work = Births { last: [7.0, 1.0, 1.0, 1.0], died_soon: 90.0, ..leak };
        assert_eq!((leak.staying(), with_work.staying()), (8.0, 8.0));
        let faster = Births { died_soon: 0.0, ..with_work };
        assert_eq!(faster.staying(), 14.0, "nothing of it dies");
        let by_chance = Births { last: [1.9, 1.0, 1.0, 1.0], ..with_work };
        assert!((by_chance.staying() - 8.9).abs() < 1e-9);
    }

    /// A listener in five is kept, the others are dropped at once, and collections are five seconds apart in 40 s: "as many may die as are
    /// made" was said of the leak.
    #[test]
    fn garbage_between_collections_that_are_far_apart_is_nothing_that_became_old() {
        let clock = Clock { whole: 40.0, after: 0.0 };
        let mut births = Births::default();
        births.dead((0.0, 5.0), 16_000.0, clock);
        births.dead((0.0, 25.0), 900.0, clock);
        assert_eq!((births.died(), births.died_soon, births.died_unseen), (0.0, 0.0, 16_900.0));
        births.dead((2.0, 7.0), 3.0, clock);
        births.dead((2.0, 25.0), 4.0, clock);
        assert_eq!((births.died_later, births.died_some_time), (3.0, 4.0), "a collection saw them alive");
    }
}
