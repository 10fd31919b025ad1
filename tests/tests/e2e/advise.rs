//! `mayfly advise`: which flag, in one command, of a program that is run and of one that runs; and on a program whose objects die in
//! middle age that what is predicted is what the JVM's own log then says.

use std::path::Path;

use mayfly_tests::{Jvm, Launch, Workspace, any_jvm, each_jvm, fixture_classes, mayfly};
use serde_json::Value;

const MAIN: &str = "middleaged.MiddleAged";
/// 240 MB, of which 60 MB live for 16 MB of allocation on average.
const STEPS: &str = "60000";
const SLOTS: &str = "4000";

fn launch(jvm: &Jvm, young: &str) -> Launch {
    let young = format!("-Xmn{young}");
    Launch::new(jvm, MAIN)
        .jvm_args(&["-XX:+UseSerialGC", "-Xmx400m", "-Xms400m", &young])
        .args(&[STEPS, SLOTS])
}

/// Runs without the agent, with a log of collections.
fn logged(jvm: &Jvm, young: &str, log: &Path) {
    let log = format!("-Xlog:gc*:file={}", log.display());
    launch(jvm, young).jvm_args(&[&log]).run().ok();
}

fn advice(recording: &Path, young: &str, log: &Path) -> Value {
    let [recording, log] = [recording, log].map(|path| path.display().to_string());
    let words = ["advise", "--json", "--young", young, "--room", "16m", "--gc-log", &log, &recording];
    let outcome = mayfly(words).ok();
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

#[track_caller]
fn close(predicted: &Value, measured: &Value, share: f64, said: &str) {
    let [predicted, measured] = [predicted, measured].map(|number| number.as_f64().expect("a number"));
    println!("{said}: {:.1} MB predicted, {:.1} MB promoted", predicted / 1e6, measured / 1e6);
    assert!(
        (predicted / measured - 1.0).abs() <= share,
        "{said}: {predicted} predicted, {measured} promoted"
    );
}

#[test]
#[ignore = "goes by the machine's pace: docs/design/judging.md"]
fn what_is_predicted_is_what_the_jvm_then_promotes() {
    each_jvm(|jvm| {
        let (folder, now) = (Workspace::new(), "8m");
        let recording = folder.file("run.mayfly");
        let agent = format!("#trackcollections#gc-every-8m#live-0#recording-{}", recording.display());
        launch(jvm, now).agent(agent).run().ok();
        let log = folder.file("now.log");
        logged(jvm, now, &log);
        let told = advice(&recording, now, &log);
        let check = &told["self_check"];
        close(&check["predicted_bytes"], &check["promoted_bytes"], 0.10, &format!("now, on {jvm}"));
        let flags = told["flags"].as_str().expect("a suggestion");
        let suggested = flags.strip_prefix("-Xmn").expect("a size").split(' ').next().unwrap_or_default();
        let log = folder.file("then.log");
        logged(jvm, suggested, &log);
        let then = advice(&recording, suggested, &log);
        let promoted = &then["self_check"]["promoted_bytes"];
        close(&told["young"]["suggested"]["promoted_bytes"], promoted, 0.20, &format!("{flags}, on {jvm}"));
    });
}

/// A young generation that is far too small, and a format made for each price.
const SMALL: [&str; 3] = ["-XX:+UseSerialGC", "-Xmx64m", "-Xmn1m"];

#[track_caller]
fn says_what_helps(stdout: &str, jvm: &Jvm) {
    let mut lines = stdout.lines();
    let first = lines.next().unwrap_or_default();
    let number = first.strip_prefix("Try -Xmn").and_then(|rest| rest.split_once("m: collecting takes "));
    let young: u64 = number.expect(stdout).0.parse().expect(stdout);
    assert!((2..=48).contains(&young), "on {jvm}, within the heap: {stdout}");
    let flag = lines.next().unwrap_or_default();
    let why = ["the young generation is full too often", "much is promoted that would die soon after"];
    assert!(why.iter().any(|why| flag.contains(&format!("{why}. Predicted: "))), "on {jvm}: {stdout}");
    let code = stdout.lines().find(|line| line.starts_with("In the code: about ")).expect(stdout);
    let made =
        "java.text.DecimalFormat that die at once are made by formats.Formats.newFormat(Formats.java:15)";
    assert!(code.contains(made), "on {jvm}: {stdout}");
    for line in ["Why it collects (Serial):", "Allocation Failure", "garbage of    formats.Formats.newFormat"]
    {
        assert!(stdout.contains(line), "on {jvm}, {line}: {stdout}");
    }
}

#[test]
fn a_program_that_is_run_and_one_that_runs_are_measured_by_one_command() {
    any_jvm(|jvm| {
        let (java, classes) = (jvm.java().display().to_string(), fixture_classes().display().to_string());
        let program = [&java, "-cp", &classes, SMALL[0], SMALL[1], SMALL[2], "formats.Formats", "600000"];
        let told = mayfly(["advise", "--"].into_iter().chain(program)).ok();
        let (_, advice) = told.stdout.split_once("DONE 600\n").expect("the program's own words");
        says_what_helps(advice, jvm);

        let mut running = Launch::new(jvm, "formats.Formats").jvm_args(&SMALL).start();
        running.wait_for_line("READY");
        let pid = running.pid().to_string();
        let told = mayfly(["advise", "--for", "3s", &pid]).ok();
        says_what_helps(&told.stdout, jvm);
        running.send_line("");
        running.finish().ok();
    });
}
