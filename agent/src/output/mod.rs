//! Where the stream of updates goes: recording, console, reports. Each has a thread and a short queue of its own, so that a
//! slow disk or a stopped terminal holds up neither the program nor another reader.
//!
//! Not here: what the updates say (`session`), how a report looks (`mayfly-report`).

mod console;
mod fan_out;
mod file_frames;
mod files;
mod frames;
mod numbered;
mod queue;
mod recorder;
mod recording;
mod report;
mod rewritten;
mod rotation;
mod terminal;
mod texts;
mod watch;

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use mayfly_profile::{Profile, Update};

use self::console::{Console, Screen};
use self::fan_out::FanOut;
pub(crate) use self::files::{FileError, name_facts};
use self::numbered::NumberedFiles;
use self::queue::Unserved;
use self::recorder::Recorder;
use self::recording::Recording;
use self::report::{Log, Reports};
use self::texts::Text;
use self::watch::Watchers;
pub(crate) use self::watch::{WatchError, Watcher};
use crate::conduct::descriptors::Stderr;
use crate::options::Options;
use crate::options::name::expand;
use crate::plan::Plan;

/// How long the end of the JVM waits for a disk that stands still.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

/// The agent's outputs.
pub(crate) struct Output {
    stream: FanOut,
    recording: Option<Recording>,
    console: Console,
    reports: Reports,
    watchers: Watchers,
    /// Nothing goes to the console but live blocks.
    quiet: bool,
    unstarted: Mutex<Option<Unstarted>>,
}

/// What the writing threads need.
struct Unstarted {
    recorder: Option<Recorder<NumberedFiles>>,
    console: (Unserved<Text>, Screen<Stderr>),
    log: Option<Log>,
}

impl Output {
    /// Opens all files, so that one that can't be written is found before the program starts.
    ///
    /// # Errors
    /// A file that the user asked for can't be written.
    pub(crate) fn open(options: &Options, plan: &Plan) -> Result<Self, FileError> {
        let facts = name_facts();
        let path =
            |template: &Option<String>| template.as_deref().map(|it| PathBuf::from(expand(it, &facts)));
        let (reports, log) = Reports::open(options, path(&options.output_dir).as_deref())?;
        let stream = FanOut::default();
        let recording =
            path(&options.recording).map(|path| recording::open(path, options, &stream)).transpose()?;
        let (recording, recorder) = recording.flatten().unzip();
        let (console, unserved, screen) = Console::new(options, plan);
        let unstarted = Unstarted { recorder, console: (unserved, screen), log };
        let watchers = Watchers::default();
        let quiet = !options.console;
        let unstarted = Mutex::new(Some(unstarted));
        Ok(Self { stream, recording, console, reports, watchers, quiet, unstarted })
    }

    /// Starts the writing threads.
    pub(crate) fn start(&self) {
        let unstarted = self.unstarted.lock().ok().and_then(|mut unstarted| unstarted.take());
        let Some(Unstarted { recorder, console: (unserved, mut screen), log }) = unstarted else { return };
        if let Some(recorder) = recorder {
            recorder.start();
        }
        unserved.serve("mayfly-console", move |text, pace| screen.write(text, pace));
        if let Some(log) = log {
            report::start(log);
        }
    }

    /// Passes what is new on to all readers. Waits for none.
    pub(crate) fn send(&self, updates: Vec<Update>) {
        self.stream.send(updates);
    }

    /// Passes the last updates on, and waits, for a bounded time, until they are recorded.
    pub(crate) fn close(&self, last: Vec<Update>) {
        self.stream.close(last, LAST_PATIENCE);
    }

    /// The profile as of what was sent last.
    pub(crate) fn profile(&self) -> Profile {
        self.stream.profile()
    }

    /// The same with what happened when.
    pub(crate) fn profile_with_history(&self) -> Profile {
        self.stream.profile_with_history()
    }

    /// Whether anybody wants each step: there is a recording, or somebody watches.
    pub(crate) fn is_followed(&self) -> bool {
        self.recording.is_some() || self.watchers.any()
    }

    /// Tells somebody outside all that was sent, and what follows.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn watch(&self, watcher: impl Watcher) -> Result<(), WatchError> {
        self.watchers.add(&self.stream, watcher)
    }

    /// The recording's file, or the newest of them.
    pub(crate) fn recording(&self) -> Option<PathBuf> {
        self.recording.as_ref().map(Recording::path)
    }

    /// How often the live histogram is to be shown; `None`: never.
    pub(crate) fn live_every(&self) -> Option<Duration> {
        self.console.live_every
    }

    /// Shows the live histogram of what was sent last.
    pub(crate) fn show(&self) {
        self.console.show(|| self.stream.profile_without_sites());
    }

    /// Writes a report of what was sent last.
    pub(crate) fn report(&self, reason: &str) {
        let profile = self.profile_with_history();
        self.write(self.reports.text(&profile, reason, self.recording.as_ref()));
    }

    /// Writes a remark to where reports go.
    pub(crate) fn note(&self, text: &str) {
        self.write(format!("===\n{}:\n{text}\n", report::date()));
    }

    /// Waits until reports and remarks are written, not long for a console that nobody reads.
    pub(crate) fn flush(&self) {
        self.reports.flush(&self.console.texts);
    }

    fn write(&self, text: String) {
        match &self.reports.log {
            Some(log) => log.add(text),
            None if self.quiet => {}
            None => self.console.texts.add(text),
        }
    }
}
