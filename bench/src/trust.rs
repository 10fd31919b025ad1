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

/// What the agents of a run's JVMs say of themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trust {
    /// The lowest share (0 to 1; above 1 with scalar replacement) of bytes accounted for among the JVMs.
    pub(crate) share: f64,
    /// The lowest share that is counted or explained; `None` if a report does not say.
    pub(crate) explained: Option<f64>,
    /// Objects that should have been tracked and were not, in all JVMs: a cost not paid.
    pub(crate) dropped: u64,
    /// In how many JVMs what was live after collections may be what lifetimes say.
    pub(crate) law_holds: u64,
    /// In how many JVMs it is not.
    pub(crate) law_fails: u64,
}

/// Trust of a run; `None` if no JVM wrote a report.
pub(crate) fn read(folder: &Path) -> Result<Option<Trust>, TrustError> {
    let mut trust: Option<Trust> = None;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(REPORT_FOLDER) {
            continue;
        }
        let report = entry.path().join(REPORT_FILE);
        let text = fs::read_to_string(&report)?;
        let share = share_in(&text).ok_or(TrustError::NoTrustLine(report))?;
        let explained = percent_behind(&text, "counted or explained: ");
        let law = law_in(&text);
        let nothing = Trust { share, explained, dropped: 0, law_holds: 0, law_fails: 0 };
        let before = trust.unwrap_or(nothing);
        trust = Some(Trust {
            share: before.share.min(share),
            explained: before.explained.zip(explained).map(|(before, this)| before.min(this)),
            dropped: before.dropped + dropped_in(&text),
            law_holds: before.law_holds + u64::from(law == Some(true)),
            law_fails: before.law_fails + u64::from(law == Some(false)),
        });
    }
    Ok(trust)
}

/// Sum of the `dropped: N objects …` lines of the last report.
fn dropped_in(report: &str) -> u64 {
    let last: Vec<&str> =
        report.lines().rev().map(str::trim).take_while(|line| !line.starts_with("trust: ")).collect();
    let dropped = last.iter().filter_map(|line| line.strip_prefix("dropped: ")?.split(' ').next());
    dropped.filter_map(|number| number.parse::<u64>().ok()).sum()
}

/// Whether both sides of Little's law agree in the last report that has them.
fn law_in(report: &str) -> Option<bool> {
    let line = report.lines().rev().map(str::trim).find(|line| line.starts_with("Little's law: "))?;
    Some(!line.ends_with(": they disagree"))
}

/// The percentage right behind the last `label` at the start of a line.
fn percent_behind(report: &str, label: &str) -> Option<f64> {
    let line = report.lines().rev().find_map(|line| line.trim().strip_prefix(label))?;
    line.split(' ').next()?.parse::<f64>().ok().map(|percent| percent / 100.0)
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
    use mayfly_profile::{Dropped, EngineKind};
    use mayfly_report::trust_block;

    const EXACT: EngineKind = EngineKind::Exact;

    #[test]
    fn the_explained_share_of_the_last_report_counts() {
        let of = |bytes| mayfly_profile::Trust {
            accounted_bytes: 9_000,
            jvm_allocated_bytes: Some(10_000),
            remainder: vec![mayfly_profile::Remainder::exact("start-up", bytes)],
            ..Default::default()
        };
        let report = format!("{}{}", trust_block(&of(100), EXACT), trust_block(&of(995), EXACT));
        assert_eq!(percent_behind(&report, "counted or explained: "), Some(0.9995));
        assert_eq!(percent_behind(&block(1, None), "counted or explained: "), None);
    }

    fn block(accounted_bytes: u64, jvm_allocated_bytes: Option<u64>) -> String {
        let dropped = vec![Dropped { cause: "memory limit".into(), objects: 7 }];
        trust_block(
            &mayfly_profile::Trust { accounted_bytes, jvm_allocated_bytes, dropped, ..Default::default() },
            EXACT,
        )
    }

    #[test]
    fn dropped_objects_of_the_last_report_count() {
        assert_eq!(dropped_in(&format!("{}{}", block(1, Some(8)), block(2, Some(8)))), 7);
        assert_eq!(dropped_in("trust: 5 B counted\n  own cost: dropped: 3\n"), 0);
    }

    #[test]
    fn the_last_trust_line_of_a_report_counts() {
        let report = format!("{}classes 50 %\n{}\n", block(1, Some(8)), block(9925, Some(10_000)));
        assert_eq!(share_in(&report), Some(0.9925));
        assert_eq!(share_in(&block(3, Some(2))), Some(1.5), "scalar replacement");
    }

    #[test]
    fn littles_law_of_the_last_report_counts() {
        let line = "Little's law: 2 B held on average by lifetimes (1 B to 3 B), 2 B live after collections";
        assert_eq!(law_in(&format!("  {line}: they disagree\n  {line}\n")), Some(true));
        assert_eq!(law_in(&format!("  {line}\n  {line}: they disagree\n")), Some(false));
        assert_eq!(law_in(&block(5, None)), None);
    }

    #[test]
    fn a_report_without_a_trust_line_has_no_share() {
        assert_eq!(share_in(&format!("classes 50 %\n{}", block(5, None))), None);
        assert_eq!(share_in("trust: % unknown"), None);
    }

    #[test]
    fn the_lowest_jvm_stands_for_the_run() {
        let folder = tempfile::tempdir().expect("temporary folder");
        assert_eq!(read(folder.path()).expect("readable"), None);
        for (pid, text) in [(1, block(999, Some(1000))), (2, block(975, Some(1000)))] {
            let reports = folder.path().join(format!("{REPORT_FOLDER}{pid}"));
            fs::create_dir(&reports).expect("create");
            fs::write(reports.join(REPORT_FILE), text).expect("write");
        }
        assert_eq!(
            read(folder.path()).expect("readable"),
            Some(Trust { share: 0.975, explained: None, dropped: 14, law_holds: 0, law_fails: 0 })
        );
        fs::create_dir(folder.path().join("agent-3")).expect("create");
        fs::write(folder.path().join("agent-3/mayfly.log"), "cut").expect("write");
        assert!(matches!(read(folder.path()), Err(TrustError::NoTrustLine(_))));
    }
}
