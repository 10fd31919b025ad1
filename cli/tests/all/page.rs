//! The page of `mayfly report --html` in a browser: what it adds up is what the report says, for every selection.
//!
//! The browser is Debian's Chromium; without it these tests are skipped, and say so, as where `MAYFLY_JVMS` is not set.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::browser::{self, browser, shown};
use crate::recorded::{HOSTILE, Recording, of_json, skip};

/// What `drive.js` finds in a copy of the recording's page, shown so wide; `None` without a browser.
fn driven(recording: &Recording, width: u32, options: &[&str]) -> Option<serde_json::Value> {
    let page = recording.text(&["--html"], &[]);
    browser::driven(&page, include_str!("recorded/drive.js"), recording.folder(), width, options)
}

#[test]
fn whatever_is_chosen_all_else_follows_wide_and_narrow_light_and_dark() {
    let recording = Recording::of(mayfly_profile::Tracking::EveryObject);
    let dark = ["--blink-settings=preferredColorScheme=0"];
    let Some(wide) = driven(&recording, 1_240, &[]) else { return };
    let narrow = driven(&recording, 390, &dark).expect("a browser");
    for found in [&wide, &narrow] {
        assert_eq!(found["wrong"], serde_json::json!([]), "{found}");
        assert!(found["checks"].as_u64() >= Some(40), "{found}");
    }
    assert_eq!((&wide["width"], &narrow["width"]), (&1_240.into(), &390.into()));
    assert_ne!(wide["paper"], narrow["paper"], "light and dark");
}

#[test]
fn a_page_is_printed_on_few_sheets() {
    let recording = Recording::of(mayfly_profile::Tracking::EveryObject);
    let (page, paper) = (recording.folder().join("page.html"), recording.folder().join("page.pdf"));
    fs::write(&page, recording.read(&["--html"], &[])).expect("write");
    let print = format!("--print-to-pdf={}", paper.display());
    if browser(&[&print], &format!("file://{}", page.display())).is_none() {
        return;
    }
    let paper = fs::read(paper).expect("a file");
    let sheets =
        paper.windows(12).filter(|bytes| bytes == b"/Type /Page\n" || bytes == b"/Type /Page ").count();
    assert!(paper.starts_with(b"%PDF") && (1..=3).contains(&sheets), "{sheets} sheets");
}

/// The exact amounts of the table's rows, by class as the page writes it.
fn rows(document: &str) -> BTreeMap<String, u64> {
    let body = document.split("id=\"rows\"").nth(1).expect("a table").split("</tbody>").next().expect("rows");
    let row = |text: &str| {
        let class = text.split("<td>").nth(1)?.split("</td>").next()?.to_owned();
        let amount = text.split("data-exact=\"").nth(1)?.split('"').next()?.parse().ok()?;
        Some((
            mayfly_formats::readable_class(
                &class.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"),
            ),
            amount,
        ))
    };
    body.split("<tr").filter_map(row).collect()
}

fn total(document: &str) -> u64 {
    let total = document.split("id=\"total\" data-exact=\"").nth(1).expect("a total");
    total.split('"').next().and_then(|total| total.parse().ok()).expect("a number")
}

#[test]
fn the_page_adds_up_to_the_report_for_every_selection() {
    let recording = Recording::of(mayfly_profile::Tracking::EveryObject);
    let page = recording.folder().join("page.html");
    fs::write(&page, recording.read(&["--html"], &[])).expect("write");
    for (selection, part, value) in [
        ("", &[][..], "bytes"),
        ("value=byte-seconds&reversed=1&icicle=1", &[], "byte-seconds"),
        ("value=objects&from=20s&find=serve", &["--lived", "20s.."], "objects"),
        // Slices are four seconds long.
        ("since=9s&until=37s&from=1s&to=10s", &["--during", "8s..40s", "--lived", "1s..10s"], "bytes"),
    ] {
        let Some(document) = shown(&page, selection) else { return };
        assert!(document.contains("data-ready=\"true\""), "{selection}: the script did not end");
        let expected = of_json(&recording.text(&["--json"], part), value);
        let found = rows(&document);
        check(&found, &expected, value, selection);
        assert_eq!(total(&document), found.values().sum::<u64>(), "{selection}");
    }
}

/// Totals that the script adds up for selections, without a browser; `None` without node.
fn added_up(page: &Path, selections: &str) -> Option<Vec<BTreeMap<String, u64>>> {
    let script = "
        const cells = require(process.argv[1]), page = require('fs').readFileSync(process.argv[2], 'utf8');
        const packed = Buffer.from(page.split('id=\"data\">')[1].split('</script>')[0], 'base64');
        const data = JSON.parse(require('zlib').gunzipSync(packed));
        const all = {from: null, to: null, during: null, cls: null, under: null};
        console.log(JSON.stringify(JSON.parse(process.argv[3]).map(({since, until, ...rest}) => {
          const during = cells.slices(data, since ?? null, until ?? null);
          const sums = cells.totals(data, {...all, during, ...rest});
          return Object.fromEntries(sums.map((sum, id) => [cells.readable(data.classes[id]), sum]).filter(([, sum]) => sum > 0));
        })));";
    let cells = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/formats/src/html/cells.js");
    let output = Command::new("node").args(["-e", script]).arg(cells).arg(page).arg(selections).output();
    let Ok(output) = output else {
        skip("the page's sums", "no node");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

/// A frame that is too narrow to be drawn was "0 B found".
#[test]
fn what_is_searched_for_is_found_whether_it_is_drawn_or_not() {
    let recording = Recording::of(mayfly_profile::Tracking::EveryObject);
    let page = recording.folder().join("page.html");
    fs::write(&page, recording.read(&["--html"], &[])).expect("write");
    let script = "
        const cells = require(process.argv[1]), page = require('fs').readFileSync(process.argv[2], 'utf8');
        const packed = Buffer.from(page.split('id=\"data\">')[1].split('</script>')[0], 'base64');
        const data = JSON.parse(require('zlib').gunzipSync(packed));
        const all = {value: 'bytes', side: null, from: null, to: null, during: null, cls: null, under: null};
        const sums = cells.totals(data, all), named = data.classes.map((cls, id) => [-1 - id, sums[id]]);
        const whole = cells.found(data, all, () => true), none = cells.found(data, all, () => false);
        const wrong = named.filter(([frame, sum]) => cells.found(data, all, one => one === frame) !== sum).length;
        console.log(JSON.stringify({wrong, whole, none, sum: sums.reduce((a, b) => a + b, 0)}));";
    let cells = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/formats/src/html/cells.js");
    let Ok(output) = Command::new("node").args(["-e", script]).arg(cells).arg(&page).output() else {
        return skip("the page's search", "no node");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&found["wrong"], &found["none"]), (&0.into(), &0.into()), "{found}");
    assert!(found["whole"] == found["sum"] && found["sum"].as_u64() > Some(0), "{found}");
}

#[test]
fn what_the_script_adds_up_is_what_the_report_of_that_part_says() {
    let recording = Recording::of(mayfly_profile::Tracking::EveryObject);
    let page = recording.folder().join("page.html");
    fs::write(&page, recording.read(&["--html"], &[])).expect("write");
    let cases = [
        (r#"{"value":"live"}"#, &[][..], "live"),
        (r#"{"value":"bytes","from":1000,"to":10000}"#, &["--lived", "1s..10s"], "bytes"),
        (r#"{"value":"byte-seconds","to":10000}"#, &["--lived", "..10s"], "byte-seconds"),
        (r#"{"value":"bytes","since":9000,"until":37000}"#, &["--during", "8s..40s"], "bytes"),
        (r#"{"value":"live","until":24000}"#, &["--during", "0s..24s"], "live"),
        (r#"{"value":"live-objects","since":56000}"#, &["--during", "56s..60s"], "live-objects"),
        (
            r#"{"value":"objects","since":8000,"until":40000,"from":1000}"#,
            &["--during", "8s..40s", "--lived", "1s.."],
            "objects",
        ),
        (r#"{"value":"byte-seconds","since":20000}"#, &["--during", "20s..60s"], "byte-seconds"),
    ];
    let selections = format!("[{}]", cases.map(|case| case.0).join(","));
    let Some(found) = added_up(&page, &selections) else { return };
    for ((selection, part, value), found) in cases.into_iter().zip(found) {
        check(&found, &of_json(&recording.text(&["--json"], part), value), value, selection);
    }
}

/// The same classes with the same amounts; byte-seconds of a part are added up from parts that were rounded one by one.
#[track_caller]
fn check(found: &BTreeMap<String, u64>, expected: &BTreeMap<String, u64>, value: &str, what: &str) {
    assert!(found.keys().eq(expected.keys()), "{what}: {found:?} for {expected:?}");
    for (class, &amount) in expected {
        let rounding = if value == "byte-seconds" { amount / 1_000 } else { 0 };
        assert!(found[class].abs_diff(amount) <= rounding, "{what} {class}: {} for {amount}", found[class]);
    }
}

#[test]
fn a_page_of_a_part_is_of_that_part() {
    let recording = Recording::of(mayfly_profile::Tracking::EveryObject);
    let page = recording.folder().join("page.html");
    let part = ["--during", "10s..40s", "--value", "objects"];
    fs::write(&page, recording.read(&["--html"], &part)).expect("write");
    let Some(document) = shown(&page, "") else { return };
    assert_eq!(rows(&document), of_json(&recording.text(&["--json"], &part[..2]), "objects"));
    assert!(document.contains("During 10.0 s to 40.0 s"));
}

/// The number in an attribute of the words on pauses.
fn of_pauses(document: &str, name: &str) -> u64 {
    let words =
        document.split("id=\"paused\"").nth(1).and_then(|rest| rest.split('>').next()).expect("words");
    let number = words.split(&format!("data-{name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{name} in {words}"))
}

#[test]
fn the_page_has_what_happened_when() {
    let recording = Recording::of(mayfly_profile::Tracking::EveryObject);
    let page = recording.folder().join("page.html");
    for part in [&[][..], &["--during", "10s..40s"]] {
        fs::write(&page, recording.read(&["--html"], part)).expect("write");
        let Some(document) = shown(&page, "") else { return };
        let json = recording.text(&["--json"], part);
        let collections: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let pauses: Vec<f64> = collections["collections"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|gc| gc["pause_ms"].as_f64().expect("a number"))
            .collect();
        assert!(pauses.len() >= 29, "{part:?}: {pauses:?}");
        assert_eq!(of_pauses(&document, "count"), pauses.len() as u64, "{part:?}");
        let us = (pauses.iter().sum::<f64>() * 1_000.0).round() as u64;
        assert_eq!(of_pauses(&document, "us"), us, "{part:?}");
        assert_eq!(document.matches("class=\"pause ").count(), pauses.len(), "{part:?}");
        assert_eq!(document.matches("class=\"area\"").count(), 2, "{part:?}: allocated, and live");
        let allocated: u64 = of_json(&json, "bytes").values().sum();
        assert_eq!(of_pauses(&document, "allocated"), allocated, "{part:?}");
        let longest = document.split("id=\"pauses\"").nth(1).expect("a table");
        assert!(longest.contains("<td>20 ms</td><td>full</td><td>System.gc()</td>"), "{longest}");
    }
}

#[test]
fn a_class_named_like_a_script_is_text_and_nothing_is_fetched() {
    let recording = Recording::of(mayfly_profile::Tracking::EveryObject);
    let text = recording.text(&["--html"], &[]);
    assert!(!text.contains(HOSTILE) && text.contains("default-src 'none'"));
    for outside in ["http://", "https://", "@import", "url("] {
        let places: Vec<_> =
            text.match_indices(outside).map(|(at, _)| &text[at..text.len().min(at + 40)]).collect();
        assert!(places.iter().all(|place| place.starts_with("http://www.w3.org/2000/svg")), "{places:?}");
    }
    let page = recording.folder().join("page.html");
    fs::write(&page, &text).expect("write");
    let Some(document) = shown(&page, "") else { return };
    assert!(rows(&document).contains_key(HOSTILE), "{:?}", rows(&document));
    assert!(!document.contains("<title>taken_over</title>"));
}
