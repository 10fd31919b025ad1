//! The JUnit 5 extension: annotated tests pass and fail as they say, with the path in the failure.
//!
//! JUnit comes from Maven's central repository; without it, or without a compiler, these tests are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use mayfly_tests::{Jvm, Workspace, artifacts, each_jvm, fixture_classes, jdks, skip};
use regex::Regex;

/// JUnit, and a folder with the compiled extension and sample tests.
struct Compiled {
    junit: PathBuf,
    classes: Workspace,
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
    Ok(Compiled { junit, classes })
}

/// Runs a class of tests with JUnit's launcher: its exit code and what it printed.
fn run(jvm: &Jvm, compiled: &Compiled, class: &str, agent: bool) -> (Option<i32>, String) {
    let paths = [compiled.classes.path(), fixture_classes(), &compiled.junit];
    let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    let library = if agent {
        format!("-Dmayfly.agent={}", artifacts().agent.display())
    } else {
        "-Dmayfly.selfload=false".into()
    };
    let output = Command::new(jvm.java())
        .args([&library, "-Dmayfly.assertgc.patience=60", "-cp", &paths.join(":")])
        .args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"])
        .args(["--disable-ansi-colors", "--details=tree", "--select-class", class])
        .output()
        .expect("java starts");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn annotated_tests_pass() {
    let Some(compiled) = compiled() else { return };
    each_jvm(|jvm| {
        let (code, stdout) = run(jvm, compiled, "sample.PassingTest", true);
        assert!(stdout.contains("[         6 tests successful      ]"), "on {jvm}:\n{stdout}");
        assert_eq!(code, Some(0), "on {jvm}:\n{stdout}");
    });
}

#[test]
fn annotated_tests_fail_with_what_holds_the_object() {
    let Some(compiled) = compiled() else { return };
    each_jvm(|jvm| {
        let (code, stdout) = run(jvm, compiled, "sample.FailingTest", true);
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
    each_jvm(|jvm| {
        let (code, stdout) = run(jvm, compiled, "sample.PassingTest", false);
        assert_eq!(code, Some(1), "on {jvm}:\n{stdout}");
        assert!(stdout.contains("[         4 tests failed          ]"), "on {jvm}:\n{stdout}");
        assert!(
            stdout.contains("AgentMissingException: Mayfly's agent is not in this JVM"),
            "on {jvm}:\n{stdout}"
        );
    });
}
