//! Several recordings: merged, read together, compared by a label.
//!
//! Not here: the laws of merging, tested with `mayfly-profile`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use mayfly_profile::{Section, Tracking, Update};
use mayfly_recording::RecordingWriter;
use serde_json::Value;

use crate::recorded::{Totals, of_json, updates};

/// A folder with recordings of a service: version 1 on two hosts, version 2, which makes more, on one.
struct Fleet(tempfile::TempDir);

impl Fleet {
    fn new() -> Self {
        let fleet = Self(tempfile::tempdir().expect("a folder"));
        for (name, version, host, more) in [("a", "1", "x", 0), ("b", "1", "y", 5), ("sub/c", "2", "x", 40)] {
            let labels = [("version", version), ("host", host), ("process", name), ("application", "shop")];
            let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            let mut stream = updates(Tracking::EveryObject, more);
            stream.insert(1, Update::from(Section::Labels(labels)));
            let mut writer = RecordingWriter::new();
            let bytes: Vec<u8> =
                stream.iter().flat_map(|update| writer.encode(update).expect("fits")).collect();
            let file = fleet.at(&format!("in/{name}.mayfly"));
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, bytes).expect("written");
        }
        fleet
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn mayfly(&self, words: &[&str]) -> Output {
        Command::new(cargo_bin("mayfly")).current_dir(self.0.path()).args(words).output().expect("runs")
    }

    fn answer(&self, words: &[&str]) -> String {
        let output = self.mayfly(words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn json(&self, words: &[&str]) -> Value {
        serde_json::from_str(&self.answer(words)).expect("JSON")
    }
}

#[test]
fn whatever_is_merged_in_whatever_order_and_grouping_says_the_same() {
    let fleet = Fleet::new();
    let merge =
        |output: &str, inputs: &[&str]| drop(fleet.answer(&[&["merge", "-o", output], inputs].concat()));
    let [a, b, c] = ["in/a.mayfly", "in/b.mayfly", "in/sub/c.mayfly"];
    merge("all.mayfly", &["in"]);
    merge("ab.mayfly", &[b, a]);
    merge("cab.mayfly", &[c, "ab.mayfly"]);
    let read = |inputs: &[&str]| fleet.answer(&[&["report", "--json"], inputs].concat());
    let all = read(&["all.mayfly"]);
    assert_eq!(read(&["cab.mayfly"]), all);
    assert_eq!(read(&["in"]), all);
    assert_eq!(read(&[c, a, b, a]), all);
    for value in ["bytes", "objects", "live", "live-objects"] {
        let mut sum = Totals::new();
        for one in [a, b, c] {
            of_json(&read(&[one]), value)
                .into_iter()
                .for_each(|(class, amount)| *sum.entry(class).or_default() += amount);
        }
        assert_eq!(of_json(&all, value), sum, "{value}");
    }
    let json: Value = serde_json::from_str(&all).expect("JSON");
    let sources = json["sources"].as_array().expect("sources");
    let of_sources: u64 =
        sources.iter().map(|source| source["allocated_bytes"].as_u64().expect("a number")).sum();
    assert_eq!(of_json(&all, "bytes").values().sum::<u64>(), of_sources);
    assert_eq!(
        (sources.len(), &json["labels"]["application"], json["labels"].get("host")),
        (3, &"shop".into(), None)
    );
    let text = fleet.answer(&["report", "in"]);
    assert!(text.starts_with("Merged: 3 recordings: application shop; version 1, 2; host x, y"), "{text}");
    assert!(
        fleet.answer(&["report", "--full", "all.mayfly"]).contains("Recordings: 3; lifetimes are mixtures")
    );
    assert!(fleet.answer(&["report", "--html", "in"]).contains("3 recordings"));
}

#[test]
fn recordings_are_compared_by_a_label() {
    let fleet = Fleet::new();
    let json = fleet.json(&["report", "--by", "version", "--json", "in"]);
    let of = |row: usize, key: &str| json["rows"][row][key].clone();
    assert_eq!((of(0, "value"), of(0, "recordings")), ("1".into(), 2.into()));
    assert_eq!((of(1, "value"), of(1, "recordings")), ("2".into(), 1.into()));
    let one = of_json(&fleet.answer(&["report", "--json", "in/sub/c.mayfly"]), "bytes").values().sum::<u64>();
    assert_eq!(of(1, "allocated_bytes").as_u64(), Some(one));
    let text = fleet.answer(&["report", "--by", "version", "in"]);
    assert!(
        text.lines().count() == 3 && text.lines().next().is_some_and(|line| line.ends_with("version")),
        "{text}"
    );
    drop(fleet.answer(&["merge", "-o", "all.mayfly", "in"]));
    // Recordings that were merged can't be taken apart.
    let mixed = fleet.mayfly(&["report", "--by", "version", "all.mayfly"]);
    assert_eq!(mixed.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&mixed.stderr).contains("version 1, 2"));
    let none = fleet.mayfly(&["report", "--by", "colour", "in"]);
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn folders_are_the_runs_of_a_side() {
    let fleet = Fleet::new();
    for side in ["old", "new"] {
        fs::create_dir(fleet.at(side)).expect("made");
        for run in ["1", "2", "3"] {
            let from = if side == "old" { "in/a.mayfly" } else { "in/sub/c.mayfly" };
            fs::copy(fleet.at(from), fleet.at(side).join(run).with_extension("mayfly")).expect("copied");
        }
    }
    let options = ["diff", "--trust", "0", "--json"];
    let by_folder = fleet.json(&[&options[..], &["old", "new"]].concat());
    let files = |side: &str| ["1", "2", "3"].map(|run| format!("{side}/{run}.mayfly"));
    let (old, new) = (files("old"), files("new"));
    let words = [
        &["--before"][..],
        &old.each_ref().map(String::as_str),
        &["--after"],
        &new.each_ref().map(String::as_str),
    ];
    assert_eq!(by_folder, fleet.json(&[&options[..], &words.concat()].concat()));
}

#[test]
fn what_cannot_be_read_is_left_out_of_a_folder_and_refused_by_name() {
    let fleet = Fleet::new();
    fs::write(fleet.at("in/empty.mayfly"), "").expect("written");
    let read = fleet.mayfly(&["report", "--json", "in"]);
    let said = String::from_utf8_lossy(&read.stderr);
    assert!(read.status.success() && said.contains("left out") && said.contains("empty.mayfly"), "{said}");
    let json: Value = serde_json::from_slice(&read.stdout).expect("JSON");
    assert_eq!(json["sources"].as_array().map(Vec::len), Some(3));
    assert_eq!(fleet.mayfly(&["report", "in/a.mayfly", "in/empty.mayfly"]).status.code(), Some(4));
    let into_itself = fleet.mayfly(&["merge", "-o", "in/a.mayfly", "in"]);
    assert_eq!(into_itself.status.code(), Some(2));
    assert!(Path::new(&fleet.at("in/a.mayfly")).metadata().expect("there").len() > 100);
    // The same recording under two names.
    fs::copy(fleet.at("in/a.mayfly"), fleet.at("in/copy.mayfly")).expect("copied");
    let twice = fleet.mayfly(&["report", "in"]);
    assert!(String::from_utf8_lossy(&twice.stderr).contains("counted twice"));
}

#[test]
fn leaks_of_several_recordings_are_a_row_each() {
    let fleet = Fleet::new();
    let output = fleet.mayfly(&["leaks", "--trust", "0", "in"]);
    let text = String::from_utf8_lossy(&output.stdout);
    // Below a line on all.
    assert_eq!(text.lines().count(), 4, "{text}");
    let one = |file: &str| fleet.mayfly(&["leaks", "--trust", "0", file]).status.code();
    let each = ["in/a.mayfly", "in/b.mayfly", "in/sub/c.mayfly"].map(one);
    let wanted = if each.contains(&Some(1)) {
        1
    } else if each.contains(&Some(2)) {
        2
    } else {
        0
    };
    assert_eq!(output.status.code(), Some(wanted), "{each:?}: {text}");
    let json = fleet.mayfly(&["leaks", "--trust", "0", "--json", "in/a.mayfly", "in/b.mayfly"]);
    let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["recordings"].as_array().map(Vec::len), Some(2));
}
