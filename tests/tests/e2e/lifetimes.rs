//! The canonical test: 1, 10, 20 and 30 objects die in four lifetime buckets, and are found there.

use std::time::Duration;

use mayfly_tests::{Jvm, Outcome, Profiled, Running, jvms, skip};

const TRACKED: &str = "other.test.TestObject";
const KEPT: &str = "other.test.KeptObject";

/// The longest program takes 30 s; all runs start together.
const LIMIT: Duration = Duration::from_secs(75);

/// Upper bounds, in seconds, of the buckets in which 1, 10, 20 and 30 objects die.
type Bounds = [u64; 4];

fn expected(bounds: Bounds) -> Vec<(u64, Option<u64>, u64)> {
    let from = [0, bounds[0], bounds[1], bounds[2]];
    let objects = [1, 10, 20, 30];
    (0..4).map(|i| (from[i], Some(bounds[i]), objects[i])).collect()
}

/// Whether the program let every group die inside its bucket: if not, the machine stalled.
fn on_time(outcome: &Outcome, bounds: Bounds) -> bool {
    let dropped = |line: &str| line.strip_prefix("DROPPED ")?.split_once(' ')?.1.parse::<u64>().ok();
    let times: Vec<_> = outcome.stdout.lines().filter_map(dropped).collect();
    times.len() == 4 && times.iter().zip(bounds).all(|(&ms, bound)| ms < bound * 1000 - 200)
}

struct Run {
    what: String,
    profiled: Profiled,
    running: Running,
}

/// Starts all runs at once (they mostly wait), then judges each.
fn judge(bounds: Bounds, args: &[&str], options: &[&str], modes: &[(&Jvm, &[&str])]) {
    let start = |options: &str, &(jvm, jvm_args): &(&Jvm, &[&str])| {
        let profiled =
            Profiled::new(jvm, "test.Test", options).with(|l| l.jvm_args(jvm_args).args(args).limit(LIMIT));
        let running = profiled.start();
        Run { what: format!("{options} {jvm_args:?} on {jvm}"), profiled, running }
    };
    let runs: Vec<_> =
        options.iter().flat_map(|options| modes.iter().map(|mode| start(options, mode))).collect();
    let mut wrong = Vec::new();
    for Run { what, profiled, running } in runs {
        let outcome = match running.try_finish() {
            Ok(outcome) => outcome,
            Err(why) => {
                wrong.push(format!("{what}: {why}"));
                continue;
            }
        };
        if outcome.stderr.contains("Unrecognized VM option") || outcome.stderr.contains("not supported") {
            skip(&what, "this JVM lacks the collector");
        } else if !on_time(&outcome, bounds) && outcome.code() == Some(0) {
            skip(&what, "the machine stalled, so objects died in other buckets");
        } else if let Err(why) = check(&outcome, &profiled, bounds) {
            wrong.push(format!("{what}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(outcome: &Outcome, profiled: &Profiled, bounds: Bounds) -> Result<(), String> {
    if outcome.code() != Some(0) {
        return Err(format!("{}\n{}", outcome.status, outcome.stderr));
    }
    let (text, json) = (profiled.text(), profiled.json());
    let expected = expected(bounds);
    for (source, found) in [("text", text.buckets_of(TRACKED)), ("json", json.buckets_of(TRACKED))] {
        if found != expected {
            return Err(format!("{source}: expected {expected:?}, found {found:?}"));
        }
    }
    for (source, live) in [("text", text.live_counts()), ("json", json.live())] {
        let objects = |class: &str| live.get(class).map_or(0, |count| count.objects);
        if (objects(KEPT), objects(TRACKED)) != (40, 0) {
            return Err(format!(
                "{source}: live at exit: {KEPT} {}, {TRACKED} {}",
                objects(KEPT),
                objects(TRACKED)
            ));
        }
    }
    Ok(())
}

#[test]
fn objects_are_found_in_the_buckets_they_died_in() {
    let modes: Vec<(&Jvm, &[&str])> = jvms().iter().map(|jvm| (jvm, [].as_slice())).collect();
    let options = "#bucket-2,4,6,8#include-other.test#trackcollections";
    judge([2, 4, 6, 8], &["2", "4", "6", "8"], &[options], &modes);
}

#[test]
fn a_share_of_few_objects_is_all_of_them() {
    let modes: Vec<(&Jvm, &[&str])> = jvms().iter().map(|jvm| (jvm, [].as_slice())).collect();
    let options =
        ["#bucket-2,4,6,8#track-balanced", "#bucket-2,4,6,8#include-other.test#track-balanced#trace"];
    judge([2, 4, 6, 8], &["2", "4", "6", "8"], &options, &modes);
}

#[test]
fn under_every_collector() {
    // ZGC was experimental up to JDK 14.
    const UNLOCK: &str = "-XX:+UnlockExperimentalVMOptions";
    let collectors: [&[&str]; 4] =
        [&["-XX:+UseSerialGC"], &["-XX:+UseParallelGC"], &["-XX:+UseShenandoahGC"], &[UNLOCK, "-XX:+UseZGC"]];
    let modes: Vec<_> = jvms().iter().flat_map(|jvm| collectors.map(|gc| (jvm, gc))).collect();
    let options = "#bucket-2,4,6,8#include-other.test#trackcollections";
    judge([2, 4, 6, 8], &["2", "4", "6", "8"], &[options], &modes);
}

#[test]
fn as_the_original_was_run() {
    let modes: Vec<(&Jvm, &[&str])> = jvms().iter().map(|jvm| (jvm, [].as_slice())).collect();
    let options =
        "#bucket-5,15,25,35,45,55#gc-1#include-other,[Ljava.lang.Object,java.util.ArrayList#trackcollection";
    judge([5, 15, 25, 35], &[], &[options], &modes);
}

#[test]
fn an_object_in_the_wrong_bucket_would_be_told() {
    let mut shifted = expected([2, 4, 6, 8]);
    shifted[0].2 = 0;
    assert_ne!(shifted, expected([2, 4, 6, 8]));
    assert_ne!(expected([5, 15, 25, 35]), expected([2, 4, 6, 8]));
}
