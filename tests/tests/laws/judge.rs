//! What a program says of its objects, what is estimated of them, and whether the two agree.
//!
//! Bands are of a level at which all checks of a run together fail falsely less than once in a thousand runs. Not here:
//! how often a band of 95 % holds; that is counted in simulations (`mayfly-profile`, tests/all/laws.rs).

use std::fs;
use std::path::Path;

use mayfly_profile::{Ages, Lifetimes, Profile, Quantile, Survival};
use mayfly_recording::read_profile;

/// Standard deviations at both sides: a true estimator misses in one of 1.7 million cases.
const DEVIATIONS: f64 = 5.0;
/// Of the bands whose width is judged, those of about 95 % that reports print. A wider band may reach where the law does not
/// change: half of the bimodal's samples lie 9 standard deviations below its first jump, so one of 5 needs only an unlucky run.
const PRINTED_DEVIATIONS: f64 = 2.0;
/// Shares whose quantiles are compared.
const SHARES: [f64; 2] = [0.5, 0.9];
/// By how much the program's clock and the agent's may differ: two steps of the kernel's coarse clock.
const CLOCK_MS: f64 = 8.0;

/// What is true of a class.
#[derive(Clone, Debug)]
pub(crate) struct Law {
    pub(crate) class: String,
    /// By [`SHARES`]: bytes that the program allocated meanwhile.
    bytes: [f64; 2],
    /// By [`SHARES`]: milliseconds, at least and at most.
    ms: [(f64, f64); 2],
    /// Share still alive at the end.
    living: f64,
}

/// What a program says of itself.
#[derive(Clone, Debug)]
pub(crate) struct Printed {
    pub(crate) laws: Vec<Law>,
    /// The longest time in milliseconds in which it did nothing, beside the collections that it asked for.
    stall_ms: f64,
    /// The most bytes it allocated in such a time as the agent's clock of births can't tell apart.
    burst_bytes: f64,
    /// How fast and how slow its fastest and slowest tenth went by, relative to the mean.
    pace: (f64, f64),
    /// Milliseconds since the JVM's start, or the reset, when it counted its living.
    span_ms: f64,
}

impl Printed {
    /// From the lines `LAW class n bytes… ns… live` and `MACHINE ns bytes fastest slowest ms`.
    pub(crate) fn of(stdout: &str) -> Result<Self, String> {
        let laws: Vec<_> = stdout.lines().filter_map(|line| Law::of(line.strip_prefix("LAW ")?)).collect();
        let machine: Option<[f64; 5]> = stdout
            .lines()
            .find_map(|line| numbers(line.strip_prefix("MACHINE ")?.split(' ')).try_into().ok());
        match (laws.len(), machine) {
            (5, Some([stall_ns, burst_bytes, fastest, slowest, span_ms])) => {
                Ok(Self { laws, stall_ms: stall_ns / 1e6, burst_bytes, pace: (fastest, slowest), span_ms })
            }
            (found, _) => {
                Err(format!("{found} laws of 5, or nothing of the machine, were printed:\n{stdout}"))
            }
        }
    }
}

fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Vec<f64> {
    words.filter_map(|word| word.parse().ok()).collect()
}

impl Law {
    fn of(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let class = words.next()?.to_owned();
        let [count, p50, p90, p50_from, p50_to, p90_from, p90_to, live] = numbers(words).try_into().ok()?;
        let ms = [(p50_from / 1e6, p50_to / 1e6), (p90_from / 1e6, p90_to / 1e6)];
        Some(Self { class, bytes: [p50, p90], ms, living: live / count })
    }
}

/// How strict to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strictness {
    /// Upper ÷ lower end of a band of a quantile that was reached, at most; infinite: it need not be known at all.
    pub(crate) widest: f64,
    /// Lifetimes are upper bounds: truths may lie below the band.
    pub(crate) from_above: bool,
}

/// The lifetimes of a class in a recording.
pub(crate) fn lifetimes(recording: &Path, class: &str) -> Result<Lifetimes, String> {
    let bytes = fs::read(recording).map_err(|error| error.to_string())?;
    let (profile, _) = read_profile(&bytes).map_err(|error| error.to_string())?;
    let Profile { classes, .. } = profile;
    let known = classes.into_iter().find(|row| row.name == class).and_then(|row| row.lifetimes);
    known.ok_or_else(|| format!("{class} has no lifetimes"))
}

/// A wrong turn that an estimator might take with what is known on one clock.
pub(crate) type Wrong = fn(&Ages) -> Ages;

/// Deaths happen when they are noticed, and the living do not count.
pub(crate) fn naive(ages: &Ages) -> Ages {
    let mut wrong = Ages::default();
    ages.deaths().for_each(|(_, by, weight)| wrong.record_deaths(by - by / 64 - 1, by, weight));
    wrong
}

/// All looks are stamped late by a quarter of each age.
pub(crate) fn late(ages: &Ages) -> Ages {
    stretched(ages, |age| age.saturating_add(age / 4))
}

/// All looks are stamped early by a quarter of each age.
pub(crate) fn early(ages: &Ages) -> Ages {
    stretched(ages, |age| age - age / 4)
}

fn stretched(ages: &Ages, stretch: impl Fn(u64) -> u64) -> Ages {
    let mut wrong = Ages::default();
    ages.deaths().for_each(|(after, by, weight)| wrong.record_deaths(stretch(after), stretch(by), weight));
    ages.living().for_each(|(age, weight)| wrong.record_living(stretch(age), weight));
    wrong
}

/// Where the estimates from `known` contradict the law, on the clock of bytes.
pub(crate) fn faults_in_bytes(
    printed: &Printed,
    law: &Law,
    known: &Lifetimes,
    wrong: Option<Wrong>,
    strict: Strictness,
) -> Vec<String> {
    let ages = wrong.map_or_else(|| known.bytes.clone(), |wrong| wrong(&known.bytes));
    let truths = law.bytes.map(|truth| (truth, truth));
    let survival = Survival::of(&ages, known.cohorts);
    faults(law, "bytes", survival, truths, printed.burst_bytes, strict)
}

/// The same on the clock of time, as well as the machine let the program keep its own.
///
/// `duration_ms`: for how long it was profiled. Between its last count and the JVM's last collection the program goes on, at
/// whatever pace a JVM that shuts down lets it have: the living grow older by that time, and the program does not know it.
pub(crate) fn faults_in_time(
    printed: &Printed,
    law: &Law,
    known: &Lifetimes,
    duration_ms: f64,
    strict: Strictness,
) -> Vec<String> {
    let exit_ms = (duration_ms - printed.span_ms).max(0.0);
    // A run that gets slower and slower says less of the lifetimes of what is held at its end.
    let truths = law.ms.map(|(least, most)| (least * printed.pace.0, most * printed.pace.1 + exit_ms));
    let strict = Strictness { widest: f64::INFINITY, ..strict };
    faults(law, "ms", known.in_time(), truths, CLOCK_MS + printed.stall_ms, strict)
}

fn faults(
    law: &Law,
    clock: &str,
    survival: Option<Survival>,
    truths: [(f64, f64); 2],
    slack: f64,
    strict: Strictness,
) -> Vec<String> {
    let Some(survival) = survival else { return vec![format!("{} in {clock}: nothing is known", law.class)] };
    let check = |(share, truth): (f64, (f64, f64))| {
        let band = survival.quantile_within(share, DEVIATIONS);
        // What nearly as many outlive as are alive at the end need not be known.
        let known = share + 0.1 < 1.0 - law.living;
        let printed = survival.quantile_within(share, PRINTED_DEVIATIONS);
        let fault = !holds(band, truth, slack, strict) || known && is_too_wide(printed, slack, strict);
        fault.then(|| {
            format!("{} at {share} in {clock}: {truth:.0?}, estimated {band:.0?} ± {slack:.0}", law.class)
        })
    };
    SHARES.into_iter().zip(truths).filter_map(check).collect()
}

fn holds(band: Quantile, truth: (f64, f64), slack: f64, strict: Strictness) -> bool {
    let from_below = strict.from_above || band.low - slack <= truth.1;
    from_below && band.high.is_none_or(|high| truth.0 <= high + slack)
}

fn is_too_wide(band: Quantile, slack: f64, strict: Strictness) -> bool {
    let ratio = band.high.map_or(f64::INFINITY, |high| high / (band.low + slack));
    strict.widest.is_finite() && (!strict.from_above && ratio > strict.widest || band.point.is_none())
}
