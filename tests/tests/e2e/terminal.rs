//! A program that talks with its user, under `mayfly run` in a real terminal: the terminal stays the program's.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mayfly_tests::{Jvm, Launch, Terminal, Workspace, artifacts, each_jvm_at_once, jvms, shell_words};

const SIZES: [(u32, u32); 3] = [(120, 40), (80, 18), (60, 15)];
const PROMPT: &str = "What is your name?";
/// How every live block begins.
const BLOCK: &str = "mayfly  pid ";

struct Talk {
    folder: Workspace,
    terminal: Terminal,
}

impl Talk {
    /// Starts it; `None` where there is no terminal.
    fn start(jvm: &Jvm, size: (u32, u32), environment: &str, options: &[&str]) -> Option<Self> {
        let folder = Workspace::new();
        let stood = folder.file("stood").display().to_string();
        let launch = Launch::new(jvm, "dialog.Dialog").args(&[&stood]);
        let mut words: Vec<PathBuf> = vec![artifacts().cli.clone(), "run".into(), "-o".into()];
        words.push(folder.file("run.mayfly"));
        words.extend(options.iter().map(PathBuf::from));
        words.extend(["--".into(), launch.java().to_owned()]);
        words.extend(launch.java_args().into_iter().map(PathBuf::from));
        let command = format!("{environment} {}", shell_words(words.iter().map(PathBuf::as_path)));
        Some(Self { terminal: Terminal::run(size.0, size.1, &command)?, folder })
    }

    /// Answers once the question has stood for some seconds. All that was there in the end.
    fn finish(&self) -> String {
        let asked = |text: &str| text.contains(PROMPT) && self.folder.file("stood").exists();
        self.terminal.wait_until("a question", asked);
        self.terminal.type_line("Ada");
        self.terminal.finish()
    }
}

/// Those of the `expected` lines that are not there.
fn missing(text: &str, expected: impl Iterator<Item = String>) -> Vec<String> {
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    expected.filter(|line| !lines.contains(&line.as_str())).collect()
}

/// Every line, the whole question, and an answer that was understood.
fn check(text: &str, prompt: &str) {
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    let missing = missing(text, (1..=2000).map(|number| format!("line {number} of 2000")));
    assert_eq!(missing, Vec::<String>::new(), "in\n{text}");
    assert!(lines.contains(&prompt), "no line {prompt:?} in\n{text}");
    assert!(lines.contains(&"Good day, Ada!"), "no greeting in\n{text}");
}

#[test]
fn the_terminal_is_the_programs() {
    each_jvm_at_once(|jvm| {
        for talk in SIZES.map(|size| Talk::start(jvm, size, "", &[])) {
            let Some(talk) = talk else { return };
            let text = talk.finish();
            check(&text, &format!("{PROMPT} Ada"));
            assert!(!text.contains(BLOCK), "on {jvm}: a live block in\n{text}");
            assert!(text.contains("status"), "on {jvm}: no hint in\n{text}");
            assert!(!talk.terminal.raw().contains(&0x1b), "on {jvm}: escapes");
        }
    });
}

#[test]
fn blocks_that_are_asked_for_stand_between_what_the_program_writes() {
    each_jvm_at_once(|jvm| {
        let talks = SIZES.map(|size| (size, Talk::start(jvm, size, "", &["--live=1"])));
        for ((columns, _), talk) in talks {
            let Some(talk) = talk else { return };
            let text = talk.finish();
            check(&text, PROMPT);
            let blocks: Vec<_> = text.split(BLOCK).skip(1).collect();
            assert!(blocks.len() >= 4, "on {jvm}: {} blocks in\n{text}", blocks.len());
            let wide = text.lines().filter(|line| line.chars().count() > columns as usize);
            let wide: Vec<_> = wide.filter(|line| line.starts_with(BLOCK)).collect();
            assert_eq!(wide, Vec::<&str>::new(), "on {jvm}: wrapped");
            assert!(!talk.terminal.raw().contains(&0x1b), "on {jvm}: escapes");
        }
    });
}

#[test]
fn a_terminal_that_shows_ascii_only_gets_nothing_else() {
    let Some(jvm) = jvms().first() else { return };
    let talks = [("TERM=dumb", "#redraw"), ("LC_ALL=C", "")].map(|(environment, options)| {
        let options = ["--live=1", "--agent-options", options];
        (environment, Talk::start(jvm, (80, 18), environment, &options))
    });
    for (environment, talk) in talks {
        let Some(talk) = talk else { return };
        check(&talk.finish(), PROMPT);
        let raw = talk.terminal.raw();
        assert!(raw.is_ascii() && !raw.contains(&0x1b), "{environment}:\n{}", String::from_utf8_lossy(&raw));
    }
}

/// `mayfly demo` for four seconds, with this launcher.
fn demo(java: &Path, recording: &Path) -> String {
    let words: [&Path; 7] = [
        &artifacts().cli,
        Path::new("demo"),
        Path::new("--java"),
        java,
        Path::new("--seconds=4"),
        Path::new("-o"),
        recording,
    ];
    shell_words(words)
}

#[test]
fn blocks_that_are_drawn_over_do_not_pile_up() {
    let Some(jvm) = jvms().first() else { return };
    let demos = SIZES.map(|(columns, rows)| {
        let folder = Workspace::new();
        let command = demo(&jvm.java(), &folder.file("demo.mayfly"));
        (columns, rows, Terminal::run(columns, rows, &command), folder)
    });
    for (columns, rows, terminal, _folder) in demos {
        let Some(terminal) = terminal else { return };
        let text = terminal.finish();
        let written = String::from_utf8_lossy(&terminal.raw()).into_owned();
        assert_eq!(text.matches(BLOCK).count(), 1, "at {columns}x{rows}:\n{text}\nwritten: {written:?}");
        let drawn = written.matches(BLOCK).count();
        assert!(drawn >= 3, "at {columns}x{rows}: drawn {drawn} times");
    }
}

/// The demo's last line may come before its last block; here others come between all of them.
#[test]
fn nothing_that_the_demo_writes_is_drawn_over() {
    // Two seconds of the demo's four.
    const SAID: u32 = 20;
    let Some(jvm) = jvms().first() else { return };
    let folder = Workspace::new();
    let java = folder.file("java");
    let real = jvm.java();
    let script = format!(
        "#!/bin/sh\n(for n in $(seq {SAID}); do echo \"said $n meanwhile\"; sleep 0.1; done) &\nexec {} \"$@\"\n",
        shell_words([real.as_path()])
    );
    fs::write(&java, script).expect("written");
    fs::set_permissions(&java, fs::Permissions::from_mode(0o755)).expect("executable");
    let command = demo(&java, &folder.file("demo.mayfly"));
    let environment = real.parent().and_then(Path::parent).expect("a JVM's folder");
    let command = format!("JAVA_HOME={} {command}", shell_words([environment]));
    let Some(terminal) = Terminal::run(120, 40, &command) else { return };
    let text = terminal.finish();
    let missing = missing(&text, (1..=SAID).map(|number| format!("said {number} meanwhile")));
    let written = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert_eq!(missing, Vec::<String>::new(), "in\n{text}\nwritten: {written:?}");
    assert_eq!(text.matches(BLOCK).count(), 1, "\n{text}\nwritten: {written:?}");
    assert!(text.contains("served "), "\n{text}");
}
