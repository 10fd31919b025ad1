//! How many independent objects those are worth that were born and died together.
//!
//! Not here: which objects form a group, which is the ledger's (`mayfly-tracking`).

use serde::{Deserialize, Serialize};

/// Weights of groups of objects that were born and died together, which say little more than one object would.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cohorts {
    weight: f64,
    squares: f64,
}

impl Cohorts {
    /// Kish's effective sample size per unit of weight, (Σw)²/Σw² ÷ Σw: 1 where every object stands for itself.
    pub fn effective_share(&self) -> f64 {
        if self.squares > 0.0 { (self.weight / self.squares).clamp(f64::MIN_POSITIVE, 1.0) } else { 1.0 }
    }

    /// Of groups with these weights.
    pub(crate) fn of(weights: impl Iterator<Item = u64>) -> Self {
        let mut all = Self::default();
        weights.for_each(|weight| all.record(weight));
        all
    }

    /// Adds a group of this weight.
    pub(crate) fn record(&mut self, weight: u64) {
        let weight = weight as f64;
        self.weight += weight;
        self.squares += weight * weight;
    }

    /// Adds the groups of `other`.
    pub(crate) fn merge(&mut self, other: Self) {
        self.weight += other.weight;
        self.squares += other.squares;
    }

    /// Those noted since it was `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            weight: (self.weight - before.weight).max(0.0),
            squares: (self.squares - before.squares).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_that_die_together_count_as_few() {
        let mut cohorts = Cohorts::default();
        assert_eq!(cohorts.effective_share(), 1.0);
        (0..10).for_each(|_| cohorts.record(1));
        assert_eq!(cohorts.effective_share(), 1.0);
        // (10 + 90)² ÷ (10 + 8100) of 100 objects.
        cohorts.record(90);
        assert!((cohorts.effective_share() - 100.0 / 8110.0).abs() < 1e-12);
    }
}
