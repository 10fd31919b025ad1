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
    #[error("no trust line (\"… % accounted\") in {0}: did the JVM end early, or does its wording differ?")]
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

/// The percentage in the last line that says what is accounted for.
fn share_in(report: &str) -> Option<f64> {
    let line = report.lines().rev().find(|line| line.contains("accounted") && line.contains('%'))?;
    let (before, _) = line.split_once('%')?;
    let number = before.trim_end().rsplit(|c: char| !(c.is_ascii_digit() || c == '.')).next()?;
    number.parse::<f64>().ok().map(|percent| percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_trust_line_counts() {
        let report = "Trust: 12.5 % accounted\nclasses 50 %\nTrust: 99.25 % of bytes accounted for\n";
        assert_eq!(share_in(report), Some(0.9925));
        assert_eq!(share_in("Trust: accounted for 100%, 3 refusals"), Some(1.0));
    }

    #[test]
    fn a_report_without_a_trust_line_has_no_share() {
        assert_eq!(share_in("classes 50 %\naccounted: unknown\n"), None);
        assert_eq!(share_in("accounted % unknown"), None);
    }

    #[test]
    fn the_lowest_jvm_stands_for_the_run() {
        let folder = tempfile::tempdir().expect("temporary folder");
        assert_eq!(lowest_share(folder.path()).expect("readable"), None);
        for (pid, text) in [(1, "99.9 % accounted"), (2, "97.5 % accounted")] {
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
