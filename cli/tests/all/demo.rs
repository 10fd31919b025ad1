//! `mayfly demo` with a shell script in place of a JDK; and its program, compiled by a real one.
//!
//! Not here: the demo under the real agent.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use mayfly_profile::{ClassCounts, ClassId, Progress, Tally, Update};
use mayfly_recording::RecordingWriter;

/// Says what it is given, and leaves a ready-made recording where the agent would.
const JAVA: &str = r#"
for a in "$@"; do echo "arg $a"; done
to="${1##*#recording-}"
/bin/cp "${0%/*}/ready" "${to%%#*}""#;

/// A folder that looks like a JDK's.
struct Jdk(tempfile::TempDir);

impl Jdk {
    fn new(javac: Option<&str>) -> Self {
        let jdk = Self(tempfile::tempdir().expect("temporary folder"));
        fs::create_dir(jdk.path("bin")).expect("create");
        fs::write(jdk.path("bin/ready"), recording()).expect("write");
        fs::write(jdk.path("libmayfly.so"), "").expect("write");
        jdk.script("bin/java", JAVA);
        if let Some(body) = javac {
            jdk.script("bin/javac", body);
        }
        jdk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().expect("exists").join(name)
    }

    /// Written by another process, see `run.rs`.
    fn script(&self, name: &str, body: &str) {
        let source = self.path("source");
        fs::write(&source, format!("#!/bin/sh\n{body}\n")).expect("write");
        let installed = Command::new("install").args(["-m", "755"]).arg(source).arg(self.path(name)).status();
        assert!(installed.expect("install").success());
    }

    fn demo(&self, options: &[&str]) -> Output {
        let mut command = Command::new(cargo_bin("mayfly"));
        command.current_dir(self.0.path()).env("MAYFLY_AGENT", self.path("libmayfly.so"));
        command.env("TMPDIR", self.0.path()).env("JAVA_HOME", self.0.path()).env("PATH", "/nowhere");
        command.arg("demo").args(options).output().expect("runs")
    }
}

fn recording() -> Vec<u8> {
    let class = ClassCounts { id: ClassId(0), allocated: Tally::of(7, 16), lifetimes: None };
    let progress = Progress { duration_ms: 8_000, classes: vec![class], ..Progress::default() };
    let updates = [
        Update::Start(Box::default()),
        Update::Class { id: ClassId(0), name: "demo.Demo$Request".to_owned() },
        Update::from(progress),
        Update::End,
    ];
    let mut writer = RecordingWriter::new();
    updates.iter().flat_map(|update| writer.encode(update).expect("fits a frame")).collect()
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

#[test]
fn with_a_compiler_the_compiled_program_runs() {
    let jdk = Jdk::new(Some(r#"test "$2 $3 $4" = "--release 11 -d" -a -f "$6" -a -d "$5""#));
    let output = jdk.demo(&["--seconds", "3"]);
    let said = lines(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{:?}", lines(&output.stderr));
    assert!(said[0].starts_with("arg -agentpath:"), "{said:?}");
    assert!(said[0].split('#').any(|option| option == "live-4"), "{said:?}");
    assert_eq!((&*said[1], &*said[3], &*said[4]), ("arg -cp", "arg demo.Demo", "arg 3"));
    let folder = said[2].strip_prefix("arg ").expect("a folder");
    assert!(!Path::new(folder).exists(), "{folder} is left behind");
}

#[test]
fn without_a_compiler_the_source_runs() {
    let said = lines(&Jdk::new(None).demo(&[]).stdout);
    assert!(said[1].ends_with("/Demo.java"), "{said:?}");
    assert_eq!(said[2], "arg 8");
}

#[test]
fn the_report_follows_and_then_what_to_do_next() {
    let jdk = Jdk::new(None);
    let output = jdk.demo(&["-o", "d.mayfly"]);
    let shown = lines(&output.stdout);
    assert!(shown.iter().any(|line| line.trim() == "112 B  100 %  demo.Demo$Request"), "{shown:?}");
    let said = lines(&output.stderr);
    assert!(said.iter().any(|line| line == "The recording is d.mayfly. Next:"), "{said:?}");
    assert!(
        said.iter().any(|line| line.contains("report --include 'demo.Demo$AuditEvent' d.mayfly")),
        "{said:?}"
    );
}

#[test]
fn a_jvm_that_cannot_run_the_source_is_told_from_a_demo() {
    let jdk = Jdk::new(None);
    jdk.script("bin/java", "exit 1");
    let output = jdk.demo(&[]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = lines(&output.stderr);
    assert!(said.last().is_some_and(|line| line.contains("needs a JDK")), "{said:?}");
}

#[test]
fn what_is_missing_is_one_line_and_code_2() {
    let refusing = Jdk::new(Some("echo 'Demo.java:1: error: too old' >&2; exit 1"));
    for (output, word) in [
        (refusing.demo(&[]), "Demo.java:1: error: too old"),
        (refusing.demo(&["--java", "/nowhere"]), "/nowhere"),
    ] {
        let said = lines(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(said.len() == 1 && said[0].contains(word), "{said:?}");
    }
}

#[test]
fn a_real_compiler_accepts_the_program() {
    let javac =
        std::env::var_os("JAVA_HOME").map_or("javac".into(), |home| PathBuf::from(home).join("bin/javac"));
    let folder = tempfile::tempdir().expect("temporary folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo/Demo.java");
    match Command::new(&javac)
        .args(["-Xlint:all,-options", "-Werror", "--release", "11", "-d"])
        .arg(folder.path())
        .arg(source)
        .output()
    {
        Err(error) => eprintln!("skipped: no compiler {}: {error}", javac.display()),
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(folder.path().join("demo/Demo.class").is_file());
        }
    }
}
