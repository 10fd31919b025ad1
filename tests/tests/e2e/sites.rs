//! Allocation sites with `#trace`: exact per bytecode, whatever compiles it; stacks within their stated error.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mayfly_tests::{Jvm, Profiled, check_all, each_jvm, turns_of};
use serde_json::Value;

/// A multiple of all that the fixture divides by, and enough for C2.
const TURNS: u64 = 100_000;

/// Objects by class and line of the innermost frame.
type Lines = BTreeMap<(String, u64), u64>;

/// What the fixture's comments say.
fn expected(turns: u64) -> Lines {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("fixtures").join("sites/Sites.java");
    let source = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = Lines::new();
    for (index, line) in source.lines().enumerate() {
        for fact in line.split_once("// ").map_or("", |(_, facts)| facts).split(", ") {
            let Some((class, factor)) = fact.split_once(" x ") else { continue };
            let factor: f64 = factor.parse().expect("a factor");
            let class =
                if class.starts_with('[') { class.to_owned() } else { format!("sites.Sites${class}") };
            lines.insert((class, index as u64 + 1), (factor * turns as f64).round() as u64);
        }
    }
    lines
}

fn counted(sites: &[Value]) -> Lines {
    let mut lines = Lines::new();
    for site in sites {
        let frame = site["stack"][0].as_str().unwrap_or_default();
        let Some(line) = frame.rsplit_once("(Sites.java:").and_then(|(_, l)| l.strip_suffix(')')) else {
            continue;
        };
        let class = site["class"].as_str().expect("a class").to_owned();
        let objects = site["allocated"]["objects"].as_u64().expect("objects");
        *lines.entry((class, line.parse().expect("a line"))).or_default() += objects;
    }
    lines
}

fn run(jvm: &Jvm, options: &str, jvm_args: &[&str], args: &[&str]) -> Vec<Value> {
    let run = Profiled::new(jvm, "sites.Sites", options).with(|l| l.jvm_args(jvm_args).args(args));
    run.run();
    run.json().0["sites"].as_array().expect("sites").clone()
}

const FILTER: &str = "#include-sites.,[I,[J,[[J,[Lsites.";

#[test]
fn each_bytecode_is_counted_exactly() {
    each_jvm(|jvm| {
        let modes: [(&[&str], u64); 4] = [
            (&["-Xint"], 1_000),
            (&[], TURNS),
            (&["-XX:TieredStopAtLevel=1"], TURNS),
            (&["-XX:-TieredCompilation"], TURNS),
        ];
        let options = ["#detailedtrace", "#detailedtrace#trackcollections"];
        let runs = modes.iter().enumerate().flat_map(|(variant, &(jvm_args, turns))| {
            turns_of(jvm, variant, &options).map(move |&options| (options, jvm_args, turns))
        });
        for (options, jvm_args, turns) in runs {
            let args = ["lines", &turns.to_string()];
            let sites = run(jvm, &format!("{options}{FILTER}"), jvm_args, &args);
            let mut counted = counted(&sites);
            let expected = expected(turns);
            // The JDK makes arrays of its own, at lines of its own.
            counted.retain(|place, _| expected.contains_key(place));
            assert_eq!(counted, expected, "{options} {jvm_args:?} on {jvm}");
        }
    });
}

#[test]
fn walking_every_stack_finds_the_same() {
    each_jvm(|jvm| {
        let sites = run(jvm, &format!("#detailedtrace#trace-all{FILTER}"), &[], &["lines", "1000"]);
        let objects = |sites: &[Value]| -> u64 {
            sites.iter().filter_map(|site| site["allocated"]["objects"].as_u64()).sum()
        };
        let sampled = run(jvm, &format!("#detailedtrace{FILTER}"), &[], &["lines", "1000"]);
        assert!(sites.iter().all(|site| site["exact"] == true), "on {jvm}");
        assert_eq!(objects(&sites), objects(&sampled), "on {jvm}");
    });
}

/// Objects, and their relative error, by the method that called `make`.
fn callers(sites: &[Value]) -> BTreeMap<String, (f64, f64)> {
    let mut callers = BTreeMap::new();
    for site in sites.iter().filter(|site| site["class"] == "sites.Sites$Leaf") {
        let caller = site["stack"][1].as_str().unwrap_or_default();
        let caller = caller.trim_start_matches("sites.Sites.").split('(').next().unwrap_or_default();
        let number = |value: &Value| value.as_f64().expect("a number");
        callers.insert(caller.to_owned(), (number(&site["allocated"]["objects"]), number(&site["error"])));
    }
    callers
}

#[test]
fn sampled_stacks_tell_callers_apart_within_their_error() {
    each_jvm(|jvm| {
        let n = 10_000_000.0;
        let sites = run(jvm, "#trace#include-sites.", &[], &["callers", "10000000"]);
        let callers = callers(&sites);
        let sum: f64 = callers.values().map(|(objects, _)| objects).sum();
        assert_eq!(sum, n, "on {jvm}: {callers:?}");
        for (caller, share) in [("often", 0.9), ("seldom", 0.09), ("rarely", 0.01)] {
            let (objects, error) = callers[caller];
            assert!(error > 0.0, "all ten million stacks were taken on {jvm}");
            // The error is relative to the estimate, not to the truth.
            let off = (1.0 - share * n / objects).abs();
            assert!(off < 5.0 * error, "{caller} on {jvm}: off by {off}, error {error}");
        }
    });
}

#[test]
fn sites_of_threads_add_up() {
    each_jvm(|jvm| {
        let sites = run(jvm, "#trace#include-sites.Sites$Leaf", &[], &["threads", "20000", "50"]);
        let callers = callers(&sites);
        assert_eq!(callers.values().map(|(objects, _)| objects).sum::<f64>(), 1_000_000.0, "on {jvm}");
    });
}

#[test]
fn deep_recursion_is_cut_where_every_stack_is_walked() {
    each_jvm(|jvm| {
        let options = "#trackcollections#trace-all#include-deep.";
        let run = Profiled::new(jvm, "deep.Deep", options).with(|l| l.args(&["2000", "1"]));
        let outcome = run.run();
        let json = run.json();
        check_all(jvm, &outcome.stdout, &json.allocated()).unwrap_or_else(|why| panic!("on {jvm}:\n{why}"));
        assert_eq!(json.0["trust"]["dropped"], serde_json::json!([]), "on {jvm}");
        let sites = json.0["sites"].as_array().expect("sites");
        let depths = sites.iter().filter_map(|site| site["stack"].as_array()).map(Vec::len);
        // All but the frames of the hooks and the constructors.
        let deepest = depths.max().expect("a site");
        assert!((245..=256).contains(&deepest), "{deepest} frames on {jvm}");
        assert!(sites.len() < 1000, "{} sites on {jvm}", sites.len());
    });
}

#[test]
fn an_array_taken_back_is_not_taken_from_another_place() {
    each_jvm(|jvm| {
        // The array's own place has no number, as nobody asks for its class.
        let options = "#trace#include-sites.Undone";
        let run =
            Profiled::new(jvm, "sites.Undone", options).with(|l| l.jvm_args(&["-Xint"]).args(&["1000"]));
        let outcome = run.run();
        let json = run.json();
        check_all(jvm, &outcome.stdout, &json.allocated()).unwrap_or_else(|why| panic!("on {jvm}:\n{why}"));
        let sites = json.0["sites"].as_array().expect("sites");
        let copied = |site: &&Value| {
            site["stack"][0].as_str().is_some_and(|frame| frame.starts_with("sites.Undone$Item.copy"))
        };
        let copies = sites.iter().filter(copied).filter_map(|site| site["allocated"]["objects"].as_u64());
        assert_eq!(copies.sum::<u64>(), 1000, "on {jvm}");
    });
}
