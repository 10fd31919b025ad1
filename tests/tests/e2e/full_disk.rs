//! A disk that is full for what the agent writes: told in one line for each file, and the program runs to its right end.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::{Command, Stdio};

use mayfly_tests::{JsonReport, Jvm, Launch, Outcome, Profiled, Workspace, any_jvm, artifacts, skip};

/// As much as a file may hold, in bytes: less than what is written of the program.
const ROOM: u64 = 8192;
/// The JVM keeps a file of its own for others to read, which is larger.
const JVM_ARGS: &[&str] = &["-XX:-UsePerfData"];
const PROGRAM: &[&str] = &["2", "5000"];

fn under_limit(launch: Launch) -> Launch {
    launch.jvm_args(JVM_ARGS).args(PROGRAM).under("prlimit", &[&format!("--fsize={ROOM}:"), "--"])
}

/// What the program prints alone.
fn alone(jvm: &Jvm) -> String {
    Launch::new(jvm, "threads.Threads").args(PROGRAM).run().ok().stdout
}

fn said(outcome: &Outcome) -> Vec<&str> {
    outcome.stderr.lines().filter(|line| line.starts_with("mayfly:")).collect()
}

/// Whether files can be limited here; prints why the test is left out otherwise.
fn can_limit() -> bool {
    let limited = Command::new("prlimit").args(["--fsize=8192:", "--", "true"]).status();
    let can = limited.is_ok_and(|status| status.success());
    if !can {
        skip("a full disk", "there is no prlimit");
    }
    can
}

#[test]
fn for_the_recording() {
    if !can_limit() {
        return;
    }
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let recording = folder.file("run.mayfly");
        let options = format!("#trackcollections#trace#live-0#recording-{}", recording.display());
        let outcome = under_limit(Launch::new(jvm, "threads.Threads").agent(options)).run().ok();
        assert_eq!(outcome.stdout, alone(jvm), "on {jvm}");
        let lines = said(&outcome);
        assert!(
            matches!(lines[..], [line] if line.contains("recording") && line.contains("cut off") && line.contains("File too large")),
            "on {jvm}: {lines:?}"
        );
        // The report needs no disk, and does not send its reader to a file that lacks the end.
        assert!(outcome.stderr.contains("Reason for output: JVM Shutdown"), "on {jvm}: {}", outcome.stderr);
        assert!(!outcome.stderr.contains("report --full"), "on {jvm}: {}", outcome.stderr);
        assert_eq!(JsonReport::of(&recording).0["complete"], false, "on {jvm}");
    });
}

#[test]
fn for_the_log_of_reports() {
    if !can_limit() {
        return;
    }
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "threads.Threads", "#trackcollections#trace").with(under_limit);
        let outcome = run.run();
        assert_eq!(outcome.stdout, alone(jvm), "on {jvm}");
        let lines = said(&outcome);
        assert_eq!(lines.len(), 2, "on {jvm}: {lines:?}");
        let is_told =
            |what: &str| lines.iter().any(|line| line.contains(what) && line.contains("File too large"));
        assert!(is_told("the recording") && is_told("the report"), "on {jvm}: {lines:?}");
        let log = run.log();
        assert!(log.len() as u64 <= ROOM && log.contains("Reason for output"), "on {jvm}:\n{log}");
    });
}

/// Live blocks and the report have nowhere to go.
#[test]
fn for_stderr() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "threads.Threads", "#live-1")
            .with(|l| l.args(PROGRAM).under("sh", &["-c", "exec \"$@\" 2> /dev/full", "sh"]));
        assert_eq!(run.run().stdout, alone(jvm), "on {jvm}");
        assert_eq!(run.json().0["complete"], true, "on {jvm}");
    });
}

/// `mayfly report` to a disk without room: an error of one line, and no panic.
#[test]
fn for_what_the_command_prints() {
    let jvm = &mayfly_tests::jvms()[0];
    let run = Profiled::new(jvm, "threads.Threads", "").with(|l| l.args(PROGRAM));
    run.run();
    for format in ["--text", "--full", "--json"] {
        assert_one_error(&run.recording(), format);
    }
}

#[track_caller]
fn assert_one_error(recording: &Path, format: &str) {
    let full = OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let mut command = Command::new(&artifacts().cli);
    let output = command.args(["report", format]).arg(recording).stdout(full).stderr(Stdio::piped()).output();
    let output = output.expect("mayfly starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{format}: {said}");
    assert!(said.lines().count() == 1 && said.contains("No space left"), "{format}: {said}");
}
