//! `mayfly run` with shell scripts in place of JVMs: what they are given, and what comes back from them.
//!
//! Not here: the agent in a real JVM.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use wait_timeout::ChildExt;

/// A folder with an agent library in name only, in which `mayfly` is run.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("temporary folder");
        fs::write(root.path().join("libmayfly.so"), "").expect("write");
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().expect("exists").join(name)
    }

    /// An executable shell script. Another process writes it: a copy of our open file in a child that another test
    /// starts at that moment would make it busy.
    fn script(&self, name: &str, body: &str) -> PathBuf {
        let (source, path) = (self.path("source"), self.path(name));
        fs::write(&source, format!("#!/bin/sh\n{body}\n")).expect("write");
        let installed = Command::new("install").args(["-m", "755"]).arg(source).arg(&path).status();
        assert!(installed.expect("install").success());
        path
    }

    /// `mayfly run OPTIONS -- PROGRAM ARGUMENTS`, not yet started.
    fn mayfly_run(&self, options: &[&str], program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(cargo_bin("mayfly"));
        command.current_dir(self.root.path()).arg("run").args(options).arg("--").arg(program).args(arguments);
        command.env("MAYFLY_AGENT", self.path("libmayfly.so")).env_remove("JAVA_TOOL_OPTIONS");
        command
    }
}

/// The same command, in which signals do what they do by default, even if we were started with some of them ignored, as by
/// `nohup` or in a script's background: a shell could set no trap for these.
fn heeding_signals(command: &Command) -> Command {
    let mut heeding = Command::new("env");
    heeding.arg("--default-signal").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => heeding.env(name, value),
            None => heeding.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        heeding.current_dir(folder);
    }
    heeding
}

const SAY_ARGUMENTS: &str = r#"for a in "$@"; do echo "arg $a"; done; echo "env $JAVA_TOOL_OPTIONS""#;

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

#[test]
fn a_java_launcher_gets_the_agent_as_its_first_argument() {
    let place = Place::new();
    let java = place.script("java", SAY_ARGUMENTS);
    let output =
        place.mayfly_run(&["-o", "r.mayfly"], &java, &["-jar", "my app.jar", "-x"]).output().expect("runs");
    let agent = format!(
        "arg -agentpath:{}=#sample-8k#sample-rate-500..2000#trace#lines#live-0#recording-{}",
        place.path("libmayfly.so").display(),
        place.path("r.mayfly").display()
    );
    assert_eq!(lines(&output.stdout), [&agent, "arg -jar", "arg my app.jar", "arg -x", "env "]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn other_programs_hand_the_agent_on_and_keep_the_tool_options_there_were() {
    let place = Place::new();
    let tool = place.script("mvn", SAY_ARGUMENTS);
    let mut command = place.mayfly_run(&["--counts-only", "--live=2", "-o", "/x/%p"], &tool, &["test"]);
    let output = command.env("JAVA_TOOL_OPTIONS", "-Xmx64m").output().expect("runs");
    let tool_options =
        format!("env -Xmx64m -agentpath:{}=#live-2#recording-/x/%p", place.path("libmayfly.so").display());
    assert_eq!(lines(&output.stdout), ["arg test", &tool_options]);
}

#[test]
fn the_exit_code_is_the_programs() {
    let place = Place::new();
    for (body, expected) in [("exit 0", 0), ("exit 1", 1), ("exit 143", 143), ("kill -9 $$", 137)] {
        let java = place.script("java", body);
        let status = place.mayfly_run(&[], &java, &[]).output().expect("runs").status;
        assert_eq!(status.code(), Some(expected), "{body}");
    }
}

#[test]
fn standard_streams_are_the_programs_own() {
    let place = Place::new();
    let java = place.script("java", "cat; echo problem >&2");
    let command = place.mayfly_run(&[], &java, &[]);
    let output = assert_cmd::Command::from_std(command).write_stdin("line in\n").output().expect("runs");
    assert_eq!(output.stdout, b"line in\n");
    assert_eq!(lines(&output.stderr)[0], "problem");
}

#[test]
fn the_end_says_where_the_recording_is() {
    let place = Place::new();
    fs::write(place.path("mayfly-1.mayfly"), "an older one").expect("write");
    let java = place.script("java", "echo new > mayfly-$$.mayfly; echo $$");
    let output = place.mayfly_run(&[], &java, &[]).output().expect("runs");
    let pid = lines(&output.stdout)[0].clone();
    let said = lines(&output.stderr);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains(&format!("report mayfly-{pid}.mayfly")), "{said:?}");
}

#[test]
fn all_recordings_of_a_script_are_named() {
    let place = Place::new();
    let tool = place.script("build", "echo 1 > mayfly-11.mayfly; echo 2 > mayfly-22.mayfly");
    let said = lines(&place.mayfly_run(&[], &tool, &[]).output().expect("runs").stderr);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("mayfly-11.mayfly") && said[1].contains("mayfly-22.mayfly"), "{said:?}");
}

#[test]
fn no_recording_is_said_too() {
    let place = Place::new();
    let java = place.script("java", "true");
    let said = lines(&place.mayfly_run(&[], &java, &[]).output().expect("runs").stderr);
    assert!(said.len() == 1 && said[0].contains("there is no recording"), "{said:?}");
}

#[test]
fn a_refusal_of_the_agent_stays_one_line() {
    let place = Place::new();
    let java = place.script("java", "echo 'mayfly: unknown option' >&2; exit 2");
    let output = place.mayfly_run(&[], &java, &[]).output().expect("runs");
    assert_eq!((output.status.code(), lines(&output.stderr).len()), (Some(2), 1));
}

#[test]
fn what_cannot_be_started_is_one_line_and_code_2() {
    let place = Place::new();
    fs::write(place.path("plain"), "no program").expect("write");
    let cases =
        [("no-such-program", "on the PATH"), ("./plain", "executable"), ("4711", "mayfly record PID")];
    for (program, word) in cases {
        let output = place.mayfly_run(&[], Path::new(program), &[]).output().expect("runs");
        let said = lines(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            said.len() == 1 && said[0].starts_with(&format!("mayfly: can't start {program}")),
            "{said:?}"
        );
        assert!(said[0].contains(word), "{said:?}");
    }
}

#[test]
fn a_missing_agent_is_one_line_and_code_2() {
    let place = Place::new();
    let java = place.script("java", "true");
    let mut command = place.mayfly_run(&[], &java, &[]);
    let output = command.env("MAYFLY_AGENT", "/nowhere/libmayfly.so").output().expect("runs");
    let said = lines(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.len() == 1 && said[0].contains("/nowhere/libmayfly.so"), "{said:?}");
}

/// Says which signal came, and ends with code 7.
const SAY_SIGNAL: &str = r#"
trap 'kill $pause; echo TERM; exit 7' TERM
trap 'kill $pause; echo INT; exit 7' INT
trap 'kill $pause; echo HUP; exit 7' HUP
trap 'echo QUIT' QUIT
sleep 60 & pause=$!
echo READY
while kill -0 $pause; do wait $pause; done
exit 99"#;

#[test]
fn signals_sent_to_mayfly_reach_the_program_which_decides() {
    let place = Place::new();
    let java = place.script("java", SAY_SIGNAL);
    for signal in ["TERM", "INT", "HUP"] {
        let (mut child, mut out) = started(heeding_signals(&place.mayfly_run(&[], &java, &[])));
        send(signal, child.id());
        assert_eq!(next_line(&mut out), signal);
        assert_eq!(ended(&mut child).code(), Some(7), "{signal}");
    }
}

#[test]
fn a_signal_that_the_program_survives_ends_nobody() {
    let place = Place::new();
    let java = place.script("java", SAY_SIGNAL);
    let (mut child, mut out) = started(heeding_signals(&place.mayfly_run(&[], &java, &[])));
    for signal in ["QUIT", "QUIT", "TERM"] {
        send(signal, child.id());
        assert_eq!(next_line(&mut out), signal);
    }
    let status = ended(&mut child);
    assert_eq!((status.code(), status.signal()), (Some(7), None));
}

#[test]
fn a_signal_that_is_ignored_stays_ignored_in_the_program() {
    let place = Place::new();
    let java = place.script("java", "grep SigIgn /proc/self/status");
    let ignored_hup = |prefix: &str| {
        let run = place.mayfly_run(&[], &java, &[]);
        let mut shell = Command::new("sh");
        shell.current_dir(place.root.path()).env("MAYFLY_AGENT", place.path("libmayfly.so"));
        shell
            .arg("-c")
            .arg(format!("{prefix} exec \"$@\""))
            .arg("sh")
            .arg(run.get_program())
            .args(run.get_args());
        let out = lines(&heeding_signals(&shell).output().expect("runs").stdout);
        let mask = out[0].split_whitespace().nth(1).expect("a mask");
        u64::from_str_radix(mask, 16).expect("hexadecimal") & 1 == 1
    };
    assert!(ignored_hup("trap '' HUP;"));
    assert!(!ignored_hup(""));
}

/// `script` gives it a terminal: what is typed goes to the whole process group. Two signals in a row may become one, so
/// it takes several to see that none comes twice; the last one goes by way of mayfly, behind all that it passed on.
#[test]
fn what_the_terminal_sends_arrives_once() {
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("skipped: no `script` program here, so no terminal");
        return;
    }
    let place = Place::new();
    let body = r#"
trap '' INT
sleep 60 & pause=$!
trap 'echo came INT' INT
trap 'kill $pause; echo came TERM; exit 7' TERM
echo READY
echo $PPID
while kill -0 $pause; do wait $pause; done
exit 99"#;
    let run = heeding_signals(&place.mayfly_run(&["--no-live"], &place.script("java", body), &[]));
    let (mut child, mut out) = started(on_terminal(&place, &run));
    let mayfly = next_line(&mut out).parse().expect("a process id");
    let mut keyboard = child.stdin.take().expect("piped");
    for _ in 0..200 {
        keyboard.write_all(b"\x03").expect("writable");
        // The terminal echoes the key before.
        let line = next_line(&mut out);
        assert!(line.ends_with("came INT"), "{line}");
    }
    send("TERM", mayfly);
    assert_eq!(next_line(&mut out), "came TERM");
    assert_eq!(ended(&mut child).code(), Some(7));
}

/// The same command on a terminal of its own, in place of the shell that `script` would start.
fn on_terminal(place: &Place, command: &Command) -> Command {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_str().expect("UTF-8")).collect();
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &format!("exec {}", words.join(" ")), "/dev/null"]).stdin(Stdio::piped());
    terminal
        .current_dir(place.root.path())
        .env("SHELL", "/bin/sh")
        .env("MAYFLY_AGENT", place.path("libmayfly.so"));
    terminal
}

/// Starts it and waits for its READY.
fn started(mut command: Command) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    assert_eq!(next_line(&mut out), "READY");
    (child, out)
}

fn next_line(out: &mut impl BufRead) -> String {
    let mut line = String::new();
    out.read_line(&mut line).expect("readable");
    line.trim_end().to_owned()
}

fn send(signal: &str, pid: u32) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).status().expect("kill");
    assert!(sent.success());
}

/// Its end, within half a minute.
fn ended(child: &mut Child) -> ExitStatus {
    child.wait_timeout(Duration::from_secs(30)).expect("ours").unwrap_or_else(|| {
        let _ = child.kill();
        panic!("still running after 30 s")
    })
}
