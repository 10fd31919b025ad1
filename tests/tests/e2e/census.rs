//! The census of young objects: counted as hooks count them in the same run, with each collector that it reads; elsewhere it says why not.

use std::ffi::OsString;

use mayfly_tests::{
    Expectation, JsonReport, Jvm, Launch, Profiled, Workspace, any_jvm, each_jvm, mayfly, skip, turns_of,
};
use serde_json::Value;

/// Each collector that is read, with the ways in which headers and alignment differ by turns.
const CELLS: [[&str; 2]; 6] = [
    ["-XX:+UseSerialGC", "-XX:+UseCompressedOops"],
    ["-XX:+UseParallelGC", "-XX:-UseCompressedClassPointers"],
    ["-XX:+UseG1GC", "-XX:+UseCompactObjectHeaders"],
    ["-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"],
    ["-XX:+UseParallelGC", "-XX:ObjectAlignmentInBytes=16"],
    ["-XX:+UseG1GC", "-XX:+UseCompressedOops"],
];
/// Few objects are not of the program's classes, and young generations are small.
const SMALL: [&str; 4] = ["-Xint", "-Xmn8m", "-Xmx64m", "-XX:+UnlockExperimentalVMOptions"];

/// Of a class: objects and bytes.
fn born(row: &Value) -> (Option<u64>, Option<u64>) {
    (row["born"]["objects"].as_u64(), row["born"]["bytes"].as_u64())
}

fn census_of<'a>(json: &'a JsonReport, class: &str) -> &'a Value {
    let classes = json.0["census"]["classes"].as_array().expect("a census");
    classes.iter().find(|row| row["name"] == class).unwrap_or(&Value::Null)
}

#[test]
fn what_is_born_is_what_hooks_count() {
    each_jvm(|jvm| turns_of(jvm, 0, &CELLS).for_each(|cell| check_cell(jvm, cell)));
}

/// Hooks and the census beside each other.
fn check_cell(jvm: &Jvm, cell: &[&str; 2]) {
    let run = Profiled::new(jvm, "young.Young", "#engine-exact#census").with(|launch| {
        let flags = [&SMALL[..], &cell[..], &["-XX:+IgnoreUnrecognizedVMOptions"]].concat();
        launch.args(&["300"]).jvm_args(&flags)
    });
    let (stdout, json) = (run.run().stdout, run.json());
    let census = &json.0["census"];
    let whole = census["ended"].is_null() && census["unread_bytes"] == 0;
    assert!(whole, "{cell:?} on {jvm}: {census:#}");
    let read = census["collections"]["read"].as_u64();
    assert!(read >= Some(2), "{cell:?} on {jvm}: {}", census["collections"]);
    for expected in Expectation::all(&stdout) {
        let class = &expected.class;
        let hooks = json.class(class).map(|row| &row["allocated"]);
        let hooks = hooks.map(|row| (row["objects"].as_u64(), row["bytes"].as_u64()));
        assert_eq!(Some(born(census_of(&json, class))), hooks, "{class}, {cell:?} on {jvm}");
        assert_eq!(born(census_of(&json, class)).0, Some(expected.objects), "{class} on {jvm}");
    }
    let died = |class: &str| census_of(&json, class)["died"][0]["objects"].as_u64().unwrap_or(0);
    let (nodes, pinned) = (died("young.Young$Node"), died("young.Young$Pinned"));
    assert!(nodes > 150_000 && pinned == 0, "{nodes} and {pinned}, {cell:?} on {jvm}");
}

#[test]
fn the_command_line_has_it_beside_the_sampled_engine() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let recording = folder.file("run.mayfly");
        let flags = [&SMALL[..], &["-XX:+UseSerialGC"]].concat();
        let java = Launch::new(jvm, "young.Young").jvm_args(&flags).args(&["100"]);
        let mut words: Vec<OsString> = ["run", "--sampled", "--census", "-o"].map(OsString::from).into();
        words.extend([recording.clone().into(), "--".into(), java.java().into()]);
        words.extend(java.java_args());
        let outcome = mayfly(words).ok();
        let json = JsonReport::of(&recording);
        // Without a collection as the JVM ends, what was born since the last one is not read.
        let is_whole = json.0["census"]["collections"]["births_only"].as_u64() > Some(0);
        for expected in Expectation::all(&outcome.stdout).iter().take(2) {
            let born = born(census_of(&json, &expected.class)).0.unwrap_or(0);
            let least = if is_whole { expected.objects } else { expected.objects / 4 };
            assert!((least..=expected.objects).contains(&born), "{born}, {expected:?} on {jvm}");
        }
    });
}

#[test]
fn a_collector_that_leaves_nothing_to_read_is_named() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "young.Young", "#engine-sampled#census").with(|launch| {
            let flags = ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC", "-Xmx128m"];
            launch.args(&["10"]).jvm_args(&flags)
        });
        let outcome = run.start().finish();
        if outcome.stderr.contains("Unrecognized VM option") || outcome.stderr.contains("not supported") {
            return skip(&jvm.to_string(), "it has no ZGC");
        }
        let stderr = outcome.ok().stderr;
        assert!(stderr.contains("no census of young objects: ZGC"), "on {jvm}: {stderr}");
        let json = run.json();
        let why = json.0["census"]["ended"].as_str();
        assert!(why.is_some_and(|why| why.contains("leaves nothing")), "on {jvm}: {}", json.0["census"]);
    });
}
