//! The page of `mayfly diff --html`: its numbers are those of the text and the JSON, and it is used as the page of one recording.
//!
//! Not here: the verdicts, tested with `mayfly-verdicts`. Without Chromium what needs a browser is skipped, and that is said,
//! as where `MAYFLY_JVMS` is not set.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use mayfly_profile::Tracking;
use serde_json::Value;

use crate::browser::{driven, shown};
use crate::recorded::{HOSTILE, Recording};

/// A program, and the same with more of one class.
struct Sides([Recording; 2]);

impl Sides {
    fn made() -> Self {
        Self([0, 30].map(|more| Recording::with_more(Tracking::EveryObject, more)))
    }

    /// What `mayfly diff` writes of three recordings a side, from side `before` on.
    fn diff(&self, before: usize, options: &[&str]) -> String {
        let of = |side: usize| vec![self.0[side].file(); 3];
        let mut command = Command::new(cargo_bin("mayfly"));
        // The recordings know of no counter to be held against.
        command
            .args(["diff", "--trust", "0", "--before"])
            .args(of(before))
            .arg("--after")
            .args(of(1 - before));
        command.args(options);
        let output = command.output().expect("runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*said), (Some(0), ""), "{options:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

/// The numbers of both sides in an element's attributes; `None` if there are none.
fn both(text: &str) -> Option<[f64; 2]> {
    let numbers: Vec<f64> =
        text.split("data-exact=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok()).collect();
    numbers.try_into().ok()
}

/// Before and after by class, as the page's table has them.
fn rows(document: &str) -> BTreeMap<String, [f64; 2]> {
    let body = document.split("id=\"rows\"").nth(1).expect("a table").split("</tbody>").next().expect("rows");
    let row = |text: &str| {
        let class = text.split("<td>").nth(1)?.split("</td>").next()?;
        let class = class.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        Some((class, both(text)?))
    };
    body.split("<tr").filter_map(row).collect()
}

/// Before and after by class, as JSON has them.
fn of_json(findings: &[Value], measure: &str) -> BTreeMap<String, [f64; 2]> {
    let numbers = |finding: &Value| {
        [&finding["before"], &finding["after"]].map(|number| number.as_f64().expect("a number"))
    };
    let classes =
        findings.iter().filter(|finding| finding["row"] == "class" && finding["measure"] == measure);
    let named = |finding: &Value| mayfly_formats::readable_class(finding["class"].as_str().expect("a name"));
    classes.map(|finding| (named(finding), numbers(finding))).collect()
}

#[track_caller]
fn check(found: &BTreeMap<String, [f64; 2]>, expected: &BTreeMap<String, [f64; 2]>, what: &str) {
    assert!(found.keys().eq(expected.keys()), "{what}: {found:?} for {expected:?}");
    for (class, numbers) in expected {
        let close = |side: usize| (found[class][side] - numbers[side]).abs() <= 1e-9 * numbers[side].max(1.0);
        assert!(close(0) && close(1), "{what}, {class}: {:?} for {numbers:?}", found[class]);
    }
}

#[test]
fn the_page_adds_up_to_the_json_and_the_text() {
    let sides = Sides::made();
    let page = sides.0[0].folder().join("diff.html");
    for options in [&[][..], &["--per", "7"]] {
        let json: Value =
            serde_json::from_str(&sides.diff(0, &[options, &["--json"]].concat())).expect("JSON");
        let findings = json["findings"].as_array().expect("a list");
        fs::write(&page, sides.diff(0, &[options, &["--html"]].concat())).expect("write");
        for (value, measure) in [("bytes", "allocated_bytes"), ("live", "live_bytes")] {
            let Some(document) = shown(&page, &format!("value={value}")) else { return };
            assert!(document.contains("data-ready=\"true\""), "{value}: the script did not end");
            check(&rows(&document), &of_json(findings, measure), value);
            let total =
                findings.iter().find(|one| one["row"] == "total" && one["measure"] == measure).expect("all");
            let summed =
                rows(&document).values().fold([0.0, 0.0], |sum, row| [sum[0] + row[0], sum[1] + row[1]]);
            for (side, key) in ["before", "after"].into_iter().enumerate() {
                let exact = total[key].as_f64().expect("a number");
                assert!(
                    (summed[side] - exact).abs() <= 1e-9 * exact,
                    "{value} {key}: {summed:?} for {exact}"
                );
                let figure = mayfly_report::size(exact.round() as u64);
                assert!(document.contains(&figure), "{value} {key}: no {figure}");
                assert!(sides.diff(0, options).contains(&figure), "{value} {key}: no {figure} in the text");
            }
        }
    }
}

#[test]
fn the_page_of_two_sides_is_used_by_mouse_and_keys_wide_and_narrow_light_and_dark() {
    let sides = Sides::made();
    let (page, script) = (sides.diff(0, &["--html"]), include_str!("recorded/drive_diff.js"));
    let folder = sides.0[0].folder();
    let Some(wide) = driven(&page, script, folder, 1_240, &[]) else { return };
    let dark = ["--blink-settings=preferredColorScheme=0"];
    let narrow = driven(&page, script, folder, 390, &dark).expect("a browser");
    for found in [&wide, &narrow] {
        assert_eq!(found["wrong"], serde_json::json!([]), "{found}");
        assert!(found["checks"].as_u64() >= Some(22), "{found}");
    }
    assert_ne!(wide["paper"], narrow["paper"], "light and dark");
    // The other way round what grew has shrunk.
    let back = driven(&sides.diff(1, &["--html"]), script, folder, 1_240, &[]).expect("a browser");
    assert!(back["coloured"]["blue"].as_u64() > Some(100) && back["coloured"]["red"] == 0, "{back}");
    assert!(back["verdict"].as_str().is_some_and(|text| text.starts_with("fewer, -")), "{back}");
}

#[test]
fn names_are_text_nothing_is_fetched_and_the_same_gives_the_same() {
    let sides = Sides::made();
    let page = sides.diff(0, &["--html"]);
    assert!(!page.contains(HOSTILE) && page.contains("default-src 'none'"));
    for outside in ["http://", "https://", "@import", "url("] {
        let places = page.match_indices(outside).map(|(at, _)| &page[at..page.len().min(at + 40)]);
        let strange: Vec<_> =
            places.filter(|place| !place.starts_with("http://www.w3.org/2000/svg")).collect();
        assert!(strange.is_empty(), "{strange:?}");
    }
    assert_eq!(page, sides.diff(0, &["--html"]));
    let file = sides.0[0].folder().join("written.html");
    let said = sides.diff(0, &["--html", "-o", file.to_str().expect("UTF-8")]);
    assert_eq!((said, fs::read_to_string(file).expect("a file")), (String::new(), page));
}
