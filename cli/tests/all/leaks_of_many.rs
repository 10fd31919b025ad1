//! `mayfly leaks DIR`: one table of many recordings: whose they are, what leaks, how fast, and what could not be judged.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use mayfly_profile::{Section, Tracking, Update};
use serde_json::Value;

use crate::page_features::leaking;
use crate::recorded::{Recording, updates};

fn leaks(folder: &Path, options: &[&str]) -> Output {
    let trust = ["leaks", "--trust", "0"];
    Command::new(cargo_bin("mayfly")).args(trust).args(options).arg(folder).output().expect("runs")
}

/// A recording of a JVM with labels in this folder.
fn record(folder: &Path, host: &str, mut stream: Vec<Update>) {
    let labels = [("application", "shop"), ("host", host), ("team", "cart"), ("process", "77")];
    let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    stream.insert(1, Update::from(Section::Labels(labels)));
    let file = folder.join(host).with_extension("mayfly");
    fs::copy(Recording::with(stream).file(), file).expect("copied");
}

#[test]
fn each_recording_is_a_row_with_its_labels_the_leak_and_how_fast_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    record(folder.path(), "calm", updates(Tracking::Off, 0));
    record(folder.path(), "leaky", leaking());
    fs::write(folder.path().join("broken.mayfly"), "no recording").expect("written");
    let output = leaks(folder.path(), &[]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{text}");
    let lines: Vec<_> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines[0], "3 recordings: 1 leaks, 2 not known (?), 0 without a leak that was seen.");
    assert_eq!(lines.len(), 4, "{text}");
    let [worst, others @ ..] = &lines[1..] else { panic!("{text}") };
    assert!(worst.starts_with("leaks ") && worst.ends_with("leaky.mayfly"), "{worst}");
    for part in [" shop leaky team=cart ", "KiB/s 400 KiB ", " by a.Main.serve:7"] {
        assert!(worst.contains(part), "{part:?}: {worst}");
    }
    assert!(others.iter().all(|line| line.starts_with("? ")), "{text}");
    assert!(others.iter().any(|line| line.contains("shop calm") && line.contains("lifetimes")), "{text}");
    assert!(others.iter().any(|line| line.contains("? ? ") && line.ends_with("broken.mayfly")), "{text}");
    let json: Value = serde_json::from_slice(&leaks(folder.path(), &["--json"]).stdout).expect("JSON");
    assert_eq!(json["exit_code"], 1);
    let first = &json["recordings"][0];
    assert_eq!((&first["labels"]["team"], &first["verdict"]), (&"cart".into(), &"leak".into()), "{first}");
    let rate = first["found"]["suspects"][0]["growth"]["bytes_per_s"].as_f64().expect("a rate");
    let shown = format!("{:.2} KiB/s", rate.round() / 1_024.0);
    assert!(worst.contains(&shown), "{shown}: {worst}");
}

#[test]
fn where_not_each_could_be_judged_nothing_is_ruled_out() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("broken.mayfly"), "no recording").expect("written");
    let output = leaks(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(!leaks(&folder.path().join("broken.mayfly"), &[]).status.success());
}
