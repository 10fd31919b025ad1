//! `.ci/run` ends as its steps do: by its exit code, which is all that CI reads.
//!
//! The steps themselves are programs that do nothing here.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use mayfly_tests::{Workspace, workspace_root};

/// What the script runs beside its shell's own tools.
const COMMANDS: [&str; 7] = ["cargo", "java", "javac", "tmux", "gradle", "chromium", "chromedriver"];
const FETCHERS: [&str; 5] = [
    "scripts/fetch-jvms",
    "scripts/fetch-readers",
    "scripts/fetch-second-reader",
    "profiler-java/web/fetch-tomcat",
    "profiler-java/spark/fetch-spark",
];

/// Exit code of a copy of the script whose steps do nothing, but for `failing`, which exits with 7 where its arguments match `words`.
fn exit_code(failing: &str, words: &str) -> Option<i32> {
    let folder = Workspace::new();
    let commands = COMMANDS.map(|name| (name, format!("bin/{name}")));
    for (name, path) in commands.into_iter().chain(FETCHERS.map(|name| (name, name.to_owned()))) {
        let fails =
            if name == failing { format!("case \"$*\" in {words}) exit 7 ;; esac\n") } else { String::new() };
        write_program(&folder.path().join(path), &format!("#!/bin/sh\n{fails}"));
    }
    let script = folder.path().join(".ci/run");
    let text = fs::read_to_string(workspace_root().join(".ci/run")).expect("the script");
    write_program(&script, &text);
    let path = std::env::var("PATH").expect("PATH");
    let path = format!("{}:{path}", folder.path().join("bin").display());
    let run = Command::new(script).env("PATH", path).stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.expect("the script").code()
}

/// By another process: a program that one of ours still had open, as it began another, could not be run.
fn write_program(path: &Path, text: &str) {
    let mut install = Command::new("install")
        .args(["-D", "-m755", "/dev/stdin"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("install");
    install.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("room");
    assert!(install.wait().expect("install").success());
}

#[test]
fn it_ends_with_zero_where_all_went_well_and_with_an_error_otherwise() {
    assert_eq!(exit_code("nothing", ""), Some(0));
    for (failing, words) in [
        ("cargo", "clippy*"),
        ("cargo", "build*"),
        ("cargo", "*--no-run"),
        ("cargo", "'test --workspace'"),
        ("scripts/fetch-readers", "*"),
    ] {
        assert_eq!(exit_code(failing, words), Some(7), "{failing} {words}");
    }
    assert_eq!(
        exit_code("profiler-java/web/fetch-tomcat", "*"),
        Some(0),
        "tests of the console are skipped then"
    );
}
