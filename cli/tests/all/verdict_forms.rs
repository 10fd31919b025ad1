//! Each command that judges has its verdict as text, JSON, Markdown and a page, and each has the same words.
//!
//! Not here: the verdicts (`check.rs`, `merge.rs`, `diff.rs`).

use std::fs;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use mayfly_profile::Tracking;
use serde_json::Value;

use crate::recorded::Recording;

const BUDGET: &str = "trust = 0\n\n[total]\nbytes = 1\nobjects = 1000000000\n";

fn mayfly(words: &[&str]) -> String {
    let output = Command::new(cargo_bin("mayfly")).args(words).output().expect("runs");
    let refused = String::from_utf8_lossy(&output.stderr);
    String::from_utf8(output.stdout)
        .ok()
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| panic!("{words:?}: {refused}"))
}

#[test]
fn each_verdict_has_the_same_words_in_each_form() {
    let recording = Recording::of(Tracking::EveryObject);
    let file = recording.file().display().to_string();
    let budget = recording.file().with_extension("toml");
    fs::write(&budget, BUDGET).expect("written");
    let budget = budget.display().to_string();
    let check = ["check", "--budget", &budget, &file];
    for (command, schema, words) in [
        (&check[..], "mayfly-check/1", "exceeds 1 of 2 limits of"),
        (&["leaks", "--trust", "0", &file], "mayfly-leaks/1", "Whether anything leaks is not known"),
        (&["leaks", "--trust", "0", &file, &file], "mayfly-leaks-of-many/1", "?"),
        (&["advise", &file], "mayfly-advice/1", "Why it collects (Serial)"),
    ] {
        let form = |format: &str| mayfly(&[command, &["--format", format]].concat());
        let texts = ["text", "markdown", "html"].map(form);
        for text in &texts {
            assert!(text.contains(words), "{command:?}: {text}");
        }
        assert_eq!(texts[0], mayfly(command));
        assert!(texts[2].starts_with("<!doctype html>") && texts[2].contains("</html>"), "{}", texts[2]);
        let json: Value = serde_json::from_str(&form("json")).expect("JSON");
        assert_eq!(json["schema"], schema);
        assert_eq!(form("json"), mayfly(&[command, &["--json"]].concat()));
    }
}

#[test]
fn a_check_says_in_json_what_was_measured_and_who_makes_it() {
    let recording = Recording::of(Tracking::EveryObject);
    let budget = recording.file().with_extension("toml");
    fs::write(&budget, BUDGET).expect("written");
    let (budget, file) = (budget.display().to_string(), recording.file().display().to_string());
    let json = mayfly(&["check", "--json", "--budget", &budget, &file]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let one = &json["recordings"][0];
    assert_eq!((one["ruling"].as_str(), one["not_judged"].is_null()), (Some("exceeded"), true), "{one}");
    let (objects, bytes) = match (&one["limits"][0], &one["limits"][1]) {
        (first, second) if first["quantity"] == "objects" => (first, second),
        (first, second) => (second, first),
    };
    assert_eq!(
        (objects["judgement"].as_str(), bytes["judgement"].as_str()),
        (Some("kept"), Some("exceeded"))
    );
    assert!(bytes["measured"].as_f64() > bytes["bound"].as_f64(), "{bytes}");
    assert!(!bytes["offenders"].as_array().expect("offenders").is_empty(), "{bytes}");
}
