//! A program that runs: waited for by lines and by the clock, never by sleeping.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fs, mem};

use wait_timeout::ChildExt;

/// A process is idle if it used no clock tick (usually 10 ms) of CPU for so long.
const IDLE: Duration = Duration::from_millis(50);
/// How often a folder is looked into.
const POLL: Duration = Duration::from_millis(10);

/// What a finished program left.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Everything on stdout.
    pub stdout: String,
    /// Everything on stderr.
    pub stderr: String,
    /// How it ended.
    pub status: ExitStatus,
}

impl Outcome {
    /// The exit code; `None` if a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Itself, if the program ended with 0.
    ///
    /// # Panics
    /// With both streams, if it did not.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert!(self.status.success(), "{}\nstdout:\n{}\nstderr:\n{}", self.status, self.stdout, self.stderr);
        self
    }
}

/// A running program. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    seen: String,
    stderr: Option<JoinHandle<String>>,
    deadline: Instant,
}

impl Running {
    pub(crate) fn new(mut child: Child, limit: Duration) -> Self {
        let (sender, lines) = channel();
        let stdout = child.stdout.take().expect("stdout is piped");
        thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned() + "\n").is_err() {
                    return;
                }
            }
        });
        let mut stderr = child.stderr.take().expect("stderr is piped");
        let stderr = thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let stdin = child.stdin.take();
        let deadline = Instant::now() + limit;
        Self { child, stdin, lines, seen: String::new(), stderr: Some(stderr), deadline }
    }

    /// From now on it has so much time.
    pub fn set_limit(&mut self, limit: Duration) {
        self.deadline = Instant::now() + limit;
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line that starts so, and returns it.
    ///
    /// # Panics
    /// If the program ends or its time runs out before.
    #[track_caller]
    pub fn wait_for_line(&mut self, start: &str) -> String {
        loop {
            match self.lines.recv_timeout(self.left()) {
                Ok(line) => {
                    self.seen += &line;
                    if line.starts_with(start) {
                        return line.trim_end().to_owned();
                    }
                }
                Err(reason) => self.give_up(&format!("no line {start:?}: {reason}")),
            }
        }
    }

    /// Writes a line to its stdin.
    ///
    /// # Panics
    /// If the program no longer reads.
    #[track_caller]
    pub fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("the program reads its stdin");
    }

    /// The program, once it says that it is ready, by a line `READY`.
    ///
    /// # Panics
    /// If it ends or its time runs out before.
    #[track_caller]
    pub fn when_ready(mut self) -> Self {
        self.wait_for_line("READY");
        self
    }

    /// Has the program do what a line says, and waits until it says that it did, by a line `DID` and the same.
    ///
    /// # Panics
    /// If it ends or its time runs out before.
    #[track_caller]
    pub fn does(&mut self, line: &str) {
        self.send_line(line);
        self.wait_for_line(&format!("DID {line}"));
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Its resident memory, in bytes, by the kernel's account.
    ///
    /// # Panics
    /// If the program is gone.
    #[track_caller]
    pub fn resident_bytes(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("the program runs");
        status_bytes(&status, "VmRSS").expect("VmRSS in /proc/PID/status")
    }

    /// Waits until it uses no CPU: a program that waits for its stdin, and whose agent has caught up.
    ///
    /// # Panics
    /// If the program is gone or its time runs out before.
    #[track_caller]
    pub fn wait_until_idle(&mut self) {
        let mut before = None;
        while Instant::now() < self.deadline {
            let now = self.cpu_ticks();
            if before == Some(now) {
                return;
            }
            before = Some(now);
            thread::sleep(IDLE);
        }
        self.give_up("it was never idle");
    }

    /// Waits until a folder holds so many files, each with something in it, and returns them in order.
    ///
    /// # Panics
    /// If the program's time runs out before.
    #[track_caller]
    pub fn wait_for_files(&mut self, folder: &Path, number: usize) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let whole = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.len() > 0);
        self.wait_until(&format!("{} never held {number} files", folder.display()), || {
            files = files_in(folder);
            files.len() >= number && files.iter().all(whole)
        });
        files
    }

    /// Waits until something holds; `otherwise` says what was wrong if it never does.
    ///
    /// # Panics
    /// If the program's time runs out before.
    #[track_caller]
    pub fn wait_until(&mut self, otherwise: &str, mut holds: impl FnMut() -> bool) {
        while Instant::now() < self.deadline {
            if holds() {
                return;
            }
            thread::sleep(POLL);
        }
        self.give_up(otherwise);
    }

    /// User and system time of all its threads, in clock ticks.
    #[track_caller]
    fn cpu_ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).expect("the program runs");
        // After the name in parentheses: state is field 3, utime 14, stime 15 (proc_pid_stat(5)).
        let fields: Vec<_> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        [11, 12].iter().filter_map(|&at| fields.get(at)?.parse::<u64>().ok()).sum()
    }

    /// Closes its stdin and waits for its end.
    ///
    /// # Panics
    /// If its time runs out before.
    #[track_caller]
    pub fn finish(self) -> Outcome {
        self.try_finish().unwrap_or_else(|why| panic!("{why}"))
    }

    /// Closes its stdin and waits for its end.
    ///
    /// # Errors
    /// What it wrote, if its time runs out before. It is killed then.
    pub fn try_finish(mut self) -> Result<Outcome, String> {
        drop(self.stdin.take());
        loop {
            match self.lines.recv_timeout(self.left()) {
                Ok(line) => self.seen += &line,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => return Err(self.ended("it did not end in time")),
            }
        }
        let left = self.left();
        match self.child.wait_timeout(left).expect("a child can be waited for") {
            Some(status) => {
                let stderr = self.take_stderr();
                Ok(Outcome { stdout: mem::take(&mut self.seen), stderr, status })
            }
            None => Err(self.ended("it closed its stdout, but did not end in time")),
        }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn take_stderr(&mut self) -> String {
        self.stderr.take().map(|thread| thread.join().expect("the reader of stderr")).unwrap_or_default()
    }

    #[track_caller]
    fn give_up(&mut self, why: &str) -> ! {
        panic!("{}", self.ended(why));
    }

    /// Kills it, and tells why and what it wrote.
    fn ended(&mut self, why: &str) -> String {
        self.kill();
        let stderr = self.take_stderr();
        format!("{why}\nstdout:\n{}\nstderr:\n{stderr}", self.seen)
    }
}

/// A number of bytes in a text as in `/proc/PID/status`, e.g. `VmRSS`; `None` if there is none, as of a process that has ended
/// and was not waited for (proc_pid_status(5)).
pub fn status_bytes(status: &str, name: &str) -> Option<u64> {
    let value = |line: &str| {
        line.strip_prefix(name)?.strip_prefix(':')?.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    status.lines().find_map(value).map(|kib| kib << 10)
}

/// The files of a folder but hidden ones, in order; none if it is not there.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let shown = |entry: &fs::DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.filter(shown).map(|entry| entry.path()).collect();
    files.sort();
    files
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_of_who_runs() {
        let of_us = status_bytes(&fs::read_to_string("/proc/self/status").expect("we run"), "VmRSS");
        assert!(of_us.expect("resident") > 1 << 20, "{of_us:?}");
        assert_eq!(status_bytes("Name:\tjava\nVmRSS:\t   12 kB\n", "VmRSS"), Some(12 << 10));
        assert_eq!(status_bytes("Name:\tjava\nState:\tZ (zombie)\n", "VmRSS"), None);
    }
}
