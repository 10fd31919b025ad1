//! Lifetimes of a class's tracked objects by three clocks.
//!
//! Not here: how intervals are kept (`ages`), what is estimated from them (`survival`).

use serde::{Deserialize, Serialize};

use crate::lifetime::ages::Ages;
use crate::lifetime::cohorts::Cohorts;
use crate::lifetime::survival::{Quantile, Survival};

/// Births and collections are stamped by the kernel's coarse clock, whose ticks are 1 to 4 ms apart (`CONFIG_HZ`).
const CLOCK_STEP_MS: f64 = 4.0;

/// What is known of the lifetimes of tracked objects, dead and living, by three clocks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lifetimes {
    /// In milliseconds.
    pub ms: Ages,
    /// In collections: an object gone at its first one died in `(0, 1]`; it survived one less than where it died.
    pub gcs: Ages,
    /// In bytes allocated by the whole JVM.
    pub bytes: Ages,
    /// Of the dead, how many died at the first GC after their birth.
    pub died_before_first_gc: u64,
    /// How many of them are independent of each other.
    pub cohorts: Cohorts,
}

/// Ages as in [`Lifetimes`], each object weighted by its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByteAges {
    /// In milliseconds.
    pub ms: Ages,
    /// In collections.
    pub gcs: Ages,
    /// In bytes allocated by the whole JVM.
    pub bytes: Ages,
}

impl ByteAges {
    /// Adds all that `other` knows.
    pub fn merge(&mut self, other: &Self) {
        self.ms.merge(&other.ms);
        self.gcs.merge(&other.gcs);
        self.bytes.merge(&other.bytes);
    }
}

impl Lifetimes {
    /// The same; where none died, those of one age are taken for one object: each may be a sample that stands for hundreds, of which only the dead
    /// tell.
    pub fn with_ages_for_objects(&self) -> Self {
        let ages = || self.ms.living().map(|(_, weight)| weight);
        let cohorts = if self.ms.dead() == 0 { Cohorts::of(ages()) } else { self.cohorts };
        Self { cohorts, ..self.clone() }
    }

    /// Notes that objects of this weight were born and died together.
    pub fn record_cohort(&mut self, weight: u64) {
        self.cohorts.record(weight);
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.ms.is_empty()
    }

    /// Adds all that `other` knows.
    pub fn merge(&mut self, other: &Self) {
        self.ms.merge(&other.ms);
        self.gcs.merge(&other.gcs);
        self.bytes.merge(&other.bytes);
        self.died_before_first_gc = self.died_before_first_gc.saturating_add(other.died_before_first_gc);
        self.cohorts.merge(other.cohorts);
    }

    /// The estimated lifetimes in milliseconds; `None` if nothing is known.
    pub fn in_time(&self) -> Option<Survival> {
        Survival::of(&self.ms, self.cohorts).map(|survival| survival.with_clock_step(CLOCK_STEP_MS))
    }

    /// The estimated lifetimes in bytes allocated meanwhile; `None` if nothing is known.
    pub fn in_bytes(&self) -> Option<Survival> {
        Survival::of(&self.bytes, self.cohorts)
    }

    /// The estimated lifetimes in collections, of which the last one found them dead; `None` if nothing is known.
    pub fn in_gcs(&self) -> Option<Survival> {
        Survival::of(&self.gcs, self.cohorts)
    }

    /// The number of collections that a share `q` (above 0, below 1) survives at most, whole; `None` if nothing is known.
    pub fn gcs_survived(&self, q: f64) -> Option<Quantile> {
        let gone_at = self.in_gcs()?.quantile(q);
        // Gone at the first one: survived none.
        let survived = |ordinal: f64| (ordinal.ceil() - 1.0).max(0.0);
        Some(Quantile {
            point: gone_at.point.map(survived),
            low: gone_at.low.floor(),
            high: gone_at.high.map(survived),
        })
    }

    /// Share (0 to 1) of the dead that died at the first GC after their birth; `None` if none died.
    pub fn died_before_first_gc_share(&self) -> Option<f64> {
        let dead = self.ms.dead();
        (dead > 0).then(|| self.died_before_first_gc as f64 / dead as f64)
    }
}
