//! A build tool: a JVM that starts others, all under the agent by `mayfly run`. Each has a recording of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use mayfly_tests::{JsonReport, Jvm, Launch, Workspace, each_jvm, files_in, mayfly};

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
    each_jvm(|jvm| {
        let folder = Workspace::new();
        let built = build(jvm, &folder.file("%p.mayfly"));
        check(jvm, &built, &files_in(folder.path()));
    });
}

#[test]
fn a_name_for_one_recording_is_not_written_by_two_jvms() {
    each_jvm(|jvm| {
        let folder = Workspace::new();
        let built = build(jvm, &folder.file("build.mayfly"));
        let recordings = files_in(folder.path());
        assert!(recordings.contains(&folder.file("build.mayfly")), "on {jvm}: {recordings:?}");
        check(jvm, &built, &recordings);
    });
}
