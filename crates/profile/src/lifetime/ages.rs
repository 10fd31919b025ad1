//! What is known of ages at death on one clock: a multiset of intervals, in bounded memory.
//!
//! Deaths are noticed at collections only, so no age at death is known, but an interval it lies in; of the living only
//! that they died at no age up to the last at which they were seen. Not here: what follows from that (`survival`).

use serde::{Deserialize, Serialize};

use crate::lifetime::cells;
use crate::lifetime::grid::{TOP, step_up, value_of};

/// Different intervals kept; above it, all become coarser.
const MOST_INTERVALS: usize = 512;
/// At this coarseness fewer than [`MOST_INTERVALS`] intervals exist.
const COARSEST: u8 = 5;

/// Ages on one clock: intervals `(after, by]` of the dead, and ages at which the living were last known alive.
///
/// All ages are rounded up to steps of at most 6.25 %; beyond 512 different intervals the steps double in width as often as
/// needed. Both bounds are rounded alike: had `after` been rounded down, intervals of objects looked at within one step
/// would overlap there, and an estimate of maximum likelihood would draw all mass into the overlaps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Ages {
    /// Bounds of the dead are rounded up to multiples of 2^this many steps (or to the top step).
    coarseness: u8,
    /// (after, by, weight): steps with after < by, strictly ascending.
    deaths: Vec<(u16, u16, u64)>,
    /// (age, weight), steps strictly ascending.
    living: Vec<(u16, u64)>,
}

impl Ages {
    /// Counts `weight` objects known alive at age `after` (0: at none) and gone at age `by`.
    pub fn record_deaths(&mut self, after: u64, by: u64, weight: u64) {
        if weight > 0 {
            self.add_deaths(step_up(after), step_up(by), weight);
        }
    }

    /// Counts `weight` objects of which nothing later is known than that they were alive at this age.
    pub fn record_living(&mut self, age: u64, weight: u64) {
        if weight > 0 {
            self.add_living(step_up(age), weight);
        }
    }

    fn add_living(&mut self, age: u16, weight: u64) {
        match self.living.binary_search_by_key(&age, |&(step, _)| step) {
            Ok(at) => self.living[at].1 = self.living[at].1.saturating_add(weight),
            Err(at) => self.living.insert(at, (age, weight)),
        }
    }

    /// Forgets the living, to count them again.
    pub fn forget_living(&mut self) {
        self.living.clear();
    }

    /// Adds all that `other` knows.
    pub fn merge(&mut self, other: &Self) {
        self.coarsen(self.coarseness.max(other.coarseness));
        if other.coarseness < self.coarseness {
            let mut other = other.clone();
            other.coarsen(self.coarseness);
            self.add_all(&other);
        } else {
            self.add_all(other);
        }
    }

    /// Adds all that `other` knows, whose bounds are rounded alike.
    fn add_all(&mut self, other: &Self) {
        let bounds = |&(after, by, _): &(u16, u16, u64)| (after, by);
        cells::add_all(&mut self.deaths, &other.deaths, bounds, |cell, (_, _, weight)| {
            cell.2 = cell.2.saturating_add(weight);
        });
        cells::add_all(
            &mut self.living,
            &other.living,
            |cell| cell.0,
            |cell, (_, weight)| {
                cell.1 = cell.1.saturating_add(weight);
            },
        );
        self.coarsen_to_the_most_kept();
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.deaths.is_empty() && self.living.is_empty()
    }

    /// Number of different intervals and ages.
    pub(crate) fn len(&self) -> usize {
        self.deaths.len() + self.living.len()
    }

    /// Weight of all the dead.
    pub fn dead(&self) -> u64 {
        self.deaths.iter().fold(0, |sum, &(_, _, weight)| sum.saturating_add(weight))
    }

    /// The dead as (after, by, weight), ascending: within what was rounded to their bounds; `by` is `u64::MAX` where it is
    /// not known.
    pub fn deaths(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.deaths.iter().map(|&(after, by, weight)| (self.least(after), value_of(by), weight))
    }

    /// The living as (age, weight), ascending: at least so old.
    pub fn living(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.living
            .iter()
            .map(|&(age, weight)| (value_of(age.saturating_sub(1)) + u64::from(age > 0), weight))
    }

    /// What is left of them if `takes` decides by the bounds that [`Self::deaths`] and [`Self::living`] give.
    pub(crate) fn filtered(mut self, takes: impl Fn(u64, Option<u64>) -> bool) -> Self {
        let end = |after: u64, by: u64| if by == u64::MAX { after } else { by };
        let dead: Vec<bool> =
            self.deaths().map(|(after, by, _)| takes(after, Some(end(after, by)))).collect();
        let living: Vec<bool> = self.living().map(|(age, _)| takes(age, None)).collect();
        let mut dead = dead.into_iter();
        self.deaths.retain(|_| dead.next().unwrap_or_default());
        let mut living = living.into_iter();
        self.living.retain(|_| living.next().unwrap_or_default());
        self
    }

    /// What was counted since `earlier`, which is what was known then; the living are those of now.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        let mut before = earlier.clone();
        self.coarsen(self.coarseness.max(before.coarseness));
        before.coarsen(self.coarseness);
        for (after, by, weight) in before.deaths {
            if let Ok(at) = self.deaths.binary_search_by_key(&(after, by), |&(after, by, _)| (after, by)) {
                self.deaths[at].2 = self.deaths[at].2.saturating_sub(weight);
            }
        }
        self.deaths.retain(|&(_, _, weight)| weight > 0);
        self
    }

    /// The least age that was rounded to a step.
    fn least(&self, step: u16) -> u64 {
        if step == 0 { 0 } else { self.rounded_to(step).0 + 1 }
    }

    /// All that is known as intervals of steps with weights; nobody living has an upper bound.
    pub(crate) fn intervals(&self) -> impl Iterator<Item = (u16, Option<u16>, u64)> + '_ {
        let dead = self.deaths.iter().map(|&(after, by, weight)| (after, (by < TOP).then_some(by), weight));
        let rounded = |age: u16| age.next_multiple_of(1 << self.coarseness).min(TOP);
        dead.chain(self.living.iter().map(move |&(age, weight)| (rounded(age), None, weight)))
    }

    /// The ages that were rounded to a step: all above the first up to and with the second.
    pub(crate) fn rounded_to(&self, step: u16) -> (u64, u64) {
        let unit = 1 << self.coarseness;
        (value_of(step.saturating_sub(1) / unit * unit), value_of(step))
    }

    fn add_deaths(&mut self, after: u16, by: u16, weight: u64) {
        let (after, by) = rounded(self.coarseness, after, by);
        match self.deaths.binary_search_by_key(&(after, by), |&(after, by, _)| (after, by)) {
            Ok(at) => self.deaths[at].2 = self.deaths[at].2.saturating_add(weight),
            Err(at) => self.deaths.insert(at, (after, by, weight)),
        }
        self.coarsen_to_the_most_kept();
    }

    fn coarsen_to_the_most_kept(&mut self) {
        while self.deaths.len() > MOST_INTERVALS && self.coarseness < COARSEST {
            self.coarsen(self.coarseness + 1);
        }
    }

    fn coarsen(&mut self, coarseness: u8) {
        if coarseness == self.coarseness {
            return;
        }
        self.coarseness = coarseness;
        for (after, by, _) in &mut self.deaths {
            (*after, *by) = rounded(coarseness, *after, *by);
        }
        self.deaths.sort_unstable();
        self.deaths.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 = if same { kept.2.saturating_add(next.2) } else { kept.2 };
            same
        });
    }
}

/// The bounds rounded up to multiples of 2^`coarseness`, one apart at least: between equal ones is the step below them.
pub(crate) fn rounded(coarseness: u8, after: u16, by: u16) -> (u16, u16) {
    let unit = 1 << coarseness;
    let up = |step: u16| step.next_multiple_of(unit).min(TOP);
    // Such a unit may be above the top.
    let by = up(by).max(unit.min(TOP));
    (up(after).min((by - 1) / unit * unit), by)
}

/// [`Ages`] as they are written: small numbers, which take few bytes.
#[derive(Serialize, Deserialize)]
struct Packed {
    coarseness: u8,
    /// (after minus the previous after, by minus after, weight).
    deaths: Vec<(u16, u16, u64)>,
    /// (age minus the previous age, weight).
    living: Vec<(u16, u64)>,
}

impl From<Ages> for Packed {
    fn from(ages: Ages) -> Self {
        let (mut last_after, mut last_age) = (0, 0);
        let since = |last: &mut u16, step: u16| step - std::mem::replace(last, step);
        Self {
            coarseness: ages.coarseness,
            deaths: ages
                .deaths
                .iter()
                .map(|&(after, by, weight)| (since(&mut last_after, after), by - after, weight))
                .collect(),
            living: ages.living.iter().map(|&(age, weight)| (since(&mut last_age, age), weight)).collect(),
        }
    }
}

impl TryFrom<Packed> for Ages {
    type Error = &'static str;

    fn try_from(packed: Packed) -> Result<Self, Self::Error> {
        const FAULT: &str = "ages out of order or out of range";
        let Packed { coarseness, mut deaths, mut living } = packed;
        let (mut last_after, mut last_age) = (0u16, 0u16);
        // In place: a recording has millions.
        for (after, by, _) in &mut deaths {
            last_after = last_after.checked_add(*after).ok_or(FAULT)?;
            (*after, *by) = (last_after, last_after.checked_add(*by).ok_or(FAULT)?);
        }
        for (age, _) in &mut living {
            last_age = last_age.checked_add(*age).ok_or(FAULT)?;
            *age = last_age;
        }
        let ages = Self { coarseness, deaths, living };
        if ages.is_sound() { Ok(ages) } else { Err(FAULT) }
    }
}

impl Ages {
    fn is_sound(&self) -> bool {
        let on_grid = |&(after, by, weight): &(u16, u16, u64)| {
            after < by && by <= TOP && weight > 0 && rounded(self.coarseness, after, by) == (after, by)
        };
        self.coarseness <= COARSEST
            && self.deaths.iter().all(on_grid)
            && self.deaths.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1))
            && self.living.iter().all(|&(age, weight)| age <= TOP && weight > 0)
            && self.living.windows(2).all(|pair| pair[0].0 < pair[1].0)
    }
}
