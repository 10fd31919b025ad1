//! At exit, "live" is what is reachable: a last collection sweeps the garbage.

use std::fs;
use std::process::Command;

use mayfly_tests::{Jvm, Launch, Profiled, Workspace, any_jvm, each_jvm, fixture_classes, mayfly};

const NODE: &str = "exitlive.ExitLive$Node";

#[test]
fn live_at_exit_is_what_is_reachable() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "exitlive.ExitLive", "#trackcollections#include-exitlive");
        run.run();
        let json = run.json();
        let (text, live) = (run.text(), json.live());
        assert_eq!(live[NODE].objects, 1000, "json on {jvm}");
        assert_eq!(json.collected()[NODE].objects, 400_000, "json on {jvm}");
        assert_eq!(text.live_counts()[NODE].objects, 1000, "text on {jvm}");
        assert_eq!(text.live_summary.map(|sum| sum.objects), Some(1000), "text on {jvm}");
    });
}

/// A container closes what it holds in a shutdown hook: that is not the program's work any more.
#[test]
fn live_at_exit_is_what_was_held_before_shutdown_hooks_ran() {
    each_jvm(|jvm| {
        for how in ["return", "exit", "signal"] {
            let run = Profiled::new(jvm, "exitlive.Closing", "#trackcollections#include-exitlive")
                .with(|launch| launch.args(&[how]));
            let running = run.start().when_ready();
            if how == "signal" {
                let told = Command::new("kill").arg(running.pid().to_string()).status();
                assert!(told.is_ok_and(|status| status.success()), "SIGTERM on {jvm}");
            }
            let outcome = running.finish();
            assert!(outcome.stdout.contains("CLOSED"), "{how} on {jvm}: {}", outcome.stdout);
            let json = run.json();
            let live = json.live();
            assert_eq!(live["exitlive.Closing$Held"].objects, 1000, "{how} on {jvm}");
            assert!(!live.contains_key("exitlive.Closing$MadeWhileEnding"), "{how} on {jvm}");
        }
    });
}

/// Who can't wait for a full collection as the JVM ends has none.
#[test]
fn without_a_last_collection_none_is_asked_for() {
    any_jvm(|jvm| {
        for (options, is_asked_for) in
            [("#engine-sampled#sample-1k", true), ("#engine-sampled#sample-1k#nolastgc", false)]
        {
            let folder = Workspace::new();
            let log = folder.file("gc.log");
            let logged = format!("-Xlog:gc:file={}", log.display());
            let run = Profiled::new(jvm, "exitlive.ExitLive", options)
                .with(|launch| launch.jvm_args(&["-XX:+UseSerialGC", &logged]));
            run.run();
            let log = fs::read_to_string(log).expect("a log");
            // From JDK 26 on none can be had by then.
            let is_there = log.contains("JvmtiEnv ForceGarbageCollection");
            assert_eq!(is_there, is_asked_for && jvm.feature < 26, "{options} on {jvm}: {log}");
            assert!(
                run.json().0["classes"].as_array().is_some_and(|rows| !rows.is_empty()),
                "{options} on {jvm}"
            );
        }
    });
}

/// A service that `main` made, and nothing else holds: it is the program's until `main` has returned and nobody goes on.
#[test]
fn live_at_exit_is_what_main_held_when_it_returned() {
    each_jvm(|jvm| {
        let live = |how: &str| {
            let run = Profiled::new(jvm, "exitlive.InLocals", "#trackcollections#include-exitlive")
                .with(|launch| launch.args(&[how]));
            run.run();
            let json = run.json();
            let of = |class: &str| json.live().get(class).map_or(0, |live| live.objects);
            let later = json.allocated().get("exitlive.InLocals$MadeLater").map_or(0, |made| made.objects);
            [of("exitlive.InLocals$Held"), of("exitlive.InLocals$HeldInside"), later]
        };
        assert_eq!(live("return"), [1000, 0, 0], "on {jvm}");
        assert_eq!(live("nested"), [1000, 0, 0], "on {jvm}");
        // A pool is shut down last, and nobody waits for its threads: it was all dead in 7 of 19 runs of a service that leaked it.
        assert_eq!(live("soon"), [1000, 0, 5000], "on {jvm}");
        assert_eq!(live("threads"), [0, 0, 5000], "on {jvm}");
    });
}

#[test]
fn a_report_is_written_however_the_program_ends() {
    each_jvm(|jvm| {
        for how in ["return", "exit", "uncaught", "exit-in-thread", "daemon", "last-thread", "stack-overflow"]
        {
            let run = Profiled::new(jvm, "exits.Exits", "").with(|l| l.args(&[how]));
            run.start().finish();
            assert!(run.text().allocated_counts().contains_key("[I"), "{how} on {jvm}");
            assert!(run.json().allocated()["[I"].objects >= 10_000, "{how} on {jvm}");
        }
    });
}

#[test]
fn what_a_daemon_thread_makes_after_the_last_collection_is_not_counted_live() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "exits.Exits", "#trackcollections#include-exits")
            .with(|l| l.args(&["daemon"]));
        run.run();
        let json = run.json();
        let junk = "exits.Exits$Junk";
        let (live, collected) = (json.not_seen_dead()[junk].objects, json.collected()[junk].objects);
        // One is held by a field, one may just be handed over.
        assert!(live <= 2 && collected > 1000, "{live} live, {collected} collected on {jvm}");
        assert_eq!(live + collected, json.allocated()[junk].objects, "on {jvm}");
    });
}

/// The flag ends the JVM on the spot: it tells nobody of its end.
#[test]
fn a_jvm_that_dies_in_its_first_second_is_not_said_to_have_allocated_nothing() {
    any_jvm(|jvm| {
        let dies = ["-Xmx48m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"];
        for options in ["#sample-512k#trace", "#trackcollections#trace", "#engine-sampled"] {
            let run = Profiled::new(jvm, "exits.Exits", options).with(|l| l.jvm_args(&dies).args(&["oom"]));
            assert!(!run.start().finish().status.success(), "{options} on {jvm}");
            let screen = mayfly(["report", &run.recording().display().to_string()]).ok().stdout;
            assert!(!screen.contains("nothing was allocated"), "{options} on {jvm}: {screen}");
            let told = [" of what was allocated: ", "nothing was recorded", "allocates most can't be told"];
            let told = told.iter().any(|words| screen.contains(words));
            assert!(told && run.json().0["complete"] == false, "{options} on {jvm}: {screen}");
        }
    });
}

#[test]
fn a_recording_that_was_removed_meanwhile_is_said_to_be() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "steered.Steered", "");
        let running = run.start().when_ready();
        fs::remove_file(run.recording()).expect("removed");
        let outcome = running.finish().ok();
        assert!(
            outcome.stderr.contains("run.mayfly was removed while it was recorded into"),
            "{}",
            outcome.stderr
        );
    });
}

/// A JVM that ends waits 300 ms for threads that it knows and that run native code.
#[test]
fn the_jvm_does_not_wait_for_a_thread_of_the_agent() {
    each_jvm(|jvm| {
        for how in ["return", "exit"] {
            let bare = threads_that_detach(jvm, how, None);
            for options in ["", "#trackcollections", "#engine-sampled"] {
                let detached = threads_that_detach(jvm, how, Some(options));
                assert_eq!(detached, bare + 1, "{how} with {options:?} on {jvm}");
            }
        }
    });
}

/// How many threads the JVM forgot, by its own log, in a program that ends so.
fn threads_that_detach(jvm: &Jvm, how: &str, options: Option<&str>) -> usize {
    let folder = Workspace::new();
    let log = folder.file("threads.log");
    let logged = format!("-Xlog:os+thread=info:file={}", log.display());
    let launch = Launch::new(jvm, "exits.Exits").args(&[how]).jvm_args(&[&logged]);
    let launch = match options {
        Some(options) => launch.agent(options),
        None => launch,
    };
    launch.run();
    fs::read_to_string(log).expect("a log").matches("JavaThread detaching").count()
}

/// "Is cut off: the JVM was killed, still runs, or could not write to its end" was all that there was of it.
#[test]
fn what_a_killed_jvm_could_not_show_is_shown_with_the_signal() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let file = folder.file("killed.mayfly").display().to_string();
        let (java, classes) = (jvm.java().display().to_string(), fixture_classes().display().to_string());
        let outcome = mayfly(["run", "-o", &file, "--", &java, "-Xmx32m", "-cp", &classes, "killed.Killed"]);
        assert_eq!(outcome.status.code(), Some(137), "on {jvm}: {}", outcome.stderr);
        let (screen, where_it_is) = outcome.stderr.split_once("mayfly: recording").expect(&outcome.stderr);
        assert!(screen.contains("byte[]") && screen.contains("Coverage"), "on {jvm}: {}", outcome.stderr);
        assert!(where_it_is.contains("is cut off: signal 9 ended the JVM"), "on {jvm}: {where_it_is}");
    });
}
