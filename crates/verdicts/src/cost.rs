//! What profiling costs a program: runs with it beside runs without, round by round.
//!
//! A machine is busier at one time than at another: the runs of one round are compared with each other, and how much the rounds
//! differ is part of the answer. Not here: how programs are run and measured.

use std::time::Duration;

use serde::Serialize;

/// One run of a program to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeasuredRun {
    /// Processor time of it and of the processes that it waited for.
    pub cpu: Duration,
    /// Time on the clock.
    pub elapsed: Duration,
    /// The most memory that it had resident, in bytes; `None` if nobody saw it.
    pub peak_bytes: Option<u64>,
    /// Processor time in the second half of a run that was ended after some time; `None` of others, and if nobody saw it.
    pub late_cpu: Option<Duration>,
}

/// A number of several rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct OfRounds {
    /// The middle one.
    pub median: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl OfRounds {
    /// Of these; `None` of none.
    fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (&least, &most) = (values.first()?, values.last()?);
        let median = f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]);
        Some(Self { median, least, most })
    }

    /// Whether rounds lie on both sides of none.
    pub fn may_be_none(&self) -> bool {
        self.least <= 0.0 && self.most >= 0.0
    }
}

/// What one way of running takes, and how much more than without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Processor time, in seconds.
    pub cpu_s: OfRounds,
    /// Time on the clock, in seconds.
    pub elapsed_s: OfRounds,
    /// Memory, in bytes.
    pub peak_bytes: Option<OfRounds>,
    /// Processor time more than in the same round without, as a share of that.
    pub more_cpu: OfRounds,
    /// The same in the second half of runs that are ended after some time.
    pub more_late_cpu: Option<OfRounds>,
    /// Time on the clock, likewise.
    pub more_elapsed: OfRounds,
    /// Memory more than in the same round without, in bytes.
    pub more_bytes: Option<OfRounds>,
}

impl Cost {
    /// Of runs, each beside the one of the same round without; `None` if there is no round.
    pub fn of(without: &[MeasuredRun], with: &[MeasuredRun]) -> Option<Self> {
        let rounds = || without.iter().zip(with);
        let seconds =
            |time: fn(&MeasuredRun) -> Duration| OfRounds::of(with.iter().map(|run| time(run).as_secs_f64()));
        let more = |time: fn(&MeasuredRun) -> Option<Duration>| {
            OfRounds::of(rounds().filter_map(|(without, with)| {
                Some(time(with)?.as_secs_f64() / time(without)?.as_secs_f64().max(f64::MIN_POSITIVE) - 1.0)
            }))
        };
        let more_bytes =
            rounds().filter_map(|(without, with)| Some(with.peak_bytes? as f64 - without.peak_bytes? as f64));
        Some(Self {
            cpu_s: seconds(|run| run.cpu)?,
            elapsed_s: seconds(|run| run.elapsed)?,
            peak_bytes: OfRounds::of(with.iter().filter_map(|run| run.peak_bytes).map(|bytes| bytes as f64)),
            more_cpu: more(|run| Some(run.cpu))?,
            more_late_cpu: more(|run| run.late_cpu),
            more_elapsed: more(|run| Some(run.elapsed))?,
            more_bytes: OfRounds::of(more_bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(cpu_ms: u64, elapsed_ms: u64, peak_bytes: Option<u64>) -> MeasuredRun {
        MeasuredRun {
            cpu: Duration::from_millis(cpu_ms),
            elapsed: Duration::from_millis(elapsed_ms),
            peak_bytes,
            late_cpu: None,
        }
    }

    #[test]
    fn runs_of_one_round_are_compared() {
        // The second round is twice as slow, both without and with.
        let without = [run(1_000, 500, Some(100)), run(2_000, 900, Some(100)), run(1_000, 500, None)];
        let with = [run(1_100, 500, Some(150)), run(2_200, 900, Some(170)), run(1_300, 500, Some(160))];
        let cost = Cost::of(&without, &with).expect("rounds");
        let near = |of: OfRounds, [median, least, most]: [f64; 3]| {
            assert!((of.median - median).abs() < 1e-9, "{of:?}");
            assert!((of.least - least).abs() < 1e-9 && (of.most - most).abs() < 1e-9, "{of:?}");
        };
        near(cost.more_cpu, [0.1, 0.1, 0.3]);
        near(cost.more_elapsed, [0.0, 0.0, 0.0]);
        assert_eq!(cost.more_late_cpu, None, "they ended by themselves");
        let late = |cpu_ms, late_ms| MeasuredRun {
            late_cpu: Some(Duration::from_millis(late_ms)),
            ..run(cpu_ms, 500, None)
        };
        let ended = Cost::of(&[late(1_000, 400)], &[late(1_500, 420)]).expect("a round");
        near(ended.more_late_cpu.expect("seen"), [0.05; 3]);
        near(cost.cpu_s, [1.3, 1.1, 2.2]);
        near(cost.more_bytes.expect("known of two"), [60.0, 50.0, 70.0]);
        near(cost.peak_bytes.expect("known of three"), [160.0, 150.0, 170.0]);
        assert!(cost.more_elapsed.may_be_none() && !cost.more_cpu.may_be_none());
    }

    #[test]
    fn nothing_is_said_of_no_round() {
        assert_eq!(Cost::of(&[], &[]), None);
        let unseen = [run(1, 1, None)];
        assert_eq!(Cost::of(&unseen, &unseen).expect("a round").more_bytes, None);
    }
}
