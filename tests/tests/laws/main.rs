//! Lifetimes against programs of known law, on every JVM found with every collector it offers.
//!
//! The program measures how long it held its objects; the reported quantiles must lie about there: the truth in their bands,
//! and the bands narrow enough to be of use. The same checks are run on an estimator that takes each death for when it was
//! noticed and forgets the living: they must find it out.

#[path = "../matrix/collector.rs"]
#[allow(dead_code, reason = "what reports call the collectors is not checked here")]
mod collector;
mod judge;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use mayfly_tests::{Jvm, Outcome, Profiled, artifacts, fixture_classes, jvms, skip};

use crate::collector::{Collector, Offer};
use crate::judge::{Law, Reported, naive, reported};

const TRACKED: &str = "#trackcollections#include-laws.Laws$";
const SAMPLED: &str = "#sample-8k#include-laws.Laws$";
const SECONDS: &str = "5";
/// Some need more than others for their own.
const HEAP: &str = "-Xmx256m";

/// Runs of a program that stalls, before it is left.
const MOST_RUNS: usize = 3;

/// Most are still alive when the program ends.
const LASTING: &str = "laws.Laws$Lasting";

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // The programs mostly wait; on more threads, collections would wait for each other.
    arguments.test_threads.get_or_insert(3);
    let trials: Vec<_> = jvms()
        .iter()
        .flat_map(|jvm| Collector::ALL.map(|collector| trials(jvm, collector)))
        .flatten()
        .collect();
    if !arguments.list {
        artifacts();
        fixture_classes();
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(jvm: &'static Jvm, collector: Collector) -> Vec<Trial> {
    let name = |what: &str| format!("{}/{collector}/{what}", jvm.feature);
    let Offer::With(jvm_args) = collector.offered_by(jvm) else {
        return vec![Trial::test(name("laws"), || Ok(())).with_ignored_flag(true)];
    };
    let trial = |kind: &str, options: &'static str, args: &'static [&'static str], check: Check| {
        let (jvm_args, what) = (jvm_args.clone(), name(kind));
        Trial::test(what.clone(), move || {
            for _ in 0..MOST_RUNS {
                let (outcome, run) = run(jvm, &jvm_args, options, args)?;
                let laws = Law::all(&outcome.stdout)?;
                if !laws.iter().any(Law::stalled) {
                    return check(collector, &laws, &run)
                        .map_err(|why| format!("{why}\n{}", outcome.stdout).into());
                }
            }
            skip(&what, "the machine stalled again and again: objects died when they were looked at");
            Ok(())
        })
    };
    let mut trials = vec![trial("laws", TRACKED, &[SECONDS], laws_are_recovered)];
    // Once per collector is enough for what is the same in all releases.
    let newest = jvms().iter().rfind(|other| matches!(collector.offered_by(other), Offer::With(_)));
    if newest == Some(jvm) {
        trials.push(trial("sampled", SAMPLED, &[SECONDS], samples_tell_the_same));
        trials.push(trial("reset", TRACKED, &[SECONDS, "reset"], a_reset_starts_anew));
    }
    trials
}

type Check = fn(Collector, &[Law], &Profiled) -> Result<(), String>;

fn run(jvm: &Jvm, jvm_args: &[String], options: &str, args: &[&str]) -> Result<(Outcome, Profiled), Failed> {
    let jvm_args: Vec<&str> = jvm_args.iter().map(String::as_str).chain([HEAP]).collect();
    let run = Profiled::new(jvm, "laws.Laws", options).with(|launch| launch.jvm_args(&jvm_args).args(args));
    let outcome = run.start().try_finish()?;
    match outcome.code() {
        Some(0) => Ok((outcome, run)),
        _ => Err(format!("{}\n{}", outcome.status, outcome.stderr).into()),
    }
}

fn laws_are_recovered(collector: Collector, laws: &[Law], run: &Profiled) -> Result<(), String> {
    let faults = faults(collector, laws, &reported(&run.json(), laws)?, WIDEST, 1.0);
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let naive = naive(&run.recording(), laws)?;
    for class in ["laws.Laws$Bimodal", LASTING] {
        let law: Vec<_> = laws.iter().filter(|law| law.class == class).cloned().collect();
        if judge::faults(&law, &naive, f64::INFINITY, 1.0).is_empty() {
            return Err(format!("the wrong estimator is not found out on {class}: {naive:?}"));
        }
    }
    Ok(())
}

fn samples_tell_the_same(collector: Collector, laws: &[Law], run: &Profiled) -> Result<(), String> {
    let faults = faults(collector, laws, &reported(&run.json(), laws)?, WIDEST_OF_SAMPLES, SAMPLES_MISS);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

fn a_reset_starts_anew(collector: Collector, laws: &[Law], run: &Profiled) -> Result<(), String> {
    let json = run.json();
    let text = run.log();
    if json.0["resets"] != 1 || !text.contains("Counts began at a reset") {
        return Err(format!("the reset is not told: {}\n{text}", json.0["resets"]));
    }
    let faults = faults(collector, laws, &reported(&json, laws)?, f64::INFINITY, FEW_LOOKS_MISS);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Upper ÷ lower end of a band.
const WIDEST: f64 = 2.0;
const WIDEST_OF_SAMPLES: f64 = 3.0;
/// In the short time after the reset, all objects that die together are looked at in the same ten collections.
const FEW_LOOKS_MISS: f64 = 1.1;
/// Of a hundred bands of samples five may miss the truth; none of them by this factor.
const SAMPLES_MISS: f64 = 1.25;

fn faults(collector: Collector, laws: &[Law], reported: &[Reported], widest: f64, miss: f64) -> Vec<String> {
    // Upper bounds, and labelled so.
    let widest = if collector == Collector::GenerationalZ { f64::INFINITY } else { widest };
    judge::faults(laws, reported, widest, miss)
}
