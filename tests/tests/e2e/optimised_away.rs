//! What the JIT compiler optimised away is counted as executed, marked, and not ranked by: a loop of `"x" + i`.

use std::ffi::OsString;

use mayfly_tests::{JsonReport, Jvm, Launch, Outcome, TextReport, Workspace, each_jvm_at_once, mayfly};

const ARRAYS: &str = "[B";
const KEPT: &str = "concat.Concat$Kept";
/// Executed more often than anything else, and hardly ever allocated.
const REMOVED: [&str; 2] = ["java.lang.String", "concat.Concat$Pair"];
const TURNS: u64 = 20_000_000;

struct Run {
    json: JsonReport,
    /// `mayfly report`, without and with `--full`.
    screen: String,
    full: String,
    outcome: Outcome,
}

fn run(jvm: &Jvm, options: &str) -> Run {
    let workspace = Workspace::new();
    let recording = workspace.file("run.mayfly");
    let options = format!("{options}#recording-{}", recording.display());
    let outcome = Launch::new(jvm, "concat.Concat").agent(options).args(&[&TURNS.to_string()]).run().ok();
    let report = |option: &str| {
        mayfly([OsString::from("report"), option.into(), recording.clone().into()]).ok().stdout
    };
    Run { json: JsonReport::of(&recording), screen: report("--text"), full: report("--full"), outcome }
}

/// Panics unless the names stand in the order of what was allocated of the classes.
#[track_caller]
fn ranked<'a>(what: &str, names: impl Iterator<Item = &'a str>) {
    let names: Vec<_> = names.collect();
    let place = |class: &str| names.iter().position(|name| *name == class).unwrap_or(usize::MAX);
    assert!(place(ARRAYS) < place(KEPT), "{what}: {names:?}");
    for class in REMOVED {
        assert!(place(KEPT) < place(class), "{class} in {what}: {names:?}");
    }
}

/// Begins the table of classes.
const HEADING: &str = "\n  allocated  share";

/// The words of a table under a heading.
#[track_caller]
fn words<'a>(text: &'a str, heading: &str) -> impl Iterator<Item = &'a str> {
    let table = text.split_once(heading).unwrap_or_else(|| panic!("no {heading:?} in:\n{text}")).1;
    table.split("\n\n").next().unwrap_or_default().split_whitespace()
}

#[test]
fn what_was_executed_and_not_allocated_does_not_rank_first() {
    each_jvm_at_once(|jvm| {
        for options in ["", "#trace", "#sample-512k#trace", "#track-balanced"] {
            let Run { json, screen, full, outcome } = run(jvm, options);
            for class in REMOVED {
                let row = json.class(class).unwrap_or_else(|| panic!("no {class} with {options} on {jvm}"));
                let (executed, rank) = (row["allocated"]["bytes"].as_u64(), row["rank_bytes"].as_u64());
                assert!(executed >= Some(TURNS * 24), "{class} with {options} on {jvm}: {row}");
                assert!(rank < Some(TURNS * 24 / 4), "{class} with {options} on {jvm}: {row}");
                assert_eq!(row["optimised_away"], true, "{class} with {options} on {jvm}: {row}");
            }
            assert_eq!(json.class(KEPT).map(|row| &row["optimised_away"]), Some(&false.into()), "on {jvm}");
            let classes = json.0["classes"].as_array().expect("classes");
            let ranks: Vec<_> = classes.iter().filter_map(|class| class["rank_bytes"].as_u64()).collect();
            assert!(ranks.is_sorted_by(|a, b| a >= b) && classes[0]["name"] == ARRAYS, "{options} on {jvm}");

            let all = TextReport::all(&full).pop().expect("a report").allocated;
            ranked(&format!("the full report, {options} on {jvm}"), all.iter().map(|row| row.class.as_str()));
            assert!(full.contains("optimised away: executed as above"), "{options} on {jvm}:\n{full}");
            ranked(
                &format!("the screen, {options} on {jvm}"),
                words(&screen.replace("byte[]", ARRAYS), HEADING),
            );
            // The agent's own report is the same screen.
            ranked(
                &format!("stderr, {options} on {jvm}"),
                words(&outcome.stderr.replace("byte[]", ARRAYS), HEADING),
            );
        }
    });
}
