//! Each measure of the catalogue is in each output, by one key and with one number, and in the guide.
//!
//! Not here: what the numbers are (`mayfly-profile`).

use std::fmt::Write;
use std::fs;

use mayfly_formats::{Choice, parquet};
use mayfly_profile::{
    Grouping, MEASURES, Measure, Needs, Profile, ProfileBuilder, READINGS, Sureness, Tracking,
};
use serde_json::Value;

use crate::recorded::{CLASSES, Recording, updates};

fn profile() -> Profile {
    let mut builder = ProfileBuilder::new();
    updates(Tracking::EveryObject, 0).into_iter().for_each(|update| builder.apply(update).expect("in order"));
    builder.profile()
}

fn recording() -> Recording {
    Recording::with(updates(Tracking::EveryObject, 0))
}

#[test]
fn each_measure_is_in_json_and_metrics_with_one_number() {
    let recording = recording();
    let json: Value = serde_json::from_str(&recording.text(&["--json"], &[])).expect("JSON");
    let metrics = recording.text(&["--openmetrics"], &[]);
    for measure in MEASURES {
        for class in json["classes"].as_array().expect("a list") {
            let number = class["measures"].get(measure.key).unwrap_or_else(|| panic!("no {}", measure.key));
            let name = class["name"].as_str().expect("a name");
            if name != CLASSES[2] {
                continue;
            }
            let total = if measure.grows { "_total" } else { "" };
            let begin = format!("{}{total}{{class=\"{name}\"}} ", measure.metric);
            let sample = metrics.lines().find_map(|line| line.strip_prefix(&begin));
            let sample = sample.and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
            // Byte-seconds are whole in files.
            let rounded = |number: f64| if measure.adds_up { number.round() } else { number };
            assert_eq!(sample, number.as_f64().map(rounded), "{}", measure.key);
        }
    }
    assert!(
        MEASURES.iter().all(|measure| measure.needs == Needs::Samples || metrics.contains(measure.metric))
    );
}

#[test]
fn each_measure_is_a_column() {
    let (recording, profile) = (recording(), profile());
    let header = recording.text(&["--csv"], &[]).lines().next().expect("a header").to_owned();
    let full = recording.text(&["--full"], &[]);
    let headings =
        full.lines().find(|line| line.contains("1st GC") && line.ends_with("class")).expect("headings");
    let tables = parquet(&profile, &Choice::default()).expect("written");
    let names = |table: &str, key: &str| {
        let bytes = &tables.iter().find(|one| one.name == table).expect("a table").bytes;
        bytes.windows(key.len()).any(|window| window == key.as_bytes())
    };
    for measure in MEASURES {
        let of_sites = measure.value.is_some();
        assert!(names("classes", measure.key), "{}", measure.key);
        assert_eq!(header.split(',').any(|name| name == measure.key), of_sites, "{}", measure.key);
        assert!(!of_sites || names("sites", measure.key), "{}", measure.key);
        assert!(!measure.in_full || headings.contains(measure.long), "{}: {headings}", measure.key);
    }
    for grouping in Grouping::ALL {
        assert!(names("sites", grouping.key()) && header.split(',').any(|name| name == grouping.key()));
    }
    for old in ["median_lifetime_ms", "median_lifetime_bytes"] {
        assert!(names("classes", old), "{old}");
    }
}

/// The guide's table.
fn rows() -> String {
    let mut rows = String::new();
    for measure in MEASURES {
        let Measure { key, short, long, meaning, unit, .. } = measure;
        let sure = match measure.sureness {
            Sureness::Counted => "counted",
            Sureness::Followed => "followed",
            Sureness::Estimated => "estimate",
        };
        let of = if measure.value.is_some() { "class, stack" } else { "class" };
        let headings = if short == long { (*short).to_owned() } else { format!("{short}, {long}") };
        let unit = unit.name();
        let _ = writeln!(rows, "| `{key}` | {headings} | {meaning} | {unit} | {of} | {sure} |");
    }
    rows
}

#[test]
fn the_guide_has_the_catalogue() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/guide/measures.md");
    let text = fs::read_to_string(file).expect("the guide");
    let rows = rows();
    assert!(text.contains(&rows), "docs/guide/measures.md has to have these rows, and no others:\n{rows}");
    let of_the_jvm: String =
        READINGS.iter().map(|reading| format!("| `{}` | {} |\n", reading.key, reading.label)).collect();
    assert!(text.ends_with(&of_the_jvm), "docs/guide/measures.md has to end with these rows:\n{of_the_jvm}");
    let in_all = MEASURES.len() + READINGS.len();
    assert_eq!(text.lines().filter(|line| line.starts_with("| `")).count(), in_all);
}

#[test]
fn the_guide_names_every_metric() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/guide/formats/openmetrics.md");
    let text = fs::read_to_string(file).expect("the guide");
    for measure in MEASURES {
        let metric = format!("{}{}", measure.metric, if measure.grows { "_total" } else { "" });
        let by_rule = format!(
            "mayfly_{}",
            measure.key.strip_suffix("_s").map_or(measure.key.to_owned(), |key| format!("{key}_seconds"))
        );
        assert!(metric == by_rule || text.contains(&format!("`{metric}`")), "{metric}");
    }
}
