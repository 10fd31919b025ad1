//! Files of `mayfly report` in the programs that they are made for: what these say is what the report says.
//!
//! `java` and `node` are taken from the path; `scripts/fetch-readers` fetches the others. What is missing is
//! skipped, and said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_profile::Tracking;

use crate::recorded::{Recording, fetched, of_hdr, of_json, python, skip, updates};
use crate::traces::traced;

/// What a command prints, which must succeed; `None` if there is no such program.
#[track_caller]
fn said(command: &mut Command) -> Option<String> {
    let Ok(output) = command.output() else {
        skip(&format!("{:?}", command.get_program()), "not on the path");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

fn file(recording: &Recording, name: &str, options: &[&str]) -> PathBuf {
    let path = recording.folder().join(name);
    let output = ["-o", path.to_str().expect("UTF-8")];
    recording.read(&[options, &output].concat(), &[]);
    path
}

fn bytes(recording: &Recording, part: &[&str], value: &str) -> u64 {
    of_json(&recording.text(&["--json"], part), value).values().sum()
}

/// What `-top` accounts for, and the total, in bytes.
fn top(options: &[&str], files: &[&Path]) -> Option<(u64, u64)> {
    let text = said(
        Command::new(fetched("pprof")?)
            .args(["-top", "-unit=B", "-nodefraction=0"])
            .args(options)
            .args(files),
    )?;
    let line =
        text.lines().find_map(|line| line.strip_prefix("Showing nodes accounting for ")).expect("a sum");
    let number = |text: &str| {
        text.trim_end_matches(" total").trim_end_matches('B').parse::<f64>().expect("a number") as u64
    };
    let (shown, rest) = line.split_once(", ").expect("two numbers");
    Some((number(shown), number(rest.split(" of ").nth(1).expect("a total"))))
}

#[test]
fn pprof_of_go_adds_up_merges_compares_and_filters_by_lifetime() {
    let recording = Recording::of(Tracking::EveryObject);
    let profile = file(&recording, "heap.pb.gz", &["--pprof"]);
    let all = bytes(&recording, &[], "bytes");
    let Some(found) = top(&["-sample_index=alloc_space"], &[&profile]) else { return };
    assert_eq!(found, (all, all));
    assert_eq!(top(&["-sample_index=alloc_space"], &[&profile, &profile]), Some((2 * all, 2 * all)));
    let live = bytes(&recording, &[], "live");
    assert_eq!(top(&["-sample_index=inuse_space"], &[&profile]).map(|found| found.0), Some(live));
    let base = format!("-diff_base={}", profile.display());
    assert_eq!(top(&["-sample_index=alloc_space", &base], &[&profile]).map(|found| found.0), Some(0));
    let band =
        top(&["-sample_index=alloc_space", "-tagfocus=lifetime=20s:3600s"], &[&profile]).expect("there");
    let expected = bytes(&recording, &["--lived", "20s..1h"], "bytes");
    // Parts of a stack are rounded one by one.
    assert!(band.0.abs_diff(expected) <= expected / 1_000, "{band:?} for {expected}");
}

#[test]
fn hdrhistogram_of_java_reads_the_same_percentiles() {
    let Some(jar) = fetched("HdrHistogram.jar") else { return };
    let recording = Recording::of(Tracking::EveryObject);
    let log = file(&recording, "lifetimes.hlog", &["--hdr"]);
    let program = recording.folder().join("Read.java");
    let source = "
        public class Read {
          public static void main(String[] args) throws Exception {
            var reader = new org.HdrHistogram.HistogramLogReader(args[0]);
            while (reader.hasNext()) {
              var histogram = (org.HdrHistogram.Histogram) reader.nextIntervalHistogram();
              System.out.print(histogram.getTag() + \" \" + histogram.getTotalCount());
              for (double percentile : new double[] {1, 50, 90, 99, 100}) {
                System.out.print(\" \" + histogram.getValueAtPercentile(percentile));
              }
              System.out.println();
            }
          }
        }";
    fs::write(&program, source).expect("write");
    let Some(found) = said(Command::new("java").arg("-cp").arg(jar).arg(program).arg(&log)) else { return };
    let mut expected = String::new();
    for (tag, histogram) in of_hdr(&fs::read_to_string(log).expect("a log")) {
        let values =
            [0.01, 0.5, 0.9, 0.99, 1.0].map(|quantile| histogram.value_at_quantile(quantile).to_string());
        expected += &format!("{tag} {} {}\n", histogram.len(), values.join(" "));
    }
    assert_eq!(found, expected);
    assert_eq!(found.lines().count(), 3, "{found}");
}

#[test]
fn speedscopes_schema_admits_what_is_written() {
    let (Some(schema), Some(_)) = (fetched("speedscope-schema.json"), fetched("node_modules/ajv")) else {
        return;
    };
    let recording = Recording::of(Tracking::EveryObject);
    let written = file(&recording, "run.speedscope.json", &["--speedscope"]);
    let script = "
        const [folder, schema, written] = process.argv.slice(1), read = file => JSON.parse(require('fs').readFileSync(file));
        const Ajv = require(folder + '/node_modules/ajv'), valid = new Ajv({strict: false}).compile(read(schema));
        const good = read(written), bad = read(written);
        delete bad.profiles[0].weights;
        console.log(valid(good), JSON.stringify(valid.errors), valid(bad));";
    let folder = schema.parent().expect("a folder");
    let found = said(Command::new("node").args(["-e", script]).args([folder, &schema, &written]));
    assert!(found.as_deref().is_none_or(|found| found == "true null false\n"), "{found:?}");
}

#[test]
fn promtool_fills_the_metrics_into_blocks() {
    let Some(promtool) = fetched("promtool") else { return };
    let recording = Recording::of(Tracking::EveryObject);
    let metrics = file(&recording, "run.om", &["--openmetrics"]);
    let blocks = recording.folder().join("blocks");
    let create = ["tsdb", "create-blocks-from", "openmetrics"];
    said(Command::new(&promtool).args(create).args([&metrics, &blocks]));
    // A database has one of these, too.
    fs::create_dir(blocks.join("wal")).expect("a new folder");
    let text = said(Command::new(&promtool).args(["tsdb", "dump"]).arg(&blocks)).expect("it was there");
    let value = |metric: &str| {
        let lines = text.lines().filter(|line| line.contains(&format!("\"{metric}\"")));
        lines
            .map(|line| {
                line.rsplit(' ').nth(1).and_then(|value| value.parse::<f64>().ok()).expect("a number")
            })
            .sum::<f64>()
    };
    assert_eq!(value("mayfly_allocated_bytes_total") as u64, bytes(&recording, &[], "bytes"), "{text}");
    assert_eq!(value("mayfly_pause_seconds_count") as u64, 60, "{text}");
}

#[test]
fn duckdb_and_pandas_answer_the_questions_of_the_guide() {
    let Some(mut python) = python() else { return };
    let recording = Recording::with(traced(updates(Tracking::EveryObject, 0)));
    file(&recording, "cells.csv", &["--csv"]);
    file(&recording, "traces.csv", &["--format", "csv-traces"]);
    file(&recording, "run", &["--parquet"]);
    let guides = [
        include_str!("../../../docs/guide/formats/csv.md"),
        include_str!("../../../docs/guide/formats/parquet.md"),
    ];
    let lines = guides.iter().flat_map(|guide| guide.lines());
    let questions: Vec<_> =
        lines.filter_map(|line| line.strip_prefix("    duckdb -c \"")?.strip_suffix('"')).collect();
    assert!(questions.len() >= 5, "{questions:?}");
    let script = "
import duckdb, json, pandas, sys
rows = [duckdb.sql(question).fetchall() for question in json.loads(sys.argv[1])]
sums = [pandas.read_csv('cells.csv').bytes.sum(), pandas.read_parquet('run/sites.parquet').bytes.sum(),
  pandas.read_parquet('run/classes.parquet').bytes.sum(), pandas.read_parquet('run/timeline.parquet').allocated_bytes.sum()]
old = pandas.read_parquet('run/lifetimes.parquet').query('lifetime_ms >= 20000').bytes.sum()
print(json.dumps([rows, [int(sum) for sum in sums], int(old)], default=str))";
    let asked = serde_json::to_string(&questions).expect("JSON");
    let found =
        said(python.args(["-c", script, &asked]).current_dir(recording.folder())).expect("it is there");
    let (rows, sums, old): (Vec<Vec<serde_json::Value>>, [u64; 4], u64) =
        serde_json::from_str(&found).expect("JSON");
    assert!(rows.iter().all(|rows| !rows.is_empty()), "{found}");
    assert_eq!(sums, [bytes(&recording, &[], "bytes"); 4]);
    assert_eq!(old, bytes(&recording, &["--lived", "20s.."], "bytes"));
}
