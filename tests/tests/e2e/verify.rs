//! Every class of every JVM at hand passes the JVM's verifier after rewriting, boot classes included.
//!
//! `MAYFLY_JARS` (paths, separated by colons) adds jars.

use std::collections::BTreeSet;
use std::env;
use std::time::Duration;

use mayfly_tests::{Jvm, Launch, Profiled, each_jvm_at_once, left_to_ci, skip};

const JVM_ARGS: &[&str] = &[
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+BytecodeVerificationLocal",
    "-XX:+BytecodeVerificationRemote",
    "--add-modules",
    "ALL-SYSTEM",
];
const LIMIT: Duration = Duration::from_secs(400);

fn prepare(launch: Launch, args: &[&str]) -> Launch {
    launch.jvm_args(JVM_ARGS).args(args).limit(LIMIT)
}

fn failures(stdout: &str) -> BTreeSet<&str> {
    stdout.lines().filter_map(|line| line.strip_prefix("FAIL ")).collect()
}

fn linked(stdout: &str) -> Option<u32> {
    stdout.lines().find_map(|line| line.strip_prefix("LINKED ")?.split(' ').next()?.parse().ok())
}

fn no_new_failures(jvm: &Jvm, args: &[&str], at_least: u32) {
    let plain = prepare(Launch::new(jvm, "verifyall.VerifyAll"), args).run().ok();
    // With places, each class gets all the hooks there are.
    let profiled = Profiled::new(jvm, "verifyall.VerifyAll", "#trace").with(|launch| prepare(launch, args));
    let outcome = profiled.run();
    let before = failures(&plain.stdout);
    let new: Vec<_> = failures(&outcome.stdout).difference(&before).copied().collect();
    assert!(new.is_empty(), "on {jvm}, {} classes fail only with the agent:\n{}", new.len(), new.join("\n"));
    let (without, with) = (linked(&plain.stdout), linked(&outcome.stdout));
    assert_eq!(without, with, "classes linked on {jvm}");
    assert!(with >= Some(at_least), "on {jvm} only {with:?} classes were linked");
    println!("{with:?} classes on {jvm}; refusals {}", profiled.json().0["trust"]["refusals"]);
}

#[test]
fn every_class_of_the_image() {
    if left_to_ci("verification of all classes") {
        return;
    }
    // java.base alone has more.
    each_jvm_at_once(|jvm| no_new_failures(jvm, &[], 5_000));
}

#[test]
fn every_class_of_the_jars_given() {
    let Ok(jars) = env::var("MAYFLY_JARS") else {
        return skip("verification of jars", "MAYFLY_JARS names none");
    };
    each_jvm_at_once(|jvm| no_new_failures(jvm, &jars.split(':').collect::<Vec<_>>(), 1));
}

#[test]
fn a_failure_is_told_apart_from_a_success() {
    let stdout = "FAIL a.A: java.lang.VerifyError: x\nLINKED 5 FAILED 1\n";
    assert_eq!(failures(stdout).len(), 1);
    assert_eq!(linked(stdout), Some(5));
    assert_eq!(linked("LINKED"), None);
}
