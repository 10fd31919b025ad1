//! How long JVMs stood still, and for what: their own logs of safepoints, which hold their collections, too.
//!
//! JDK 17 and later write lines of safepoints; of older ones nothing is told.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::stats::percentile;

/// How the names of logs begin where a folder has one of each JVM.
const OF_EACH: &str = "safepoints-";

/// A JVM's log of safepoints.
pub(crate) struct PauseLog(PathBuf);

/// What a JVM's own log calls a collection that an agent asks for.
const ASKED_FOR: &str = "(JvmtiEnv ForceGarbageCollection)";

/// Pauses between two looks at the log, in seconds, by operation of the VM.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pauses(Vec<Pause>);

#[derive(Clone, Debug, PartialEq)]
struct Pause {
    operation: String,
    seconds: f64,
    /// An agent asked for it.
    is_asked_for: bool,
}

impl PauseLog {
    /// A log in this folder.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self(folder.join("safepoints.log"))
    }

    /// The option by which a JVM writes it.
    pub(crate) fn option(&self) -> String {
        format!("-Xlog:safepoint,gc:file={}::filecount=0", self.0.display())
    }

    /// Where it ends now.
    pub(crate) fn end(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// What was written since it ended there. A line is written before who asked for the operation goes on.
    pub(crate) fn since(&self, end: u64) -> io::Result<Pauses> {
        let mut file = File::open(&self.0)?;
        file.seek(SeekFrom::Start(end))?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok(Pauses::told_in(&[text]))
    }
}

/// The option by which each JVM of several writes a log into this folder.
pub(crate) fn option_of_each(folder: &Path) -> String {
    PauseLog(folder.join(format!("{OF_EACH}%p.log"))).option()
}

/// The logs that JVMs wrote into this folder, by process id.
pub(crate) fn logs_of_each(folder: &Path) -> io::Result<BTreeMap<u32, String>> {
    let mut logs = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let pid =
            name.to_str().and_then(|name| name.strip_prefix(OF_EACH)?.strip_suffix(".log")?.parse().ok());
        if let Some(pid) = pid {
            logs.insert(pid, fs::read_to_string(entry.path())?);
        }
    }
    Ok(logs)
}

impl Pauses {
    /// Those that these logs tell of.
    pub(crate) fn told_in<'a>(logs: impl IntoIterator<Item = &'a String>) -> Self {
        let mut is_asked_for = false;
        let lines = logs.into_iter().flat_map(|log| log.lines());
        let told = lines.filter_map(|line| {
            // Said of the collection before its pause ends.
            is_asked_for |= line.contains(ASKED_FOR);
            let (operation, seconds) = pause(line)?;
            let is_asked_for = std::mem::take(&mut is_asked_for);
            Some(Pause { operation: operation.to_owned(), seconds, is_asked_for })
        });
        Self(told.collect())
    }

    /// All of them.
    pub(crate) fn total_s(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.iter().map(|pause| pause.seconds).sum())
    }

    /// The longest.
    pub(crate) fn longest_s(&self) -> Option<f64> {
        self.0.iter().map(|pause| pause.seconds).max_by(f64::total_cmp)
    }
}

/// What some runs stood still for: operations of a millisecond and more, with the mean of their seconds per run.
pub(crate) fn made_of(runs: &[Pauses]) -> String {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for pause in runs.iter().flat_map(|run| &run.0) {
        *sums.entry(&pause.operation).or_default() += pause.seconds / runs.len() as f64;
    }
    let told = sums.into_iter().filter(|&(_, seconds)| seconds >= 0.001);
    told.map(|(name, seconds)| format!("{name} {seconds:.3}")).collect::<Vec<_>>().join(", ")
}

/// Of some runs, in milliseconds: the pause that half of all are no longer than, the same of 99 in a hundred, and all of a run together;
/// then, of a run, those for which an agent asked, which are not among these.
pub(crate) fn percentiles_of(runs: &[&Pauses]) -> Option<String> {
    let all = || runs.iter().flat_map(|run| &run.0);
    let mut ms: Vec<_> = all().filter(|pause| !pause.is_asked_for).map(|pause| pause.seconds * 1e3).collect();
    ms.sort_by(f64::total_cmp);
    let in_all = ms.iter().sum::<f64>() / runs.len() as f64;
    let asked_for: f64 = all().filter(|pause| pause.is_asked_for).map(|pause| pause.seconds * 1e3).sum();
    let asked_for = match asked_for / runs.len() as f64 {
        0.0 => String::new(),
        of_a_run => format!(" + {of_a_run:.0}"),
    };
    let [half, most] = [0.5, 0.99].map(|part| percentile(&ms, part));
    (!ms.is_empty()).then(|| format!("{half:.1}, {most:.1}, {in_all:.0}{asked_for}"))
}

/// The operation of a line, and how long all waited for it.
fn pause(line: &str) -> Option<(&str, f64)> {
    let (_, rest) = line.split_once("Safepoint \"")?;
    let (name, rest) = rest.split_once('"')?;
    let (_, total) = rest.split_once(" Total: ")?;
    let nanoseconds: f64 = total.trim_start().split(' ').next()?.parse().ok()?;
    Some((name, nanoseconds / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "[0.1s][info][safepoint] Safepoint \"G1CollectFull\", Time since last: 1500 ns, Reaching safepoint: 7 ns, \
                         Cleanup: 3 ns, At safepoint: 80 ns, Total: 200000000 ns\n\
                         [0.2s][info][safepoint   ] Safepoint \"GC_HeapInspection\", Time since last: 9 ns, Reaching safepoint: 1 ns, \
                         At safepoint: 8 ns, Leaving safepoint: 1 ns, Total:   50000000 ns, Threads: 0 runnable, 12 total\n\
                         something else\n";

    #[test]
    fn lines_of_both_forms_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = PauseLog::in_folder(folder.path());
        std::fs::write(&log.0, format!("Safepoint \"Early\", Total: 9 ns\n{LINES}")).expect("written");
        let pauses = log.since(log.end().expect("there") - LINES.len() as u64).expect("there");
        assert_eq!((pauses.total_s(), pauses.longest_s()), (Some(0.25), Some(0.2)));
        let of =
            |operation: &str, seconds| Pause { operation: operation.into(), seconds, is_asked_for: false };
        let other = Pauses(vec![of("GC_HeapInspection", 0.15), of("Cleanup", 0.0001)]);
        assert_eq!(made_of(&[pauses, other]), "G1CollectFull 0.100, GC_HeapInspection 0.100");
        assert_eq!(log.since(log.end().expect("there")).expect("there").total_s(), None);
    }

    #[test]
    fn percentiles_are_of_all_jvms_of_all_runs_and_the_sum_of_one() {
        let folder = tempfile::tempdir().expect("a folder");
        for jvm in ["7", "8"] {
            std::fs::write(folder.path().join(format!("{OF_EACH}{jvm}.log")), LINES).expect("written");
        }
        std::fs::write(folder.path().join("gc.log"), LINES).expect("written");
        let logs = logs_of_each(folder.path()).expect("logs");
        assert_eq!(logs.keys().copied().collect::<Vec<_>>(), [7, 8]);
        let run = Pauses::told_in(logs.values());
        assert_eq!(percentiles_of(&[&run, &run]).as_deref(), Some("50.0, 200.0, 500"));
        assert_eq!(percentiles_of(&[&Pauses::default()]), None);
        // The last of three, of a JVM that an agent had collect.
        let asked_for =
            format!("{LINES}[1s][info][gc] GC(9) Pause Full {ASKED_FOR} 9M->1M(16M) 199.1ms\n{LINES}");
        let run = Pauses::told_in([&asked_for]);
        assert_eq!(percentiles_of(&[&run]).as_deref(), Some("50.0, 200.0, 300 + 200"));
        assert_eq!(run.total_s(), Some(0.5));
    }
}
