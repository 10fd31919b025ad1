//! Reports: made of a profile, written to a log, or to the console where none is asked for.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use mayfly_profile::{Profile, View};
use mayfly_report::{Occasion, harmless, printable};

use super::files::{FileError, open_own};
use super::queue::Unserved;
use super::recording::Recording;
use super::terminal;
use super::texts::{self, Text, Texts};
use crate::conduct::notice::say;
use crate::options::Options;

const FILE_NAME: &str = "mayfly.log";
/// Where all rows are to be had if nothing is recorded, or not to the end.
const ALL_ROWS: &str =
    "#output-DIR writes it to DIR/mayfly.log, #outputlimit-N here, #recording-FILE keeps it";
const CUT_OFF: &str =
    "nowhere: the recording could not be written to its end; use #output-DIR or #outputlimit-N";
/// How long somebody who asked for a report waits for a disk, and for a console, that stands still.
const DISK_PATIENCE: Duration = Duration::from_secs(10);
const CONSOLE_PATIENCE: Duration = Duration::from_secs(1);

/// What the thread of the log needs.
pub(super) type Log = (Unserved<Text>, File);

/// How reports look, and where they go.
pub(super) struct Reports {
    /// `None`: to the console.
    pub(super) log: Option<Texts>,
    view: View,
}

impl Reports {
    /// Opens the log, if one is wanted.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn open(options: &Options, folder: Option<&Path>) -> Result<(Self, Option<Log>), FileError> {
        let file = folder.map(open_log).transpose()?;
        let (log, unserved) = if file.is_some() { Some(Texts::new()) } else { None }.unzip();
        let reports = Self { log, view: options.view.clone() };
        Ok((reports, unserved.zip(file)))
    }

    /// A report of a profile: in full into a log or if rows are limited, else on one screen. `recording` is one that has all
    /// rows.
    pub(super) fn text(&self, profile: &Profile, reason: &str, recording: Option<&Recording>) -> String {
        let occasion = Occasion { timestamp: Some(date()), reason: reason.into() };
        if self.log.is_some() || self.view.rows.is_some() {
            return mayfly_report::post_run(profile, &self.view, &occasion);
        }
        let all_rows = match recording {
            Some(cut_off) if cut_off.is_cut_off() => CUT_OFF.to_owned(),
            Some(whole) => format!("mayfly report --full {}", printable(&whole.all().display().to_string())),
            None => ALL_ROWS.to_owned(),
        };
        mayfly_report::overview(profile, &self.view, &occasion, terminal::columns_of_reports(), &all_rows)
    }

    /// Waits until reports are written that were added, as long as they are taken.
    pub(super) fn flush(&self, console: &Texts) {
        match &self.log {
            Some(log) => log.flush(DISK_PATIENCE),
            None => console.flush(CONSOLE_PATIENCE),
        }
    }
}

/// Starts the thread that writes the log.
pub(super) fn start((unserved, file): Log) {
    let mut file = Some(file);
    unserved.serve("mayfly-log", move |text, pace| {
        let (Text::Lasting(text) | Text::Live(text)) = text;
        let Some(open) = &mut file else { return };
        if let Err(error) = texts::write(open, &format!("{}\n", harmless(&text)), pace) {
            say(&format!("cannot write the report any more ({error}): it ends here"));
            file = None;
        }
    });
}

fn open_log(folder: &Path) -> Result<File, FileError> {
    let path = folder.join(FILE_NAME);
    let error = |cause| FileError::new(&path, cause, "#output a folder");
    fs::create_dir_all(folder).map_err(error)?;
    open_own(&path, |options| options.append(true)).map_err(error)
}

/// Now, as Java's `Date.toString()` puts it.
pub(super) fn date() -> String {
    jiff::Zoned::now().strftime("%a %b %d %H:%M:%S %Z %Y").to_string()
}
