//! `mayfly diff` on real programs: runs of one and the same, and one of another.

use std::ffi::OsString;

use mayfly_tests::{Profiled, any_jvm, mayfly};
use serde_json::Value;

const OPTIONS: &str = "#trackcollections#trace";
/// By chance alone this test fails once in more than 10,000 runs.
const LEVEL: &str = "0.00005";

/// What is not the same, as `measure class`.
fn differences(before: &[&Profiled], after: &[&Profiled]) -> Vec<String> {
    let files =
        |runs: &[&Profiled]| -> Vec<OsString> { runs.iter().map(|run| run.recording().into()).collect() };
    let words: [Vec<OsString>; 4] = [
        ["diff", "--json", "--trust", "0.5", "--level", LEVEL, "--before"].map(OsString::from).to_vec(),
        files(before),
        vec!["--after".into()],
        files(after),
    ];
    let outcome = mayfly(words.concat()).ok();
    let json: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let findings = json["findings"].as_array().expect("a list");
    assert!(findings.len() > 5, "{json:#}");
    let text = |value: &Value| value.as_str().unwrap_or("total").to_owned();
    let other = findings.iter().filter(|finding| finding["verdict"] != "same");
    other.map(|finding| format!("{} {}", text(&finding["measure"]), text(&finding["class"]))).collect()
}

#[test]
fn what_a_program_allocates_does_not_change_between_its_runs() {
    any_jvm(|jvm| {
        let run = || {
            let run = Profiled::new(jvm, "exitlive.ExitLive", OPTIONS);
            run.run();
            run
        };
        let (before, after) = ([run(), run(), run()], [run(), run(), run()]);
        let found = differences(&before.each_ref(), &after.each_ref());
        let allocated: Vec<_> = found.iter().filter(|found| found.starts_with("allocated_bytes")).collect();
        assert!(allocated.is_empty(), "on {jvm}: {found:?}");
        let itself = before.each_ref();
        assert_eq!(differences(&itself, &itself), [""; 0], "on {jvm}");
        // Another program, which does about as much: 1,000 nodes are live in the one only.
        let other = Profiled::new(jvm, "concat.Concat", OPTIONS).with(|launch| launch.args(&["40000"]));
        other.run();
        let found = differences(&[&before[0]], &[&other]);
        for expected in ["allocated_bytes", "live_bytes"] {
            let node = format!("{expected} exitlive.ExitLive$Node");
            assert!(found.contains(&node), "{node} on {jvm}: {found:?}");
        }
    });
}
