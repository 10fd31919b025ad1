//! The live view in a real terminal: what is seen of a program that runs, and that the terminal is given back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::{
    Jvm, Launch, Profiled, Terminal, Workspace, any_jvm, artifacts, jvms, mayfly, shell_words,
};

const LEAK: &str = "demo.Demo$AuditEvent";
/// What the demo prints when it is done.
const DONE: &str = "requests";

/// `mayfly WORDS -- java demo.Demo SECONDS` for a shell.
fn run(jvm: &Jvm, words: &[&str], seconds: u32) -> String {
    let seconds = seconds.to_string();
    let launch = Launch::new(jvm, "demo.Demo").args(&[&seconds]);
    let mut all: Vec<PathBuf> = vec![artifacts().cli.clone(), "run".into()];
    all.extend(words.iter().map(PathBuf::from));
    all.extend(["--".into(), launch.java().to_owned()]);
    all.extend(launch.java_args().into_iter().map(PathBuf::from));
    shell_words(all.iter().map(PathBuf::as_path))
}

/// A run of the demo, a second long, that was recorded.
fn recorded(jvm: &Jvm) -> Profiled {
    let run = Profiled::new(jvm, "demo.Demo", "#trackcollections#trace").with(|launch| launch.args(&["1"]));
    run.run().ok();
    run
}

#[test]
fn a_program_is_watched_while_it_runs_and_its_output_comes_afterwards() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let recording = folder.file("run.mayfly").display().to_string();
        let command = run(jvm, &["--live-view", "--every-object", "-o", &recording], 12);
        let Some(terminal) = Terminal::run(100, 30, &command) else { return };
        let text = terminal.wait_until("a view", |text| text.contains("demo.Demo$Request"));
        assert!(text.contains("trust: ") && text.contains("lifetime by time"), "on {jvm}:\n{text}");
        assert!(!text.contains(DONE), "on {jvm}: the program's output among the view:\n{text}");
        // To the class by a filter, and to its curve.
        terminal.type_keys(&["/", "A", "u", "d", "i", "t", "Enter", "Enter"]);
        terminal.wait_until("a class", |text| text.contains(LEAK) && text.contains("site "));
        terminal.type_keys(&["Enter"]);
        terminal.wait_until("a stack", |text| text.contains("demo.Demo.main(Demo.java"));
        // Who holds it: only after a yes.
        terminal.type_keys(&["p"]);
        terminal.wait_until("a question", |text| text.contains("This stops the program"));
        terminal.type_keys(&["y"]);
        terminal.wait_until("a path", |text| text.contains("What holds") && text.contains("->"));
        terminal.resize(70, 20);
        terminal.wait_until("a word on its size", |text| text.contains("needs 80 x 24"));
        terminal.resize(100, 30);
        terminal.wait_until("a path again", |text| text.contains("What holds"));
        terminal.type_keys(&["Escape", "Escape", "Escape", "Escape"]);
        terminal.wait_until("the end of the program", |text| text.contains("  ended"));
        terminal.type_keys(&["q"]);
        let text = terminal.finish();
        assert!(text.contains(DONE), "on {jvm}: no output of the program in\n{text}");
        assert!(text.contains("recording "), "on {jvm}:\n{text}");
        assert!(!text.contains("lifetime by time"), "on {jvm}: the view is left behind:\n{text}");
    });
}

#[test]
fn a_view_that_is_left_early_leaves_the_terminal_to_the_program() {
    let Some(jvm) = jvms().first() else { return };
    let folder = Workspace::new();
    let recording = folder.file("run.mayfly").display().to_string();
    let Some(terminal) = Terminal::run(80, 24, &run(jvm, &["--live-view", "-o", &recording], 3)) else {
        return;
    };
    terminal.wait_until("a view", |text| text.contains("mayfly live  pid"));
    terminal.type_keys(&["q"]);
    let text = terminal.finish();
    assert!(text.contains(DONE), "{text}");
}

#[test]
fn the_terminal_is_given_back_whatever_ends_the_view() {
    let Some(jvm) = jvms().first() else { return };
    let (folder, run) = (Workspace::new(), recorded(jvm));
    let recording = run.recording();
    let view = shell_words([&*artifacts().cli, Path::new("live"), &recording]);
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let pid = folder.file(&format!("pid-{signal}"));
        let command = format!(
            "sh -c 'echo $$ > \"$1\"; exec {}' sh '{}'; echo LEFT $?; stty -a",
            view.replace('\'', ""),
            pid.display()
        );
        let Some(terminal) = Terminal::run(80, 24, &command) else { return };
        terminal.wait_until("a view", |text| text.contains("trust: "));
        let pid = fs::read_to_string(pid).expect("written before the view began");
        let killed = Command::new("kill").args([&format!("-{signal}"), pid.trim()]).status();
        assert!(killed.expect("kill").success());
        let text = terminal.finish();
        assert!(text.contains(&format!("LEFT {code}")), "{text}");
        let words: Vec<_> = text.split([' ', ';', '\n']).collect();
        assert!(words.contains(&"icanon") && words.contains(&"echo"), "raw after {signal}:\n{text}");
        assert!(!text.contains("trust: "), "the view is left behind:\n{text}");
    }
}

#[test]
fn a_view_ends_when_its_terminal_is_closed() {
    let Some(jvm) = jvms().first() else { return };
    let run = recorded(jvm);
    let workspace = Workspace::new();
    let pid_file = workspace.file("pid");
    let view = shell_words([&*artifacts().cli, Path::new("live"), &run.recording()]);
    let command = format!("sh -c \"echo \\$\\$ > {}; exec {view}\"", pid_file.display());
    let Some(terminal) = Terminal::run(80, 24, &command) else { return };
    terminal.wait_until("a view", |text| text.contains("trust: "));
    let pid = fs::read_to_string(&pid_file).expect("a file").trim().to_owned();
    drop(terminal);
    let gone = format!("--pid={pid}");
    let waited = Command::new("timeout").args(["20", "tail", &gone, "-f", "/dev/null"]).status();
    let ended = waited.is_ok_and(|status| status.success());
    if !ended {
        let _ = Command::new("kill").args(["-KILL", &pid]).status();
    }
    assert!(ended, "the view goes on without its terminal");
}

#[test]
fn no_colours_are_used_where_none_are_wanted() {
    let Some(jvm) = jvms().first() else { return };
    let run = recorded(jvm);
    let recording = run.recording();
    let view = shell_words([&*artifacts().cli, Path::new("live"), &recording]);
    for (environment, colour, ascii) in [("NO_COLOR=1", false, false), ("LC_ALL=C", true, true)] {
        let Some(terminal) = Terminal::run(80, 24, &format!("{environment} {view}")) else { return };
        terminal.wait_until("a view", |text| text.contains("trust: "));
        terminal.type_keys(&["?", "q"]);
        terminal.finish();
        let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
        let coloured = raw
            .split('\u{1b}')
            .any(|it| it.starts_with("[38;5;") || it.starts_with("[3") && it.contains("m"));
        assert_eq!(coloured, colour, "{environment}: {raw:?}");
        assert_eq!(raw.is_ascii(), ascii, "{environment}: {raw:?}");
    }
}

#[test]
fn where_there_is_no_terminal_blocks_are_printed() {
    any_jvm(|jvm| {
        let run = recorded(jvm);
        let path = run.recording().display().to_string();
        let text = mayfly(["live", &path]).ok().stdout;
        assert_eq!(text.matches("mayfly  pid ").count(), 1, "on {jvm}:\n{text}");
        assert!(text.contains("\ntrust: ") && !text.contains('\u{1b}'), "on {jvm}:\n{text}");
    });
    let refused = mayfly(["run", "--live-view", "--", "java", "-version"]);
    assert_eq!(refused.code(), Some(2));
    assert!(refused.stderr.contains("--live-view needs a terminal"), "{}", refused.stderr);
}
