//! Log-rank scores for intervals: whether some objects die sooner than an estimate of all says, over all ages at once.
//!
//! The score of an observation is the derivative of its log-likelihood by the log of a factor on all hazards, at the common
//! estimate (Finkelstein, "A proportional hazards model for interval-censored failure time data", Biometrics 42, 1986; of known
//! ages it is that of the log-rank test: 1 - H for a death, -H for the living). Over all observations they add up to 0;
//! of a group that dies as all do, nearly so, whatever the ages at which it was looked at.

/// Chances to be alive are not taken for smaller than this: the logarithm has to be finite.
const LEAST: f64 = 1e-9;

/// The scores of a group of objects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// Their mean: above 0 if the group dies sooner.
    pub mean: f64,
    /// Their variance.
    pub variance: f64,
    /// How many independent objects they are of.
    pub independent: f64,
}

impl Scores {
    /// Of observations as (share alive before, share alive after, number), by the estimate of all.
    pub(super) fn of(observations: impl Iterator<Item = (f64, f64, f64)>) -> Self {
        let (mut sum, mut squares, mut weight) = (0.0, 0.0, 0.0);
        for (before, after, number) in observations {
            let score = score(before, after);
            sum += number * score;
            squares += number * score * score;
            weight += number;
        }
        let mean = sum / weight;
        Self { mean, variance: (squares / weight - mean * mean).max(0.0), independent: weight }
    }
}

/// Of an object that was alive with this chance before, and with that one after.
fn score(before: f64, after: f64) -> f64 {
    let times_log = |share: f64| if share > LEAST { share * share.ln() } else { 0.0 };
    let died = before - after;
    if died < LEAST {
        return 1.0 + before.max(LEAST).ln();
    }
    (times_log(before) - times_log(after)) / died
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_known_ages_they_are_those_of_the_log_rank_test() {
        // Half die at once, half are alive for ever: S = 0.5 after the death.
        assert!((score(1.0, 0.5) - (0.5_f64.ln() * -0.5) / 0.5).abs() < 1e-12);
        assert!((score(0.5, 0.0) - 0.5_f64.ln()).abs() < 1e-12);
        assert!((score(0.8, 0.8 - 1e-12) - (1.0 + 0.8_f64.ln())).abs() < 1e-9);
    }
}
