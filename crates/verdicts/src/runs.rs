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
