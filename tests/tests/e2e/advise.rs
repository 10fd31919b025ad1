//! `mayfly advise` on a program whose objects die in middle age: what it predicts is what the JVM's own log then says.

use std::path::Path;

use mayfly_tests::{Jvm, Launch, Workspace, each_jvm, mayfly};
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
#[ignore = "goes by the machine's pace: docs/guide/advise.md"]
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
