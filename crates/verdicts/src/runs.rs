//! What runs of one side say of one number.

/// Runs of a side from which on the spread from run to run is known at all.
pub(crate) const REPLICATES: usize = 3;

/// What the runs of one side say of one number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    /// One for each run.
    pub(crate) values: Vec<f64>,
    /// The mean variance that sampling gives one value.
    pub(crate) sampling: f64,
}

impl Runs {
    pub(crate) fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / (self.values.len() as f64).max(1.0)
    }

    /// The least and the most.
    pub(crate) fn range(&self) -> (f64, f64) {
        let values = || self.values.iter().copied();
        (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max))
    }

    /// Variance of a run as the runs spread; 0 of one alone.
    pub(crate) fn spread(&self) -> f64 {
        let (count, mean) = (self.values.len() as f64, self.mean());
        let squares: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        if self.values.len() > 1 { squares / (count - 1.0) } else { 0.0 }
    }

    /// Variance of a run: as the runs spread, and no less than sampling gives.
    pub(crate) fn variance(&self) -> f64 {
        self.spread().max(self.sampling)
    }

    pub(crate) fn is_replicated(&self) -> bool {
        self.values.len() >= REPLICATES
    }
}

/// What no run of a side has may have escaped its samples, by no more than the samples of the other side are off, where each run has it: were
/// there no difference, this side would have it as they do.
pub(crate) fn either_known([mut before, mut after]: [Runs; 2]) -> [Runs; 2] {
    let bound = |one: &mut Runs, other: &Runs| {
        if one.values.iter().all(|&value| value == 0.0) && other.values.iter().all(|&value| value > 0.0) {
            one.sampling = one.sampling.min(other.sampling);
        }
    };
    bound(&mut before, &after);
    bound(&mut after, &before);
    [before, after]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::significance::chance;

    /// A method of a search server, per operation: one rare array elsewhere stands for 135 MB, and might have been made here, too.
    #[test]
    fn what_vanished_is_as_sure_as_what_was_there() {
        let before = Runs { values: vec![73_275.0, 73_221.0, 72_678.0], sampling: 2.456e6 };
        let after = Runs { values: vec![0.0; 3], sampling: 3.393e8 };
        assert!(chance(&before, &after) > 0.01);
        let [known, gone] = either_known([before.clone(), after.clone()]);
        assert!(chance(&known, &gone) < 1e-3);
        let [new, known] = either_known([after.clone(), before.clone()]);
        assert!(chance(&new, &known) < 1e-3, "nor is what is new less sure");
        // A run that has none of it either says that it may escape.
        let rare = Runs { values: vec![73_275.0, 0.0, 72_678.0], ..before };
        assert_eq!(either_known([rare, after])[1].sampling, 3.393e8);
    }
}
