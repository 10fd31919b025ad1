//! The profiler for JMH: what it says of benchmarks whose allocations are known, beside JMH's own gc profiler.
//!
//! JMH comes from Maven's central repository; without it, or without a compiler, these tests are skipped. Operations are counted,
//! not timed (single shots of so many), so that nothing depends on how fast the machine is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use mayfly_tests::{
    JsonReport, Jvm, Workspace, artifacts, each_jvm, files_in, fixture_classes, jdks, jvms, left_to_ci, skip,
};
use serde_json::Value;

/// JMH, and a folder with the compiled profiler and benchmarks.
struct Compiled {
    jmh: String,
    classes: Workspace,
}

fn compiled() -> Option<&'static Compiled> {
    static COMPILED: OnceLock<Option<Compiled>> = OnceLock::new();
    COMPILED.get_or_init(|| compile().map_err(|why| skip("the profiler for JMH", &why)).ok()).as_ref()
}

fn compile() -> Result<Compiled, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiler-java/jmh");
    let fetched = Command::new(folder.join("fetch-jmh")).output().map_err(|error| error.to_string())?;
    if !fetched.status.success() {
        return Err(String::from_utf8_lossy(&fetched.stderr).trim().to_owned());
    }
    let jmh = String::from_utf8_lossy(&fetched.stdout).trim().to_owned();
    let javac = jdks(11).first().and_then(Jvm::javac).ok_or("no javac")?;
    let classes = Workspace::new();
    let paths = format!("{}:{}:{jmh}", classes.path().display(), fixture_classes().display());
    for (part, processing) in [("src", &["-proc:none"][..]), ("tests", &["-processorpath", &jmh])] {
        let output = Command::new(&javac)
            .args(["--release", "11", "-nowarn", "-cp", &paths])
            .args(processing)
            .arg("-d")
            .arg(classes.path())
            .args(java_files(&folder.join(part)))
            .output()
            .map_err(|error| error.to_string())?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(Compiled { jmh, classes })
}

fn java_files(folder: &Path) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten().map(walkdir::DirEntry::into_path);
    files.filter(|file| file.extension().is_some_and(|extension| extension == "java")).collect()
}

/// Runs benchmarks, each in one fork of one measured iteration of so many operations, after one that warms up. Compilers run in
/// the foreground, so that C2 is done by then.
fn run(jvm: &Jvm, compiled: &Compiled, (benchmark, operations): (&str, &str), more: &[&str]) -> Output {
    let paths = [compiled.classes.path(), fixture_classes()].map(|path| path.display().to_string()).join(":");
    Command::new(jvm.java())
        .arg(format!("-Dmayfly.agent={}", artifacts().agent.display()))
        // Other tests may run JMH at the same time.
        .arg("-Djmh.ignoreLock=true")
        .args(["-cp", &format!("{paths}:{}", compiled.jmh), "org.openjdk.jmh.Main"])
        .args([&format!("sample.Allocating.{benchmark}$"), "-bm", "ss", "-f", "1", "-wi", "1", "-i", "1"])
        .args(["-bs", operations, "-wbs", operations, "-foe", "true"])
        .args(["-jvmArgsAppend", "-Xbatch -XX:-TieredCompilation"])
        .args(more)
        .output()
        .expect("java starts")
}

/// So many calls of a method are one operation to JMH.
const SHOTS: u32 = 100;

/// What profilers say, by name.
type Scores = BTreeMap<String, f64>;

/// That of each benchmark, by its method's name.
fn scores(jvm: &Jvm, compiled: &Compiled) -> BTreeMap<String, Scores> {
    let folder = Workspace::new();
    let json = folder.file("result.json").display().to_string();
    let more = ["-rf", "json", "-rff", &json, "-prof", "gc", "-prof", "mayfly:top=3"];
    let output = run(jvm, compiled, (".*", &SHOTS.to_string()), &more);
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "on {jvm}:\n{said}");
    let json = std::fs::read_to_string(json).unwrap_or_else(|error| panic!("{error} on {jvm}:\n{said}"));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let score = |(name, metric): (&String, &Value)| {
        Some((name.trim_start_matches('·').to_owned(), metric["score"].as_f64()?))
    };
    let row = |row: &Value| {
        let name = row["benchmark"].as_str()?.rsplit('.').next()?.to_owned();
        Some((name, row["secondaryMetrics"].as_object()?.iter().filter_map(score).collect()))
    };
    json.as_array().into_iter().flatten().filter_map(row).collect()
}

#[track_caller]
fn is_near(jvm: &Jvm, what: &str, value: f64, expected: f64, share: f64) {
    let off = (value / expected - 1.0).abs();
    assert!(off <= share, "{what} on {jvm}: {value} instead of {expected}");
}

/// Of benchmarks whose allocations are known. What JMH itself allocates meanwhile is little more than a hundredth.
#[test]
fn allocations_of_known_benchmarks_are_said() {
    let Some(compiled) = compiled() else { return };
    each_jvm(|jvm| {
        let scores = scores(jvm, compiled);
        arrays(jvm, &scores["arrays"]);
        thread(jvm, &scores["thread"]);
        pairs(jvm, &scores["pairs"]);
    });
}

/// On a thread that stays both profilers say the same.
fn arrays(jvm: &Jvm, scores: &Scores) {
    let bytes = f64::from(SHOTS) * 1000.0 * 1016.0;
    is_near(jvm, "counted", scores["mayfly.counted.norm"], bytes, 0.01);
    is_near(jvm, "objects", scores["mayfly.objects.norm"], f64::from(SHOTS) * 1000.0, 0.02);
    is_near(jvm, "allocated", scores["mayfly.alloc.norm"], bytes, 0.01);
    // The gc profiler leaves its line out where the JVM's total of all threads did not grow: seen once, under load.
    match scores.get("gc.alloc.rate.norm") {
        // Later updates of 11 count all threads, JMH's own among them.
        Some(&gc) => is_near(jvm, "beside gc", gc, scores["mayfly.alloc.norm"], 0.02),
        None => println!("skip: JMH's gc profiler beside ours on {jvm}: it saw no allocation"),
    }
    assert!(scores["mayfly.removed"] < 1.0, "on {jvm}: {scores:?}");
    // Some 200 samples of what is garbage at once.
    assert!(scores["mayfly.died.young"] > 90.0, "on {jvm}: {scores:?}");
    assert!(scores["mayfly.lifetime.p50"] <= scores["mayfly.lifetime.p99"], "on {jvm}: {scores:?}");
}

/// Where the JVM does not count all threads together (before JDK 21, but for later updates of 11 and 17), the gc profiler can't
/// see what threads did that came and went within an iteration.
fn thread(jvm: &Jvm, scores: &Scores) {
    let bytes = f64::from(SHOTS) * 100.0 * 10_016.0;
    is_near(jvm, "counted", scores["mayfly.counted.norm"], bytes, 0.02);
    is_near(jvm, "allocated", scores["mayfly.alloc.norm"], bytes, 0.02);
    let gc = scores.get("gc.alloc.rate.norm").copied().unwrap_or(0.0);
    if jvm.feature >= 21 || gc > bytes / 10.0 {
        is_near(jvm, "beside gc", gc, scores["mayfly.alloc.norm"], 0.02);
    }
}

/// What C2 optimises away is counted, takes no memory, and is said to be removed.
fn pairs(jvm: &Jvm, scores: &Scores) {
    let pairs = f64::from(SHOTS) * 10_000.0;
    is_near(jvm, "objects", scores["mayfly.objects.norm"], pairs, 0.02);
    is_near(jvm, "counted", scores["mayfly.counted.norm"], 24.0 * pairs, 0.02);
    assert!(scores["mayfly.removed"] > 90.0, "on {jvm}: {scores:?}");
    assert!(scores["mayfly.alloc.norm"] < 2.4 * pairs, "on {jvm}: {scores:?}");
}

/// By its full name and with options: every object is followed, the recording kept, the classes listed. On one JVM.
#[test]
fn recordings_are_kept_on_request_and_classes_listed() {
    if left_to_ci("what JMH's recordings keep") {
        return;
    }
    let Some(compiled) = compiled() else { return };
    let jvm = &jvms()[0];
    let folder = Workspace::new();
    let kept = folder.file("kept");
    let profiler =
        format!("io.mayfly.jmh.MayflyProfiler:options=#trackcollections;dir={};top=2", kept.display());
    let output = run(jvm, compiled, ("arrays", "10"), &["-prof", &profiler]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
    let row = stdout.lines().find(|line| line.ends_with("  [B")).unwrap_or_else(|| panic!("{stdout}"));
    let objects: u64 = row.split_whitespace().next().and_then(|word| word.parse().ok()).expect("objects");
    assert!((10_000..20_000).contains(&objects), "{row}");
    assert!(stdout.contains("lived: bytes allocated meanwhile."), "{stdout}");
    let files = files_in(&kept);
    let recordings: Vec<_> =
        files.iter().filter(|file| file.extension().is_some_and(|end| end == "mayfly")).collect();
    assert_eq!(recordings.len(), 1, "{files:?}");
    let recorded = JsonReport::of(recordings[0]).allocated()["[B"].objects;
    assert!((10_000..20_000).contains(&recorded), "{recorded}: warm-up is forgotten");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let Some(compiled) = compiled() else { return };
    let jvm = &jvms()[0];
    for (options, why) in [
        ("mayfly:tops=3", "there is no option 'tops'"),
        ("mayfly:top=many", "top='many' is no number"),
        ("mayfly:options=trackcollections", "they begin with #"),
        ("mayfly:lib=/nowhere/libmayfly.so", "there is no file /nowhere/libmayfly.so"),
        ("mayfly:help", "-prof mayfly[:NAME=VALUE;…]"),
    ] {
        let output = run(jvm, compiled, ("arrays", "10"), &["-prof", options]);
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(why) && !said.contains("Run complete"), "{options}:\n{said}");
    }
}
