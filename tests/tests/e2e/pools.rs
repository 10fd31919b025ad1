//! What each pool of threads allocates (`#threads`): as much as the program says, and no other row changes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;

use mayfly_tests::{Jvm, Profiled, each_jvm, mayfly, schema_faults};
use serde_json::Value;

const ITEM: &str = "pools.Pools$Item";

/// Objects by pool: what the program printed.
fn expected(stdout: &str) -> BTreeMap<String, u64> {
    let lines = stdout.lines().filter_map(|line| line.strip_prefix("POOL "));
    let pool = |line: &str| {
        let (objects, name) = line.split_once(' ').expect("objects and a name");
        (name.to_owned(), objects.parse().expect("a number"))
    };
    lines.map(pool).collect()
}

/// A profiled run of so many objects by each thread, of its items only: its facts and its JSON.
fn run(jvm: &Jvm, options: &str, per_thread: &str) -> (BTreeMap<String, u64>, Profiled) {
    let options = format!("{options}#include-{ITEM}#exactmatch");
    let profiled = Profiled::new(jvm, "pools.Pools", &options).with(|l| l.args(&[per_thread]));
    let outcome = profiled.run();
    (expected(&outcome.stdout), profiled)
}

/// Of each pool the number of a measure.
fn by_pool(json: &Value, measure: &str) -> BTreeMap<String, u64> {
    let rows = json["threads"].as_array().expect("threads");
    let pool = |row: &Value| {
        (row["pool"].as_str().unwrap_or("?").to_owned(), row["measures"][measure].as_u64().unwrap_or(0))
    };
    rows.iter().map(pool).collect()
}

#[test]
fn pools_add_up_to_what_their_threads_made() {
    each_jvm(|jvm| {
        let (expected, every) = run(jvm, "#trackcollections#trace-all#threads", "2000");
        assert!(expected.len() == if jvm.feature < 21 { 3 } else { 4 }, "{expected:?} on {jvm}");
        let json = every.json().0;
        assert_eq!(schema_faults(&json), [""; 0], "on {jvm}");
        assert_eq!(by_pool(&json, "objects"), expected, "on {jvm}");
        let rows = json["threads"].as_array().expect("threads");
        assert!(rows.iter().all(|row| row["error_bytes"] == 0), "each stack was taken: {rows:?}");
        // A merge adds them up.
        let folder = tempfile::tempdir().expect("a folder");
        let merged = folder.path().join("two.mayfly");
        let (file, again) = (every.recording(), folder.path().join("again.mayfly"));
        fs::copy(&file, &again).expect("copied");
        let words =
            ["merge".as_ref(), "-o".as_ref(), merged.as_os_str(), file.as_os_str(), again.as_os_str()];
        mayfly(words).ok();
        let text = mayfly(["report".as_ref(), "--json".as_ref(), merged.as_os_str()]).ok().stdout;
        let twice = by_pool(&serde_json::from_str(&text).expect("JSON"), "objects");
        assert_eq!(twice, expected.iter().map(|(pool, objects)| (pool.clone(), 2 * objects)).collect());
    });
}

/// Threads that say what they work for are of that pool, at once, and of their name's again when they take it back.
#[test]
fn a_thread_may_say_which_pool_it_works_for() {
    each_jvm(|jvm| {
        for options in ["#trackcollections#trace-all#threads", "#trackcollections#trace-all"] {
            let options = format!("{options}#include-{ITEM}#exactmatch");
            let profiled = Profiled::new(jvm, "pools.Pools", &options).with(|l| l.args(&["2000", "stage"]));
            let stdout = profiled.run().stdout;
            let (names, json) = (options.contains("#threads"), profiled.json().0);
            assert_eq!(stdout.contains("REFUSED stage 1"), !names, "{stdout} on {jvm}");
            assert!(jvm.feature < 21 || stdout.contains("VIRTUAL false"), "{stdout} on {jvm}");
            if names {
                assert_eq!(by_pool(&json, "objects"), expected(&stdout), "on {jvm}");
                assert_eq!(by_pool(&json, "objects")["stage 1"], 4000, "on {jvm}");
            }
        }
    });
}

#[test]
fn pools_of_a_sample_are_right_within_their_errors() {
    each_jvm(|jvm| {
        let (expected, sampled) = run(jvm, "#engine-sampled#sample-16k#threads", "40000");
        let json = sampled.json().0;
        for row in json["threads"].as_array().expect("threads") {
            let Some(pool) = row["pool"].as_str() else { continue };
            let (bytes, error) = (row["rank_bytes"].as_f64(), row["error_bytes"].as_f64());
            let (bytes, error) = (bytes.expect("bytes"), error.expect("an error"));
            let truth = 32.0 * expected.get(pool).copied().unwrap_or(0) as f64;
            assert!(
                error > 0.0 && error < truth && (bytes - truth).abs() <= 5.0 * error,
                "{pool}: {bytes} ± {error} of {truth} on {jvm}"
            );
        }
        assert!(by_pool(&json, "objects").keys().eq(expected.keys()), "{json} on {jvm}");
    });
}

#[test]
fn methods_and_callers_are_as_without() {
    each_jvm(|jvm| {
        let frames = |options: &str| {
            let (_, profiled) = run(jvm, options, "2000");
            let json = profiled.json().0;
            let file = profiled.recording();
            let words = ["report", "--threads"].map(OsStr::new);
            let text = mayfly(words.into_iter().chain([file.as_os_str()])).ok().stdout;
            (json["own_ways"].to_string(), json.get("threads").is_some(), text)
        };
        let (with, named, table) = frames("#trace-all#threads");
        let (without, unnamed, refused) = frames("#trace-all");
        assert_eq!(with, without, "on {jvm}");
        assert!(named && !unnamed);
        assert!(table.contains("http-nio-8080-exec-*"), "{table}");
        assert!(refused.contains("not known: stacks do not name threads"), "{refused}");
    });
}
