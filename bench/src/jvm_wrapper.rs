//! Stands in for `java` in a script: runs the real one and notes what it used. Not part of any measurement itself.
//!
//! Only a command line that carries [`MEASURED`] is noted, so a script's own helper JVMs are left out.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use mayfly_tests::status_bytes;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::time::TimeValLike;
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::process::cpu_s;

/// Option that marks a JVM as one to measure; taken out before the JVM sees it.
pub(crate) const MEASURED: &str = "-Dmayfly.bench.measured";
/// Environment variable: path of the real launcher.
pub(crate) const REAL_JAVA: &str = "MAYFLY_BENCH_JAVA";
/// Environment variable: file to which one line per measured JVM is appended.
pub(crate) const USAGE_FILE: &str = "MAYFLY_BENCH_USAGE";

/// Environment variable: folder for a file of each measured JVM ([`moments_file`]) with a line for each second; none if it is not set.
pub(crate) const MOMENTS_FOLDER: &str = "MAYFLY_BENCH_MOMENTS";

const STEP: Duration = Duration::from_secs(1);

/// A JVM at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    /// Since it was begun.
    pub(crate) uptime_s: f64,
    /// User and system CPU time so far.
    pub(crate) cpu_s: f64,
    pub(crate) resident_bytes: u64,
}

impl Moment {
    /// Each moment of a file; of a JVM that ended at once there are none.
    pub(crate) fn read_all(file: &Path) -> io::Result<Vec<Self>> {
        each_line(file, Self::from_line)
    }

    fn to_line(self) -> String {
        format!("{:.3} {:.2} {}", self.uptime_s, self.cpu_s, self.resident_bytes)
    }

    fn from_line(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        Some(Self {
            uptime_s: words.next()?.parse().ok()?,
            cpu_s: words.next()?.parse().ok()?,
            resident_bytes: words.next()?.parse().ok()?,
        })
    }
}

/// What one JVM process used, by the kernel's account (getrusage(2), RUSAGE_CHILDREN: its own waited-for children included).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// User and system CPU time, in microseconds.
    pub(crate) cpu_us: u64,
    /// Largest resident set, in KiB.
    pub(crate) max_rss_kib: u64,
    /// Exit code as a shell shows it (128 + signal).
    pub(crate) exit: i32,
}

impl Usage {
    fn to_line(self) -> String {
        format!("cpu_us={} max_rss_kib={} exit={}\n", self.cpu_us, self.max_rss_kib, self.exit)
    }

    fn from_line(line: &str) -> Option<Self> {
        let field =
            |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        Some(Self {
            cpu_us: field("cpu_us")?.parse().ok()?,
            max_rss_kib: field("max_rss_kib")?.parse().ok()?,
            exit: field("exit")?.parse().ok()?,
        })
    }

    /// Every line of a usage file.
    pub(crate) fn read_all(file: &Path) -> io::Result<Vec<Self>> {
        each_line(file, Self::from_line)
    }
}

/// What stands in a file, one a line; of a file that is not there nothing. An unreadable line is an error, as it would lower a sum unnoticed.
fn each_line<T>(file: &Path, parse: impl Fn(&str) -> Option<T>) -> io::Result<Vec<T>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let parsed = |line| {
        parse(line).ok_or_else(|| io::Error::other(format!("not a line of {}: {line}", file.display())))
    };
    text.lines().map(parsed).collect()
}

/// A launcher script in `folder` which runs this program as wrapper; scripts get its path as `JAVA`.
pub(crate) fn write_launcher(folder: &Path) -> io::Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("java");
    let program = std::env::current_exe()?;
    let quoted = program.display().to_string().replace('\'', r"'\''");
    fs::write(&path, format!("#!/bin/sh\nexec '{quoted}' jvm-wrapper \"$@\"\n"))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

/// Runs the real java with `arguments`, notes its usage, and returns its exit code.
pub(crate) fn run(arguments: &[String]) -> io::Result<i32> {
    let variable =
        |name: &str| std::env::var(name).map_err(|_| io::Error::other(format!("{name} is not set")));
    let (java, usage_file) = (variable(REAL_JAVA)?, variable(USAGE_FILE)?);
    let measured = arguments.iter().any(|argument| argument == MEASURED);
    // Before the child exists, so that no signal meant for it is lost.
    let signals = Signals::new([SIGTERM, SIGHUP, SIGQUIT])?;
    let mut child =
        Command::new(java).args(arguments.iter().filter(|argument| *argument != MEASURED)).spawn()?;
    forward(signals, child.id());
    if let Some(folder) = std::env::var_os(MOMENTS_FOLDER).filter(|_| measured) {
        note_moments(child.id(), moments_file(Path::new(&folder), child.id()));
    }
    let exit = exit_code(child.wait()?);
    if measured {
        let mut file = OpenOptions::new().create(true).append(true).open(usage_file)?;
        file.write_all(usage_of_children(exit)?.to_line().as_bytes())?;
    }
    Ok(exit)
}

/// Where the moments of a JVM are noted.
pub(crate) fn moments_file(folder: &Path, pid: u32) -> PathBuf {
    folder.join(format!("moments-{pid}"))
}

fn forward(mut signals: Signals, child: u32) {
    let Ok(pid) = i32::try_from(child) else { return };
    thread::spawn(move || {
        for signal in signals.forever() {
            if let Ok(signal) = Signal::try_from(signal) {
                // Fails only if the JVM has just ended, which `wait` then tells.
                let _ = kill(Pid::from_raw(pid), signal);
            }
        }
    });
}

/// Until the process is gone, which the thread then is, too.
fn note_moments(pid: u32, path: PathBuf) {
    let began = Instant::now();
    thread::spawn(move || -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        loop {
            let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
            // A process that has ended and was not waited for yet has none.
            let Some(resident_bytes) = status_bytes(&status, "VmRSS") else { return Ok(()) };
            let moment =
                Moment { uptime_s: began.elapsed().as_secs_f64(), cpu_s: cpu_s(pid)?, resident_bytes };
            writeln!(file, "{}", moment.to_line())?;
            thread::sleep(STEP);
        }
    });
}

fn usage_of_children(exit: i32) -> io::Result<Usage> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu_us = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Usage { cpu_us: cpu_us.unsigned_abs(), max_rss_kib: usage.max_rss().unsigned_abs(), exit })
}

fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_lines_read_back() {
        let usage = Usage { cpu_us: 12_345, max_rss_kib: 678, exit: 143 };
        assert_eq!(Usage::from_line(&usage.to_line()), Some(usage));
        assert_eq!(Usage::from_line("cpu_us=1 max_rss_kib=2"), None);
        assert_eq!(Usage::from_line("cpu_us=x max_rss_kib=2 exit=0"), None);
    }

    #[test]
    fn moments_read_back_and_a_torn_line_is_an_error() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("moments");
        assert_eq!(Moment::read_all(&file).expect("missing is empty"), []);
        let moment = Moment { uptime_s: 1.5, cpu_s: 2.25, resident_bytes: 4_096 };
        fs::write(&file, format!("{}\n", moment.to_line())).expect("write");
        assert_eq!(Moment::read_all(&file).expect("one"), [moment]);
        fs::write(&file, "1.500 2.2").expect("write");
        assert!(Moment::read_all(&file).is_err());
    }

    #[test]
    fn a_torn_usage_file_is_an_error_and_a_missing_one_is_empty() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("usage");
        assert_eq!(Usage::read_all(&file).expect("missing is empty"), []);
        fs::write(&file, "cpu_us=1 max_rss_kib=2 exit=0\ncpu_us=3 max_r").expect("write");
        assert!(Usage::read_all(&file).is_err());
    }

    #[test]
    fn death_by_signal_shows_as_a_shell_shows_it() {
        assert_eq!(exit_code(ExitStatus::from_raw(9)), 137);
        assert_eq!(exit_code(ExitStatus::from_raw(2 << 8)), 2);
    }
}
