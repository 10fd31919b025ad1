//! What the code of each class loader allocates (`#loaders`): as much as the program says, unloaded loaders too.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use mayfly_tests::{Jvm, Profiled, each_jvm, mayfly, schema_faults};
use serde_json::Value;

const ITEM: &str = "loaders.Loaders$Work$Item";

/// A profiled run of so many objects by the code of each loader, of its items only: objects by name of the loader as the program printed them,
/// and the run.
fn run(jvm: &Jvm, options: &str, each: &str) -> (BTreeMap<String, u64>, Profiled) {
    let options = format!("{options}#include-{ITEM}#exactmatch");
    let profiled = Profiled::new(jvm, "loaders.Loaders", &options).with(|l| l.args(&[each]));
    let stdout = profiled.run().stdout;
    let loader = |line: &str| {
        let (objects, name) = line.strip_prefix("LOADER ")?.split_once(' ')?;
        Some((name.to_owned(), objects.parse().expect("a number")))
    };
    (stdout.lines().filter_map(loader).collect(), profiled)
}

/// Of each loader the number of objects.
fn by_loader(json: &Value) -> BTreeMap<String, u64> {
    let rows = json["loaders"].as_array().expect("loaders").iter();
    rows.map(|row| {
        let name = row["loader"].as_str().unwrap_or("?").to_owned();
        (name, row["measures"]["objects"].as_u64().expect("a number"))
    })
    .collect()
}

#[test]
fn loaders_add_up_to_what_their_code_made() {
    each_jvm(|jvm| {
        let (expected, every) = run(jvm, "#trackcollections#trace-all#loaders#threads", "2000");
        assert_eq!(expected.len(), 4, "{expected:?} on {jvm}");
        let json = every.json().0;
        assert_eq!(schema_faults(&json), [""; 0], "on {jvm}");
        assert_eq!(by_loader(&json), expected, "on {jvm}");
        // Beside it the pools: all of it was made by one thread.
        let pools = json["threads"].as_array().expect("threads");
        assert!(pools.len() == 1 && pools[0]["pool"] == "main", "{pools:?} on {jvm}");
        let file = every.recording();
        let report =
            |option: &str| mayfly([OsStr::new("report"), option.as_ref(), file.as_os_str()]).ok().stdout;
        let table = report("--loaders");
        for name in expected.keys() {
            assert!(table.contains(name.as_str()), "{name} is not in {table} on {jvm}");
        }
        // No row of methods is a loader's.
        assert!(!report("--ways").contains("<loader>"), "on {jvm}");
        let columns = report("--csv");
        assert!(columns.lines().next().is_some_and(|header| header.ends_with(",pool,loader")), "{columns}");
        assert!(columns.contains(",main,Loaders$Own (plugin-*)"), "{columns}");
    });
}

#[test]
fn loaders_of_a_sample_are_right_within_their_errors() {
    each_jvm(|jvm| {
        let (expected, sampled) = run(jvm, "#engine-sampled#sample-16k#loaders", "200000");
        let json = sampled.json().0;
        assert!(by_loader(&json).keys().eq(expected.keys()), "{json} on {jvm}");
        for row in json["loaders"].as_array().expect("loaders") {
            let truth = 32.0 * expected[row["loader"].as_str().expect("a name")] as f64;
            let (bytes, error) = (row["rank_bytes"].as_f64(), row["error_bytes"].as_f64());
            let (bytes, error) = (bytes.expect("bytes"), error.expect("an error"));
            assert!(
                error > 0.0 && error < truth && (bytes - truth).abs() <= 5.0 * error,
                "{row}: {bytes} ± {error} of {truth} on {jvm}"
            );
        }
    });
}

#[test]
fn methods_and_callers_are_as_without() {
    each_jvm(|jvm| {
        let ways = |options: &str| {
            let json = run(jvm, options, "2000").1.json().0;
            (json["own_ways"].to_string(), json.get("loaders").is_some())
        };
        let (with, named) = ways("#trace-all#loaders");
        let (without, unnamed) = ways("#trace-all");
        assert_eq!(with, without, "on {jvm}");
        assert!(named && !unnamed);
    });
}
