//! Whether two sides differ by more than chance: t-tests, and what many tests at once leave of their results.
//!
//! Not here: where the variances come from (`compared`), and lifetimes (`lifetimes`).

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::runs::{REPLICATES, Runs};
use crate::spread::Expected;

/// No chance is told to be less: no law of errors holds so far out.
pub(crate) const LEAST_CHANCE: f64 = 1e-9;
/// How often a difference is to be found.
const POWER: f64 = 0.8;
/// More runs are not asked for.
const MOST_RUNS: usize = 100;

/// The chance of a difference as large as this between runs of one and the same program, where so much is expected of their spread.
///
/// Welch's t-test if both sides have three runs or more. Otherwise only the error of sampling is known, and the spread from run
/// to run is not in it. No chance is told to be less than [`LEAST_CHANCE`].
pub(crate) fn chance_given(before: &Runs, after: &Runs, expected: Expected) -> f64 {
    let difference = after.mean() - before.mean();
    if difference == 0.0 || before.values.is_empty() || after.values.is_empty() {
        return 1.0;
    }
    let sides = [before, after];
    let known = sides.map(|runs| expected.moderated(runs));
    let [a, b] = [0, 1].map(|at: usize| known[at].0 / sides[at].values.len() as f64);
    let variance = a + b;
    if variance <= 0.0 {
        return LEAST_CHANCE;
    }
    let deviations = difference.abs() / variance.sqrt();
    let chance = if before.is_replicated() && after.is_replicated() {
        let freedom = variance * variance / (a * a / known[0].1 + b * b / known[1].1);
        StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |law| law.sf(deviations) * 2.0)
    } else {
        Normal::standard().sf(deviations) * 2.0
    };
    chance.max(LEAST_CHANCE)
}

/// The same where nothing is expected.
pub(crate) fn chance(before: &Runs, after: &Runs) -> f64 {
    chance_given(before, after, Expected::default())
}

/// Runs of each side that would show such a difference in four of five cases, if they spread as these do and no chance above `level`
/// counts; `None`: there is none.
pub(crate) fn runs_needed(before: &Runs, after: &Runs, expected: Expected, level: f64) -> Option<usize> {
    let difference = (after.mean() - before.mean()).abs();
    let variance: f64 = [before, after].map(|runs| expected.moderated(runs).0).iter().sum();
    let per_run = difference / variance.sqrt();
    if !per_run.is_normal() {
        return None;
    }
    let enough = |count: usize| {
        let freedom = 2.0 * (count as f64 - 1.0) + 2.0 * expected.freedom;
        let law = StudentsT::new(0.0, 1.0, freedom.max(1.0)).ok()?;
        let wanted = law.inverse_cdf(1.0 - level / 2.0) + law.inverse_cdf(POWER);
        Some(per_run * (count as f64).sqrt() >= wanted)
    };
    // Of as many as there are it was not seen.
    let more = before.values.len().max(after.values.len()) + 1;
    (REPLICATES.max(more)..=MOST_RUNS).find(|&count| enough(count) == Some(true))
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

/// Of each chance the rate of false alarms among all that are no larger (Benjamini and Hochberg, JRSS B 57, 1995), each with a weight, 1 on
/// average (Genovese, Roeder, Wasserman, Biometrika 93, 2006). No rate is less than the chance.
pub(crate) fn false_discovery_rates(chances: &[f64], weights: &[f64]) -> Vec<f64> {
    let weighted: Vec<f64> = chances.iter().zip(weights).map(|(chance, weight)| chance / weight).collect();
    let mut order: Vec<usize> = (0..weighted.len()).collect();
    order.sort_by(|&a, &b| weighted[a].total_cmp(&weighted[b]));
    let (mut rates, mut least) = (vec![1.0; chances.len()], 1.0_f64);
    for (rank, &at) in order.iter().enumerate().rev() {
        least = least.min(weighted[at] * chances.len() as f64 / (rank + 1) as f64);
        rates[at] = least.max(chances[at]);
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
        let rates = false_discovery_rates(&[0.01, 0.04, 0.03, 0.005], &[1.0; 4]);
        let expected = [0.02, 0.04, 0.04, 0.02];
        assert!(rates.iter().zip(expected).all(|(rate, wanted)| (rate - wanted).abs() < 1e-12), "{rates:?}");
    }
}
