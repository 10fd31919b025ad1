//! Names that would steer a terminal: wherever they are printed, they are shown, not obeyed.

use std::ffi::OsString;

use mayfly_tests::{Launch, Outcome, Profiled, Running, Workspace, any_jvm, files_in, mayfly};

/// The end of the class name and of the program's argument, as it is and as it must be shown.
const EVIL: &str = "\u{9b}2J\u{202e}\u{7}x";
const SHOWN: [&str; 2] = ["\\u{9b}2J\\u{202e}\\u{7}x", "\\u009b2J\\u202e\\u0007x"];
const ARGUMENT: &str = "\u{1b}]0;\u{9b}2J\u{202e}\u{7}x";

/// Nothing but lines of what can be seen.
#[track_caller]
fn assert_harmless(what: &str, text: &str) {
    let bad = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
    let found: Vec<_> = text.lines().filter(|line| line.contains(bad)).collect();
    assert!(found.is_empty(), "{what}: {found:?}");
}

/// Runs `mayfly` with these words; neither stream may hold anything that steers.
#[track_caller]
fn harmless(words: &[&str]) -> Outcome {
    let outcome = mayfly(words.iter().map(OsString::from));
    assert_harmless(&format!("{words:?} on stdout"), &outcome.stdout);
    assert_harmless(&format!("{words:?} on stderr"), &outcome.stderr);
    outcome
}

#[track_caller]
fn shows(words: &[&str]) {
    let outcome = harmless(words);
    let said = outcome.stdout + &outcome.stderr;
    assert!(SHOWN.iter().any(|shown| said.contains(shown)), "{words:?}: {said}");
}

fn ready(running: &mut Running) -> String {
    running.wait_for_line("READY");
    running.pid().to_string()
}

#[test]
fn a_running_program_and_its_heap() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let class = format!("hostile.Hostile$Evil{EVIL}");
        let file = |name: &str| folder.file(name).display().to_string();
        let launch = Launch::new(jvm, "hostile.Hostile").agent("#live-0").args(&[ARGUMENT]);
        let mut running = launch.start();
        let pid = ready(&mut running);
        shows(&["status", &pid]);
        shows(&["status", "--json", &pid]);
        shows(&["ps", "--json"]);
        harmless(&["ps"]);
        shows(&["heap", &pid]);
        shows(&["heap", "--json", &pid]);
        for dump in ["ours.mayheap", "jvms.hprof"] {
            let dump = file(dump);
            shows(&["heap", "dump", &pid, &dump]);
            shows(&["heap", "histogram", &dump, "--limit", "10000"]);
            shows(&["heap", "paths", &dump, "--to", &class]);
            shows(&["heap", "instances", &dump, &class]);
            shows(&["heap", "paths", &dump, "--to", &format!("{class}.none")]);
        }
        shows(&["status", ARGUMENT]);
        shows(&["report", ARGUMENT]);
        shows(&["heap", "histogram", ARGUMENT]);
        running.finish().ok();
        assert!(!files_in(folder.path()).is_empty());
    });
}

#[test]
fn reports_and_live_blocks() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "hostile.Hostile", "#trackcollections#trace")
            .with(|launch| launch.args(&[ARGUMENT]));
        let mut running = run.start();
        ready(&mut running);
        running.finish().ok();
        assert_harmless("the log", &run.log());
        let recording = run.recording().display().to_string();
        shows(&["report", &recording]);
        shows(&["report", "--json", &recording]);

        let launch = Launch::new(jvm, "hostile.Hostile").agent("#trackcollections#live-1").args(&[ARGUMENT]);
        let mut running = launch.start();
        ready(&mut running);
        let said = running.finish().ok().stderr;
        assert_harmless("stderr", &said);
        assert!(said.contains(SHOWN[0]), "{said}");
    });
}
