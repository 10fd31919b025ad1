//! Whether two sides differ by more than chance: t-tests, and what many tests at once leave of their results.
//!
//! Not here: where the variances come from (`compared`), and lifetimes (`lifetimes`).

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

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

    /// Variance of a run: as the runs spread, and no less than sampling gives.
    pub(crate) fn variance(&self) -> f64 {
        let (count, mean) = (self.values.len() as f64, self.mean());
        let squares: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        let spread = if self.values.len() > 1 { squares / (count - 1.0) } else { 0.0 };
        spread.max(self.sampling)
    }

    fn variance_of_mean(&self) -> f64 {
        self.variance() / self.values.len() as f64
    }

    fn is_replicated(&self) -> bool {
        self.values.len() >= REPLICATES
    }
}

/// The chance of a difference as large as this between runs of one and the same program.
///
/// Welch's t-test if both sides have three runs or more. Otherwise only the error of sampling is known, and the spread from run
/// to run is not in it.
pub(crate) fn chance(before: &Runs, after: &Runs) -> f64 {
    let difference = after.mean() - before.mean();
    if difference == 0.0 || before.values.is_empty() || after.values.is_empty() {
        return 1.0;
    }
    let variances = [before, after].map(Runs::variance_of_mean);
    let variance = variances[0] + variances[1];
    if variance <= 0.0 {
        return 0.0;
    }
    let deviations = difference.abs() / variance.sqrt();
    if !(before.is_replicated() && after.is_replicated()) {
        return Normal::standard().sf(deviations) * 2.0;
    }
    let share = |variance: f64, runs: &Runs| variance * variance / (runs.values.len() as f64 - 1.0);
    let freedom = variance * variance / (share(variances[0], before) + share(variances[1], after));
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |law| law.sf(deviations) * 2.0)
}

/// The same where both sides spread alike: Student's t-test, which makes more of few runs.
pub(crate) fn chance_of_equal_spreads(before: &Runs, after: &Runs) -> f64 {
    let [a, b] = [before, after].map(|runs| runs.values.len() as f64);
    let freedom = a + b - 2.0;
    let variance = ((a - 1.0) * before.variance() + (b - 1.0) * after.variance()) / freedom;
    if variance <= 0.0 || freedom < 1.0 {
        return chance(before, after);
    }
    let deviations = (after.mean() - before.mean()).abs() / (variance * (1.0 / a + 1.0 / b)).sqrt();
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |law| law.sf(deviations) * 2.0)
}

/// Of each chance the rate of false alarms among all that are no larger (Benjamini and Hochberg, JRSS B 57, 1995).
pub fn false_discovery_rates(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&a, &b| chances[a].total_cmp(&chances[b]));
    let (mut rates, mut least) = (vec![1.0; chances.len()], 1.0_f64);
    for (rank, &at) in order.iter().enumerate().rev() {
        least = least.min(chances[at] * chances.len() as f64 / (rank + 1) as f64);
        rates[at] = least;
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(values: &[f64]) -> Runs {
        Runs { values: values.to_vec(), sampling: 0.0 }
    }

    #[test]
    fn welchs_test_is_that_of_the_books() {
        // t = -1.5492, 4 degrees of freedom by equal variances: two-sided 0.1963.
        let chance = chance(&runs(&[1.0, 2.0, 3.0]), &runs(&[2.265, 3.265, 4.265]));
        assert!((chance - 0.196).abs() < 0.002, "{chance}");
    }

    #[test]
    fn single_runs_are_as_sure_as_their_samples() {
        let sampled = |value: f64| Runs { values: vec![value], sampling: 50.0 };
        // Ten apart, by a deviation of ten: 1.0 of a normal law.
        assert!((chance(&sampled(100.0), &sampled(110.0)) - 0.3173).abs() < 1e-3);
        assert_eq!(chance(&sampled(100.0), &sampled(100.0)), 1.0);
    }

    #[test]
    fn rates_are_benjamini_and_hochbergs() {
        let rates = false_discovery_rates(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.02, 0.04, 0.04, 0.02];
        assert!(rates.iter().zip(expected).all(|(rate, wanted)| (rate - wanted).abs() < 1e-12), "{rates:?}");
    }
}
