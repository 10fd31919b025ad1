//! Counts are exact whatever thread allocates, and whether or not it still runs.

use std::time::Duration;

use mayfly_tests::{Jvm, Profiled, check_all, each_jvm, jvms, skip};
use serde_json::Value;

fn counts_exactly(jvm: &Jvm, jvm_args: &[&str], args: &[&str]) {
    for options in ["", "#trace"] {
        let run = Profiled::new(jvm, "threads.Threads", options).with(|l| l.jvm_args(jvm_args).args(args));
        let outcome = run.run();
        if let Err(mismatch) = check_all(jvm, &outcome.stdout, &run.json().allocated()) {
            panic!("{args:?} with {options:?} on {jvm}:\n{mismatch}");
        }
    }
}

#[test]
fn four_threads_at_once() {
    each_jvm(|jvm| counts_exactly(jvm, &[], &["4", "100000"]));
}

#[test]
fn many_short_lived_threads() {
    each_jvm(|jvm| counts_exactly(jvm, &[], &["1000", "200"]));
}

/// So many carriers that a virtual thread which waits while it is cloning comes back on one that ran as many overrides of `clone`.
#[test]
fn virtual_threads() {
    if jvms().iter().all(|jvm| jvm.feature < 21) {
        return skip("virtual threads", "no JVM 21 or newer found");
    }
    each_jvm(|jvm| {
        if jvm.feature >= 21 {
            let carriers = ["-Djdk.virtualThreadScheduler.parallelism=32"];
            counts_exactly(jvm, &carriers, &["200", "2000", "virtual"]);
        }
    });
}

#[test]
fn four_threads_tracked() {
    each_jvm(|jvm| {
        let options = "#trackcollections#include-threads.Threads$Item";
        let run = Profiled::new(jvm, "threads.Threads", options).with(|l| l.args(&["4", "100000"]));
        run.run();
        let json = run.json();
        let objects =
            |counts: mayfly_tests::Counts| counts.get("threads.Threads$Item").map_or(0, |c| c.objects);
        assert_eq!(objects(json.allocated()), 400_000, "allocated on {jvm}");
        assert_eq!(objects(json.live()) + objects(json.collected()), 400_000, "live and collected on {jvm}");
    });
}

/// A frame of this class stands for the stack of a virtual thread that is being mounted or unmounted.
const MOVING: &str = "<virtual thread>.";

/// On JDK 21 a stack taken there waits for the end of what it interrupts, for ever.
#[test]
fn virtual_threads_that_allocate_while_they_are_mounted_or_unmounted() {
    if jvms().iter().all(|jvm| jvm.feature < 21) {
        return skip("virtual threads", "no JVM 21 or newer found");
    }
    each_jvm(|jvm| {
        for options in
            ["#trace", "#trackcollections#trace", "#trackcollections#trace-all", "#sample-16k#trace"]
        {
            if jvm.feature >= 21 {
                on_the_way(jvm, options);
            }
        }
    });
}

fn on_the_way(jvm: &Jvm, options: &str) {
    let pinned = ["-Djdk.tracePinnedThreads=short"];
    let run = Profiled::new(jvm, "pinned.Pinned", options)
        .with(|l| l.jvm_args(&pinned).limit(Duration::from_secs(60)));
    let outcome = run.run();
    let json = run.json();
    check_all(jvm, &outcome.stdout, &json.allocated())
        .unwrap_or_else(|why| panic!("{options:?} on {jvm}:\n{why}"));
    // JDK 21 alone allocates there for certain: it prints.
    if jvm.feature != 21 || options.starts_with("#sample") {
        return;
    }
    let sites = json.0["sites"].as_array().expect("sites");
    let is_moving = |site: &&Value| site["stack"].to_string().contains(MOVING);
    let objects = |site: &Value| site["allocated"]["objects"].as_u64().unwrap_or(0);
    let moving: u64 = sites.iter().filter(is_moving).map(objects).sum();
    assert!(moving > 0, "{options:?} on {jvm}: no site of a virtual thread on its way");
    // None is lost: the sites of a class are all of it.
    let of_bytes = |site: &&Value| site["class"] == "[B";
    let bytes: u64 = sites.iter().filter(of_bytes).map(objects).sum();
    assert_eq!(bytes, json.allocated()["[B"].objects, "{options:?} on {jvm}");
}

/// From JDK 24 on the VM unmounts a virtual thread that waits for a monitor, and no call says when it goes on; from 25 on another class says that
/// one starts.
#[test]
fn virtual_threads_that_waited_for_a_monitor_have_stacks() {
    if jvms().iter().all(|jvm| jvm.feature < 21) {
        return skip("virtual threads", "no JVM 21 or newer found");
    }
    each_jvm(|jvm| {
        for options in ["#trackcollections#trace", "#trace", "#track-balanced#trace"] {
            if jvm.feature >= 21 {
                waited_for_a_monitor(jvm, options);
            }
        }
    });
}

fn waited_for_a_monitor(jvm: &Jvm, options: &str) {
    let run = Profiled::new(jvm, "pinned.Contended", options).with(|l| l.limit(Duration::from_secs(60)));
    let outcome = run.run();
    let json = run.json();
    check_all(jvm, &outcome.stdout, &json.allocated())
        .unwrap_or_else(|why| panic!("{options:?} on {jvm}:\n{why}"));
    let sites = json.0["sites"].as_array().expect("sites");
    let items = sites.iter().filter(|site| site["class"] == "pinned.Contended$Item");
    let stacks: Vec<_> = items.map(|site| site["stack"].to_string()).collect();
    assert!(!stacks.is_empty(), "{options:?} on {jvm}: no site");
    for stack in stacks {
        assert!(stack.contains("pinned.Contended.take"), "{options:?} on {jvm}: {stack}");
    }
}
