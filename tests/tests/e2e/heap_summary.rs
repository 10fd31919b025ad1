//! Heap summaries that the options of the launch ask for, against `jcmd GC.class_histogram` and arithmetic.

use std::fs;
use std::path::Path;
use std::process::Command;

use mayfly_profile::HeapSummary;
use mayfly_report::parse_heap_columns;
use mayfly_tests::{
    Count, Counts, Jvm, Launch, Outcome, Running, Workspace, any_jvm, check_all, class_histogram, each_jvm,
    files_in, jcmd, skip,
};
use regex::Regex;

/// Small, so that the tests are quick; one collector, so that what is garbage is known.
const SMALL: &[&str] = &["-Xmx128m", "-Xmn64m", "-XX:+UseSerialGC"];
/// Objects by which two looks at a resting JVM may differ, per class: the JDK's own thread that serves `jcmd`.
const SLACK: u64 = 40;

fn read(file: &Path) -> HeapSummary {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    parse_heap_columns(&text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", file.display()))
}

fn counts(summary: &HeapSummary) -> Counts {
    summary
        .rows()
        .map(|(class, held)| (class.to_owned(), Count { objects: held.objects, bytes: held.bytes }))
        .collect()
}

fn announcements(outcome: &Outcome) -> Vec<&str> {
    outcome.stderr.lines().filter(|line| line.starts_with("heapsummary> ")).collect()
}

fn quiet(jvm: &Jvm, folder: &Path, options: &str) -> Running {
    let launch = Launch::new(jvm, "heap.Quiet").agent(options).folder(folder).jvm_args(SMALL);
    let mut running = launch.start();
    running.wait_for_line("READY");
    running
}

#[track_caller]
fn end(jvm: &Jvm, mut running: Running, counted: &Counts) -> Outcome {
    running.send_line("go");
    let outcome = running.finish().ok();
    check_all(jvm, &outcome.stdout, counted).unwrap_or_else(|why| panic!("{why}"));
    outcome
}

/// HeapSummary's own options, lines and columns; the fixture's objects exactly, and
/// those of two loaders in one row; each look has a file of its own.
#[test]
fn a_summary_on_request_is_what_the_jvm_has() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let mut running = quiet(jvm, workspace.path(), "dir=logs/,sort=count");
        let logs = workspace.file("logs");
        let mut histogram = None;
        for _ in 0..3 {
            let Some(_) = jcmd(jvm, &running, &["JVMTI.data_dump"]) else { return };
            histogram = jcmd(jvm, &running, &["GC.class_histogram"]);
        }
        let files = running.wait_for_files(&logs, 3);
        let name = Regex::new(r"^heapsummary\.\d{14}(\.\d+)?$").expect("a pattern");
        assert!(files.iter().all(|file| name.is_match(&file.file_name().expect("a name").to_string_lossy())));
        let line = Regex::new(r"^ {0,19}\d{1,20} {0,19}\d{1,20} \S+$").expect("a pattern");
        let text = fs::read_to_string(&files[2]).expect("a file");
        assert!(text.lines().all(|row| line.is_match(row) && row.as_bytes()[40] == b' '), "{text}");
        let objects: Vec<u64> =
            text.lines().map(|row| row[20..40].trim().parse().expect("a number")).collect();
        assert!(objects[1..].is_sorted_by(|a, b| a >= b), "not sorted by count:\n{text}");

        let counted = counts(&read(&files[2]));
        near(&counted, &class_histogram(&histogram.expect("jcmd answered before")));
        let outcome = end(jvm, running, &counted);
        assert_eq!(
            announcements(&outcome),
            [
                "heapsummary> Initializing...",
                "heapsummary> Sorting on count",
                "heapsummary> Running. Will output to summary file logs/heapsummary.YYYYMMDDhhmmss"
            ]
        );
        assert_eq!(outcome.stderr.lines().count(), 3, "nothing is profiled: {}", outcome.stderr);
    });
}

/// Equal for what the fixture made; for all others up to what the JVM does to answer.
#[track_caller]
fn near(counted: &Counts, histogram: &Counts) {
    let classes: std::collections::BTreeSet<_> = counted.keys().chain(histogram.keys()).collect();
    for class in classes {
        let of = |counts: &Counts| counts.get(class).copied().unwrap_or_default();
        let (ours, theirs) = (of(counted), of(histogram));
        if class.contains("heap.Quiet") || class.contains("[S") {
            assert_eq!(ours, theirs, "{class}");
        } else {
            assert!(ours.objects.abs_diff(theirs.objects) <= SLACK, "{class}: {ours:?}, {theirs:?}");
        }
    }
}

/// SIGQUIT, and the garbage is gone; or counted, if asked for.
#[test]
fn sigquit_asks_and_garbage_is_collected_first_unless_all_is_wanted() {
    each_jvm(|jvm| {
        for (options, garbage) in [("#heapsummary", false), ("#heapsummary#heapall", true)] {
            let workspace = Workspace::new();
            let mut running = quiet(jvm, workspace.path(), &format!("{options}#heapdir-logs"));
            let kill = Command::new("kill").args(["-QUIT", &running.pid().to_string()]).status();
            assert!(kill.expect("kill starts").success());
            let files = running.wait_for_files(&workspace.file("logs"), 1);
            let counted = counts(&read(&files[0]));
            let objects = counted.get("heap.Quiet$Garbage").map_or(0, |count| count.objects);
            assert_eq!(objects > 1000, garbage, "{options}: {objects} objects of garbage");
            end(jvm, running, &counted);
        }
    });
}

/// `sort=count`, and the default order: bytes.
#[test]
fn arrays_are_spelled_with_one_bracket_for_each_dimension() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let mut running = quiet(jvm, workspace.path(), "exit");
        running.send_line("go");
        running.finish().ok();
        let files = files_in(workspace.path());
        let text = fs::read_to_string(&files[0]).expect("a summary");
        let largest: Vec<_> = text.lines().map(|row| &row[41..]).take(5).collect();
        assert_eq!(largest, ["TOTAL", "[double", "[float", "[char", "[boolean"]);
        for name in ["[[[short", "[[short", "[heap.Quiet$Node", "[[heap.Quiet$Node", "heap.Quiet$Node"] {
            assert!(text.lines().any(|row| &row[41..] == name), "no {name}:\n{text}");
        }
    });
}

/// One summary at the end, however it comes, on every collector.
#[test]
fn each_end_writes_one_summary() {
    each_jvm(|jvm| {
        for how in ["return", "exit", "halt", "uncaught", "halt-in-hook", "exit-in-thread"] {
            let workspace = Workspace::new();
            let outcome = Launch::new(jvm, "exits.Exits")
                .args(&[how])
                .agent("#heapexit#heapdir-logs")
                .folder(workspace.path())
                .run();
            let files = files_in(&workspace.file("logs"));
            assert_eq!(files.len(), 1, "{how}: {files:?}\n{}", outcome.stderr);
            assert!(read(&files[0]).of("java.lang.Class").objects > 100, "{how}");
        }
    });
}

/// What only some builds have is skipped, and said.
fn collectors(jvm: &Jvm) -> Vec<&'static str> {
    let all =
        ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC", "-XX:+UseShenandoahGC"];
    let has = |flag: &&str| {
        let args = ["-XX:+UnlockExperimentalVMOptions", *flag, "-version"];
        let has = Command::new(jvm.java()).args(args).output().is_ok_and(|output| output.status.success());
        if !has {
            skip(flag, &format!("{jvm} has no such collector"));
        }
        has
    };
    all.into_iter().filter(has).collect()
}

/// On every collector: at the end and on request, what is there is there, and garbage is not.
#[test]
fn every_collector_s_heap_is_counted() {
    each_jvm(|jvm| {
        for collector in collectors(jvm) {
            let workspace = Workspace::new();
            let mut running = Launch::new(jvm, "heap.Quiet")
                .agent("dir=logs,exit")
                .folder(workspace.path())
                .jvm_args(&["-XX:+UnlockExperimentalVMOptions", "-Xmx256m", collector])
                .start();
            running.wait_for_line("READY");
            let asked = jcmd(jvm, &running, &["JVMTI.data_dump"]).is_some();
            running.send_line("go");
            let outcome = running.finish().ok();
            let files = files_in(&workspace.file("logs"));
            assert_eq!(files.len(), 1 + usize::from(asked), "{collector}");
            for file in files {
                let counted = counts(&read(&file));
                assert!(!counted.contains_key("heap.Quiet$Garbage"), "{collector}: {}", file.display());
                let expected = mayfly_tests::Expectation::all(&outcome.stdout);
                for expectation in expected {
                    let counted = counted.get(&expectation.class).copied().unwrap_or_default();
                    assert_eq!(counted.objects, expectation.objects, "{collector}: {}", expectation.class);
                }
            }
        }
    });
}

/// A heap that is 95 % full leaves no room to look at it from inside; ours needs none.
#[test]
fn a_nearly_full_heap_is_summarised() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let mut running = Launch::new(jvm, "heap.Full")
            .args(&["95"])
            .agent("#heapsummary#heapexit#heapdir-logs")
            .folder(workspace.path())
            .jvm_args(&["-Xmx64m", "-XX:+UseSerialGC", "-Xmn8m"])
            .start();
        running.wait_for_line("READY");
        jcmd(jvm, &running, &["JVMTI.data_dump"]);
        running.send_line("go");
        let outcome = running.finish().ok();
        for file in files_in(&workspace.file("logs")) {
            check_all(jvm, &outcome.stdout, &counts(&read(&file))).unwrap_or_else(|why| panic!("{why}"));
        }
    });
}

/// At the first OutOfMemoryError, and only then.
#[test]
fn an_out_of_memory_error_writes_one_summary() {
    each_jvm(|jvm| {
        for collector in collectors(jvm) {
            let workspace = Workspace::new();
            let mut running = Launch::new(jvm, "heap.Full")
                .args(&["100"])
                .agent("#heapoom#heapdir-logs")
                .folder(workspace.path())
                .jvm_args(&["-Xmx48m", "-XX:+UnlockExperimentalVMOptions", collector])
                .start();
            running.wait_for_line("READY");
            running.send_line("go");
            let outcome = running.finish().ok();
            let files = files_in(&workspace.file("logs"));
            assert_eq!(files.len(), 1, "{collector}: {}", outcome.stderr);
            let blocks = read(&files[0]).of("heap.Full$Block").objects;
            let at_last = mayfly_tests::Expectation::all(&outcome.stdout)[0].objects;
            // The second error may come a little later than the first.
            assert!(blocks <= at_last + 1 && blocks > at_last / 10 * 9, "{collector}: {blocks} of {at_last}");
        }
    });
}

/// An agent that comes into a running JVM does the same.
#[test]
fn an_attached_agent_writes_summaries() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let launch = Launch::new(jvm, "heap.Quiet").folder(workspace.path()).jvm_args(SMALL);
        let mut running = launch.start();
        running.wait_for_line("READY");
        let library = mayfly_tests::artifacts().agent.display().to_string();
        let options = "dir=logs,sort=count,exit,oom";
        let Some(reply) = jcmd(jvm, &running, &["JVMTI.agent_load", &library, &format!("\"{options}\"")])
        else {
            return;
        };
        assert!(reply.contains("return code: 0"), "{reply}");
        jcmd(jvm, &running, &["JVMTI.data_dump"]);
        let files = running.wait_for_files(&workspace.file("logs"), 1);
        let counted = counts(&read(&files[0]));
        let outcome = end(jvm, running, &counted);
        assert_eq!(announcements(&outcome).len(), 3);
        assert_eq!(files_in(&workspace.file("logs")).len(), 2);
    });
}

/// Beside a profile, both are written.
#[test]
fn a_profile_and_summaries_go_together() {
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let options = "dir=logs,exit#trackcollections#live-0#output-logs";
        let running = quiet(jvm, workspace.path(), options);
        let answered = jcmd(jvm, &running, &["JVMTI.data_dump"]);
        let outcome = end_without_check(running);
        let files = files_in(&workspace.file("logs"));
        assert_eq!(files.len(), 2 + usize::from(answered.is_some()), "{files:?}");
        check_all(jvm, &outcome.stdout, &counts(&read(&files[0]))).unwrap_or_else(|why| panic!("{why}"));
        let log = fs::read_to_string(workspace.file("logs/mayfly.log")).expect("a report");
        assert!(log.contains("heap.Quiet$Node") && log.contains("Live objects"), "{log}");
    });
}

fn end_without_check(mut running: Running) -> Outcome {
    running.send_line("go");
    running.finish().ok()
}

/// No class is handed to an agent that only waits, and the JVM keeps its shared archive.
#[test]
fn a_dormant_agent_takes_nothing_from_the_start_of_the_jvm() {
    let shared = |jvm: &Jvm, options: Option<&str>| {
        let workspace = Workspace::new();
        let log = workspace.file("classes.log");
        let flag = format!("-Xlog:class+load:file={}", log.display());
        let launch = Launch::new(jvm, "exits.Exits").args(&["return"]).jvm_args(&[&flag]);
        let launch = options.into_iter().fold(launch, |launch, options| launch.agent(options));
        launch.folder(workspace.path()).run().ok();
        let text = fs::read_to_string(log).expect("a log of classes");
        text.lines().filter(|line| line.contains("shared objects file")).count()
    };
    each_jvm(|jvm| {
        let (without, dormant, exact) =
            (shared(jvm, None), shared(jvm, Some("#heapsummary#heapoom")), shared(jvm, Some("#live-0")));
        assert!(
            dormant.abs_diff(without) <= without / 50,
            "{without} shared classes, {dormant} with the agent"
        );
        assert!(without == 0 || exact < without, "the log does not tell: {exact} of {without}");
    });
}

/// What can't be used is said as HeapSummary said it, or stops the launch.
#[test]
fn unknown_keys_and_lost_folders_are_said() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let mut running = quiet(jvm, workspace.path(), "dir=logs,sort=names,exit");
        fs::remove_dir(workspace.file("logs")).expect("an empty folder");
        running.send_line("go");
        let outcome = running.finish().ok();
        let said = announcements(&outcome);
        assert_eq!(
            said[1], "heapsummary> Unknown sort key [names]. Defaulting to sorting on memory size",
            "{said:?}"
        );
        assert!(said[3].starts_with("heapsummary> Failed to open dump file logs/heapsummary."), "{said:?}");
        assert_eq!(said.len(), 4);

        let refused = Launch::new(jvm, "heap.Quiet")
            .agent("#heapexit#heapdir-/dev/null/logs")
            .folder(workspace.path())
            .run();
        assert_eq!(refused.code(), Some(2));
        assert!(
            refused.stderr.starts_with("mayfly: cannot make the folder /dev/null/logs ("),
            "{}",
            refused.stderr
        );
    });
}
