//! The census of young objects: counted as hooks count them in the same run, with each collector that it reads; elsewhere it says why not.

use std::ffi::OsString;
use std::fs;

use mayfly_tests::{
    Expectation, JsonReport, Jvm, Launch, Profiled, Workspace, any_jvm, debug_artifacts, each_jvm, mayfly,
    skip, turns_of,
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
    let run = Profiled::new(jvm, "young.Young", "#engine-exact#census#pause-0").with(|launch| {
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
        let mut words: Vec<OsString> =
            ["run", "--sampled", "--census", "--pause", "0", "-o"].map(OsString::from).into();
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

/// What samples say of classes is replaced by what was read: to the object where a collection ends the JVM.
#[test]
fn with_samples_counts_of_classes_are_exact_and_live_is_of_the_samples() {
    each_jvm(|jvm| turns_of(jvm, 1, &CELLS).for_each(|cell| check_sampled(jvm, cell)));
}

fn check_sampled(jvm: &Jvm, cell: &[&str; 2]) {
    let run = Profiled::new(jvm, "young.Young", "#engine-sampled#census#pause-0#sample-4k").with(|launch| {
        let flags = [&SMALL[..], &cell[..], &["-XX:+IgnoreUnrecognizedVMOptions"]].concat();
        launch.args(&["300"]).jvm_args(&flags)
    });
    let (stdout, json) = (run.run().stdout, run.json());
    let whole = json.0["census"]["collections"]["births_only"].as_u64() > Some(0);
    for expected in Expectation::all(&stdout) {
        let row = json.class(&expected.class).unwrap_or_else(|| panic!("{expected:?} on {jvm}"));
        let (told, error) = (&row["allocated"], row["jvm_allocated"]["error_bytes"].as_f64());
        let objects = told["objects"].as_f64().unwrap_or(0.0);
        let off = (objects - expected.objects as f64).abs() * told["bytes"].as_f64().unwrap_or(0.0) / objects;
        assert_eq!(told["estimated"], !whole, "{row}, {cell:?} on {jvm}");
        let most = if whole { 0.0 } else { 5.0 * error.unwrap_or(0.0) };
        assert!(off <= most, "{expected:?} but {row}, {cell:?} on {jvm}");
        let live = row["live"]["objects"].as_f64().unwrap_or(0.0);
        assert!(live <= objects, "{row}");
    }
    // The ring holds 5,000 of them, and all nodes but one are dead.
    let of = |class: &str, number: &str| {
        json.class(class).map_or(0.0, |row| row[number]["objects"].as_f64().unwrap_or(0.0))
    };
    // From JDK 26 on nothing is collected at the end, and what was born in the last milliseconds before a collection is not judged.
    let kept = of("young.Young$Kept", "live") + of("young.Young$Kept", "not_judged");
    let nodes = of("young.Young$Node", "live");
    assert!((500.0..15_000.0).contains(&kept) && nodes < 30_000.0, "{kept} and {nodes}, {cell:?} on {jvm}");
    let share = json.share().expect("a counter");
    // `int[]` is of samples up to JDK 18.
    assert!((0.98..1.02).contains(&share), "{share}, {cell:?} on {jvm}: {}", json.0["trust"]);
}

/// Large arrays among small ones of their class, with small young generations and an old one that grows: whom a sample meets is chance.
fn large_arrays(jvm: &Jvm, options: &str, (collector, args): (&str, [&str; 3])) -> (Expectation, JsonReport) {
    let run = Profiled::new(jvm, "young.Old", options).with(|launch| {
        // Up to JDK 21 Serial makes room by full collections, where the old generation has to grow.
        let start = if jvm.feature > 21 { "-Xms16m" } else { "-Xms320m" };
        let flags = ["-Xint", "-Xmn8m", start, "-Xmx320m", "-XX:G1HeapRegionSize=1m", collector];
        launch.args(&args).jvm_args(&flags)
    });
    let stdout = run.run().stdout;
    let expected = Expectation::all(&stdout).into_iter().next().expect("an expectation");
    (expected, run.json())
}

const READ: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];

/// Too large for Eden; with G1 humongous, though others have room for it.
const LARGE: [[&str; 3]; 2] = [["16", "2500000", "0"], ["60", "180000", "0"]];

#[test]
fn what_is_born_old_is_what_hooks_count() {
    each_jvm(|jvm| {
        for cell in turns_of(jvm, 0, &READ) {
            for args in LARGE {
                let (expected, json) = large_arrays(jvm, "#engine-exact#census#pause-0", (cell, args));
                let hooks = json.class(&expected.class).map(|row| &row["allocated"]);
                let hooks = hooks.map(|row| (row["objects"].as_u64(), row["bytes"].as_u64()));
                let read = census_of(&json, &expected.class);
                let old = read["old"]["objects"].as_u64();
                let collections = &json.0["census"]["collections"];
                let why = format!("{args:?}, {cell} on {jvm}: {collections}");
                if *cell == READ[1] && collections["unread"].as_u64() > Some(0) {
                    // Parallel of JDK 26 collects all for each of them.
                    assert!(jvm.feature >= 26 && Some(born(read)) < hooks && old >= Some(1), "{why}");
                    continue;
                }
                assert_eq!(Some(born(read)), hooks, "{why}");
                assert_eq!(born(read).0, Some(expected.objects), "{why}");
                let is_old = args == LARGE[0] || *cell == READ[2];
                assert_eq!(old, Some(if is_old { args[0].parse().expect("a number") } else { 0 }), "{why}");
            }
        }
    });
}

#[test]
fn with_samples_what_is_born_old_is_in_the_count_though_none_meets_it() {
    each_jvm(|jvm| {
        for cell in turns_of(jvm, 1, &READ) {
            let (expected, json) =
                large_arrays(jvm, "#engine-sampled#census#pause-0#sample-1g", (cell, LARGE[0]));
            let collections = &json.0["census"]["collections"];
            let whole = collections["births_only"].as_u64() > Some(0) && collections["unread"] == 0;
            let Some(row) = json.class(&expected.class) else {
                // Full collections, and no sample: nothing is said of it.
                assert!(jvm.feature >= 26, "{expected:?}, {cell} on {jvm}: {collections}");
                continue;
            };
            assert_eq!(row["allocated"]["estimated"], !whole, "{row}, {cell} on {jvm}");
            let objects = row["allocated"]["objects"].as_u64();
            assert!(!whole || objects == Some(expected.objects), "{expected:?} but {row}, {cell} on {jvm}");
        }
    });
}

#[test]
fn a_count_is_an_estimate_once_a_collection_was_not_read_though_no_sample_tells_of_what_was_born_before_it() {
    each_jvm(|jvm| {
        for cell in turns_of(jvm, 2, &READ) {
            let gcs = ["6", "3", "3"];
            let (expected, json) = large_arrays(jvm, "#engine-sampled#census#pause-0#sample-1g", (cell, gcs));
            let census = &json.0["census"];
            assert!(census["collections"]["unread"].as_u64() >= Some(3), "{cell} on {jvm}: {census}");
            let Some(row) = json.class(&expected.class) else {
                // Without a collection as the JVM ends none may be read.
                assert!(jvm.feature >= 26, "{expected:?}, {cell} on {jvm}: {census}");
                continue;
            };
            assert_eq!(row["allocated"]["estimated"], true, "{row}, {cell} on {jvm}");
            let error = row["jvm_allocated"]["error_bytes"].as_u64();
            assert!(error > Some(0), "{row}, {cell} on {jvm}");
        }
    });
}

#[test]
fn where_reading_may_take_no_time_it_is_thinned_and_samples_count_for_the_rest() {
    any_jvm(|jvm| {
        check_thinned(jvm, "#pause-1", "-XX:+UseSerialGC");
        // Without a bound it is a part of the pauses: these copy little.
        check_thinned(jvm, "", "-XX:+UseParallelGC");
        check_thinned(jvm, "", "-XX:+UseG1GC");
    });
}

fn check_thinned(jvm: &Jvm, pause: &str, collector: &str) {
    let options = format!("#engine-sampled#census{pause}#sample-16k");
    let run = Profiled::new(jvm, "young.Young", &options).with(|launch| {
        let flags = [&SMALL[..], &[collector]].concat();
        launch.args(&["1000"]).jvm_args(&flags)
    });
    let (stdout, json) = (run.run().stdout, run.json());
    let census = &json.0["census"];
    assert!(census["collections"]["thinned"].as_u64() > Some(0), "on {jvm}: {}", census["collections"]);
    for expected in Expectation::all(&stdout).iter().take(2) {
        let row = json.class(&expected.class).expect("a row");
        let objects = row["allocated"]["objects"].as_f64().unwrap_or(0.0);
        assert!((0.7..1.3).contains(&(objects / expected.objects as f64)), "{row} on {jvm}");
        assert_eq!(row["allocated"]["estimated"], true, "{row} on {jvm}");
    }
    let text = run.log();
    assert!(text.contains("census thinned: of "), "on {jvm}: {text}");
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

/// What tables may say wrongly: a name, and what is added to its value. Fields of a class, of its name, of objects; then those of each
/// collector's heap: where its parts are, where they begin and end, what they are.
const WRONG: [&str; 9] = [
    "_layout_helper=8",
    "_layout_helper=missing",
    "_name=8",
    "_length=2",
    "_reserved=8",
    "_collectedHeap=8",
    "_collectedHeap=missing",
    "_total_collections=missing",
    "age_shift=61",
];
const WRONG_OF: [&[&str]; 3] = [
    &["_eden_space=8", "_from_space=-8", "_bottom=8", "_end=missing", "_the_space=8", "_the_space=missing"],
    &["_eden_space=8", "_from_space=-8", "_top=8", "_young_gen=8", "_object_space=8", "_old_gen=missing"],
    &[
        "_base=8",
        "_regions=16",
        "_type=8",
        "_top=8",
        "EdenTag=missing",
        "FreeTag=2",
        "StartsHumongousTag=missing",
    ],
];

#[test]
fn a_table_that_is_wrong_ends_the_census_in_one_line_and_samples_go_on() {
    each_jvm(|jvm| {
        for (cell, of_cell) in turns_of(jvm, 0, &[0, 1, 2]).map(|&at| (READ[at], WRONG_OF[at])) {
            WRONG.iter().chain(of_cell).for_each(|wrong| check_wrong(jvm, cell, Some(wrong)));
            check_wrong(jvm, cell, None);
        }
    });
}

fn check_wrong(jvm: &Jvm, cell: &str, wrong: Option<&str>) {
    // Its space looks like one that could not be emptied, which is doubted the fourth time.
    let rounds = if wrong == Some("_top=8") { "800" } else { "100" };
    let folder = Workspace::new();
    let recording = folder.file("run.mayfly");
    let options = format!(
        "#engine-sampled#census#sample-16k#live-0#output-{}#recording-{}",
        folder.path().display(),
        recording.display()
    );
    let launch = Launch::new(jvm, "young.Young")
        .agent_at(&debug_artifacts().agent, options)
        .jvm_args(&[&SMALL[..], &[cell]].concat())
        .environment("MAYFLY_WRONG_TABLE", wrong.unwrap_or_default())
        .args(&[rounds]);
    let outcome = launch.run().ok();
    let why = format!("{wrong:?}, {cell} on {jvm}: {}", outcome.stderr);
    let said: Vec<_> = outcome.stderr.lines().filter(|line| line.contains("census")).collect();
    assert_eq!(said.len(), usize::from(wrong.is_some()), "{why}");
    let json = JsonReport::of(&recording);
    assert_eq!(json.0["census"]["ended"].is_string(), wrong.is_some(), "{why}");
    let text = fs::read_to_string(folder.file("mayfly.log")).expect("a report");
    let trust = text.lines().filter(|line| line.contains("no census: ") || line.contains("census ended: "));
    assert_eq!(trust.count(), usize::from(wrong.is_some()), "{why}: {text}");
    // 150 samples.
    let expected = Expectation::all(&outcome.stdout).into_iter().next().expect("nodes");
    let row = json.class(&expected.class).unwrap_or_else(|| panic!("{expected:?}, {why}"));
    let objects = row["allocated"]["objects"].as_f64().unwrap_or(0.0);
    assert!((0.6..1.4).contains(&(objects / expected.objects as f64)), "{row}, {why}");
}
