//! Re-reads the post-run report with InMemProfiler's grammar: sums of rows are the sums stated, and `#outputlimit` changes
//! rows but no sum.

use mayfly_profile::{ClassProfile, Profile, Tally, Tracking, View};
use mayfly_report::{Occasion, post_run};
use proptest::prelude::*;

use crate::profiles;

/// (bytes, objects)
type Sum = (u64, u64);

/// The rows and sums of a report.
#[derive(Debug, Default, PartialEq)]
struct Parsed {
    allocated: Vec<Row>,
    allocated_sum: Sum,
    live: Vec<Row>,
    live_sum: Sum,
    buckets: Vec<(String, Vec<Row>)>,
    bucket_sums: Vec<(String, Sum)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    percent: u64,
    sum: Sum,
    largest: u64,
    name: String,
}

/// `  55%:24584:93:(1080) - [B` at this indent, with the share right-aligned to three.
fn row(line: &str, indent: usize) -> Option<Row> {
    let (percent, rest) = line.get(indent..)?.split_once("%:")?;
    let (numbers, name) = rest.split_once(" - ")?;
    let mut parts = numbers.split(':');
    let (bytes, objects, largest) = (parts.next()?, parts.next()?, parts.next()?);
    let aligned = percent.len() == 3 && line.starts_with(&" ".repeat(indent));
    (aligned && parts.next().is_none()).then(|| Row {
        percent: percent.trim_start().parse().expect("a share"),
        sum: (bytes.parse().expect("bytes"), objects.parse().expect("a count")),
        largest: largest.trim_matches(['(', ')']).parse().expect("the largest size"),
        name: name.to_owned(),
    })
}

/// `  568:11` or `    568:11 - 0(s) - 5(s)`.
fn sum(line: &str) -> (Sum, String) {
    let line = line.trim_start();
    let (numbers, range) = line.split_once(" - ").unwrap_or((line, ""));
    let (bytes, objects) = numbers.split_once(':').expect("size:count");
    ((bytes.parse().expect("bytes"), objects.parse().expect("a count")), range.to_owned())
}

fn parse(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut section = "";
    for line in text.lines() {
        if !line.starts_with(' ') {
            section = if line.is_empty() { section } else { line };
            continue;
        }
        if line.ends_with("%:size:count:(largest)") || line.starts_with("  Sizes and counts are") {
            continue;
        }
        match section {
            "Allocated objects:" => parsed.allocated.extend(row(line, 2)),
            "Allocated objects summary:" => parsed.allocated_sum = sum(line).0,
            "Live objects:" => parsed.live.extend(row(line, 2)),
            "Live objects summary:" => parsed.live_sum = sum(line).0,
            "Collected objects:" => collected_line(&mut parsed, line),
            _ => {}
        }
    }
    parsed
}

fn collected_line(parsed: &mut Parsed, line: &str) {
    if let Some(range) = line.strip_suffix("(s) :") {
        parsed.buckets.push((format!("{}(s)", range.trim_start()), vec![]));
    } else if let Some(row) = row(line, 4) {
        parsed.buckets.last_mut().expect("a bucket before its rows").1.push(row);
    } else if line.contains("(s) - ") {
        let (sum, range) = sum(line);
        parsed.bucket_sums.push((range, sum));
    }
}

fn sum_of(rows: &[Row]) -> Sum {
    rows.iter().fold((0, 0), |(bytes, objects), row| (bytes + row.sum.0, objects + row.sum.1))
}

fn assert_sums_of_rows(parsed: &Parsed) {
    assert_eq!(sum_of(&parsed.allocated), parsed.allocated_sum);
    assert_eq!(sum_of(&parsed.live), parsed.live_sum);
    let of_rows: Vec<_> = parsed.buckets.iter().map(|(range, rows)| (range.clone(), sum_of(rows))).collect();
    assert_eq!(of_rows, parsed.bucket_sums);
}

#[test]
fn rows_add_up_to_the_sums_stated() {
    let parsed = parse(&post_run(&profiles::with_lifetimes(), &View::default(), &Occasion::default()));
    assert_eq!(parsed.allocated.len(), 4);
    assert_eq!(parsed.allocated_sum, (103_440_016, 205_001));
    assert_eq!(parsed.live_sum, (1_392_016, 5_201));
    assert_eq!(parsed.bucket_sums.len(), 4);
    assert_eq!(parsed.bucket_sums[0], ("0(s) - 5(s)".to_owned(), (100_880_000, 188_000)));
    assert_eq!(parsed.bucket_sums[3].0, "60(s) - inf(s)");
    assert_sums_of_rows(&parsed);
}

#[test]
fn the_output_limit_changes_no_sum() {
    let view = View { rows: Some(2), ..View::default() };
    let all = parse(&post_run(&profiles::with_lifetimes(), &View::default(), &Occasion::default()));
    let limited = parse(&post_run(&profiles::with_lifetimes(), &view, &Occasion::default()));
    assert_eq!(limited.allocated[..], all.allocated[..2], "same rows, same shares");
    assert_eq!(limited.allocated_sum, all.allocated_sum);
    assert_eq!(limited.live_sum, all.live_sum);
    assert_eq!(limited.bucket_sums, all.bucket_sums);
    assert!(limited.buckets.iter().all(|(_, rows)| rows.len() <= 2));
}

#[test]
fn the_output_limit_holds_for_sites_blamed_classes_and_methods() {
    let view = View { rows: Some(1), ..View::default() };
    let text = post_run(&profiles::with_sites(), &view, &Occasion::default());
    let allocated = text.split("Allocated objects summary:").next().expect("the first section");
    assert_eq!(allocated.matches("All methods").count(), 1, "{allocated}");
    assert_eq!(allocated.matches(".run(Server.java:19)").count(), 1, "one site: {allocated}");
    assert_eq!(
        allocated.matches("%:").count(),
        6,
        "2 headers, class, site, all methods, one method: {allocated}"
    );
}

fn any_class() -> impl Strategy<Value = ClassProfile> {
    let name = "[a-z]{1,8}(\\.[A-Z][a-z$]{0,8}){0,3}";
    (name, prop::collection::vec((0u64..1000, 8u64..5000), 5)).prop_map(|(name, parts)| {
        let tallies: Vec<_> = parts.iter().map(|&(objects, size)| Tally::of(objects, size)).collect();
        let mut allocated = Tally::default();
        tallies.iter().for_each(|&tally| allocated.add(tally));
        let (live, collected) = (Some(tallies[0]), tallies[1..].to_vec());
        ClassProfile { name, allocated, live, collected, ..ClassProfile::default() }
    })
}

proptest! {
    #[test]
    fn any_profile_reads_back(classes in prop::collection::vec(any_class(), 0..30)) {
        let run = profiles::run(Tracking::EveryObject);
        let mut expected = Tally::default();
        classes.iter().for_each(|class| expected.add(class.allocated));
        let profile = Profile { run, classes, ..Default::default() };
        let parsed = parse(&post_run(&profile, &View::default(), &Occasion::default()));
        assert_sums_of_rows(&parsed);
        prop_assert_eq!(parsed.allocated_sum, (expected.bytes, expected.objects));
        prop_assert!(parsed.allocated.windows(2).all(|pair| pair[0].sum.0 >= pair[1].sum.0));
        prop_assert!(parsed.allocated.iter().all(|row| row.percent <= 100));
    }
}
