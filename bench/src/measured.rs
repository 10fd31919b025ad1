//! A program run to its end: how long it took, its CPU time, and the most memory it had.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::jvm_wrapper::{MEASURED, REAL_JAVA, USAGE_FILE, Usage};

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    /// From its start to its end, by the clock; the wrapper's start, some milliseconds, included.
    pub(crate) wall: Duration,
    /// User and system CPU time, of processes that it waited for, too.
    pub(crate) cpu: Duration,
    /// Largest resident set, in KiB.
    pub(crate) max_rss_kib: u64,
}

/// Runs a program, its output thrown away.
///
/// # Errors
/// It did not start, or ended with another code than 0; then with what it said.
pub(crate) fn measure(program: &Path, arguments: &[OsString]) -> io::Result<Measured> {
    let folder = tempfile::tempdir()?;
    let usage_file = folder.path().join("usage");
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["jvm-wrapper", MEASURED]).args(arguments);
    command.env(REAL_JAVA, program).env(USAGE_FILE, &usage_file).stdin(Stdio::null());
    let start = Instant::now();
    let output = command.output()?;
    let wall = start.elapsed();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(io::Error::other(format!("{} ended with {}: {said}", program.display(), output.status)));
    }
    let usage = Usage::read_all(&usage_file)?;
    let usage = usage.first().ok_or_else(|| io::Error::other("the wrapper noted no usage"))?;
    Ok(Measured { wall, cpu: Duration::from_micros(usage.cpu_us), max_rss_kib: usage.max_rss_kib })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_no_measurement() {
        // The wrapper is this program, and in a test that is the test itself, which takes no such arguments.
        assert!(measure(Path::new("/nowhere/none"), &[]).is_err());
    }
}
