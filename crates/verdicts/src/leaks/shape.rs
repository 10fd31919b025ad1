//! When those that are alive were born, and whether those that got old still die: what a leak looks like on any clock.
//!
//! A cache that is full, a pool and class initialisation bring no young survivors any more; of a session table, a cache that
//! throws out its oldest, and a batch, none are old. A leak has survivors of every age, and the old ones no longer die.

use super::suspicion::Suspicion;

/// Objects of each age from which on something can be said.
const LEAST: f64 = 4.0;
/// Lately, survivors have to be born at this share of the pace of the time before.
const STILL: f64 = 0.3;
/// Those of the first half, by this share of the pace since.
const EARLY: f64 = 0.05;
/// Of a site, whose ages are coarse and whose clocks are filled by others, so few of all are as good as none.
const NONE: f64 = 0.01;

/// Of those alive at the end, how many were born when; of those that reached half of the time, how many died later.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    /// Alive, born in the last quarter of the time.
    pub recent: f64,
    /// Alive, born in the third quarter.
    pub middle: f64,
    /// Alive, born in the first half.
    pub early: f64,
    /// Died after they had lived for half of the time.
    pub died_old: f64,
}

impl Shape {
    /// Of a time of length `whole`, from the living as (age, number) and the dead as (alive at this age, number).
    pub fn of(
        whole: f64,
        living: impl Iterator<Item = (u64, u64)>,
        dead: impl Iterator<Item = (u64, u64)>,
    ) -> Self {
        let mut shape = Self::default();
        for (age, number) in living {
            let part = match age as f64 / whole {
                share if share > 0.5 => &mut shape.early,
                share if share > 0.25 => &mut shape.middle,
                _ => &mut shape.recent,
            };
            *part += number as f64;
        }
        shape.died_old =
            dead.filter(|&(age, _)| age as f64 > 0.5 * whole).map(|(_, number)| number as f64).sum();
        shape
    }

    /// Share of the living that were born in the second half: what growth there was lately.
    pub fn late_share(&self) -> f64 {
        let all = self.recent + self.middle + self.early;
        if all > 0.0 { (self.recent + self.middle) / all } else { 0.0 }
    }

    /// Whether hardly any is alive that was born in the first half.
    pub fn has_begun_lately(&self) -> bool {
        self.early < NONE * (self.middle + self.recent)
    }

    /// Whether hardly any is alive that was born in the last quarter, for those of the quarter before.
    pub fn has_stopped(&self) -> bool {
        self.recent < STILL * self.middle
    }

    /// What follows; one object that was followed stands for `weight`.
    pub fn suspicion(&self, weight: f64) -> Suspicion {
        let harmless = |why: &str| Suspicion::Harmless(why.to_owned());
        let unsure = |why: &str| Suspicion::Unsure(why.to_owned());
        let least = LEAST * weight;
        if self.early < least.max(EARLY * 2.0 * self.middle) {
            return harmless("of those born in the first half hardly any is alive");
        }
        if self.has_stopped() || self.recent < weight {
            return harmless("it stopped growing");
        }
        if self.middle < least || self.recent < least {
            return unsure("too few were followed that survive");
        }
        if self.died_old > self.early {
            return unsure("of those that got old, more died than are alive");
        }
        Suspicion::Leak
    }
}
