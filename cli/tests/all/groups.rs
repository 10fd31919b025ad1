//! By what else stacks are grouped, in files and on the page: thread pools, class loaders. Each adds up to what the JSON report says of it.

use std::collections::BTreeMap;

use mayfly_profile::{Frame, FrameId, Tracking, Update};

use crate::browser;
use crate::recorded::{Recording, updates};

/// Frames of the recording without pools.
const FRAMES: u32 = 3;
const POOLS: [&str; 2] = ["http-nio-8080-exec-*", "=scheduling-*"];
const LOADERS: [&str; 2] = ["app", "ParallelWebappClassLoader (shop)"];
/// Dimensions: columns of tables, with the lists of JSON.
const DIMENSIONS: [(&str, &str); 2] = [("pool", "threads"), ("loader", "loaders")];

/// A recording whose stacks name the loaders of their code and the pools of their threads, each in turn.
fn recording() -> Recording {
    let mut named = Vec::new();
    for update in updates(Tracking::EveryObject, 0) {
        let Update::Site { id, class, mut stack } = update else {
            named.push(update);
            continue;
        };
        if id.0 == 0 {
            let frames = POOLS.map(Frame::of_thread).into_iter().chain(LOADERS.map(Frame::of_loader));
            let frame = |(at, frame)| Update::Frame { id: FrameId(FRAMES + at as u32), frame };
            named.extend(frames.enumerate().map(frame));
        }
        stack.push(FrameId(FRAMES + 2 + id.0 % 2));
        stack.push(FrameId(FRAMES + u32::from(id.0 > 2)));
        named.push(Update::Site { id, class, stack });
    }
    Recording::with(named)
}

/// By group, then by measure; "" is of none.
fn of_json(recording: &Recording, (key, list): (&str, &str)) -> BTreeMap<String, BTreeMap<String, u64>> {
    let json: serde_json::Value = serde_json::from_str(&recording.text(&["--json"], &[])).expect("JSON");
    let row = |row: &serde_json::Value| {
        let measures = row["measures"].as_object().expect("measures");
        let numbers = measures.iter().map(|(key, number)| (key.clone(), number.as_u64().expect("a number")));
        (row[key].as_str().unwrap_or_default().to_owned(), numbers.collect())
    };
    json[list].as_array().expect("groups").iter().map(row).collect()
}

#[test]
fn the_table_of_cells_names_the_pool_and_the_loader_of_each() {
    let recording = recording();
    for dimension in DIMENSIONS {
        the_table_agrees(&recording, dimension);
    }
}

fn the_table_agrees(recording: &Recording, (key, list): (&str, &str)) {
    let mut found: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let text = recording.text(&["--csv"], &[]);
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let headings = table.headers().expect("headings").clone();
    for row in table.records() {
        let row = row.expect("a row");
        let of =
            |name: &str| headings.iter().position(|heading| heading == name).map(|at| row[at].to_owned());
        let sums = found.entry(of(key).expect("a column")).or_default();
        for heading in &headings {
            if let Some(number) = of(heading).and_then(|number| number.parse::<u64>().ok()) {
                *sums.entry(heading.to_owned()).or_default() += number;
            }
        }
    }
    // A name that spreadsheets would calculate has an apostrophe before it.
    let expected: BTreeMap<_, _> = of_json(recording, (key, list))
        .into_iter()
        .map(|(name, sums)| if name.starts_with('=') { (format!("'{name}"), sums) } else { (name, sums) })
        .collect();
    assert_eq!(expected.len(), 3, "two, and what no stack was taken of");
    assert_eq!(found, expected);
}

#[test]
fn a_pool_is_chosen_on_the_page_and_all_else_follows() {
    let recording = recording();
    let page = recording.text(&["--html"], &[]);
    let script = include_str!("recorded/drive_groups.js");
    let Some(found) = browser::driven(&page, script, recording.folder(), 1_240, &[]) else { return };
    assert_eq!(found["wrong"], serde_json::json!([]), "{found}");
    let expected = of_json(&recording, DIMENSIONS[0]);
    let rows = found["rows"].as_object().expect("rows");
    assert_eq!(rows.len(), expected.len(), "{found}");
    for (pool, numbers) in expected {
        let row = &rows[if pool.is_empty() { "(not known: no stack was taken)" } else { &pool }];
        for (measure, heading) in [
            ("bytes", "allocated"),
            ("objects", "objects"),
            ("live_bytes", "live"),
            ("died_young_bytes", "died young"),
        ] {
            assert_eq!(row[heading], numbers[measure], "{measure} of {pool}");
        }
    }
}

#[test]
fn a_page_without_names_of_threads_has_no_table_of_them() {
    let recording = Recording::of(Tracking::EveryObject);
    let script = "({hidden: document.getElementById('groups').hidden, rows: document.querySelectorAll('#group-rows tr').length})";
    let page = recording.text(&["--html"], &[]);
    let Some(found) = browser::driven(&page, script, recording.folder(), 1_240, &[]) else { return };
    assert_eq!(found, serde_json::json!({"hidden": true, "rows": 0}));
}
