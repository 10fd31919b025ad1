//! Build tools: a JVM that starts others, all under the agent by `mayfly run`, each with a recording of its own; and the examples
//! of tests that Maven and Gradle run with the JUnit extension.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use mayfly_tests::{
    JsonReport, Jvm, Launch, Workspace, any_jvm, artifacts, files_in, jvms, left_to_ci, mayfly, skip,
    workspace_root,
};

/// Objects of the first JVM, of the two that it starts, and of the four that these start.
const ITEMS: &[&str] = &["1000", "2000", "3000"];
const JVMS: usize = 7;

/// Objects by process id, as the program says; recordings by name, and what `mayfly run` said.
struct Built {
    made: BTreeMap<u64, u64>,
    said: String,
}

/// By way of a script, as `mvn` is one.
fn build(jvm: &Jvm, output: &Path) -> Built {
    let mut words: Vec<OsString> = ["run", "--counts-only", "-o"].map(OsString::from).into();
    words.extend([output.as_os_str().to_owned(), "--".into()]);
    words.extend(["sh", "-c", "\"$@\"", "sh"].map(OsString::from));
    let launch = Launch::new(jvm, "builds.Build").args(ITEMS);
    words.push(launch.java().into());
    words.extend(launch.java_args());
    let outcome = mayfly(words).ok();
    let fields = outcome.stdout.lines().filter_map(|line| line.strip_prefix("JVM ")?.split_once(' '));
    let number = |text: &str| text.parse().expect("a number");
    let made: BTreeMap<_, _> = fields.map(|(pid, items)| (number(pid), number(items))).collect();
    assert_eq!(made.len(), JVMS, "on {jvm}:\n{}", outcome.stdout);
    Built { made, said: outcome.stderr }
}

/// Each JVM has a recording, with its objects, to its end; and `mayfly run` has named each.
#[track_caller]
fn check(jvm: &Jvm, built: &Built, recordings: &[PathBuf]) {
    let mut told = BTreeMap::new();
    for recording in recordings {
        let json = JsonReport::of(recording);
        assert_eq!(json.0["complete"], true, "{} on {jvm}", recording.display());
        let pid = json.0["jvm"]["pid"].as_u64().expect("a process id");
        told.insert(pid, json.allocated()["builds.Build$Item"].objects);
        let name = recording.display().to_string();
        assert!(built.said.contains(&name), "{name} is not named on {jvm}:\n{}", built.said);
    }
    assert_eq!(told, built.made, "on {jvm}");
}

#[test]
fn each_jvm_of_a_build_has_its_recording() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let built = build(jvm, &folder.file("%p.mayfly"));
        check(jvm, &built, &files_in(folder.path()));
    });
}

#[test]
fn a_name_for_one_recording_is_not_written_by_two_jvms() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let built = build(jvm, &folder.file("build.mayfly"));
        let recordings = files_in(folder.path());
        assert!(recordings.contains(&folder.file("build.mayfly")), "on {jvm}: {recordings:?}");
        check(jvm, &built, &recordings);
    });
}

/// The example of Maven's Surefire: its tests pass, the report names what stays, the recording can be read. Offline; what is
/// missing is fetched once. On one JVM.
#[test]
fn the_example_for_surefire_runs_offline() {
    if left_to_ci("the example for Surefire") {
        return;
    }
    let Some(jars) = jars() else { return };
    let jvm = &jvms()[0];
    let folder = example();
    let mut options = vec![
        format!("-Dmayfly.jars={}", jars.display()),
        format!("-Dmayfly.agent={}", artifacts().agent.display()),
        format!("-Djvm={}", jvm.java().display()),
    ];
    options.extend(["-B".into(), "test".into()]);
    let place = folder.file("maven");
    let Some(output) = offline("mvn", "-o", &options, &place) else { return };
    watched(jvm, &output, &place.join("target/mayfly"));
}

/// The same with Gradle. One before 4.6 knows no JUnit 5: there JUnit's console runs the tests, with all that the script says of them.
#[test]
fn the_example_for_gradle_runs_offline() {
    if left_to_ci("the example for Gradle") {
        return;
    }
    let Some(jars) = jars() else { return };
    let gradle = std::env::var("MAYFLY_GRADLE").unwrap_or_else(|_| "gradle".into());
    let Ok(version) = Command::new(&gradle).arg("--version").output() else {
        return skip("the example for Gradle", "no gradle on PATH, nor in MAYFLY_GRADLE");
    };
    let jvm = &jvms()[0];
    let folder = example();
    let mut options = vec![
        format!("-PmayflyJars={}", jars.display()),
        format!("-PmayflyAgent={}", artifacts().agent.display()),
        format!("-PtestJvm={}", jvm.java().display()),
    ];
    if has_no_junit_5(&String::from_utf8_lossy(&version.stdout)) {
        let script = workspace_root().join("tests/gradle/before-4.6.gradle");
        options.extend(["--init-script".into(), script.display().to_string()]);
    }
    options.extend(["--no-daemon", "test"].map(String::from));
    let place = folder.file("gradle");
    let Some(output) = offline(&gradle, "--offline", &options, &place) else { return };
    watched(jvm, &output, &place.join("build/mayfly"));
}

/// Whether a Gradle that says so of itself, `Gradle 4.4.1` on a line, is older than 4.6.
fn has_no_junit_5(version: &str) -> bool {
    let version = version.lines().find_map(|line| line.strip_prefix("Gradle "));
    let mut numbers = version.unwrap_or_default().split('.').map_while(|number| number.parse::<u32>().ok());
    let known = (numbers.next(), numbers.next());
    known.0.is_some() && known < (Some(4), Some(6))
}

/// A folder with the API's jar and the JUnit extension's.
fn jars() -> Option<&'static Path> {
    static JARS: OnceLock<Option<Workspace>> = OnceLock::new();
    let build = || {
        let folder = Workspace::new();
        for (part, jar) in [("api", "mayfly-api.jar"), ("junit5", "mayfly-junit5.jar")] {
            let script = workspace_root().join("profiler-java").join(part).join("build");
            let output = Command::new(script).arg(folder.file(jar)).output().expect("a script runs");
            if !folder.file(jar).is_file() {
                skip("examples for build tools", String::from_utf8_lossy(&output.stderr).trim());
                return None;
            }
        }
        Some(folder)
    };
    JARS.get_or_init(build).as_ref().map(Workspace::path)
}

/// A copy of the examples, where they may write.
fn example() -> Workspace {
    let folder = Workspace::new();
    let examples = workspace_root().join("profiler-java/junit5/examples");
    for entry in walkdir::WalkDir::new(&examples).into_iter().flatten() {
        let place = folder.path().join(entry.path().strip_prefix(&examples).expect("it is inside"));
        if entry.file_type().is_dir() {
            fs::create_dir_all(&place).expect("a folder can be made");
        } else {
            fs::copy(entry.path(), &place).expect("a file can be copied");
        }
    }
    folder
}

/// What Surefire, Gradle and JUnit's console say once tests have run: then nothing was missing.
const RAN: [&str; 3] = ["Tests run: ", "There were failing tests", " tests found "];

/// Runs a build tool without network, after a run with it if something is missing; `None` if that cannot be had.
fn offline(tool: &str, flag: &str, options: &[String], folder: &Path) -> Option<String> {
    let run = |flags: &[&str]| {
        let output = Command::new(tool).args(flags).args(options).current_dir(folder).output();
        let output = output.map_err(|error| error.to_string())?;
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if output.status.success() { Ok(said) } else { Err(said) }
    };
    let said = match run(&[flag]) {
        Err(why) if !RAN.iter().any(|said| why.contains(said)) => {
            if let Err(why) = run(&[]) {
                skip(&format!("the example for {tool}"), &format!("it cannot fetch what it needs: {why}"));
                return None;
            }
            run(&[flag])
        }
        said => said,
    };
    Some(said.unwrap_or_else(|said| panic!("{tool} {flag} fails:\n{said}")))
}

/// What the agent and the extension have left in a folder.
#[track_caller]
fn watched(jvm: &Jvm, output: &str, folder: &Path) {
    let report = fs::read_to_string(folder.join("mayfly-report-shop.BasketTest.txt"));
    let report = report.unwrap_or_else(|error| panic!("{error} on {jvm}:\n{output}"));
    let held = "static java.util.List shop.BasketTest$Basket.FORGOTTEN->";
    assert!(
        report.contains("aBasketIsForgotten(): 1 object, ") && report.contains(held),
        "on {jvm}:\n{report}"
    );
    assert!(report.contains("aBasketGoes(): nothing"), "on {jvm}:\n{report}");
    let json = JsonReport::of(&folder.join("tests.mayfly"));
    assert!(json.allocated().contains_key("shop.BasketTest$Basket"), "on {jvm}");
}
