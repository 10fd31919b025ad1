//! The trust line: how much of what the JVM allocated this profile saw, and what it missed.

use serde::{Deserialize, Serialize};

use crate::facts::estimate::Estimate;
use crate::facts::following::Following;

/// The cause of what was allocated before counting began, where the agent was there from the launch on.
pub const AT_START_UP: &str = "before counting began (JVM start-up)";

/// How a profile's counts stand to the JVM's own counter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trust {
    /// Bytes this profile counted, filters aside, since the agent was loaded.
    pub accounted_bytes: u64,
    /// Bytes all threads allocated by the JVM's own counters since the JVM started; `None` if it has no counter.
    pub jvm_allocated_bytes: Option<u64>,
    /// The difference by cause. Negative where more was counted than allocated (scalar replacement).
    pub remainder: Vec<Remainder>,
    /// Methods and classes left unrewritten.
    pub refusals: Vec<Refusals>,
    /// Objects that should have been tracked and were not.
    pub dropped: Vec<Dropped>,
    /// Mean bytes between the samples that estimates rest on; `None` if the JVM did not sample for us.
    pub sample_interval: Option<u64>,
    /// How closely tracked objects were followed.
    pub following: Following,
    /// What profiling itself cost.
    pub cost: OwnCost,
}

/// A part of the difference between the JVM's counter and ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remainder {
    /// In words, e.g. `before the agent could count`.
    pub cause: String,
    /// Bytes the JVM counted and we did not.
    pub bytes: i64,
    /// Standard error in bytes if the number is estimated; `None`: it is exact.
    pub error_bytes: Option<u64>,
    /// Whether the cause is known; `false` for what is left when all known causes are taken off.
    pub named: bool,
}

impl Remainder {
    /// A part that is known exactly.
    pub fn exact(cause: &str, bytes: i64) -> Self {
        Self { cause: cause.into(), bytes, error_bytes: None, named: true }
    }

    /// A part that samples tell of.
    pub fn estimated(cause: &str, estimate: Estimate) -> Self {
        let bytes = i64::try_from(estimate.bytes()).unwrap_or(i64::MAX);
        Self { cause: cause.into(), bytes, error_bytes: Some(estimate.error_bytes()), named: true }
    }

    /// Whether both have one cause: named, or not.
    pub(crate) fn is_of_cause(&self, other: &Self) -> bool {
        (&self.cause, self.named) == (&other.cause, other.named)
    }
}

/// Methods left as they were, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusals {
    /// In words, e.g. `method would pass 64 KB`.
    pub reason: String,
    /// How many.
    pub methods: u64,
}

/// Objects whose tracking was given up, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// In words, e.g. `memory limit`.
    pub cause: String,
    /// How many; 0 if nobody knows.
    pub objects: u64,
}

/// The profiler's own cost in the target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCost {
    /// CPU time of the agent's own threads, in milliseconds.
    pub cpu_ms: u64,
    /// Native memory the agent holds, in bytes.
    pub native_bytes: u64,
    /// Time spent rewriting classes, in milliseconds.
    pub rewrite_ms: u64,
}

impl Trust {
    /// Accounted ÷ allocated; `None` without a counter or before anything was allocated.
    pub fn share(&self) -> Option<f64> {
        self.jvm_allocated_bytes
            .filter(|&bytes| bytes > 0)
            .map(|bytes| self.accounted_bytes as f64 / bytes as f64)
    }

    /// Objects that were dropped, for whatever cause, as far as their number is known.
    pub fn dropped_objects(&self) -> u64 {
        self.dropped.iter().map(|dropped| dropped.objects).fold(0, u64::saturating_add)
    }

    /// The most bytes that the JIT can have removed of all classes: the JVM's counter would be lower still. `None` where that is not
    /// known: without a counter, and where more was allocated than was counted and explained, which may hide what was removed.
    pub fn most_removed_bytes(&self) -> Option<u64> {
        self.jvm_allocated_bytes?;
        self.remainder.iter().find_map(|part| {
            let chance = part.error_bytes?.saturating_mul(3);
            let is_the_rest = part.bytes < 0 || (!part.named && part.bytes.unsigned_abs() <= chance);
            is_the_rest.then(|| part.bytes.min(0).unsigned_abs().saturating_add(chance))
        })
    }

    /// Share of the JVM's bytes that is counted, or in the remainder under a known cause.
    pub fn named_share(&self) -> Option<f64> {
        let allocated = self.jvm_allocated_bytes.filter(|&bytes| bytes > 0)?;
        let named: i128 =
            self.remainder.iter().filter(|part| part.named).map(|part| i128::from(part.bytes)).sum();
        let missing = i128::from(allocated) - i128::from(self.accounted_bytes) - named;
        Some(1.0 - missing.max(0) as f64 / allocated as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_was_removed_than_the_counter_of_the_jvm_lets_be_missing() {
        let most = |bytes: i64, named: bool, jvm_allocated_bytes: Option<u64>| {
            let rest = Remainder { cause: "the rest".into(), bytes, error_bytes: Some(100), named };
            let remainder = vec![Remainder::exact("before counting began", 5_000), rest];
            Trust { jvm_allocated_bytes, remainder, ..Trust::default() }.most_removed_bytes()
        };
        assert_eq!(most(-40, false, Some(9_000)), Some(340), "chance");
        assert_eq!(most(250, false, Some(9_000)), Some(300), "chance, too");
        assert_eq!(most(-2_000, true, Some(9_000)), Some(2_300), "removed for sure");
        assert_eq!(most(2_000, false, Some(9_000)), None, "not explained: what was removed may be in it");
        assert_eq!(most(2_000, true, Some(9_000)), None, "stacks of virtual threads: as before");
        assert_eq!(most(-40, false, None), None, "no counter");
        assert_eq!(Trust::default().most_removed_bytes(), None);
    }
}
