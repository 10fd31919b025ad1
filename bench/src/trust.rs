//! The share of allocation the agent accounts for, read from its post-run text report. Other parts of the report are not read.

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

/// Folders of the agent's reports are named so, with the process id.
const REPORT_FOLDER: &str = "agent-";
/// The agent's report file in its output folder.
const REPORT_FILE: &str = "mayfly.log";

/// An agent ran but its report tells no share.
#[derive(Debug, Error)]
pub(crate) enum TrustError {
    /// The report is there, the trust line is not.
    #[error(
        "no trust line with a percentage in {0}: did the JVM end early, or has it no allocation counter?"
    )]
    NoTrustLine(PathBuf),
    /// Not readable.
    #[error("reading the agent's report: {0}")]
    Io(#[from] io::Error),
}

/// The lowest share (0 to 1) of bytes accounted for among the JVMs of a run; `None` if none of them wrote a report.
pub(crate) fn lowest_share(folder: &Path) -> Result<Option<f64>, TrustError> {
    let mut lowest: Option<f64> = None;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(REPORT_FOLDER) {
            continue;
        }
        let report = entry.path().join(REPORT_FILE);
        let share = share_in(&fs::read_to_string(&report)?).ok_or(TrustError::NoTrustLine(report))?;
        lowest = Some(lowest.map_or(share, |lowest| lowest.min(share)));
    }
    Ok(lowest)
}

/// The percentage at the end of the last trust line.
fn share_in(report: &str) -> Option<f64> {
    let line = report.lines().rev().map(str::trim).find(|line| line.starts_with("trust: "))?;
    let (before, _) = line.rsplit_once('%')?;
    let number = before.trim_end().rsplit(|c: char| !(c.is_ascii_digit() || c == '.')).next()?;
    number.parse::<f64>().ok().map(|percent| percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mayfly_profile::Trust;
    use mayfly_report::trust_block;

    fn block(accounted_bytes: u64, jvm_allocated_bytes: Option<u64>) -> String {
        trust_block(&Trust { accounted_bytes, jvm_allocated_bytes, ..Trust::default() })
    }

    #[test]
    fn the_last_trust_line_of_a_report_counts() {
        let report = format!("{}classes 50 %\n{}\n", block(1, Some(8)), block(9925, Some(10_000)));
        assert_eq!(share_in(&report), Some(0.9925));
        assert_eq!(share_in(&block(3, Some(2))), Some(1.5), "scalar replacement");
    }

    #[test]
    fn a_report_without_a_trust_line_has_no_share() {
        assert_eq!(share_in(&format!("classes 50 %\n{}", block(5, None))), None);
        assert_eq!(share_in("trust: % unknown"), None);
    }

    #[test]
    fn the_lowest_jvm_stands_for_the_run() {
        let folder = tempfile::tempdir().expect("temporary folder");
        assert_eq!(lowest_share(folder.path()).expect("readable"), None);
        for (pid, text) in [(1, block(999, Some(1000))), (2, block(975, Some(1000)))] {
            let reports = folder.path().join(format!("{REPORT_FOLDER}{pid}"));
            fs::create_dir(&reports).expect("create");
            fs::write(reports.join(REPORT_FILE), text).expect("write");
        }
        assert_eq!(lowest_share(folder.path()).expect("readable"), Some(0.975));
        fs::create_dir(folder.path().join("agent-3")).expect("create");
        fs::write(folder.path().join("agent-3/mayfly.log"), "cut").expect("write");
        assert!(matches!(lowest_share(folder.path()), Err(TrustError::NoTrustLine(_))));
    }
}
