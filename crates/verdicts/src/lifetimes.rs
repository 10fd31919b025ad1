//! Whether the objects of a class live differently long: a likelihood-ratio test on intervals.
//!
//! At the ages by which about half, and about nine tenths of both sides together are gone: were the same share of both
//! gone by then, how much less likely would be what was seen? Twice the logarithm follows χ² of one degree where the shares
//! are the same (Thomas and Grunkemeier 1975; less than that where ages are known only by few collections: alarms get
//! rarer). A third test looks at all ages at once: log-rank scores for intervals by the estimate of both sides together, whose
//! means are compared with the variance that each side has by itself, as the two may have been looked at differently often
//! (Finkelstein 1986). It finds small shifts, and misses curves that cross, which the others do not. It gets two thirds
//! of the false alarms, and each of the others a sixth.
//!
//! With three runs or more on both sides, the shares have to differ from run to run as well: what the runs of a side have in
//! common beyond their objects is not in the likelihood.

use mayfly_profile::{Lifetimes, Scores, Survival};
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

use crate::runs::{REPLICATES, Runs};
use crate::significance::{chance, chance_of_equal_spreads};

/// Shares gone at the ages that are looked at.
const SHARES: [f64; 2] = [0.5, 0.9];
/// Of all false alarms the shares that a test at one age gets, and the one at all.
const ALARMS: [f64; 2] = [1.0 / 6.0, 2.0 / 3.0];
/// Fewer independent objects than this on a side say nothing: of ten the laws below gave chances of one in ten thousand for what has one in two hundred.
const LEAST: f64 = 20.0;
/// Steps of the search for the share that suits both.
const STEPS: usize = 24;

/// By what a lifetime is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Milliseconds.
    Time,
    /// Collections survived.
    Collections,
    /// Bytes allocated meanwhile.
    Bytes,
}

impl Clock {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Time, Self::Collections, Self::Bytes];

    fn survival(self, lifetimes: &Lifetimes) -> Option<Survival> {
        match self {
            Self::Time => lifetimes.in_time(),
            Self::Collections => Survival::of(&lifetimes.gcs, lifetimes.cohorts),
            Self::Bytes => lifetimes.in_bytes(),
        }
    }

    /// The age by which half are gone.
    fn median(self, lifetimes: &Lifetimes) -> Option<f64> {
        match self {
            Self::Collections => lifetimes.gcs_survived(0.5)?.point,
            Self::Time | Self::Bytes => self.survival(lifetimes)?.point(0.5),
        }
    }
}

/// How the lifetimes of two sides compare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Comparison {
    /// Medians; `None`: too many still live.
    pub(crate) medians: [Option<f64>; 2],
    /// The chance of such a difference were there none.
    pub(crate) chance: f64,
}

/// Compares the lifetimes of the runs of two sides on one clock; `None` if too little is known.
pub(crate) fn compare(before: &[&Lifetimes], after: &[&Lifetimes], clock: Clock) -> Option<Comparison> {
    let runs =
        [before, after].map(|side| side.iter().map(|run| run.with_ages_for_objects()).collect::<Vec<_>>());
    let [before, after] = runs.each_ref().map(|side| side.iter().collect::<Vec<_>>());
    let (before, after) = (&before[..], &after[..]);
    let sides = [before, after].map(merged);
    let all = merged(&[&sides[0], &sides[1]]);
    let [a, b] = [clock.survival(&sides[0])?, clock.survival(&sides[1])?];
    if a.independent() < LEAST || b.independent() < LEAST {
        return None;
    }
    let both = clock.survival(&all)?;
    let replicated = before.len() >= REPLICATES && after.len() >= REPLICATES;
    let at = |share| {
        let age = both.looked_at_near(share)?;
        let chance = likelihood_chance(&a, &b, age);
        Some(if replicated { chance.max(run_chance(before, after, clock, age)) } else { chance })
    };
    let shifted = {
        let chance = score_chance(&both.scores_of(&a), &both.scores_of(&b));
        if replicated { chance.max(run_score_chance(before, after, clock, &both)) } else { chance }
    };
    let [at_one, at_all] = ALARMS;
    let chances = SHARES.into_iter().filter_map(at).map(|chance| chance / at_one).chain([shifted / at_all]);
    let least = chances.min_by(f64::total_cmp)?;
    let survives = |side: &Lifetimes| {
        side.gcs_survived(0.5).is_none_or(|half| half.point.is_none_or(|survived| survived >= 1.0))
    };
    // What the first collection after their birth finds dead may have lived for any time until then; of single runs it is not known how
    // much that time differs.
    let is_known = replicated || sides.iter().any(survives);
    Some(Comparison {
        medians: [&sides[0], &sides[1]].map(|lifetimes| clock.median(lifetimes)),
        chance: if is_known { least.min(1.0) } else { 1.0 },
    })
}

fn merged(runs: &[&Lifetimes]) -> Lifetimes {
    let mut all = Lifetimes::default();
    runs.iter().for_each(|run| all.merge(run));
    all
}

/// By the mean scores of both sides.
fn score_chance(a: &Scores, b: &Scores) -> f64 {
    let variance = a.variance / a.independent.max(1.0) + b.variance / b.independent.max(1.0);
    if variance <= 0.0 {
        return 1.0;
    }
    Normal::standard().sf((a.mean - b.mean).abs() / variance.sqrt()) * 2.0
}

/// By how the mean score differs from run to run.
fn run_score_chance(before: &[&Lifetimes], after: &[&Lifetimes], clock: Clock, both: &Survival) -> f64 {
    let runs = |lifetimes: &[&Lifetimes]| {
        let known = lifetimes.iter().filter_map(|run| clock.survival(run));
        let scores: Vec<_> = known.map(|run| both.scores_of(&run)).collect();
        let variances = scores.iter().map(|run| run.variance / run.independent.max(1.0));
        Runs {
            sampling: variances.sum::<f64>() / (scores.len() as f64).max(1.0),
            values: scores.iter().map(|run| run.mean).collect(),
        }
    };
    chance_of_equal_spreads(&runs(before), &runs(after))
}

/// By the ratio of likelihoods with and without one share for both.
fn likelihood_chance(a: &Survival, b: &Survival, age: f64) -> f64 {
    let edges = [a.gone_by(age), b.gone_by(age)].map(|share| share.clamp(1e-6, 1.0 - 1e-6));
    let loss = |share: f64| a.loss(age, share) + b.loss(age, share);
    let ratio = 2.0 * least(edges[0].min(edges[1]), edges[0].max(edges[1]), loss);
    ChiSquared::new(1.0).map_or(1.0, |law| law.sf(ratio))
}

/// The least value of a convex function between two points, by golden sections.
fn least(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_left, mut at_right) = (value(left), value(right));
    for _ in 0..STEPS {
        if at_left.min(at_right) <= 0.0 || high - low < 1e-9 {
            break;
        }
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = value(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = value(right);
        }
    }
    at_left.min(at_right)
}

/// By how the share gone at an age differs from run to run.
fn run_chance(before: &[&Lifetimes], after: &[&Lifetimes], clock: Clock, age: f64) -> f64 {
    let runs = |lifetimes: &[&Lifetimes]| {
        let known: Vec<_> = lifetimes.iter().filter_map(|run| clock.survival(run)).collect();
        let values: Vec<f64> = known.iter().map(|survival| survival.gone_by(age)).collect();
        let variances = known
            .iter()
            .zip(&values)
            .map(|(known, share)| share * (1.0 - share) / known.independent().max(1.0));
        Runs { sampling: variances.sum::<f64>() / (values.len() as f64).max(1.0), values }
    };
    chance(&runs(before), &runs(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Most live, 12.8 s, shorter: differs", of equal runs: twelve samples that live were taken for 4,101 objects.
    #[test]
    fn samples_of_which_none_died_are_no_more_objects_than_samples() {
        let side = |dead: u64, living: u64| {
            let mut side = Lifetimes::default();
            for at in 0..dead {
                side.ms.record_deaths(5_000 + 500 * at, 12_000 + 500 * at, 342);
                side.record_cohort(342);
            }
            (0..living).for_each(|at| side.ms.record_living(2_000 + 1_700 * at, 342));
            side
        };
        let chance = |a: &Lifetimes, b: &Lifetimes| {
            compare(&[a], &[b], Clock::Time).map_or(1.0, |comparison| comparison.chance)
        };
        assert_eq!(chance(&side(0, 12), &side(4, 6)), 1.0);
        assert!(chance(&side(0, 120), &side(80, 20)) < 1e-6, "of many it is told");
    }
}
