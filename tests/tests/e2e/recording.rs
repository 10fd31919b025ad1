//! What users get from a run: the JSON schema, the live histogram when piped, `mayfly run` and `mayfly report`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::Range;
use std::path::Path;

use mayfly_tests::{
    JsonReport, Launch, Outcome, Profiled, TextReport, Workspace, any_jvm, check_all, each_jvm, mayfly,
};
use serde_json::Value;

/// Keys of `mayfly-report/1`; what may be absent or null is not listed.
const KEYS: &[(&str, &[&str])] = &[
    ("", &["schema", "jvm", "engine", "duration_s", "trust", "classes", "sites", "buckets"]),
    ("/jvm", &["pid", "version", "gc", "command"]),
    ("/trust", &["accounted_bytes", "jvm_allocated_bytes", "share", "remainder", "refusals", "dropped"]),
    ("/classes/0", &["name", "allocated", "largest", "live", "collected", "lifetime"]),
    ("/classes/0/allocated", &["objects", "bytes"]),
    ("/classes/0/live", &["objects", "bytes"]),
    ("/classes/0/collected/0", &["from_s", "to_s", "objects", "bytes"]),
    (
        "/classes/0/lifetime",
        &["p50_s", "p90_s", "p99_s", "p50_gcs", "p50_bytes", "died_before_first_gc_share"],
    ),
    ("/sites/0", &["class", "stack", "allocated", "live", "collected", "byte_seconds"]),
    ("/buckets/0", &["from_s", "to_s", "objects", "bytes"]),
];

fn missing(json: &Value) -> Vec<String> {
    let mut missing = Vec::new();
    for (pointer, keys) in KEYS {
        let object = json.pointer(pointer);
        missing.extend(
            keys.iter()
                .filter(|key| object.and_then(|o| o.get(key)).is_none())
                .map(|key| format!("{pointer}/{key}")),
        );
    }
    missing
}

#[test]
fn the_json_has_every_documented_key() {
    any_jvm(|jvm| {
        let run =
            Profiled::new(jvm, "exitlive.ExitLive", "#trackcollections#trace#include-exitlive.ExitLive$Node");
        run.run();
        let JsonReport(json) = run.json();
        assert_eq!(json["schema"], "mayfly-report/1");
        assert_eq!(missing(&json), Vec::<String>::new(), "on {jvm}:\n{json:#}");
        assert_eq!(json["engine"], "exact");
        let version = json["jvm"]["version"].as_str().unwrap_or_default();
        assert!(jvm.version.starts_with(version) || version.starts_with(&jvm.version), "{version} of {jvm}");
        let last = json["buckets"].as_array().and_then(|buckets| buckets.last()).expect("buckets");
        assert!(last["to_s"].is_null(), "the last bucket is infinite: {last}");
    });
}

#[test]
fn answers_on_several_recordings_keep_their_schemas() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "exitlive.ExitLive", "#trackcollections#label-tier=web");
        run.run();
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.mayfly", "b.mayfly"] {
            fs::copy(run.recording(), folder.path().join(name)).expect("copied");
        }
        for (words, rows) in [(&["report", "--by", "tier"][..], "/rows"), (&["leaks"], "/recordings")] {
            let outcome =
                mayfly(words.iter().map(OsStr::new).chain(["--json".as_ref(), folder.path().as_os_str()]));
            let json: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
            assert_eq!(mayfly_tests::schema_faults(&json), [""; 0], "{words:?} on {jvm}");
            assert!(
                json.pointer(rows).and_then(|rows| rows.as_array()).is_some_and(|rows| !rows.is_empty()),
                "{json}"
            );
        }
    });
}

#[test]
fn a_missing_key_would_be_told() {
    assert!(missing(&serde_json::json!({"schema": "mayfly-report/1"})).contains(&"/jvm".to_owned()));
}

#[test]
fn text_and_json_tell_the_same() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "org.server.Server", "#trackcollections");
        run.run();
        let (text, json) = (run.text(), run.json());
        assert!(text.live_counts().len() > 20, "on {jvm}: {} classes live", text.live_counts().len());
        for (class, count) in text.live_counts() {
            assert_eq!(json.live().get(&class), Some(&count), "live {class} on {jvm}");
        }
        let printed = mayfly([OsString::from("report"), "--full".into(), run.recording().into()]).ok().stdout;
        let printed = TextReport::all(&printed).pop().expect("a report");
        assert_eq!(printed.live_counts(), text.live_counts(), "mayfly report and the agent's log on {jvm}");
    });
}

#[test]
fn the_live_histogram_is_plain_when_piped() {
    any_jvm(|jvm| {
        let outcome = Launch::new(jvm, "demo.Demo").agent("#trackcollections#live-1").args(&["3"]).run().ok();
        let (live, report) = outcome.stderr.split_once("===\n").unwrap_or((&outcome.stderr, ""));
        assert!(!outcome.stderr.contains('\u{1b}'), "on {jvm}: escape codes in a pipe");
        assert!(report.contains("Reason for output: JVM Shutdown"), "on {jvm}: {}", outcome.stderr);
        assert!(live.contains("demo.Demo$Request"), "on {jvm}: {live}");
        let long: Vec<_> = live.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "on {jvm}, more than 80 columns: {long:?}");
    });
}

#[test]
fn the_report_on_stderr_is_one_screen_unless_rows_are_asked_for() {
    any_jvm(|jvm| {
        let report = |options: &str| {
            let options = format!("#trackcollections#trace#live-0{options}");
            Launch::new(jvm, "exitlive.ExitLive").agent(options).run().ok().stderr
        };
        let screen = report("");
        let lines: Vec<_> = screen.lines().skip_while(|line| *line != "===").collect();
        // 40, three for when and why it is written, and the blank line behind it.
        assert!((15..=44).contains(&lines.len()), "on {jvm}:\n{screen}");
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "on {jvm}:\n{screen}");
        assert!(screen.contains("\nFound:\n  1. "), "on {jvm}:\n{screen}");
        assert!(screen.contains("exitlive.ExitLive.main"), "its methods on {jvm}:\n{screen}");
        assert!(TextReport::at_exit(&screen).allocated.is_empty(), "on {jvm}:\n{screen}");
        let full = TextReport::at_exit(&report("#outputlimit-3"));
        assert_eq!((full.allocated.len(), full.live.len()), (3, 3), "on {jvm}");
    });
}

#[test]
fn the_lifetimes_of_the_demo_are_told_apart() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "demo.Demo", "#trackcollections#bucket-1,2,3#include-demo")
            .with(|l| l.args(&["5"]));
        run.run();
        let json = run.json();
        // The demo goes by ticks, which a busy machine stretches, and allocates the same in each: five seconds of them in all.
        let second = json.0["trust"]["accounted_bytes"].as_f64().expect("bytes") / 5.0;
        let median = |class: &str| Some(json.class(class)?["lifetime"]["p50_bytes"].as_f64()? / second);
        let is_within = |class: &str, seconds: Range<f64>| {
            let median = median(class);
            assert!(
                median.is_some_and(|s| seconds.contains(&s)),
                "{class} on {jvm}: {median:?} of {second} bytes"
            );
        };
        is_within("demo.Demo$Request", 0.0..0.5);
        is_within("demo.Demo$CacheEntry", 0.75..2.0);
        is_within("demo.Demo$Session", 1.7..5.0);
        let audit = "demo.Demo$AuditEvent";
        assert_eq!(json.collected().get(audit).map_or(0, |c| c.objects), 0, "the leak never dies, on {jvm}");
    });
}

/// Runs a program through `mayfly run`, its recording kept in this file.
fn mayfly_run(options: &[&str], recording: &Path, launch: &Launch) -> Outcome {
    let mut args: Vec<OsString> = vec!["run".into(), "--output".into(), recording.into()];
    args.extend(options.iter().map(OsString::from));
    args.extend(["--".into(), launch.java().into()]);
    args.extend(launch.java_args());
    mayfly(args)
}

#[test]
fn mayfly_run_passes_the_exit_code_and_stdout_through() {
    each_jvm(|jvm| {
        let folder = Workspace::new();
        for (how, code) in [("return", 0), ("exit", 3), ("halt", 4), ("uncaught", 1)] {
            let launch = Launch::new(jvm, "exits.Exits").args(&[how]);
            let plain = launch.run();
            let outcome = mayfly_run(&[], &folder.file(how), &launch);
            assert_eq!(outcome.code(), Some(code), "{how} on {jvm}: {}", outcome.stderr);
            assert_eq!(outcome.stdout, plain.stdout, "{how} on {jvm}");
        }
    });
}

#[test]
fn mayfly_run_keeps_a_recording_of_exact_counts_and_sampled_lifetimes() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let recording = folder.file("kept.mayfly");
        let outcome = mayfly_run(&[], &recording, &Launch::new(jvm, "org.server.Server")).ok();
        let json = JsonReport::of(&recording);
        check_all(jvm, &outcome.stdout, &json.allocated())
            .unwrap_or_else(|mismatch| panic!("on {jvm}: {mismatch}"));
        assert_eq!(json.0["tracking"]["objects"], "byte_sample", "on {jvm}");
        // 100 MB of buffers at one sample per 512 KiB.
        assert!(json.collected()["[B"].objects + json.live()["[B"].objects > 500, "on {jvm}");
        assert!(!json.0["sites"].as_array().expect("sites").is_empty(), "on {jvm}");
    });
}

#[test]
fn mayfly_run_follows_every_object_when_asked() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let recording = folder.file("kept.mayfly");
        let options = ["--every-object", "--include", "exitlive"];
        mayfly_run(&options, &recording, &Launch::new(jvm, "exitlive.ExitLive")).ok();
        let json = JsonReport::of(&recording);
        assert_eq!(json.live()["exitlive.ExitLive$Node"].objects, 1000, "on {jvm}");
        assert_eq!(json.collected()["exitlive.ExitLive$Node"].objects, 400_000, "on {jvm}");
    });
}
