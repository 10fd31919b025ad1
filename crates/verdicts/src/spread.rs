//! What rows tell of each other's spread from run to run: three runs say little of one row, and much of hundreds.
//!
//! A row's variance is expected to be that of its samples and a common relative spread of runs. How far rows keep to this is fitted
//! (moderated variances; G. K. Smyth, Linear models and empirical Bayes methods, 2004): where they are alike, a row's own spread counts
//! as if it had been seen in more runs. Where they are not, it counts as it is. Not here: the tests (`significance`).

use statrs::function::gamma::digamma;

use crate::runs::{REPLICATES, Runs};

/// Fewer rows tell nothing of each other.
const LEAST_ROWS: usize = 10;
/// More is not made of other rows, in runs: they share what happened in a run.
const MOST_FREEDOM: f64 = 12.0;
/// Variances that differ from what is expected by more than this, up or down, count as this.
const FARTHEST: f64 = 1e4;

/// What is expected of a row's spread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Expected {
    /// As sure as so many degrees of freedom; 0: nothing is.
    pub(crate) freedom: f64,
    /// How many times the plain expectation variances are.
    times: f64,
    /// Square of the relative spread that runs have in common.
    relative: f64,
}

impl Expected {
    /// By the sides of all rows, each of three runs or more.
    pub(crate) fn of(sides: &[&Runs]) -> Self {
        let known: Vec<&Runs> = sides
            .iter()
            .copied()
            .filter(|runs| runs.values.len() >= REPLICATES && runs.mean() > 0.0)
            .collect();
        if known.len() < LEAST_ROWS {
            return Self::default();
        }
        let mut relative: Vec<f64> = known.iter().map(|runs| beyond_sampling(runs)).collect();
        let relative = median(&mut relative);
        let plain = Self { freedom: 0.0, times: 1.0, relative };
        let ratio = |runs: &Runs| {
            let expected = plain.variance(runs);
            (expected > 0.0).then(|| (runs.spread() / expected).clamp(1.0 / FARTHEST, FARTHEST))
        };
        let freedom = known.iter().map(|runs| runs.values.len()).min().unwrap_or(0) as f64 - 1.0;
        let logs: Vec<f64> = known.iter().filter_map(|runs| ratio(runs)).map(f64::ln).collect();
        if logs.len() < LEAST_ROWS {
            return Self::default();
        }
        let half = freedom / 2.0;
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let square = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (logs.len() as f64 - 1.0);
        let beyond = square - trigamma(half);
        let (prior, times) = if beyond <= 0.0 {
            (f64::INFINITY, mean - digamma(half) + half.ln())
        } else {
            let prior_half = trigamma_inverse(beyond);
            let times = mean - digamma(half) + half.ln() + digamma(prior_half) - prior_half.ln();
            (2.0 * prior_half, times)
        };
        Self { freedom: prior.min(MOST_FREEDOM), times: times.exp(), relative }
    }

    /// What is expected of one run.
    fn variance(&self, runs: &Runs) -> f64 {
        self.times * (runs.sampling + self.relative * runs.mean().powi(2))
    }

    /// The variance of a run, and its degrees of freedom.
    pub(crate) fn moderated(&self, runs: &Runs) -> (f64, f64) {
        let own = runs.values.len() as f64 - 1.0;
        let all = own + self.freedom;
        let variance =
            (own * runs.spread() + self.freedom * self.variance(runs)) / all.max(f64::MIN_POSITIVE);
        (variance.max(runs.sampling), all)
    }
}

/// Square of the relative spread of runs that their samples don't explain.
fn beyond_sampling(runs: &Runs) -> f64 {
    ((runs.spread() - runs.sampling) / runs.mean().powi(2)).max(0.0)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The derivative of the digamma function, of a number above 0.
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 8.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    sum + 1.0 / x + square / 2.0 + square / x * (1.0 / 6.0 - square * (1.0 / 30.0 - square / 42.0))
}

/// Where it is `y`, by bisection: it falls from infinity to 0.
fn trigamma_inverse(y: f64) -> f64 {
    let (mut low, mut high) = (1e-6_f64, 1e6_f64);
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > y { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigamma_is_that_of_the_tables() {
        // π²/6, π²/2.
        assert!((trigamma(1.0) - 1.644_934).abs() < 1e-5 && (trigamma(0.5) - 4.934_802).abs() < 1e-5);
        assert!((trigamma_inverse(1.644_934) - 1.0).abs() < 1e-4);
    }

    /// Rows of three runs whose spread is `spread(row)` times their mean.
    fn rows(spread: impl Fn(usize) -> f64) -> Vec<Runs> {
        let mut seed = 7u64;
        let mut random = || {
            let mut sum = 0.0;
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                sum += (seed >> 11) as f64 / (1u64 << 53) as f64;
            }
            sum - 6.0
        };
        let row = |row: usize| {
            let values = (0..3).map(|_| 1000.0 * (1.0 + spread(row) * random())).collect();
            Runs { values, sampling: 0.0 }
        };
        (0..200).map(row).collect::<Vec<_>>()
    }

    #[test]
    fn rows_that_spread_alike_make_each_other_surer_and_others_do_not() {
        let (alike, apart) = (rows(|_| 0.02), rows(|row| [0.0001, 0.02, 0.3][row % 3]));
        let of = |rows: &[Runs]| Expected::of(&rows.iter().collect::<Vec<_>>());
        let (alike_says, apart_says) = (of(&alike), of(&apart));
        assert!(alike_says.freedom > 8.0, "{alike_says:?}");
        assert!(apart_says.freedom < 1.0, "{apart_says:?}");
        let (variance, _) = alike_says.moderated(&Runs { values: vec![1000.0; 3], sampling: 0.0 });
        assert!((10.0..30.0).contains(&variance.sqrt()), "not surer than others are: {variance}");
        assert_eq!(of(&alike[..9]), Expected::default());
    }
}
