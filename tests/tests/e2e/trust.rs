//! The trust line: almost all bytes are accounted for, and what is missing is explained to the byte, by name.

use std::collections::{BTreeMap, BTreeSet};

use mayfly_tests::{JsonReport, Jvm, Profiled, any_jvm, each_jvm};
use regex::Regex;
use serde_json::{Value, json};

/// With every allocation really made, what is counted can't exceed what the JVM allocated.
const NO_ESCAPE_ANALYSIS: &[&str] = &["-XX:-DoEscapeAnalysis"];

/// Much, and of many kinds: what was allocated before the agent could count is a small part of it.
fn profiled(jvm: &Jvm, jvm_args: &[&str]) -> Profiled {
    let run = Profiled::new(jvm, "gap.Gap", "").with(|l| l.jvm_args(jvm_args).args(&["library", "1000000"]));
    run.run();
    run
}

/// Causes of the remainder, if their bytes and the accounted ones add up to what the JVM allocated.
fn explained(trust: &Value) -> Result<Vec<String>, String> {
    let parts = trust["remainder"].as_array().ok_or("no trust.remainder")?;
    let sum: i64 = parts.iter().filter_map(|part| part["bytes"].as_i64()).sum();
    let accounted = trust["accounted_bytes"].as_i64().ok_or("no trust.accounted_bytes")?;
    if trust["jvm_allocated_bytes"].as_i64() != Some(accounted + sum) {
        return Err(format!("{accounted} accounted and {sum} explained are not all: {trust}"));
    }
    let causes: Vec<_> =
        parts.iter().map(|part| part["cause"].as_str().unwrap_or_default().to_owned()).collect();
    let distinct: BTreeSet<_> = causes.iter().filter(|cause| !cause.trim().is_empty()).collect();
    if distinct.len() < causes.len() {
        return Err(format!("a cause without a name, or twice: {causes:?}"));
    }
    Ok(causes)
}

/// The per cent of the trust line, and the causes named below it.
fn told(log: &str) -> (Option<f64>, Vec<String>) {
    let share = Regex::new(r"(?m)^ *trust: .*?([0-9.]+) %").expect("a good pattern");
    let part = Regex::new(r"(?m)^ *remainder: -?[0-9.]+ [KMGT]?i?B(?: ± [0-9.]+ [KMGT]?i?B)? (.+)$")
        .expect("a good pattern");
    (
        share.captures(log).and_then(|found| found[1].parse().ok()),
        part.captures_iter(log).map(|found| found[1].to_owned()).collect(),
    )
}

#[test]
fn almost_all_bytes_are_accounted_for() {
    each_jvm(|jvm| {
        for (jvm_args, most) in [([].as_slice(), f64::INFINITY), (NO_ESCAPE_ANALYSIS, 1.0)] {
            let json = profiled(jvm, jvm_args).json();
            explained(&json.0["trust"]).unwrap_or_else(|why| panic!("{jvm_args:?} on {jvm}: {why}"));
            let share = json.share().expect("trust.share");
            assert!((0.99..=most).contains(&share), "{jvm_args:?} on {jvm}: {share} of the bytes");
        }
    });
}

#[test]
fn the_text_names_the_same_share_and_the_same_causes() {
    any_jvm(|jvm| {
        let run = profiled(jvm, NO_ESCAPE_ANALYSIS);
        let (json, (percent, told)) = (run.json(), told(&run.log()));
        let causes = explained(&json.0["trust"]).unwrap_or_else(|why| panic!("on {jvm}: {why}"));
        assert!(!causes.is_empty(), "on {jvm}: start-up is never counted, so there is a remainder");
        assert_eq!(told, causes, "remainder in the text and in the JSON, on {jvm}");
        let percent = percent.unwrap_or_else(|| panic!("no trust line on {jvm}:\n{}", run.log()));
        let share = json.share().expect("trust.share") * 100.0;
        assert!(percent >= 99.0 && (percent - share).abs() < 0.01, "on {jvm}: {percent} % of {share} %");
    });
}

/// Bytes of an object, of each class that is no array class.
fn sizes(json: &JsonReport) -> BTreeMap<String, u64> {
    let counts = json.allocated().into_iter().filter(|(name, _)| !name.starts_with('['));
    counts.map(|(name, count)| (name, count.bytes / count.objects)).collect()
}

#[test]
fn sizes_known_before_there_is_an_object_are_those_that_the_jvm_tells_of_objects() {
    const EXAMPLES: &str = "made by the profiler (one object of each class)";
    each_jvm(|jvm| {
        let profile = |options: &str| {
            let run = Profiled::new(jvm, "gap.Gap", options).with(|l| l.args(&["library", "2000"]));
            run.run();
            run.json()
        };
        let (counted, tracked) = (profile(""), profile("#trackcollections"));
        let of_objects = sizes(&tracked);
        let both: Vec<_> =
            sizes(&counted).into_iter().filter(|(name, _)| of_objects.contains_key(name)).collect();
        assert!(both.len() > 30, "on {jvm}: {both:?}");
        both.iter().for_each(|(name, size)| assert_eq!(*size, of_objects[name], "{name} on {jvm}"));
        let made_for_their_size =
            |json: &JsonReport| explained(&json.0["trust"]).map(|causes| causes.contains(&EXAMPLES.into()));
        assert_eq!(
            (made_for_their_size(&counted), made_for_their_size(&tracked)),
            (Ok(false), Ok(true)),
            "on {jvm}"
        );
    });
}

#[test]
fn a_byte_that_nobody_explains_would_be_told() {
    let trust = |allocated: u64, second: &str| {
        let remainder = json!([{"cause": "start-up", "bytes": 5}, {"cause": second, "bytes": -2}]);
        json!({"accounted_bytes": 90, "jvm_allocated_bytes": allocated, "remainder": remainder})
    };
    assert_eq!(explained(&trust(93, "races")).map(|causes| causes.len()), Ok(2));
    assert!(explained(&trust(94, "races")).is_err());
    assert!(explained(&trust(93, "start-up")).is_err());
    assert!(explained(&trust(93, "")).is_err());
}

#[test]
fn the_lines_are_found_in_a_text() {
    let log = "Trust:\n  trust: 99.76 % (687 MiB of 689 MiB)\n  remainder: 1.52 MiB ± 12 KiB before counting began\n  \
               remainder: -12 B of unknown cause\n";
    assert_eq!(told(log), (Some(99.76), vec!["before counting began".into(), "of unknown cause".into()]));
    assert_eq!(told("trust: 3 MiB counted, not compared\n"), (None, vec![]));
}
