//! By what else stacks are grouped, in files and on the page: thread pools. Each adds up to what the JSON report says of it.

use std::collections::BTreeMap;

use mayfly_profile::{Frame, FrameId, Tracking, Update};

use crate::browser;
use crate::recorded::{Recording, updates};

/// Frames of the recording without pools.
const FRAMES: u32 = 3;
const POOLS: [&str; 2] = ["http-nio-8080-exec-*", "=scheduling-*"];

/// A recording whose stacks name the pools of their threads in turn.
fn recording() -> Recording {
    let mut named = Vec::new();
    for update in updates(Tracking::EveryObject, 0) {
        let Update::Site { id, class, mut stack } = update else {
            named.push(update);
            continue;
        };
        if id.0 == 0 {
            let frame = |(at, pool): (usize, &&str)| Update::Frame {
                id: FrameId(FRAMES + at as u32),
                frame: Frame::of_thread(pool),
            };
            named.extend(POOLS.iter().enumerate().map(frame));
        }
        stack.push(FrameId(FRAMES + u32::from(id.0 > 2)));
        named.push(Update::Site { id, class, stack });
    }
    Recording::with(named)
}

/// By pool, then by measure; "" is of no pool.
fn of_json(recording: &Recording) -> BTreeMap<String, BTreeMap<String, u64>> {
    let json: serde_json::Value = serde_json::from_str(&recording.text(&["--json"], &[])).expect("JSON");
    let row = |row: &serde_json::Value| {
        let measures = row["measures"].as_object().expect("measures");
        let numbers = measures.iter().map(|(key, number)| (key.clone(), number.as_u64().expect("a number")));
        (row["pool"].as_str().unwrap_or_default().to_owned(), numbers.collect())
    };
    json["threads"].as_array().expect("threads").iter().map(row).collect()
}

#[test]
fn the_table_of_cells_names_the_pool_of_each() {
    let recording = recording();
    let mut found: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let text = recording.text(&["--csv"], &[]);
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let headings = table.headers().expect("headings").clone();
    for row in table.records() {
        let row = row.expect("a row");
        let of =
            |name: &str| headings.iter().position(|heading| heading == name).map(|at| row[at].to_owned());
        let sums = found.entry(of("pool").expect("a column")).or_default();
        for heading in &headings {
            if let Some(number) = of(heading).and_then(|number| number.parse::<u64>().ok()) {
                *sums.entry(heading.to_owned()).or_default() += number;
            }
        }
    }
    // A name that spreadsheets would calculate has an apostrophe before it.
    let expected: BTreeMap<_, _> = of_json(&recording)
        .into_iter()
        .map(|(pool, sums)| if pool.starts_with('=') { (format!("'{pool}"), sums) } else { (pool, sums) })
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
    let expected = of_json(&recording);
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
