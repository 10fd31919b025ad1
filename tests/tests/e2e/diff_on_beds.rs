//! `mayfly diff` on a real program: 5 % more at one site, 0.4 % of all that it allocates, is found and its method named, and between runs of the
//! same nothing is. Run by hand, as the scripts of real programs are no part of a clone.
//!
//! Not here: how often alarms are false (`crates/verdicts/tests/all/diff.rs`, by simulation).

use std::ffi::OsString;
use std::path::PathBuf;

use mayfly_tests::{Beds, Launch, Workspace, artifacts, fixture_classes, mayfly};
use serde_json::Value;

const BEDS: [&str; 1] = ["vnu"];
/// Recordings of each side.
const RUNS: usize = 3;
/// Bytes of an array that is allocated beside the program, before and after.
const BEFORE: u32 = 2000;
const AFTER: u32 = 2100;
const CLASS: &str = "[B";
const SITE: &str = "planted.Planted.site";

/// A program with the planted site, recorded so many times.
fn recorded(beds: &Beds, bed: &str, jar: &str, bytes: u32, files: &[PathBuf]) {
    for file in files {
        let agent =
            artifacts().agent_flag(&format!("#trackcollections#trace#live-0#recording-{}", file.display()));
        let flags = format!("{agent} -javaagent:{jar}={bytes}");
        beds.run(bed, "", &flags);
    }
}

/// What `mayfly diff` says of each row, but for those that are the same; all that it compared.
fn compared(before: &[PathBuf], after: &[PathBuf]) -> (Vec<Value>, usize) {
    let files = |files: &[PathBuf]| files.iter().map(OsString::from).collect::<Vec<_>>();
    let mut words: Vec<OsString> = ["diff", "--json", "--before"].map(OsString::from).into();
    words.extend(files(before));
    words.push("--after".into());
    words.extend(files(after));
    let json: Value = serde_json::from_str(&mayfly(words).ok().stdout).expect("JSON");
    let all = json["findings"].as_array().expect("a list");
    (all.iter().filter(|finding| finding["verdict"] != "same").cloned().collect(), all.len())
}

fn told(finding: &Value) -> String {
    let stack = finding["stack"].as_array().and_then(|stack| stack.first()).cloned().unwrap_or_default();
    format!(
        "{} {} of {} {} at {stack}: {} -> {}, chance {}",
        finding["verdict"],
        finding["measure"],
        finding["row"],
        finding["class"],
        finding["before"],
        finding["after"],
        finding["chance"]
    )
}

#[test]
#[ignore = "needs the scripts of real programs, and minutes: just diff-on-beds"]
fn five_percent_more_at_one_site_of_a_real_program_is_found() {
    let Some(beds) = Beds::found("differences of real programs") else { return };
    for bed in Beds::chosen(&BEDS) {
        let folder = Workspace::new();
        let jar = folder.file("planted.jar").display().to_string();
        Launch::new(&beds.jvm, "planted.Planted")
            .args(&[&jar, &fixture_classes().display().to_string()])
            .run()
            .ok();
        let [before, same, after] = ["before", "same", "after"].map(|side| {
            let files: Vec<_> = (0..RUNS).map(|run| folder.file(&format!("{side}-{run}.mayfly"))).collect();
            recorded(&beds, bed, &jar, if side == "after" { AFTER } else { BEFORE }, &files);
            files
        });
        let (alarms, all) = compared(&before, &same);
        println!("{bed}, the same: {} of {all} rows differ", alarms.len());
        alarms.iter().for_each(|alarm| println!("  {}", told(alarm)));
        let (found, all) = compared(&before, &after);
        println!("{bed}, 5 % more at one site: {} of {all} rows differ", found.len());
        found.iter().for_each(|finding| println!("  {}", told(finding)));
        for (row, site) in [("class", Value::Null), ("method", SITE.into())] {
            let is_planted = |finding: &&Value| {
                finding["row"] == row
                    && finding["class"] == CLASS
                    && finding["stack"][0] == site
                    && finding["measure"] == "allocated_bytes"
            };
            let planted = found.iter().find(is_planted);
            let planted = planted.unwrap_or_else(|| panic!("{bed}: {CLASS} by {row} is not found"));
            assert_eq!(planted["verdict"], "changed", "{bed}: {planted:#}");
            assert!(planted["after"].as_f64() > planted["before"].as_f64(), "{bed}: {planted:#}");
        }
        assert!(alarms.is_empty(), "{bed}: {}", alarms.iter().map(told).collect::<Vec<_>>().join("\n"));
    }
}
