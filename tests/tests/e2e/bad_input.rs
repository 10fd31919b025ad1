//! Bad input is told in one clear line with the documented exit code, and loses nothing recorded before.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::time::{Duration, Instant};

use mayfly_tests::{
    Jvm, Launch, Outcome, Profiled, Workspace, any_jvm, each_jvm, jvms, jvms_too_old, mayfly, skip,
};

const USAGE: i32 = 2;
const UNREADABLE: i32 = 4;

/// Lines of ours; the JVM adds its own.
fn ours(outcome: &Outcome) -> Vec<&str> {
    let stderr = outcome.stderr.lines();
    stderr.filter(|line| !line.trim().is_empty() && !is_of_the_jvm(line)).collect()
}

fn is_of_the_jvm(line: &str) -> bool {
    [
        "Error occurred during initialization of VM",
        "agent library failed",
        "Picked up",
        "OpenJDK",
        "Java HotSpot",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

#[track_caller]
fn refused(outcome: &Outcome, code: i32, words: &[&str]) {
    assert_eq!(outcome.code(), Some(code), "{outcome:?}");
    assert_eq!(outcome.stdout, "", "nothing runs before the refusal");
    let lines = ours(outcome);
    assert_eq!(lines.len(), 1, "one line: {lines:?}");
    for word in words {
        assert!(lines[0].contains(word), "{word:?} is missing in: {}", lines[0]);
    }
}

fn with_options(jvm: &Jvm, options: &str) -> Outcome {
    Launch::new(jvm, "exits.Exits").agent(options).args(&["return"]).run()
}

#[test]
fn an_unknown_option() {
    each_jvm(|jvm| {
        refused(&with_options(jvm, "#trackcolections"), USAGE, &["trackcolections", "trackcollections"])
    });
}

#[test]
fn bad_values() {
    each_jvm(|jvm| {
        refused(&with_options(jvm, "#gc-often"), USAGE, &["gc", "often"]);
        refused(&with_options(jvm, "#every-0"), USAGE, &["every"]);
        refused(&with_options(jvm, "#bucket-30,5"), USAGE, &["bucket"]);
        refused(&with_options(jvm, "trace"), USAGE, &["#trace"]);
    });
}

/// A service that is started again when it ends would be started for ever.
#[test]
fn a_program_runs_without_an_agent_that_cannot_start_if_that_is_asked_for() {
    each_jvm(|jvm| {
        for wrong in ["#trackcolections", "#gc-often", "#output-/dev/null/folder"] {
            let refused = with_options(jvm, wrong);
            assert!(refused.stderr.contains("with #on-error-continue it runs without Mayfly"), "{refused:?}");
            let plain = Launch::new(jvm, "exits.Exits").args(&["return"]).run();
            let outcome = with_options(jvm, &format!("#on-error-continue{wrong}"));
            assert_eq!((&outcome.stdout, outcome.code()), (&plain.stdout, plain.code()), "{outcome:?}");
            let lines = ours(&outcome);
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].contains("the program runs without Mayfly"), "{lines:?}");
        }
    });
}

#[test]
fn an_output_folder_that_cannot_be_made() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let file = workspace.file("a-file");
        fs::write(&file, "kept").expect("a file");
        let folder = file.join("folder");
        refused(&with_options(jvm, &format!("#output-{}", folder.display())), USAGE, &["a-file/folder"]);
        refused(&with_options(jvm, &format!("#recording-{}", folder.display())), USAGE, &["a-file/folder"]);
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("kept"));
    });
}

#[test]
fn the_agent_loaded_twice() {
    each_jvm(|jvm| {
        let launch = Launch::new(jvm, "exits.Exits").agent("#live-0").agent("#live-0").args(&["return"]);
        refused(&launch.run(), USAGE, &["twice"]);
    });
}

#[test]
fn a_jvm_that_is_too_old() {
    let old = jvms_too_old();
    if old.is_empty() {
        return skip("a JVM that is too old", "none older than 11 found");
    }
    for jvm in old {
        refused(&with_options(&jvm, "#live-0"), USAGE, &["11"]);
    }
}

#[test]
fn no_recording_at_all() {
    let workspace = Workspace::new();
    refused(&report(&workspace.file("none.mayfly")), UNREADABLE, &["none.mayfly"]);
}

#[test]
fn a_foreign_file() {
    let workspace = Workspace::new();
    for (name, bytes) in
        [("empty", Vec::new()), ("text", b"not a recording\n".to_vec()), ("zeros", vec![0; 10_000])]
    {
        let file = workspace.file(name);
        fs::write(&file, bytes).expect("a file");
        refused(&report(&file), UNREADABLE, &[name]);
    }
}

#[test]
fn a_truncated_recording_tells_what_it_holds() {
    let run = Profiled::new(&jvms()[0], "exitlive.ExitLive", "#trackcollections#include-exitlive");
    run.run();
    let whole = run.json();
    let recording = run.recording();
    let length = fs::metadata(&recording).expect("a recording").len();
    truncate(&recording, length - 1);
    let outcome = report(&recording).ok();
    let json: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(json["jvm"], whole.0["jvm"]);
    truncate(&recording, 5);
    refused(&report(&recording), UNREADABLE, &["run.mayfly"]);
}

#[test]
fn a_damaged_recording_never_panics() {
    let run = Profiled::new(&jvms()[0], "org.server.Server", "#trace");
    run.run();
    let whole = fs::read(run.recording()).expect("a recording");
    for eighth in 0..8 {
        let mut damaged = whole.clone();
        let at = whole.len() * eighth / 8;
        damaged[at] ^= 0x55;
        fs::write(run.recording(), &damaged).expect("a recording");
        let outcome = report(&run.recording());
        assert!(matches!(outcome.code(), Some(0 | UNREADABLE)), "byte {at}: {outcome:?}");
        assert!(!outcome.stderr.contains("panicked"), "byte {at}: {}", outcome.stderr);
    }
}

#[test]
fn kill_9_leaves_a_recording_up_to_its_last_second() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "churn.Churn", "#trackcollections#include-churn")
            .with(|l| l.args(&["100000"]));
        let mut running = run.start();
        let mut rounds: Vec<(Instant, u64)> = Vec::new();
        // Until a round is old enough, however long that takes.
        while rounds.first().is_none_or(|(at, _)| at.elapsed() < Duration::from_secs(5)) {
            running.wait_for_line("READY");
            rounds.push((Instant::now(), rounds.len() as u64 + 1));
            running.send_line("GO");
        }
        running.kill();
        let killed = Instant::now();
        assert_eq!(running.finish().code(), None, "killed by a signal");
        // Four seconds: one that may be lost, and three for a busy machine.
        let safe = rounds.iter().rfind(|(at, _)| killed - *at > Duration::from_secs(4));
        let &(_, safe) = safe.expect("the first is older");
        let objects = run.json().allocated().get("churn.Churn$Dust").map_or(0, |count| count.objects);
        let done = rounds.len() as u64 + 1;
        assert!(objects >= safe * 200_000, "on {jvm}: {objects} objects of {safe} rounds");
        assert!(objects <= done * 200_000, "on {jvm}: {objects} objects of {done} rounds");
    });
}

fn report(file: &Path) -> Outcome {
    mayfly(["report".into(), "--json".into(), file.as_os_str().to_owned()])
}

fn truncate(file: &Path, length: u64) {
    OpenOptions::new().write(true).open(file).and_then(|file| file.set_len(length)).expect("a recording");
}
