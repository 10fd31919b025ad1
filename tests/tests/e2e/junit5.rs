//! The JUnit 5 extension: annotated tests pass and fail as they say, with the path in the failure.
//!
//! JUnit comes from Maven's central repository; without it, or without a compiler, these tests are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use mayfly_tests::{
    Jvm, Workspace, any_jvm, artifacts, each_jvm, fixture_classes, jdks, jvms, left_to_ci, skip,
};
use regex::Regex;

/// JUnit, and a folder with the compiled extension and sample tests.
struct Compiled {
    junit: PathBuf,
    classes: Workspace,
    /// What makes JUnit find the report.
    resources: PathBuf,
}

fn compiled() -> Option<&'static Compiled> {
    static COMPILED: OnceLock<Option<Compiled>> = OnceLock::new();
    COMPILED.get_or_init(|| compile().map_err(|why| skip("the JUnit 5 extension", &why)).ok()).as_ref()
}

fn compile() -> Result<Compiled, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiler-java/junit5");
    let fetched = Command::new(folder.join("fetch-junit")).output().map_err(|error| error.to_string())?;
    if !fetched.status.success() {
        return Err(String::from_utf8_lossy(&fetched.stderr).trim().to_owned());
    }
    let junit = PathBuf::from(String::from_utf8_lossy(&fetched.stdout).trim());
    let javac = jdks(11).first().and_then(Jvm::javac).ok_or("no javac")?;
    let classes = Workspace::new();
    let mut sources = Vec::new();
    for part in ["src", "tests"] {
        let files =
            walkdir::WalkDir::new(folder.join(part)).into_iter().flatten().map(walkdir::DirEntry::into_path);
        sources.extend(files.filter(|file| file.extension().is_some_and(|extension| extension == "java")));
    }
    let output = Command::new(javac)
        .args(["--release", "11", "-nowarn", "-cp"])
        .arg(format!("{}:{}", fixture_classes().display(), junit.display()))
        .arg("-d")
        .arg(classes.path())
        .args(sources)
        .output()
        .map_err(|error| error.to_string())?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(Compiled { junit, classes, resources: folder.join("resources") })
}

/// How the agent comes into the JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agent {
    /// Not at all.
    Forbidden,
    /// The API loads it when it is asked.
    Loaded,
    /// It is there from the start, and follows lifetimes.
    Profiles,
}

impl Agent {
    fn option(self) -> String {
        let agent = artifacts().agent.display();
        match self {
            Self::Forbidden => "-Dmayfly.selfload=false".into(),
            Self::Loaded => format!("-Dmayfly.agent={agent}"),
            Self::Profiles => format!("-agentpath:{agent}=#trackcollections#live-0"),
        }
    }
}

/// Runs the classes of tests whose names begin so with JUnit's launcher: its exit code and what it printed.
fn run(jvm: &Jvm, compiled: &Compiled, class: &str, agent: Agent) -> (Option<i32>, String) {
    run_with(jvm, compiled, class, &[agent.option()])
}

/// The same, with these options of the JVM.
fn run_with(jvm: &Jvm, compiled: &Compiled, class: &str, options: &[String]) -> (Option<i32>, String) {
    let paths = [compiled.classes.path(), &compiled.resources, fixture_classes(), &compiled.junit];
    let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    let output = Command::new(jvm.java())
        .args(options)
        .args(["-Dmayfly.assertgc.patience=60", "-cp", &paths.join(":")])
        .args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"])
        .args(["--disable-ansi-colors", "--details=tree", "--scan-classpath"])
        .arg(compiled.classes.path())
        .arg(format!("--include-classname={}.*Test", regex::escape(class)))
        .output()
        .expect("java starts");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn annotated_tests_pass() {
    let Some(compiled) = compiled() else { return };
    any_jvm(|jvm| {
        let (code, stdout) = run(jvm, compiled, "sample.Passing", Agent::Loaded);
        assert!(stdout.contains("[         6 tests successful      ]"), "on {jvm}:\n{stdout}");
        assert_eq!(code, Some(0), "on {jvm}:\n{stdout}");
    });
}

#[test]
fn annotated_tests_fail_with_what_holds_the_object() {
    let Some(compiled) = compiled() else { return };
    each_jvm(|jvm| {
        let (code, stdout) = run(jvm, compiled, "sample.Failing", Agent::Loaded);
        assert_eq!(code, Some(1), "on {jvm}:\n{stdout}");
        assert!(stdout.contains("[         6 tests failed          ]"), "on {jvm}:\n{stdout}");
        for expected in FAILURES {
            assert!(matches(expected, &stdout), "on {jvm} without\n{expected}\nin\n{stdout}");
        }
    });
}

/// `@#` stands for any hash code, `#` alone for any number.
fn matches(expected: &str, text: &str) -> bool {
    let pattern = regex::escape(expected).replace("@\\#", "@[0-9a-f]+").replace("\\#", "\\d+");
    Regex::new(&pattern).expect("a valid pattern").is_match(text)
}

const FAILURES: &[&str] = &[
    "=> java.lang.AssertionError: FailingTest.window is still reachable:
static java.util.List sample.Window.OPEN->
java.util.ArrayList@#-elementData->
[Ljava.lang.Object;@#-[0]->
sample.Window@#
",
    "=> java.lang.AssertionError: left behind by oneIsLeft(): 1 object, # bytes
  sample.Window: 1, #B

static java.lang.Object sample.FailingTest.kept->
[Ljava.lang.Object;@#-[0]->
sample.Window@#
",
    "=> java.lang.AssertionError: still reachable window, sample.Window:
static java.lang.Object sample.FailingTest.kept->
sample.Window@#
",
    "muchIsAllocated() allocated 1#",
    "over the limit of 65536 bytes (@MaxAllocated(\"64k\"))",
    "FailingTest.buffer: retains # bytes, # over the limit of 65536 bytes",
    "IllegalArgumentException: 'much' is no number of bytes: give digits, and k, m or g for powers of 1024",
];

/// Without the agent they fail, each with the reason.
#[test]
fn without_the_agent_annotated_tests_fail() {
    let Some(compiled) = compiled() else { return };
    any_jvm(|jvm| {
        let (code, stdout) = run(jvm, compiled, "sample.Passing", Agent::Forbidden);
        assert_eq!(code, Some(1), "on {jvm}:\n{stdout}");
        assert!(stdout.contains("[         4 tests failed          ]"), "on {jvm}:\n{stdout}");
        assert!(
            stdout.contains("AgentMissingException: Mayfly's agent is not in this JVM"),
            "on {jvm}:\n{stdout}"
        );
    });
}

/// From before `@BeforeEach` to after `@AfterEach`, on all threads, and how long objects live.
#[test]
fn what_is_asked_of_whole_tests_holds_or_fails_with_the_reason() {
    if left_to_ci("what JUnit asks of whole tests") {
        return;
    }
    let Some(compiled) = compiled() else { return };
    any_jvm(|jvm| {
        let (code, stdout) = run(jvm, compiled, "sample.Whole", Agent::Profiles);
        assert_eq!(code, Some(1), "on {jvm}:\n{stdout}");
        // Seven of one class, and two repetitions of the other.
        assert!(stdout.contains("[         9 tests successful      ]"), "on {jvm}:\n{stdout}");
        assert!(stdout.contains("[         7 tests failed          ]"), "on {jvm}:\n{stdout}");
        for expected in WHOLE_FAILURES {
            assert!(matches(expected, &stdout), "on {jvm} without\n{expected}\nin\n{stdout}");
        }
    });
}

const WHOLE_FAILURES: &[&str] = &[
    "=> java.lang.AssertionError: outlives afterEachLeavesOne(): 1 object, # bytes
  sample.Window: 1, #B

static java.lang.Object sample.WholeFailingTest.left->
sample.Window@#
",
    "more than 512k outlives muchIsLeft() (@MaxLive): # objects, # bytes
  [B: #, #B
",
    "static java.lang.Object sample.WholeFailingTest.left->
[B@#
",
    "anotherThreadAllocates() allocated 1# bytes on all threads, # over the limit of 65536 bytes",
    "repetition 2 of 3 allocated 3# bytes, ",
    "made meanwhile by all threads:
  byte[]: #, #B
",
    "a sample.Session of aSessionSurvives() survived 1 collections, the limit is 0 (@MaxLifetime)",
    "a sample.Session of aSessionLivesLong() was alive while the JVM allocated # bytes, the limit is 65536",
    "@MaxLifetime has no limit: give bytes, collections or millis",
];

/// Dynamic tests, a count that is switched off, and a listener that notes each collection.
#[test]
fn factories_and_listeners_are_asked_as_they_should() {
    let Some(compiled) = compiled() else { return };
    any_jvm(|jvm| {
        let (code, stdout) = run(jvm, compiled, "sample.Factory", Agent::Loaded);
        assert_eq!(code, Some(1), "on {jvm}:\n{stdout}");
        // Two dynamic tests, three repetitions and one more.
        assert!(stdout.contains("[         6 tests successful      ]"), "on {jvm}:\n{stdout}");
        assert!(stdout.contains("[         4 tests failed          ]"), "on {jvm}:\n{stdout}");
        for expected in FACTORY_FAILURES {
            assert!(matches(expected, &stdout), "on {jvm} without\n{expected}\nin\n{stdout}");
        }
    });
}

const FACTORY_FAILURES: &[&str] = &[
    "much allocated 1# bytes, # over the limit of 65536 bytes (@MaxAllocated(\"64k\"))",
    "most of it:
  byte[]: 100016 bytes in 1, sample.FactoryFailingTest.lambda$muchIsAllocated$#(FactoryFailingTest.java:#)
",
    "left behind by left behind: 1 object, # bytes
  sample.Window: 1, #B
",
    "the JVM's count of what threads allocate is switched off",
    "outlives twoAreLeft(): 3 objects, # bytes
",
    "static java.lang.Object sample.FactoryFailingTest.left->
[Ljava.lang.Object;@#-[0]->
sample.Window@#
",
    "static java.lang.Object sample.FactoryFailingTest.left->
[Ljava.lang.Object;@#-[#]->
sample.Session@#
",
];

/// Of what needs more than a library: lifetimes, and where the JVM does not have it the count of all threads.
#[test]
fn what_needs_an_agent_that_profiles_fails_without() {
    if left_to_ci("JUnit without profiling") {
        return;
    }
    let Some(compiled) = compiled() else { return };
    let jvm = &jvms()[0];
    let (code, stdout) = run(jvm, compiled, "sample.WholePassing", Agent::Loaded);
    assert_eq!(code, Some(1), "{stdout}");
    assert!(stdout.contains("@MaxLifetime needs an agent that follows lifetimes"), "{stdout}");
    let failed = if stdout.contains("@MaxAllocated(allThreads = true) needs an agent") { 2 } else { 1 };
    assert!(stdout.contains(&format!("[         {failed} tests failed          ]")), "on {jvm}:\n{stdout}");
    assert!(failed == 1 || jvm.feature < 21, "on {jvm}:\n{stdout}");
}

/// For each test what outlives it: not what only its own test object holds. On the oldest and the newest JVM.
#[test]
fn a_report_says_what_outlives_each_test() {
    if left_to_ci("the report of what outlives each test") {
        return;
    }
    let Some(compiled) = compiled() else { return };
    for jvm in [&jvms()[0], &jvms()[jvms().len() - 1]] {
        let folder = Workspace::new();
        let options = [
            Agent::Loaded.option(),
            "-Djunit.jupiter.extensions.autodetection.enabled=true".into(),
            format!("-Dmayfly.report={}", folder.file("report").display()),
        ];
        let (code, stdout) = run_with(jvm, compiled, "sample.Reported", &options);
        assert_eq!(code, Some(0), "on {jvm}:\n{stdout}");
        let report = std::fs::read_to_string(folder.file("report/mayfly-report-sample.ReportedTest.txt"));
        let report = report.unwrap_or_else(|error| panic!("{error} on {jvm}:\n{stdout}"));
        assert!(matches(REPORT, &report), "on {jvm} without\n{REPORT}\nin\n{report}");
    }
}

const REPORT: &str = "sample.ReportedTest: what outlives its tests

a(): 1 object, # bytes
  sample.Window: 1, #B

static java.util.List sample.Window.OPEN->
java.util.ArrayList@#-elementData->
[Ljava.lang.Object;@#-[0]->
sample.Window@#

b(): nothing

c(): 5 objects, # bytes
  sample.Window: 5, #B

static java.util.List sample.Window.OPEN->
";

/// A table for each class: each test's own objects by class and line, without what happens once, of which limits take no notice either.
#[test]
fn a_table_says_what_each_test_allocates_and_leaves_behind() {
    let Some(compiled) = compiled() else { return };
    let detected = "-Djunit.jupiter.extensions.autodetection.enabled=true".to_owned();
    each_jvm(|jvm| {
        let (code, stdout) =
            run_with(jvm, compiled, "sample.Table", &[Agent::Loaded.option(), detected.clone()]);
        assert_eq!(code, Some(0), "on {jvm}:\n{stdout}");
        for expected in TABLE {
            let row = Regex::new(expected).expect("a valid pattern");
            assert!(row.is_match(&stdout), "on {jvm} without\n{expected}\nin\n{stdout}");
        }
        let numbers = Regex::new(r"(?m)^ {2,36}(\d|left: ).*$").expect("a valid pattern");
        assert!(numbers.find_iter(&stdout).all(|line| line.as_str().chars().count() <= 140), "{stdout}");
    });
    any_jvm(|jvm| {
        let off = "-Dmayfly.table=off".to_owned();
        let options = [Agent::Loaded.option(), detected.clone(), off];
        let (code, stdout) = run_with(jvm, compiled, "sample.Table", &options);
        assert!(code == Some(0) && !stdout.contains("Mayfly:"), "on {jvm}:\n{stdout}");
        // An agent that profiles has the sampler: no table, and no failure for that.
        let (_, stdout) =
            run_with(jvm, compiled, "sample.Table", &[Agent::Profiles.option(), detected.clone()]);
        assert!(
            stdout.contains("Mayfly: no tables of what tests allocate: an agent that profiles"),
            "{stdout}"
        );
        assert!(!stdout.contains("oneStays() \u{2718}"), "{stdout}");
    });
}

/// The table notes each test before others that watch the same test ask what it left.
#[test]
fn what_a_table_keeps_is_not_left_by_its_tests() {
    let Some(compiled) = compiled() else { return };
    let detected = "-Djunit.jupiter.extensions.autodetection.enabled=true".to_owned();
    any_jvm(|jvm| {
        let options = [Agent::Loaded.option(), detected.clone()];
        let (code, stdout) = run_with(jvm, compiled, "sample.Watched", &options);
        assert!(stdout.contains("Mayfly: what the tests of sample.WatchedPassingTest allocate"), "{stdout}");
        assert_eq!(code, Some(0), "on {jvm}:\n{stdout}");
    });
}

/// Most first, whole lines of at most 140 columns; and at the end what is most over all classes.
const TABLE: &[&str] = &[
    r"Mayfly: what the tests of sample.TableTest allocate, and leave behind when all are done",
    r"  6\.87 KiB +2 +\d+ B +4\.90 KiB  oneStays\(\): byte\[\] 4\.90 KiB in 1, sample\.TableTest\.oneStays:38\n",
    r"\n {36}left: byte\[\] 4\.90 KiB in 1, sample\.TableTest\.oneStays:38\n",
    // The table of the class that is loaded is 40,016 bytes, or 80,016 without compressed references.
    r"   +48 B +2 +[3-9]\d\.\d KiB +0 B  aClassIsLoaded\(\)",
    r"   +\d+ B +\d+ +[\d.]+ KiB +0 B  aLambdaAndAConcatenation\(\): .* TableTest\.",
    r"  17\.6 KiB +6 +\d+ B +17\.6 KiB  isRepeated, 6 times: byte\[\] 17\.6 KiB in 6, sample\.TableOfManyTest\.isRepeated:15\n.*left: byte\[\] 17\.6 KiB in 6.*\n +10\.8 KiB .*makes11",
    r"makes3\(\).*\n +2\.96 KiB +2 .* in 2 test methods more",
    r"Mayfly: 20 tests of 2 classes allocated \d\d\.\d KiB; most:\n.*\n +17\.6 KiB .*TableOfManyTest\.isRepeated, 6 times: byte",
    r"Mayfly: most is left behind by:\n.*\n +17\.6 KiB +6 +\d+ B +17\.6 KiB  TableOfManyTest\.isRepeated, 6 times: byte",
];
