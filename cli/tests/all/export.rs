//! `mayfly export`: the guide's questions on a fleet, in DuckDB, and its sums.

use std::fs;

use assert_cmd::Command;
use mayfly_profile::{Section, Tracking, Update};
use mayfly_recording::RecordingWriter;
use serde_json::Value;

use crate::recorded::{of_json, python, updates};

/// JVMs of each version of the application.
const JVMS: usize = 25;

/// Recordings of two versions of a shop.
fn record_fleet(folder: &std::path::Path) {
    for number in 0..2 * JVMS {
        let version = number / JVMS + 1;
        let labels = [
            ("application", "shop".to_owned()),
            ("version", version.to_string()),
            ("host", format!("h{}", number % 7)),
            ("process", number.to_string()),
        ];
        let mut stream = updates(Tracking::EveryObject, 3 * version as u64);
        let labels = labels.map(|(name, value)| (name.to_owned(), value)).into();
        stream.insert(1, Update::from(Section::Labels(labels)));
        let mut writer = RecordingWriter::new();
        let bytes: Vec<u8> = stream.iter().flat_map(|update| writer.encode(update).expect("fits")).collect();
        fs::write(folder.join(format!("{number}.mayfly")), bytes).expect("written");
    }
}

#[test]
fn a_fleet_answers_the_questions_of_the_guide_and_adds_up_to_its_merge() {
    let folder = tempfile::tempdir().expect("a folder");
    let jvms = folder.path().join("jvms");
    fs::create_dir(&jvms).expect("made");
    record_fleet(&jvms);
    let mayfly = |words: &[&str]| {
        let output =
            Command::cargo_bin("mayfly").expect("built").current_dir(&folder).args(words).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8")
    };
    // The second time it replaces what is there.
    for _ in 0..2 {
        mayfly(&["export", "jvms", "-o", "tables"]);
    }
    let Some(mut python) = python() else { return };
    let guide = include_str!("../../../docs/guide/fleet.md");
    let questions: Vec<_> =
        guide.lines().filter_map(|line| line.strip_prefix("    duckdb -c \"")?.strip_suffix('"')).collect();
    assert_eq!(questions.len(), 10, "{questions:?}");
    let script = "
import duckdb, json, sys
rows = [duckdb.sql(question).fetchall() for question in json.loads(sys.argv[1])]
sums = [duckdb.sql(f\"SELECT sum({column})::BIGINT FROM 'tables/{table}/*/*/*.parquet'\").fetchall()[0][0]
  for table, column in [('recordings', 'allocated_bytes'), ('classes', 'bytes'), ('sites', 'bytes'), ('recordings', 'live_bytes')]]
print(json.dumps([rows, sums], default=str))";
    let given = serde_json::to_string(&questions).expect("JSON");
    let output = python.args(["-c", script, &given]).current_dir(&folder).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (rows, sums): (Vec<Vec<Value>>, [u64; 4]) = serde_json::from_slice(&output.stdout).expect("JSON");
    for (rows, question) in rows.iter().zip(&questions) {
        // All of them are to be trusted, or none was closed.
        assert!(!rows.is_empty() || question.contains("coverage < 0.98"), "{question}");
    }
    let merged = mayfly(&["report", "--json", "jvms"]);
    let of = |value: &str| of_json(&merged, value).values().sum::<u64>();
    assert_eq!(sums, [of("bytes"), of("bytes"), of("bytes"), of("live")]);
    assert_eq!(rows[0], [serde_json::json!(["shop", 2 * JVMS, of("bytes")])]);
}
