//! What changed from one side to another, each one run or several, and how sure that is.
//!
//! Every row large enough is tested: bytes allocated, bytes live, and of classes their lifetimes on three clocks. All
//! chances together are corrected for their number (`significance`). With fewer than three runs on a side nobody knows how
//! much runs of one program differ by themselves: differences are then named, and not called changes.

use std::collections::BTreeSet;

use mayfly_profile::{Lifetimes, Profile};

use crate::grounds::distrust;
use crate::lifetimes::{Clock, compare};
use crate::rows::{RowName, RunRows, allocated, live};
use crate::significance::{REPLICATES, Runs, chance, false_discovery_rates};

/// Rows with less than this share of all bytes, allocated and live, are not looked at.
const LEAST_SHARE: f64 = 0.0005;
/// Lifetimes are compared of classes with at least this share.
const LEAST_SHARE_OF_LIFETIMES: f64 = 0.002;
/// With single runs, differences below this share of the row are not called any.
const LEAST_DIFFERENCE: f64 = 0.05;

/// Runs of one program in one state.
#[derive(Clone, Debug, Default)]
pub struct Side<'a> {
    /// One profile and the number of operations it did; 1 compares whole runs.
    pub runs: Vec<(&'a Profile, f64)>,
}

/// Why two sides are not compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotComparable {
    /// Which run, counted over both sides from 0.
    pub run: usize,
    /// Why.
    pub reason: String,
}

/// What changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Whether both sides have three runs or more.
    pub replicated: bool,
    /// Share of false alarms among all that is called changed, at most.
    pub level: f64,
    /// What was tested: in the order of rows, the whole first.
    pub findings: Vec<Finding>,
    /// Rows too small to look at.
    pub small: usize,
    /// Whether live objects and lifetimes, and sites, were recorded by all runs.
    pub lifetimes: bool,
    /// Whether sites were.
    pub stacks: bool,
    /// Mean profiled time of a run of each side, in milliseconds.
    pub duration_ms: [f64; 2],
    /// Numbers are per operation.
    pub per_operation: bool,
}

/// What was tested of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The row.
    pub row: RowName,
    /// What of it.
    pub measure: Measure,
    /// Mean of the runs before, or the median lifetime; `None`: too many still live.
    pub before: Option<f64>,
    /// The same after.
    pub after: Option<f64>,
    /// The chance of such a difference were there none.
    pub chance: f64,
    /// The share of false alarms among all findings that are as sure.
    pub rate: f64,
    /// What follows.
    pub verdict: Verdict,
}

/// What of a row is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Bytes allocated.
    Allocated,
    /// Bytes live at the end.
    Live,
    /// How long objects live.
    Lifetime(Clock),
}

/// What follows from a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No change is to be seen.
    Same,
    /// The runs differ; too few of them to say that the program does.
    Differs,
    /// It changed.
    Changed,
}

impl Finding {
    /// How much more (above 0) or less, as a share of what was before; `None` from nothing, or where it is not known.
    pub fn growth(&self) -> Option<f64> {
        let (before, after) = (self.before?, self.after?);
        (before > 0.0).then(|| after / before - 1.0)
    }

    /// Bytes more or less; 0 of lifetimes.
    pub fn bytes(&self) -> f64 {
        match self.measure {
            Measure::Lifetime(_) => 0.0,
            Measure::Allocated | Measure::Live => {
                self.after.unwrap_or_default() - self.before.unwrap_or_default()
            }
        }
    }
}

/// Compares two sides. At most a share `level` of what is called changed is a false alarm; each run has to know at least a share
/// `trust` of its JVM's bytes.
///
/// # Errors
/// A side without runs, or a run that can't be trusted.
pub fn diff(
    before: &Side<'_>,
    after: &Side<'_>,
    level: f64,
    trust: f64,
) -> Result<Difference, NotComparable> {
    let all = || before.runs.iter().chain(&after.runs);
    for (run, (profile, _)) in all().enumerate() {
        if let Some(reason) = distrust(profile, trust) {
            return Err(NotComparable { run, reason });
        }
    }
    if before.runs.is_empty() || after.runs.is_empty() {
        return Err(NotComparable { run: 0, reason: "a side has no recording".to_owned() });
    }
    let lifetimes = all().all(|(profile, _)| profile.run.lifetimes);
    let stacks = all().all(|(profile, _)| profile.run.stacks);
    let sides = [before, after].map(|side| {
        let rows = side.runs.iter().map(|(profile, operations)| RunRows::of(profile, *operations, stacks));
        rows.collect::<Vec<_>>()
    });
    let replicated = sides.iter().all(|side| side.len() >= REPLICATES);
    let (findings, small) = findings(&sides, lifetimes);
    let duration = |side: &Side<'_>| {
        side.runs.iter().map(|(profile, _)| profile.duration_ms as f64).sum::<f64>() / side.runs.len() as f64
    };
    Ok(Difference {
        replicated,
        level,
        findings: judged(findings, level, replicated),
        small,
        lifetimes,
        stacks,
        duration_ms: [duration(before), duration(after)],
        per_operation: all().any(|(_, operations)| *operations != 1.0),
    })
}

type Sides<'a> = [Vec<RunRows<'a>>; 2];

/// All tests, without verdicts; and how many rows were too small.
fn findings(sides: &Sides<'_>, lifetimes: bool) -> (Vec<Finding>, usize) {
    let names: BTreeSet<&RowName> = sides.iter().flatten().flat_map(RunRows::names).collect();
    let mean = |name: &RowName| {
        let of = |gather: fn(&[RunRows<'_>], &RowName) -> Runs| {
            gather(&sides[0], name).mean() + gather(&sides[1], name).mean()
        };
        (of(allocated), of(live))
    };
    let whole = mean(&RowName::Total);
    let (mut found, mut small) = (Vec::new(), 0);
    for name in names {
        let size = mean(name);
        let share = (size.0 / whole.0.max(1e-9)).max(size.1 / whole.1.max(1e-9));
        if share < LEAST_SHARE {
            small += 1;
            continue;
        }
        found.push(counts(sides, name, Measure::Allocated, allocated));
        if lifetimes {
            found.push(counts(sides, name, Measure::Live, live));
        }
        if lifetimes && share >= LEAST_SHARE_OF_LIFETIMES {
            found.extend(Clock::ALL.into_iter().filter_map(|clock| lived(sides, name, clock)));
        }
    }
    (found, small)
}

fn counts(
    sides: &Sides<'_>,
    name: &RowName,
    measure: Measure,
    gather: fn(&[RunRows<'_>], &RowName) -> Runs,
) -> Finding {
    let (before, after) = (gather(&sides[0], name), gather(&sides[1], name));
    finding(name, measure, [Some(before.mean()), Some(after.mean())], chance(&before, &after))
}

fn lived(sides: &Sides<'_>, name: &RowName, clock: Clock) -> Option<Finding> {
    let known =
        |side: &[RunRows<'_>]| side.iter().filter_map(|run| run.get(name).lifetimes.cloned()).collect();
    let sides: [Vec<Lifetimes>; 2] = [known(&sides[0]), known(&sides[1])];
    let [before, after] = [0, 1].map(|side: usize| sides[side].iter().collect::<Vec<_>>());
    let compared = compare(&before, &after, clock)?;
    Some(finding(name, Measure::Lifetime(clock), compared.medians, compared.chance))
}

fn finding(row: &RowName, measure: Measure, [before, after]: [Option<f64>; 2], chance: f64) -> Finding {
    Finding { row: row.clone(), measure, before, after, chance, rate: 1.0, verdict: Verdict::Same }
}

fn judged(mut findings: Vec<Finding>, level: f64, replicated: bool) -> Vec<Finding> {
    let chances: Vec<f64> = findings.iter().map(|finding| finding.chance).collect();
    for (finding, rate) in findings.iter_mut().zip(false_discovery_rates(&chances)) {
        finding.rate = rate;
        // Of lifetimes the medians may be the same, and the rest not.
        let large = matches!(finding.measure, Measure::Lifetime(_))
            || finding.growth().is_none_or(|growth| growth.abs() >= LEAST_DIFFERENCE);
        finding.verdict = match (rate <= level, replicated) {
            (true, true) => Verdict::Changed,
            (true, false) if large => Verdict::Differs,
            _ => Verdict::Same,
        };
    }
    findings
}
