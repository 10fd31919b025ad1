//! What changed from one side to another, each one run or several, and how sure that is.
//!
//! Every row large enough is tested: bytes allocated, bytes live, and of classes their lifetimes on three clocks. Their
//! chances are corrected for their number (`corrected`). With fewer than three runs on a side nobody knows how
//! much runs of one program differ by themselves: differences are then named, and not called changes.

use std::collections::{BTreeMap, BTreeSet};

use mayfly_profile::{Lifetimes, Profile};

use crate::alike::{Alike, Changed, alike};
use crate::corrected::{Corrected, Tested, corrected};
use crate::grounds::distrust;
use crate::leaks::{LeaksChanged, changed};
use crate::lifetimes::{Clock, compare};
use crate::rows::{RowClasses, RowName, RunRows, allocated, by_compiler, live};
use crate::runs::{REPLICATES, Runs, either_known};
use crate::significance::{LEAST_CHANCE, chance_given, runs_needed};
use crate::spread::Expected;
use crate::work::{Work, idle, is_uneven};

/// Rows with less than this share of all bytes, allocated and live, are not looked at.
const LEAST_SHARE: f64 = 0.0005;
/// Lifetimes are compared of classes with at least this share.
const LEAST_SHARE_OF_LIFETIMES: f64 = 0.002;
/// With single runs, differences below this share of the row are not called any.
const LEAST_DIFFERENCE: f64 = 0.05;
/// The same of median lifetimes: when collections come moves them by as much.
const LEAST_DIFFERENCE_OF_LIFETIMES: f64 = 0.1;
/// Differences from this share of the row on, and of all bytes, that are not proven are named as such.
const NOTABLE_DIFFERENCE: f64 = 0.1;
const NOTABLE_SHARE: f64 = 0.005;
/// A row that is all but so much of everything tells nothing of its own.
const ALL: f64 = 0.98;

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
    /// Allocated bytes are per operation.
    pub per_operation: bool,
    /// What each run of each side did.
    pub work: [Vec<Work>; 2],
    /// Runs, counted over both sides from 0, that seem to have done nothing: hardly a method allocated in them that did in the
    /// others. Then nothing is said to have changed.
    pub idle: Vec<usize>,
    /// Whether runs of one side did different amounts of work.
    pub uneven: bool,
    /// What nearly all methods changed by, or nearly all that changed.
    pub alike: Option<Alike>,
    /// What leaks, if anything does in a run of either side.
    pub leaks: Option<LeaksChanged>,
    /// Where methods are: file and line of most of what they allocate, on the side that allocates more there.
    pub places: BTreeMap<String, String>,
}

impl Difference {
    /// Whether the comparison can be decided.
    pub fn is_decided(&self) -> bool {
        self.idle.is_empty()
    }

    /// What different amounts of work changed, where whole runs are compared: what is allocated in all is then no change of the program.
    pub fn other_work(&self) -> Option<&Alike> {
        self.alike.as_ref().filter(|_| !self.per_operation)
    }
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
    /// The share of false alarms among all findings that are as sure; of what the whole program allocates the chance that it is one,
    /// doubled, as half of all false alarms are its.
    pub rate: f64,
    /// What follows.
    pub verdict: Verdict,
    /// Least and most of the runs of each side; `None` of lifetimes.
    pub ranges: Option<[(f64, f64); 2]>,
    /// Whether it is a difference worth naming that three runs a side or more do not prove.
    pub unproven: bool,
    /// How many runs a side would prove it, in four of five cases; `None`: no number to speak of.
    pub runs_needed: Option<usize>,
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
    let profiles: Vec<&Profile> = all().map(|(profile, _)| *profile).collect();
    let idle = idle(&profiles);
    let work = [before, after].map(|side| side.runs.iter().map(|(profile, _)| Work::of(profile)).collect());
    let (tests, small) = Tests::of(&sides, lifetimes);
    let judging = Judging {
        level,
        replicated: sides.iter().all(|side| side.len() >= REPLICATES),
        is_decided: idle.is_empty(),
    };
    let mut findings = tests.judged(judging);
    for finding in &mut findings {
        // With single runs nobody knows how differently the JIT compiles.
        if finding.verdict == Verdict::Differs && finding.is_by_compiler(&sides) {
            finding.verdict = Verdict::Same;
        }
    }
    let duration = |side: &Side<'_>| {
        side.runs.iter().map(|(profile, _)| profile.duration_ms as f64).sum::<f64>() / side.runs.len() as f64
    };
    Ok(Difference {
        replicated: judging.replicated,
        level,
        alike: alike(by_method(&findings)),
        leaks: changed([&before.runs, &after.runs], trust),
        findings,
        small,
        lifetimes,
        stacks,
        duration_ms: [duration(before), duration(after)],
        per_operation: all().any(|(_, operations)| *operations != 1.0),
        uneven: work.iter().any(|side: &Vec<Work>| is_uneven(side)),
        work,
        idle,
        places: places(&sides),
    })
}

/// What each method allocated before and after.
fn by_method(findings: &[Finding]) -> impl Iterator<Item = Changed<'_>> {
    let allocated = findings.iter().filter(|finding| finding.measure == Measure::Allocated);
    allocated.filter_map(|finding| match &finding.row {
        RowName::Method(method) => Some(Changed {
            method,
            before: finding.before?,
            after: finding.after?,
            is_sure: finding.verdict != Verdict::Same,
        }),
        _ => None,
    })
}

type Sides<'a> = [Vec<RunRows<'a>>; 2];

/// Of each method where most of it is, on the side that has more of it: a line that is gone says where it was.
fn places(sides: &Sides<'_>) -> BTreeMap<String, String> {
    let mut places: BTreeMap<String, (f64, String)> = BTreeMap::new();
    for side in sides {
        let mut of_side = BTreeMap::new();
        side.iter().for_each(|run| run.add_places(&mut of_side));
        for (method, of_method) in of_side {
            let per_run = of_method.total() / side.len().max(1) as f64;
            let has_more = places.get(&method).is_none_or(|(before, _)| per_run >= *before);
            if let Some(place) = of_method.most().filter(|_| has_more) {
                places.insert(method, (per_run, place.clone()));
            }
        }
    }
    places.into_iter().map(|(method, (_, place))| (method, place)).collect()
}

/// A number of a row, in the runs of both sides.
struct Counts {
    name: RowName,
    measure: Measure,
    sides: [Runs; 2],
    /// Of all bytes, both sides together.
    share: f64,
}

/// All that is tested.
struct Tests {
    counts: Vec<Counts>,
    /// With the share of all bytes.
    lived: Vec<(Finding, f64)>,
    /// Bytes of the whole, allocated: per operation.
    whole: f64,
    /// Operations of a run, on average.
    operations: f64,
}

#[derive(Clone, Copy)]
struct Judging {
    level: f64,
    replicated: bool,
    is_decided: bool,
}

impl Tests {
    /// All tests; and how many rows were too small.
    fn of(sides: &Sides<'_>, lifetimes: bool) -> (Self, usize) {
        let names: BTreeSet<&RowName> = sides.iter().flatten().flat_map(RunRows::names).collect();
        let mut classes = RowClasses::new();
        sides.iter().flatten().for_each(|run| run.add_classes(&mut classes));
        let of =
            |name: &RowName, gather: Gather| [0, 1].map(|side: usize| gather(&sides[side], name, &classes));
        let mean = |sides: &[Runs; 2]| sides[0].mean() + sides[1].mean();
        let (all, all_live) = (of(&RowName::Total, allocated), of(&RowName::Total, live));
        let (whole, whole_live) = (mean(&all), mean(&all_live));
        let operations = sides.iter().flatten().map(|run| run.operations).sum::<f64>()
            / sides.iter().flatten().count().max(1) as f64;
        let mut tests = Self { counts: Vec::new(), lived: Vec::new(), whole, operations };
        let mut small = 0;
        for name in names {
            let (made, held) = (of(name, allocated), of(name, live));
            if repeats_another(name, &made, &all, |method| of(method, allocated)) {
                continue;
            }
            let [of_made, of_held] = [mean(&made) / whole.max(1e-9), mean(&held) / whole_live.max(1e-9)];
            let share = of_made.max(of_held);
            if share < LEAST_SHARE {
                small += 1;
                continue;
            }
            let seen = seen(name, &made, &held);
            let mut test = |measure, sides, share| {
                tests.counts.push(Counts { name: name.clone(), measure, sides, share });
            };
            test(Measure::Allocated, either_known(made), of_made);
            if lifetimes && seen == [true; 2] {
                test(Measure::Live, either_known(held), of_held);
            } else if lifetimes {
                let means = [0, 1].map(|side: usize| seen[side].then(|| held[side].mean()));
                tests.lived.push((finding(name, Measure::Live, means, 1.0), of_held));
            }
            if lifetimes && share >= LEAST_SHARE_OF_LIFETIMES {
                let lived = Clock::ALL.into_iter().filter_map(|clock| lived(sides, name, clock));
                tests.lived.extend(lived.map(|finding| (finding, share)));
            }
        }
        (tests, small)
    }

    fn judged(self, judging: Judging) -> Vec<Finding> {
        let expected = [Measure::Allocated, Measure::Live].map(|measure| {
            let counts = self.counts.iter().filter(|counts| counts.measure == measure);
            (measure, Expected::of(&counts.flat_map(|counts| &counts.sides).collect::<Vec<_>>()))
        });
        let expected = |measure: Measure| {
            let known = expected.iter().find(|(of, _)| *of == measure);
            known.map(|(_, expected)| *expected).unwrap_or_default()
        };
        // What is live is of whole runs.
        let whole_of = |measure| self.whole * if measure == Measure::Live { self.operations } else { 1.0 };
        let counted = self.counts.iter().map(|counts| counts.finding(expected(counts.measure)));
        let counted = counted.zip(self.counts.iter().map(|counts| counts.share));
        let (mut findings, shares): (Vec<Finding>, Vec<f64>) = counted.chain(self.lived).unzip();
        let corrected = judge(&mut findings, &shares, judging);
        let sure = findings.iter().filter(|finding| finding.verdict != Verdict::Same).count();
        for ((finding, counts), Corrected { part, .. }) in
            findings.iter_mut().zip(&self.counts).zip(corrected)
        {
            let of_others = if block(finding).is_some() { (sure + 1) as f64 } else { 1.0 };
            let level = (judging.level * part * of_others).min(judging.level);
            if judging.replicated && judging.is_decided && finding.is_notable(whole_of(counts.measure)) {
                let [before, after] = &counts.sides;
                finding.unproven = true;
                finding.runs_needed = runs_needed(before, after, expected(counts.measure), level);
            }
        }
        findings.sort_by(|a, b| a.row.cmp(&b.row));
        findings
    }
}

/// Whether each side knows what is live of a row. Of objects that the JVM itself makes (`java.lang.Class`) none is counted, and samples know
/// some: where none came into the samples it is not known.
fn seen(name: &RowName, made: &[Runs; 2], held: &[Runs; 2]) -> [bool; 2] {
    let mut runs = made.iter().zip(held).flat_map(|(made, held)| made.values.iter().zip(&held.values));
    let is_of_one_class = matches!(name, RowName::Class(_) | RowName::Site { .. });
    if !is_of_one_class || !runs.any(|(made, held)| *made == 0.0 && *held > 0.0) {
        return [true; 2];
    }
    [0, 1].map(|side: usize| {
        made[side].values.iter().zip(&held[side].values).all(|(made, held)| *made > 0.0 || *held > 0.0)
    })
}

type Gather = for<'a, 'r, 'c> fn(&'r [RunRows<'a>], &'r RowName, &'r RowClasses<'c>) -> Runs;

/// Whether a row of what was allocated through a method says what another row says: the method's own, or the whole.
fn repeats_another(
    name: &RowName,
    made: &[Runs; 2],
    all: &[Runs; 2],
    of: impl Fn(&RowName) -> [Runs; 2],
) -> bool {
    let RowName::Through(method) = name else { return false };
    let own = of(&RowName::Method(method.clone()));
    let same = |other: &[Runs; 2]| made.iter().zip(other).all(|(a, b)| a.values == b.values);
    same(&own) || made.iter().zip(all).all(|(made, all)| made.mean() >= ALL * all.mean())
}

impl Counts {
    fn finding(&self, expected: Expected) -> Finding {
        let [before, after] = &self.sides;
        let chance = chance_given(before, after, expected);
        let means = [Some(before.mean()), Some(after.mean())];
        let ranges = Some([before.range(), after.range()]);
        Finding { ranges, ..finding(&self.name, self.measure, means, chance) }
    }
}

impl Finding {
    /// Whether what the JIT removed explains all of it.
    fn is_by_compiler(&self, sides: &Sides<'_>) -> bool {
        if self.measure != Measure::Allocated || matches!(self.row, RowName::Total | RowName::Class(_)) {
            return false;
        }
        let [less, more] = by_compiler(sides, &self.row);
        if self.bytes() < 0.0 { -self.bytes() <= less } else { self.bytes() <= more }
    }

    /// Whether it is a difference to speak of, of so much in all, that is not proven.
    fn is_notable(&self, whole: f64) -> bool {
        self.verdict == Verdict::Same
            && self.growth().is_none_or(|growth| growth.abs() >= NOTABLE_DIFFERENCE)
            && self.bytes().abs() >= NOTABLE_SHARE * whole / 2.0
    }
}

fn lived(sides: &Sides<'_>, name: &RowName, clock: Clock) -> Option<Finding> {
    let known =
        |side: &[RunRows<'_>]| side.iter().filter_map(|run| run.get(name).lifetimes.cloned()).collect();
    let sides: [Vec<Lifetimes>; 2] = [known(&sides[0]), known(&sides[1])];
    let [before, after] = [0, 1].map(|side: usize| sides[side].iter().collect::<Vec<_>>());
    let compared = compare(&before, &after, clock)?;
    Some(finding(name, Measure::Lifetime(clock), compared.medians, compared.chance.max(LEAST_CHANCE)))
}

fn finding(row: &RowName, measure: Measure, [before, after]: [Option<f64>; 2], chance: f64) -> Finding {
    Finding {
        row: row.clone(),
        measure,
        before,
        after,
        chance,
        rate: 1.0,
        verdict: Verdict::Same,
        ranges: None,
        unproven: false,
        runs_needed: None,
    }
}

/// Rows that divide the same bytes among them; `None`: what the whole program allocates.
fn block(finding: &Finding) -> Option<usize> {
    let of_row = match finding.row {
        RowName::Total => 0,
        RowName::Method(_) => 1,
        RowName::Through(_) => 2,
        RowName::Class(_) => 3,
        RowName::Site { .. } => 4,
    };
    let of_measure = match finding.measure {
        Measure::Allocated => 0,
        Measure::Live => 1,
        Measure::Lifetime(Clock::Time) => 2,
        Measure::Lifetime(Clock::Collections) => 3,
        Measure::Lifetime(Clock::Bytes) => 4,
    };
    Some(5 * of_row + of_measure).filter(|&block| block > 0)
}

/// Whether bytes of a row that has this share of all of both sides differ by a part of the row that counts, and of all: a cache that is
/// filled anew once more is no difference between programs.
fn is_large(finding: &Finding, share: f64) -> bool {
    let [before, after] = [finding.before, finding.after].map(Option::unwrap_or_default);
    let of_all = 2.0 * share * (after - before).abs() / (after + before).max(f64::MIN_POSITIVE);
    of_all >= LEAST_SHARE && finding.growth().is_none_or(|growth| growth.abs() >= LEAST_DIFFERENCE)
}

/// Whether median lifetimes differ by more than when collections come explains; shorter ones than can be told apart do not.
fn medians_differ(clock: Clock, medians: [Option<f64>; 2]) -> bool {
    let least = match clock {
        Clock::Time => 2.0,
        Clock::Collections => 1.0,
        Clock::Bytes => 65_536.0,
    };
    let [Some(before), Some(after)] = medians else { return true };
    let (less, more) = (before.min(after).max(least), before.max(after).max(least));
    more >= (1.0 + LEAST_DIFFERENCE_OF_LIFETIMES) * less
}

fn judge(findings: &mut [Finding], shares: &[f64], judging: Judging) -> Vec<Corrected> {
    let tests = findings.iter().zip(shares);
    let tests =
        tests.map(|(finding, &share)| Tested { chance: finding.chance, block: block(finding), share });
    let corrected = corrected(&tests.collect::<Vec<_>>());
    for ((finding, Corrected { rate, .. }), &share) in findings.iter_mut().zip(&corrected).zip(shares) {
        finding.rate = *rate;
        let is_lifetime = matches!(finding.measure, Measure::Lifetime(_));
        // "most live", and again: whatever differs in the rest, nobody can see it.
        let is_shown = !is_lifetime || finding.before.is_some() || finding.after.is_some();
        let large = match finding.measure {
            Measure::Lifetime(clock) => medians_differ(clock, [finding.before, finding.after]),
            Measure::Allocated | Measure::Live => is_large(finding, share),
        };
        let is_beyond_chance = *rate <= judging.level && judging.is_decided && is_shown;
        finding.verdict = match (is_beyond_chance, judging.replicated) {
            (true, true) => Verdict::Changed,
            (true, false) if large => Verdict::Differs,
            _ => Verdict::Same,
        };
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "LinkedHashMap$Entry 173 KiB, 123 KiB differs", of 499 MiB.
    #[test]
    fn what_is_next_to_nothing_of_all_does_not_differ() {
        let large = |before: f64, after: f64, share: f64| {
            let sides = [Some(before), Some(after)];
            is_large(&finding(&RowName::Class("a.B".into()), Measure::Allocated, sides, 0.0), share)
        };
        assert!(!large(173.0, 123.0, 0.0003));
        assert!(large(173.0, 123.0, 0.003) && large(0.0, 173.0, 0.0003));
        assert!(!large(173.0, 170.0, 0.5), "of the row");
        assert!(!large(0.0, 0.0, 0.0));
    }

    /// "5.12 s, 5.31 s differs", and "39 B, 1 B differs" of what died before a collection could see it.
    #[test]
    fn medians_that_differ_by_when_collections_come_do_not_differ() {
        let differ = |clock, before: f64, after: f64| medians_differ(clock, [Some(before), Some(after)]);
        assert!(!differ(Clock::Time, 5_120.0, 5_310.0));
        assert!(differ(Clock::Time, 5_120.0, 6_000.0) && differ(Clock::Time, 6_000.0, 5_120.0));
        assert!(!differ(Clock::Bytes, 39.0, 1.0) && !differ(Clock::Time, 1.0, 1.05));
        assert!(differ(Clock::Bytes, 39.0, 1e6));
        assert!(medians_differ(Clock::Time, [Some(1.0), None]), "most live on one side");
    }
}
