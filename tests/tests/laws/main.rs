//! Lifetimes against programs of known law, on every JVM with every collector it offers, or with every collector on one of two
//! JVMs.
//!
//! The program goes by steps, not by the clock, and measures its own objects: how much was allocated while it held them,
//! which is the same on any machine, and how long that took. The estimates must lie about there: the truth in their bands, and
//! the bands narrow enough to be of use. The same checks are run on what is known with stamps that are wrong, and with the
//! living forgotten: they must find it out.

#[path = "../matrix/collector.rs"]
#[allow(dead_code, reason = "what reports call the collectors is not checked here")]
mod collector;
mod judge;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use mayfly_tests::{Jvm, Outcome, Profiled, artifacts, fixture_classes, two_stand_for_all};

use crate::collector::{Cell, Collector};
use crate::judge::{
    Printed, Strictness, Wrong, early, faults_in_bytes, faults_in_time, late, lifetimes, naive,
};

/// With the garbage, so that the clock of bytes moves as the program allocates.
const TRACKED: &str = "#trackcollections#include-laws.Laws$,[B";
const SAMPLED: &str = "#sample-8k#include-laws.Laws$,[B";
const BALANCED: &str = "#track-balanced#include-laws.Laws$,[B";
const ENGINE: &str = "#engine-sampled#sample-8k#include-laws.Laws$,[B";
const STEPS: &str = "7000";
/// Some need more than others for their own.
const HEAP: &str = "-Xmx256m";

const CONSTANT: &str = "laws.Laws$Constant";
const BIMODAL: &str = "laws.Laws$Bimodal";
/// Most are still alive when the program ends.
const LASTING: &str = "laws.Laws$Lasting";

/// Upper ÷ lower end of a band.
const WIDEST: f64 = 3.0;
const WIDEST_OF_SAMPLES: f64 = 6.0;
/// Half of the time is left after a reset.
const WIDEST_AFTER_RESET: f64 = 9.0;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // The programs mostly wait; on more threads, collections would wait for each other.
    arguments.test_threads.get_or_insert(3);
    let cells = collector::cells();
    let trials = cells.iter().flat_map(|cell| trials(&cells, cell)).collect();
    if !arguments.list {
        artifacts();
        fixture_classes();
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(all: &[Cell], (jvm, collector, offer): &Cell) -> Vec<Trial> {
    let (jvm, collector) = (*jvm, *collector);
    let name = |what: &str| format!("{}/{collector}/{what}", jvm.feature);
    let ignored = |what: &str| Trial::test(name(what), || Ok(())).with_ignored_flag(true);
    let Ok(jvm_args) = offer else { return vec![ignored("laws")] };
    let trial = |(kind, options, args, check): Kind| {
        let jvm_args = jvm_args.clone();
        Trial::test(name(kind), move || {
            let (outcome, run) = run(jvm, &jvm_args, options, args)?;
            let faults = check(collector, &Printed::of(&outcome.stdout)?, &run)?;
            if faults.is_empty() {
                Ok(())
            } else {
                Err(format!("{}\n{}", faults.join("\n"), outcome.stdout).into())
            }
        })
    };
    let mut trials = vec![trial(LAWS)];
    // Once per collector is enough for what is the same in all releases.
    let newest = all.iter().rfind(|(_, other, offer)| *other == collector && offer.is_ok());
    if newest.is_some_and(|(newest, ..)| *newest == jvm) {
        let is_left_out = two_stand_for_all() && !STAND_FOR_ALL.contains(&collector);
        trials.extend(ONCE.map(|kind| if is_left_out { ignored(kind.0) } else { trial(kind) }));
    }
    trials
}

/// Name, options of the agent, arguments of the program, and what must hold.
type Kind = (&'static str, &'static str, &'static [&'static str], Check);

const LAWS: Kind = ("laws", TRACKED, &[STEPS], laws_are_recovered);
const ONCE: [Kind; 4] = [
    ("sampled", SAMPLED, &[STEPS], samples_tell_the_same),
    ("balanced", BALANCED, &[STEPS], samples_tell_the_same),
    ("engine", ENGINE, &[STEPS], samples_tell_the_same),
    ("reset", TRACKED, &[STEPS, "reset"], a_reset_starts_anew),
];

/// Collectors that stand for all in `ONCE` where two JVMs do: it stops for all, marks beside the program, gives upper bounds.
const STAND_FOR_ALL: [Collector; 3] = [Collector::Serial, Collector::G1, Collector::GenerationalZ];

/// Faults that were found.
type Check = fn(Collector, &Printed, &Profiled) -> Result<Vec<String>, String>;

fn run(jvm: &Jvm, jvm_args: &[String], options: &str, args: &[&str]) -> Result<(Outcome, Profiled), Failed> {
    let jvm_args: Vec<&str> = jvm_args.iter().map(String::as_str).chain([HEAP]).collect();
    let run = Profiled::new(jvm, "laws.Laws", options).with(|launch| launch.jvm_args(&jvm_args).args(args));
    let outcome = run.start().try_finish()?;
    match outcome.code() {
        Some(0) => Ok((outcome, run)),
        _ => Err(format!("{}\n{}", outcome.status, outcome.stderr).into()),
    }
}

fn laws_are_recovered(
    collector: Collector,
    printed: &Printed,
    run: &Profiled,
) -> Result<Vec<String>, String> {
    let strict = strictness(collector, WIDEST);
    let mut found = faults(printed, run, strict)?;
    found.extend(labels(collector, printed, run));
    found.extend(not_found_out(printed, run, strict)?);
    Ok(found)
}

fn samples_tell_the_same(
    collector: Collector,
    printed: &Printed,
    run: &Profiled,
) -> Result<Vec<String>, String> {
    faults(printed, run, strictness(collector, WIDEST_OF_SAMPLES))
}

fn a_reset_starts_anew(
    collector: Collector,
    printed: &Printed,
    run: &Profiled,
) -> Result<Vec<String>, String> {
    let (json, text) = (run.json(), run.log());
    if json.0["resets"] != 1 || !text.contains("Counts began at a reset") {
        return Err(format!("the reset is not told: {}\n{text}", json.0["resets"]));
    }
    faults(printed, run, strictness(collector, WIDEST_AFTER_RESET))
}

fn strictness(collector: Collector, widest: f64) -> Strictness {
    Strictness { widest, from_above: are_upper_bounds(collector) }
}

/// Collectors that do not say when they begin to mark, or that keep what is tracked.
fn are_upper_bounds(collector: Collector) -> bool {
    matches!(collector, Collector::GenerationalZ | Collector::Shenandoah | Collector::GenerationalShenandoah)
}

fn faults(printed: &Printed, run: &Profiled, strict: Strictness) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    let duration_ms = run.json().0["duration_s"].as_f64().ok_or("no duration")? * 1000.0;
    for law in &printed.laws {
        let known = lifetimes(&run.recording(), &law.class)?;
        faults.extend(faults_in_bytes(printed, law, &known, None, strict));
        faults.extend(faults_in_time(printed, law, &known, duration_ms, strict));
    }
    Ok(faults)
}

/// Laws on which a wrong estimator passes for a right one.
fn not_found_out(printed: &Printed, run: &Profiled, strict: Strictness) -> Result<Vec<String>, String> {
    let mut wrongs: Vec<(&str, &str, Wrong)> = vec![(CONSTANT, "early", early), (BIMODAL, "early", early)];
    if !strict.from_above {
        wrongs.extend([(CONSTANT, "late", late as Wrong), (BIMODAL, "late", late)]);
        wrongs.extend([(BIMODAL, "naive", naive as Wrong), (LASTING, "naive", naive)]);
    }
    let mut passed = Vec::new();
    for (class, what, wrong) in wrongs {
        let Some(law) = printed.laws.iter().find(|law| law.class == class) else { continue };
        let known = lifetimes(&run.recording(), class)?;
        if faults_in_bytes(printed, law, &known, Some(wrong), Strictness { widest: f64::INFINITY, ..strict })
            .is_empty()
        {
            passed.push(format!("what is {what} on {class} is not found out"));
        }
    }
    Ok(passed)
}

/// What of the report does not say whether lifetimes are upper bounds.
fn labels(collector: Collector, printed: &Printed, run: &Profiled) -> Vec<String> {
    let (json, bounds) = (run.json(), are_upper_bounds(collector));
    let wrong = |class: &str| {
        let lifetime = json.class(class).map(|row| row["lifetime"].clone()).unwrap_or_default();
        let is_labelled = lifetime["upper_bound"] == bounds && (lifetime["p50_s_band"][0] == 0.0) == bounds;
        (!is_labelled).then(|| format!("{class}: upper bounds {bounds}, but {lifetime}"))
    };
    let mut wrong: Vec<_> = printed.laws.iter().filter_map(|law| wrong(&law.class)).collect();
    if run.log().contains("<= upper bounds") != bounds {
        wrong.push(format!("upper bounds {bounds}, but\n{}", run.log()));
    }
    wrong
}
