//! The page of `mayfly report --html` in a browser: what it adds up is what the report says, for every selection.
//!
//! The browser is Debian's Chromium; without it these tests are skipped, and say so.

mod recorded;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use recorded::{HOSTILE, Recording, of_json};

/// The document after its script has run, with this selection in its address; `None` without a browser.
fn shown(page: &Path, selection: &str) -> Option<String> {
    let home = tempfile::tempdir().expect("temporary folder");
    let address = format!("file://{}#{selection}", page.display());
    let output = Command::new("chromium")
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--enable-logging=stderr",
        ])
        .args(["--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .arg(address)
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: the page in a browser: no chromium");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("CONSOLE"), "the page's script complains: {said}");
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
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
        ("value=live", &[], "live"),
        ("value=byte-seconds&reversed=1&icicle=1", &[], "byte-seconds"),
        ("from=1s&to=10s", &["--lived", "1s..10s"], "bytes"),
        ("value=objects&from=20s&find=serve", &["--lived", "20s.."], "objects"),
    ] {
        let Some(document) = shown(&page, selection) else { return };
        assert!(document.contains("data-ready=\"true\""), "{selection}: the script did not end");
        let expected = of_json(&recording.text(&["--json"], part), value);
        let found = rows(&document);
        assert!(found.keys().eq(expected.keys()), "{selection}: {found:?}");
        for (class, &amount) in &expected {
            // A band chosen in the page is added up from parts that were rounded one by one.
            let rounding = if part.is_empty() { 0 } else { amount / 1_000 };
            assert!(
                found[class].abs_diff(amount) <= rounding,
                "{selection} {class}: {} for {amount}",
                found[class]
            );
        }
        assert_eq!(total(&document), found.values().sum::<u64>(), "{selection}");
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
