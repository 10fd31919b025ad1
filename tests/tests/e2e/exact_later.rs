//! Exact counts that begin in a JVM that runs: all classes are rewritten, nothing from before is counted, and all of it from then
//! on is; then an end, and another begin.

use std::path::Path;

use mayfly_tests::{JsonReport, Jvm, Launch, Outcome, Running, Workspace, each_jvm, jcmd, mayfly, turns_of};

const MAIN: &str = "attached.Attached";
/// Of each kind in a round, some 1.3 KiB.
const MANY: u64 = 30_000;
const OLDEST: u32 = 11;
/// The first with virtual threads.
const VIRTUAL: u32 = 21;
/// The first release tried that copies each NaN, old copies included.
const FIRST_TO_COPY_ALL_NANS: u32 = 21;

fn ask(command: &str, pid: u32, more: &[&str]) -> Outcome {
    let pid = pid.to_string();
    mayfly([command, &pid].into_iter().chain(more.iter().copied()))
}

fn launched(jvm: &Jvm, jvm_args: &[&str]) -> Running {
    let mut running = Launch::new(jvm, MAIN).jvm_args(jvm_args).start();
    running.wait_for_line("READY");
    running
}

fn snapshot(pid: u32) -> JsonReport {
    let workspace = Workspace::new();
    let file = workspace.file("snap");
    ask("snapshot", pid, &["-o", &file.display().to_string()]).ok();
    JsonReport::of(&file)
}

fn objects(report: &JsonReport, class: &str) -> u64 {
    report.allocated().get(class).map_or(0, |count| count.objects)
}

/// A program that was looked at as if nothing had been there: it ended well, and said nothing on its own.
#[track_caller]
fn is_unharmed(running: Running, jvm: &Jvm) {
    let outcome = running.finish().ok();
    assert!(outcome.stdout.ends_with("DONE\n"), "on {jvm}: {}", outcome.stdout);
    let ours: Vec<_> = outcome.stderr.lines().filter(|line| !line.starts_with("WARNING: ")).collect();
    assert!(ours.is_empty(), "on {jvm}: {ours:?}");
}

/// `all` was done for so many.
#[track_caller]
fn has_all(report: &JsonReport, number: u64, jvm: &Jvm) {
    for (class, objects_each) in [
        ("attached.Attached$Item", 1),
        ("attached.Attached$Wide", 1),
        ("[Lattached.Attached$Item;", 1),
        ("[D", 1),
        ("[[F", 1),
        ("[F", 2),
    ] {
        // One of each is there to be cloned.
        let template = u64::from(["attached.Attached$Wide", "[D"].contains(&class));
        assert_eq!(objects(report, class), objects_each * number + template, "{class} on {jvm}");
    }
    let ints = objects(report, "[I");
    assert!((number..number + 200).contains(&ints), "{ints} on {jvm}");
}

#[test]
fn what_is_made_from_the_start_on_is_counted_exactly_and_nothing_before() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let log = workspace.file("changed.log");
        let mut running = launched(jvm, &[&format!("-Xlog:redefine+class+load=info:file={}", log.display())]);
        let pid = running.pid();
        // So that some of it is compiled.
        running.does("all 20000");
        ask("start", pid, &["--exact"]).ok();
        only_what_allocates_was_changed(&log, jvm);
        running.does(&format!("all {MANY}"));
        let report = snapshot(pid);
        assert_eq!(report.0["engine"], "exact", "on {jvm}");
        has_all(&report, MANY, jvm);
        let share = report.share().expect("a counter");
        assert!((0.99..1.01).contains(&share), "{share} on {jvm}: {}", report.0["trust"]);
        assert_eq!(report.0["trust"]["refusals"], serde_json::json!([]), "on {jvm}");
        let remainder = report.0["trust"]["remainder"].to_string();
        assert!(!remainder.contains("start-up"), "the JVM was not started on {jvm}: {remainder}");
        ask("pause", pid, &[]).ok();
        running.does("all 1000");
        ask("resume", pid, &[]).ok();
        has_all(&snapshot(pid), MANY, jvm);
        ask("reset", pid, &[]).ok();
        running.does("keep 77");
        let report = snapshot(pid);
        assert_eq!(
            (objects(&report, "attached.Attached$Kept"), objects(&report, "[[F")),
            (77, 0),
            "on {jvm}"
        );
        ask("stop", pid, &[]).ok();
        running.does("all 100");
        is_unharmed(running, jvm);
    });
}

/// The JVM takes a class anew only if there is something to count in it.
#[track_caller]
fn only_what_allocates_was_changed(log: &Path, jvm: &Jvm) {
    let text = std::fs::read_to_string(log).expect("a log of changed classes");
    let has = |class: &str| text.contains(&format!("name={class},"));
    assert!(has(MAIN) && has("attached.Attached$Wide"), "on {jvm}: {text}");
    assert!(!has("attached.Attached$Item"), "it makes nothing, on {jvm}");
}

/// The place of a class that was unloaded is another one's later, and so is that of a thread that ended.
#[test]
fn classes_and_threads_that_come_and_go_are_not_mixed_up() {
    each_jvm(|jvm| {
        let mut running = launched(jvm, &["-Xmx64m"]);
        let pid = running.pid();
        running.does("load 10");
        ask("start", pid, &["--exact"]).ok();
        for _ in 0..5 {
            running.does("load 100");
            running.does("gc");
            running.does("threads 20 1000");
        }
        let mut items = 5 * 20 * 1000;
        if jvm.feature >= VIRTUAL {
            running.does("virtual 100 50");
            items += 100 * 50;
        }
        let report = snapshot(pid);
        for class in
            ["attached.Even", "[Lattached.Even;", "attached.Odd", "[Lattached.Odd;", "[[Lattached.Odd;"]
        {
            assert_eq!(objects(&report, class), 250, "{class} on {jvm}");
        }
        assert_eq!(objects(&report, "attached.Attached$Item"), items, "on {jvm}");
        ask("stop", pid, &["--restore"]).ok();
        is_unharmed(running, jvm);
    });
}

/// With each option that goes with counts: which objects it follows, of those made from then on, and where they are made.
#[test]
fn deaths_samples_and_stacks_are_those_of_objects_made_from_then_on() {
    const KEPT: &str = "attached.Attached$Kept";
    const ITEM: &str = "attached.Attached$Item";
    each_jvm(|jvm| {
        let mut running = launched(jvm, &[]);
        let pid = running.pid();
        running.does("keep 1000");
        // Two of each have stacks.
        let halves = [
            ["#trackcollections", "#trackcollections#every-3", "#sample-1k#trace", "#track-balanced#trace"],
            ["#trackcollections#trace", "#trace", "#sample-1k", "#track-balanced"],
        ];
        for &options in turns_of(jvm, 0, &halves).flatten() {
            ask("start", pid, &["--exact", &format!("{options}#include-attached.")]).ok();
            // A thread that runs has drawn its next sample at the interval from before, of 512 KiB, or some MiB where a busy machine had too
            // many samples: so many bytes on that it is past it.
            running.does(if options.contains("#sample") { "all 2000000" } else { "all 400000" });
            ask("reset", pid, &[]).ok();
            running.does(&format!("keep {MANY}"));
            running.does("all 5000");
            if jvm.feature >= VIRTUAL {
                running.does("virtual 50 20");
            }
            running.does("gc");
            running.does("gc");
            let report = snapshot(pid);
            let made = 5000 + if jvm.feature >= VIRTUAL { 50 * 20 } else { 0 };
            assert_eq!((objects(&report, KEPT), objects(&report, ITEM)), (MANY, made), "{options} on {jvm}");
            // What samples stand for is corrected in JDK 11, and no whole number of objects then.
            let is_corrected = jvm.feature == OLDEST && options.contains("#sample");
            if options != "#trace" && !is_corrected {
                let is = |told: u64, truth: u64| {
                    // One sample of five hundred may be of the other kind: why is not known.
                    let allowed = if options.contains("#sample") { truth / 20 } else { 0 };
                    assert!(told.abs_diff(truth) <= allowed, "{told} of {truth}, {options} on {jvm}");
                };
                is(report.live()[KEPT].objects, MANY);
                is(report.collected()[ITEM].objects, made);
            }
            if options.contains("#trace") && !is_corrected {
                are_kept_in_keep(&report, KEPT, &format!("{options} on {jvm}"));
            }
            ask("stop", pid, &[]).ok();
        }
        is_unharmed(running, jvm);
    });
}

/// The sites of a class are all in a method, and add up.
#[track_caller]
fn are_kept_in_keep(report: &JsonReport, class: &str, told: &str) {
    let sites = report.0["sites"].as_array().expect("sites");
    let of_kept: Vec<_> = sites.iter().filter(|site| site["class"] == class).collect();
    let in_keep = |site: &&serde_json::Value| site["stack"].to_string().contains("Attached.keep");
    assert!(!of_kept.is_empty() && of_kept.iter().all(in_keep), "{told}: {of_kept:?}");
    let objects: u64 = of_kept.iter().filter_map(|site| site["allocated"]["objects"].as_u64()).sum();
    assert_eq!(objects, MANY, "{told}");
}

/// Either way of stopping, and by any other engine in between.
#[test]
fn it_can_begin_again_and_each_session_has_its_own_counts() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let log = workspace.file("changed.log");
        let mut running = launched(jvm, &[&format!("-Xlog:redefine+class+load=info:file={}", log.display())]);
        let pid = running.pid();
        for (round, stop) in [&["--restore"][..], &[], &["--restore"]].into_iter().enumerate() {
            let options = if round % 2 == 0 { "" } else { "#trackcollections" };
            ask("start", pid, &["--exact", options]).ok();
            let again = ask("start", pid, &["--exact"]);
            assert_eq!(again.code(), Some(2), "on {jvm}: {}", again.stderr);
            assert!(again.stderr.contains("it profiles already"), "on {jvm}: {}", again.stderr);
            let number = 1000 + round as u64;
            running.does("names");
            running.does(&format!("all {number}"));
            running.does("threads 3 100");
            let report = snapshot(pid);
            assert_eq!(objects(&report, "attached.Attached$Item"), number + 300, "round {round} on {jvm}");
            assert_eq!(objects(&report, "[[F"), number, "round {round} on {jvm}");
            ask("stop", pid, stop).ok();
            assert_eq!(ask("pause", pid, &[]).code(), Some(3), "on {jvm}: nothing profiles");
            running.does("all 500");
            running.does("names");
        }
        let text = std::fs::read_to_string(&log).expect("a log of changed classes");
        // Hooks that were left in place are there at the next start.
        assert_eq!(text.matches(&format!("name={MAIN},")).count(), 4, "on {jvm}: {text}");
        ask("start", pid, &["--sampled", "#sample-16k"]).ok();
        ask("stop", pid, &[]).ok();
        is_unharmed(running, jvm);
    });
}

/// A class with a constant NaN gets more of them each time, until the JVM hangs (`loaded_classes::MOST_NANS`).
#[test]
fn it_may_begin_and_end_any_number_of_times() {
    each_jvm(|jvm| {
        let mut running = launched(jvm, &[]);
        let pid = running.pid();
        for _ in 0..11 {
            ask("start", pid, &["--exact"]).ok();
            ask("stop", pid, &["--restore"]).ok();
        }
        ask("start", pid, &["--exact"]).ok();
        running.does("all 1000");
        let report = snapshot(pid);
        assert_eq!(objects(&report, "attached.Attached$Item"), 1000, "on {jvm}");
        assert_eq!(objects(&report, "[[F"), 1000, "on {jvm}");
        let refused = report.0["trust"]["refusals"].to_string();
        let constants_grow = jvm.feature >= FIRST_TO_COPY_ALL_NANS;
        assert_eq!(
            refused.contains("java.lang.Double was changed too often"),
            constants_grow,
            "{refused} on {jvm}"
        );
        ask("stop", pid, &["--restore"]).ok();
        is_unharmed(running, jvm);
    });
}

/// What the JVM checks if it is told to: rewritten classes, those of the boot loader too, and calls from native code.
#[test]
fn the_jvms_own_checks_find_nothing() {
    const CHECKS: [&str; 4] = [
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+BytecodeVerificationLocal",
        "-XX:+BytecodeVerificationRemote",
        "-Xcheck:jni",
    ];
    each_jvm(|jvm| {
        // Generational or not, with colours in its references or without.
        let (unlock, collector) = if jvm.feature < 15 {
            ("-XX:+UnlockExperimentalVMOptions", "-XX:+UseParallelGC")
        } else {
            ("-XX:+UnlockDiagnosticVMOptions", "-XX:+UseZGC")
        };
        let args = [&CHECKS[..], &[unlock, collector]].concat();
        let mut running = launched(jvm, &args);
        let pid = running.pid();
        ask("start", pid, &["--exact", "#trackcollections#trace"]).ok();
        running.does("all 2000");
        running.does("threads 3 100");
        running.does("gc");
        let report = snapshot(pid);
        assert_eq!(objects(&report, "attached.Attached$Item"), 2300, "on {jvm}");
        ask("stop", pid, &["--restore"]).ok();
        let outcome = running.finish().ok();
        let said: Vec<_> = outcome.stdout.lines().filter(|line| !is_own_line(line)).take(9).collect();
        assert!(said.is_empty(), "on {jvm}: {said:?}");
    });
}

fn is_own_line(line: &str) -> bool {
    // Where tests run in the background of a shell, SIGINT is ignored: an older JVM tells all its handlers then.
    const OF_SIGNALS: [&str; 4] =
        ["Warning: SIGINT", "Running in non-interactive", "Signal Handlers:", "SIG"];
    ["READY", "DID ", "DONE"].iter().chain(&OF_SIGNALS).any(|start| line.starts_with(start))
}

#[test]
fn what_cannot_be_had_is_said_and_the_program_goes_on() {
    each_jvm(|jvm| {
        let mut running = launched(jvm, &[]);
        let pid = running.pid();
        let refused = ask("start", pid, &["--exact", "#scope-attached.Attached.all"]);
        assert_eq!(refused.code(), Some(2), "on {jvm}: {}", refused.stderr);
        assert!(refused.stderr.contains("scopes can't be had in a JVM that runs"), "{}", refused.stderr);
        assert_eq!(ask("stop", pid, &["--restore"]).code(), Some(3), "on {jvm}");
        running.does("all 10");
        is_unharmed(running, jvm);
    });
}

/// By the JDK's own tool, which loads the agent with the options.
#[test]
fn jcmd_can_have_it_begin() {
    each_jvm(|jvm| {
        let mut running = launched(jvm, &[]);
        // What the JDK does when it is first needed is not counted.
        running.does("all 1");
        let library = mayfly_tests::artifacts().agent.display().to_string();
        if jcmd(jvm, &running, &["JVMTI.agent_load", &library, "#engine-exact"]).is_none() {
            return;
        }
        let pid = running.pid();
        begins(pid, jvm);
        running.does("all 1000");
        has_all(&snapshot(pid), 1000, jvm);
        ask("stop", pid, &[]).ok();
        is_unharmed(running, jvm);
    });
}

/// The JVM looks native methods up in an agent only when that is loaded.
fn begins(pid: u32, jvm: &Jvm) {
    let start = std::time::Instant::now();
    loop {
        let status: serde_json::Value =
            serde_json::from_str(&ask("status", pid, &["--json"]).ok().stdout).expect("JSON");
        if status["profiling"]["state"] == "on" {
            return;
        }
        assert!(start.elapsed().as_secs() < 60, "on {jvm}: {status}");
        std::thread::yield_now();
    }
}
