//! A real terminal, by tmux: a command in it, what is typed, what is on the screen and has scrolled out of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::launch::Workspace;
use crate::skip::skip;

/// How often the screen is looked at.
const LOOK: Duration = Duration::from_millis(50);
const LIMIT: Duration = Duration::from_secs(90);

/// A terminal of its own server, which ends with it.
#[derive(Debug)]
pub struct Terminal {
    workspace: Workspace,
}

impl Terminal {
    /// A terminal of so many columns and rows in which the shell runs a command. `None`, and a reason printed, if there is no
    /// tmux here.
    ///
    /// # Panics
    /// If tmux does not start.
    pub fn run(columns: u32, rows: u32, command: &str) -> Option<Self> {
        if !Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success()) {
            skip("terminal", "no tmux here");
            return None;
        }
        let terminal = Self { workspace: Workspace::new() };
        let settings = "set -g history-limit 50000\nset -g remain-on-exit on\nset -g status off\n";
        fs::write(terminal.file("settings"), settings).expect("a file");
        let (columns, rows) = (columns.to_string(), rows.to_string());
        // It begins after a line: what it writes is to be copied from the start.
        let gated = format!("read go; {command}; echo ENDED $?");
        terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", &rows, "sh", "-c", &gated]);
        terminal.tmux(&["pipe-pane", "-o", &format!("cat > {}", terminal.file("raw").display())]);
        terminal.type_line("go");
        Some(terminal)
    }

    /// Types a line.
    ///
    /// # Panics
    /// If the terminal is gone.
    #[track_caller]
    pub fn type_line(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Types keys, each as it is or by tmux's name for it (`Enter`, `Escape`, `Down`).
    ///
    /// # Panics
    /// If the terminal is gone.
    #[track_caller]
    pub fn type_keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Gives it another size.
    ///
    /// # Panics
    /// If the terminal is gone.
    #[track_caller]
    pub fn resize(&self, columns: u32, rows: u32) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// What is on the screen and above it; lines that were wrapped are whole.
    ///
    /// # Panics
    /// If the terminal is gone.
    #[track_caller]
    pub fn text(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// Every byte that was written to it.
    pub fn raw(&self) -> Vec<u8> {
        fs::read(self.file("raw")).unwrap_or_default()
    }

    /// Waits until something holds.
    ///
    /// # Panics
    /// With what is on the screen, if it does not in a minute and a half.
    #[track_caller]
    pub fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + LIMIT;
        loop {
            let text = self.text();
            if holds(&text) {
                return text;
            }
            assert!(Instant::now() < deadline, "never {what}:\n{text}");
            thread::sleep(LOOK);
        }
    }

    /// Waits until the command has ended, and says what is there then.
    ///
    /// # Panics
    /// If it does not end with 0.
    #[track_caller]
    pub fn finish(&self) -> String {
        let text = self.wait_until("an end", |text| text.lines().any(|line| line.starts_with("ENDED ")));
        assert!(text.lines().any(|line| line == "ENDED 0"), "not a good end:\n{text}");
        text
    }

    fn file(&self, name: &str) -> PathBuf {
        self.workspace.file(name)
    }

    #[track_caller]
    fn tmux(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.file("socket")).arg("-f").arg(self.file("settings")).args(args);
        command.env_remove("TMUX").envs(["LANG", "LC_ALL"].map(|name| (name, "C.UTF-8")));
        let output = command.output().expect("tmux starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let socket = self.file("socket");
        let _ = Command::new("tmux").arg("-S").arg(socket).arg("kill-server").output();
    }
}

/// Words as a shell takes them, each as it is.
pub fn shell_words<'a>(words: impl IntoIterator<Item = &'a Path>) -> String {
    let quoted = |word: &Path| format!("'{}'", word.display().to_string().replace('\'', r"'\''"));
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}
