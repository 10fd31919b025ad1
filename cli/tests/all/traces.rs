//! Requests whose objects are still there, in tables and on the page: each has the rows and the numbers of the JSON report.

use std::collections::BTreeMap;
use std::fs;

use mayfly_profile::{
    ClassId, Section, SiteId, Tally, TraceContext, TraceCount, TraceCounts, Tracking, Update,
};
use serde_json::Value;

use crate::browser;
use crate::recorded::{Recording, python, updates};

/// Trace, class, site (`None`: no stack), objects, birth in milliseconds. Classes are 16, 40 and 64 bytes large.
const ROWS: [(u8, u32, Option<u32>, u64, u64); 5] = [
    (0x4b, 1, Some(1), 9, 2_000),
    (0x4b, 0, Some(0), 4, 30_000),
    (0x4b, 2, None, 1, 31_000),
    (0xc0, 2, Some(2), 3, 50_000),
    (0xc0, 2, Some(5), 2, 51_000),
];
/// The trace of most rows.
const FIRST: &str = "4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b";

/// The same stream, in whose end objects of two traces are alive, and some of smaller rows.
pub(crate) fn traced(mut updates: Vec<Update>) -> Vec<Update> {
    let row = |(trace, class, site, objects, born_ms): (u8, u32, Option<u32>, u64, u64)| TraceCount {
        context: TraceContext::new([trace; 16], [trace + 1; 8]).expect("ids"),
        class: ClassId(class),
        site: site.map(SiteId),
        live: Tally::of(objects, 16 + 24 * u64::from(class)),
        born_ms,
    };
    let (others, unknown) = (Tally::of(2, 16), Tally::of(1, 8));
    let counts = TraceCounts { rows: ROWS.map(row).into(), others, traces: 3, unknown, forgotten: 0 };
    let end = updates.pop().expect("an end");
    updates.extend([Update::from(Section::Traces(counts)), end]);
    updates
}

fn recording() -> Recording {
    Recording::with(traced(updates(Tracking::EveryObject, 0)))
}

fn json(recording: &Recording, options: &[&str]) -> Value {
    let all: Value = serde_json::from_str(&recording.text(&["--json"], options)).expect("JSON");
    all["traces"].clone()
}

/// By trace, span, class and stack (the outermost frame first): objects, bytes, age in milliseconds; rows that are left out have no ids.
type Rows = BTreeMap<[String; 4], [Option<u64>; 3]>;

fn of_json(traces: &Value) -> Rows {
    let method =
        |frame: &Value| frame.as_str().expect("a frame").split('(').next().expect("a name").to_owned();
    let row = |row: &Value| {
        let text = |key: &str| row[key].as_str().expect(key).to_owned();
        let stack: Vec<_> = row["stack"].as_array().expect("a stack").iter().rev().map(method).collect();
        let age = (row["oldest_age_s"].as_f64().expect("an age") * 1_000.0).round() as u64;
        let live = ["objects", "bytes"].map(|key| row["live"][key].as_u64());
        ([text("trace_id"), text("span_id"), text("class"), stack.join(";")], [live[0], live[1], Some(age)])
    };
    let mut rows: Rows = traces["rows"].as_array().expect("rows").iter().map(row).collect();
    let others = ["objects", "bytes"].map(|key| traces["others"][key].as_u64());
    if others[0] > Some(0) {
        rows.insert(Default::default(), [others[0], others[1], None]);
    }
    rows
}

fn of_csv(text: &str) -> Rows {
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let headings = table.headers().expect("headings").clone();
    let at = |name: &str| headings.iter().position(|heading| heading == name).expect(name);
    let row = |row: Result<csv::StringRecord, csv::Error>| {
        let row = row.expect("a row");
        let key = ["trace_id", "span_id", "class", "stack"].map(|name| row[at(name)].to_owned());
        (key, ["live_objects", "live_bytes", "oldest_age_ms"].map(|name| row[at(name)].parse().ok()))
    };
    table.records().map(row).collect()
}

#[test]
fn the_table_of_traces_has_the_rows_of_the_json_report() {
    let recording = recording();
    let expected = of_json(&json(&recording, &[]));
    assert_eq!(expected.len(), ROWS.len() + 1);
    assert_eq!(of_csv(&recording.text(&["--format", "csv-traces"], &[])), expected);
    let one = of_json(&json(&recording, &["--trace", "4B4b"]));
    assert_eq!(one.len(), 3);
    assert_eq!(of_csv(&recording.text(&["--format", "csv-traces"], &["--trace", "4B4b"])), one);
}

#[test]
fn a_table_of_traces_is_refused_where_no_id_was_seen_and_one_trace_in_formats_of_all() {
    let refused = |recording: &Recording, options: &[&str], why: &str| {
        let output = recording.report(options);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{options:?}");
        assert!(errors.contains(why), "{options:?}: {errors}");
    };
    refused(&Recording::of(Tracking::EveryObject), &["--format", "csv-traces"], "no trace id was seen");
    refused(&recording(), &["--trace", "4b", "--csv"], "--trace");
    refused(&recording(), &["--trace", "4b", "--html"], "--trace");
}

#[test]
fn duckdb_reads_the_parquet_table_of_traces() {
    let recording = recording();
    let tables = recording.folder().join("tables");
    recording.read(&["--parquet", "-o", tables.to_str().expect("UTF-8")], &[]);
    let without = Recording::of(Tracking::EveryObject);
    let empty = without.folder().join("tables");
    without.read(&["--parquet", "-o", empty.to_str().expect("UTF-8")], &[]);
    let Some(mut python) = python() else { return };
    let script = "
import duckdb, json, pandas, sys
rows = lambda folder: duckdb.sql(f\"SELECT trace_id, span_id, class, stack, live_objects, live_bytes, oldest_age_ms FROM '{folder}/traces.parquet'\").fetchall()
assert len(pandas.read_parquet(sys.argv[1] + '/traces.parquet')) == len(rows(sys.argv[1]))
print(json.dumps([rows(folder) for folder in sys.argv[1:]]))";
    let output = python.args(["-c", script]).args([&tables, &empty]).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let [rows, none]: [Vec<[Value; 7]>; 2] = serde_json::from_slice(&output.stdout).expect("JSON");
    let row = |row: [Value; 7]| {
        let key = [0, 1, 2, 3].map(|at: usize| row[at].as_str().expect("a text").to_owned());
        (key, [4, 5, 6].map(|at: usize| row[at].as_u64()))
    };
    assert_eq!(rows.into_iter().map(row).collect::<Rows>(), of_json(&json(&recording, &[])));
    assert_eq!(none, Vec::<[Value; 7]>::new(), "columns, and no row");
}

#[test]
fn several_jvms_have_no_common_clock_for_ages() {
    let recording = recording();
    let other = recording.folder().join("other.mayfly");
    fs::copy(recording.file(), &other).expect("copied");
    let folder = other.display().to_string();
    let both = json(&recording, &[&folder]);
    assert_eq!(both["rows"][0]["oldest_age_s"], Value::Null, "{both}");
    assert_eq!(both["live"]["bytes"], 2 * json(&recording, &[])["live"]["bytes"].as_u64().expect("bytes"));
    let table = recording.text(&["--format", "csv-traces"], &[&folder]);
    assert!(of_csv(&table).values().all(|[objects, _, age]| objects.is_some() && age.is_none()), "{table}");
    assert!(recording.text(&["--traces"], &[&folder]).contains(" ? "));
}

#[test]
fn a_trace_is_searched_and_chosen_on_the_page_and_all_else_follows() {
    let recording = recording();
    let page = recording.text(&["--html"], &[]);
    let script = include_str!("recorded/drive_traces.js").trim_end();
    let Some(found) = browser::driven(&page, script, recording.folder(), 1_240, &[]) else { return };
    assert_eq!(found["wrong"], serde_json::json!([]), "{found}");
    let traces = json(&recording, &[]);
    let sum =
        |rows: &[Value], key: &str| rows.iter().map(|row| row["live"][key].as_u64().expect(key)).sum::<u64>();
    let rows = traces["rows"].as_array().expect("rows");
    let of_first: Vec<_> = rows.iter().filter(|row| row["trace_id"] == FIRST).cloned().collect();
    for (part, rows) in [("all", rows), ("first", &of_first)] {
        assert_eq!(found[part]["rows"], rows.len(), "{part}: {found}");
        for key in ["bytes", "objects"] {
            assert_eq!(found[part][key], sum(rows, key), "{key} of {part}: {found}");
        }
    }
    assert_eq!(found["total"], sum(&of_first, "bytes"), "{found}");
    assert_eq!(found["objects"], sum(&of_first, "objects"), "{found}");
    // The words are those of the text.
    let text = recording.text(&["--traces"], &[]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for shown in found["words"].as_array().expect("words").iter().map(|one| one.as_str().expect("a text")) {
        assert!(words.contains(shown), "{shown:?} is not in {words}");
    }
}

#[test]
fn a_page_without_ids_has_no_table_of_them() {
    let recording = Recording::of(Tracking::EveryObject);
    let script = "({hidden: document.getElementById('traces').hidden, rows: document.querySelectorAll('#trace-rows tr').length})";
    let page = recording.text(&["--html"], &[]);
    let Some(found) = browser::driven(&page, script, recording.folder(), 1_240, &[]) else { return };
    assert_eq!(found, serde_json::json!({"hidden": true, "rows": 0}));
}
