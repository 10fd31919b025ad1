//! What must not end profiling, and what may end nothing else: late native threads, a second copy of the agent, a fault of
//! the agent itself.

use std::fs;

use mayfly_tests::{
    JsonReport, Jvm, Launch, MODES, Outcome, Profiled, Workspace, artifacts, check_all, debug_artifacts,
    each_jvm, native_library, skip,
};

/// Lines of ours on stderr.
fn said(outcome: &Outcome) -> Vec<&str> {
    outcome.stderr.lines().filter(|line| line.starts_with("mayfly:")).collect()
}

#[test]
fn native_threads_that_call_java_after_their_thread_locals_are_gone() {
    let folder = Workspace::new();
    let library = match native_library("late/late.c", folder.path()) {
        Ok(library) => library.display().to_string(),
        Err(why) => return skip("late native threads", why),
    };
    each_jvm(|jvm| {
        for mode in MODES.into_iter().chain(["#trackcollections#trace-all", "#sample-16k#trace"]) {
            let run = Profiled::new(jvm, "late.Late", mode).with(|l| l.args(&[&library]));
            let outcome = run.run();
            assert_eq!(said(&outcome), [""; 0], "{mode:?} on {jvm}");
            check_all(jvm, &outcome.stdout, &run.json().allocated())
                .unwrap_or_else(|why| panic!("{mode:?} on {jvm}:\n{why}"));
        }
    });
}

#[test]
fn a_second_copy_of_the_agent_does_nothing() {
    let folder = Workspace::new();
    let copy = folder.file("libcopy.so");
    fs::copy(&artifacts().agent, &copy).expect("a copy of the agent");
    let unwritten = folder.file("second.mayfly");
    let second = format!("#trackcollections#recording-{}", unwritten.display());
    each_jvm(|jvm| {
        for mode in MODES {
            let run = Profiled::new(jvm, "threads.Threads", mode)
                .with(|l| l.agent_at(&copy, &second).args(&["2", "5000"]));
            let outcome = run.run();
            let lines = said(&outcome);
            assert!(matches!(lines[..], [line] if line.contains("second copy")), "on {jvm}: {lines:?}");
            check_all(jvm, &outcome.stdout, &run.json().allocated())
                .unwrap_or_else(|why| panic!("{mode:?} on {jvm}:\n{why}"));
            assert!(!unwritten.exists(), "on {jvm}");
        }
    });
}

#[test]
fn the_same_agent_named_in_the_environment_and_by_the_command_line_does_not_end_the_jvm() {
    let folder = Workspace::new();
    each_jvm(|jvm| {
        let recording = folder.file("environment.mayfly");
        let library = &artifacts().agent;
        let option = format!("-agentpath:{}=#live-0#recording-{}", library.display(), recording.display());
        let run = Profiled::new(jvm, "threads.Threads", "#trackcollections")
            .with(|l| l.environment("JAVA_TOOL_OPTIONS", &option).args(&["2", "5000"]));
        let outcome = run.run();
        let lines = said(&outcome);
        assert!(matches!(lines[..], [line] if line.contains("not used: #trackcollections")), "{lines:?}");
        check_all(jvm, &outcome.stdout, &JsonReport::of(&recording).allocated())
            .unwrap_or_else(|why| panic!("on {jvm}:\n{why}"));
        assert!(!run.recording().exists(), "on {jvm}");
    });
}

/// Daemons close their standard streams: what is opened first gets their numbers.
#[test]
fn what_a_program_prints_into_closed_streams_is_in_no_file_of_the_agent() {
    each_jvm(|jvm| {
        let closed = ["-c", "exec \"$@\" 0<&- 1>&- 2>&-", "sh"];
        for mode in ["#trackcollections", "#engine-sampled"] {
            let run =
                Profiled::new(jvm, "exits.Exits", mode).with(|l| l.under("sh", &closed).args(&["uncaught"]));
            run.start().finish();
            assert_eq!(run.json().0["complete"], true, "{mode} on {jvm}");
            let log = run.log();
            assert!(!log.contains("Exception in thread"), "{mode} on {jvm}: {log}");
        }
    });
}

#[test]
fn the_copy_named_in_the_environment_is_the_one_that_profiles() {
    let folder = Workspace::new();
    let copy = folder.file("libcopy.so");
    fs::copy(&artifacts().agent, &copy).expect("a copy of the agent");
    each_jvm(|jvm| {
        let recording = folder.file("environment.mayfly");
        let option = format!("-agentpath:{}=#live-0#recording-{}", copy.display(), recording.display());
        let run = Profiled::new(jvm, "threads.Threads", "")
            .with(|l| l.environment("JAVA_TOOL_OPTIONS", &option).args(&["2", "5000"]));
        let outcome = run.run();
        check_all(jvm, &outcome.stdout, &JsonReport::of(&recording).allocated())
            .unwrap_or_else(|why| panic!("on {jvm}:\n{why}"));
        assert!(!run.recording().exists(), "on {jvm}");
    });
}

/// The program under an agent that panics at a point, if any.
fn panicking(jvm: &Jvm, at: Option<&str>, wait_ms: &str) -> (Outcome, JsonReport) {
    let folder = Workspace::new();
    let recording = folder.file("run.mayfly");
    let options = format!("#trackcollections#trace#live-0#recording-{}", recording.display());
    let launch = Launch::new(jvm, "late.Switched")
        .agent_at(&debug_artifacts().agent, options)
        .jvm_args(&["--add-opens", "java.base/java.lang=ALL-UNNAMED"])
        .environment("MAYFLY_PANIC_AT", at.unwrap_or_default())
        .args(&[wait_ms]);
    let outcome = launch.run().ok();
    let json = JsonReport::of(&recording);
    (outcome, json)
}

#[test]
fn a_panic_ends_profiling_alone_and_what_was_counted_is_written() {
    each_jvm(|jvm| {
        let (outcome, json) = panicking(jvm, None, "0");
        assert!(outcome.stdout.contains("on true\n") && said(&outcome).is_empty(), "{outcome:?}");
        assert_eq!(json.allocated()["late.Late$Item"].objects, 2000);
        for point in ["thread end", "collection", "worker"] {
            let (outcome, json) = panicking(jvm, Some(point), "20000");
            // A native call per allocation is not left behind.
            assert!(outcome.stdout.contains("on false\n"), "{point} on {jvm}: {outcome:?}");
            let lines = said(&outcome);
            assert!(matches!(lines[..], [line] if line.contains(point)), "{point} on {jvm}: {lines:?}");
            assert!(
                outcome.stderr.contains("Internal error"),
                "{point} on {jvm}: a report: {}",
                outcome.stderr
            );
            let items = json.allocated().get("late.Late$Item").map_or(0, |count| count.objects);
            assert!(items >= 2000, "{point} on {jvm}: {items} objects of 2000");
            assert!(json.allocated().len() > 10, "{point} on {jvm}: {:?}", json.allocated());
        }
    });
}
