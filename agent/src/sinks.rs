//! Where output goes: report file or stderr, live console, recording. Written by a thread of its own, so that a slow
//! disk or a stopped terminal holds nothing up.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use mayfly_report::COLUMNS;
use terminal_size::{Height, Width, terminal_size_of};

use crate::notice::say;
use crate::options::name::{NameFacts, expand};
use crate::options::{Live, Options};

/// Messages waiting at most; beyond that live blocks are left out and others wait.
const QUEUE: usize = 64;
const FLUSH_LIMIT: Duration = Duration::from_secs(10);
const REPORT_FILE: &str = "mayfly.log";
const LIVE_ON_TERMINAL: Duration = Duration::from_secs(1);
const LIVE_PIPED: Duration = Duration::from_secs(10);

/// A file that the user asked for and that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {cause}; give {option} that you may write to")]
pub(crate) struct SinkError {
    path: String,
    cause: io::Error,
    option: &'static str,
}

enum Message {
    Recording(Vec<u8>),
    Report(String),
    Live(String),
    Flush(Sender<()>),
}

/// The agent's outputs.
pub(crate) struct Sinks {
    sender: Sender<Message>,
    writer: Mutex<Option<Writer>>,
    recording: Option<PathBuf>,
    live_every: Option<Duration>,
}

struct Writer {
    receiver: Receiver<Message>,
    report: Option<File>,
    recording: Option<File>,
    /// Lines of the live block on the terminal, to be drawn over.
    drawn: Option<usize>,
    terminal: bool,
}

impl Sinks {
    /// Opens all files, so that one that can't be written is found before the program starts.
    pub(crate) fn open(options: &Options) -> Result<Self, SinkError> {
        let facts = name_facts();
        let report = options.output_dir.as_deref().map(|template| open_report(&expand(template, &facts)));
        let recording_path =
            options.recording.as_deref().map(|template| PathBuf::from(expand(template, &facts)));
        let recording = recording_path.as_deref().map(open_recording);
        let (report, recording) = (report.transpose()?, recording.transpose()?);
        let (sender, receiver) = bounded(QUEUE);
        let terminal = io::stderr().is_terminal();
        let live_every = match options.live {
            Live::Off => None,
            Live::Every(interval) => Some(interval),
            Live::Auto if !options.lifetimes() => None,
            Live::Auto => Some(if terminal { LIVE_ON_TERMINAL } else { LIVE_PIPED }),
        };
        let writer = Writer { receiver, report, recording, drawn: None, terminal };
        Ok(Self { sender, writer: Mutex::new(Some(writer)), recording: recording_path, live_every })
    }

    /// Starts the writing thread.
    pub(crate) fn start(&self) {
        let writer = self.writer.lock().ok().and_then(|mut writer| writer.take());
        let Some(writer) = writer else { return };
        let spawned = thread::Builder::new().name("mayfly-writer".into()).spawn(move || writer.run());
        if let Err(error) = spawned {
            say(&format!("cannot start a thread ({error}): nothing will be written"));
        }
    }

    /// Whether there is a recording.
    pub(crate) fn records(&self) -> bool {
        self.recording.is_some()
    }

    /// The recording's file.
    pub(crate) fn recording(&self) -> Option<&Path> {
        self.recording.as_deref()
    }

    /// How often the live histogram is to be drawn; `None`: never.
    pub(crate) fn live_every(&self) -> Option<Duration> {
        self.live_every
    }

    /// Appends to the recording.
    pub(crate) fn record(&self, bytes: Vec<u8>) {
        self.send(Message::Recording(bytes));
    }

    /// Writes a report.
    pub(crate) fn report(&self, text: String) {
        self.send(Message::Report(text));
    }

    /// Writes a remark to where reports go.
    pub(crate) fn note(&self, text: &str) {
        self.send(Message::Report(format!("===\n{}:\n{text}\n", date())));
    }

    /// Draws a live block, unless the console can't keep up.
    pub(crate) fn live(&self, text: String) {
        let _ = self.sender.try_send(Message::Live(text));
    }

    /// Waits until everything is written, for a bounded time.
    pub(crate) fn flush(&self) {
        let (done, written) = bounded(1);
        self.send(Message::Flush(done));
        let _ = written.recv_timeout(FLUSH_LIMIT);
    }

    fn send(&self, message: Message) {
        // Bounded: with a writer that is stuck for good, output is lost, the program is not held up.
        let _ = self.sender.send_timeout(message, FLUSH_LIMIT);
    }
}

impl Writer {
    fn run(mut self) {
        while let Ok(message) = self.receiver.recv() {
            match message {
                Message::Recording(bytes) => append(&mut self.recording, &bytes, "recording"),
                Message::Report(text) => self.report(&text),
                Message::Live(text) => self.draw(&text),
                Message::Flush(done) => drop(done.send(())),
            }
        }
    }

    fn report(&mut self, text: &str) {
        if self.report.is_some() {
            append(&mut self.report, format!("{text}\n").as_bytes(), "report");
        } else {
            self.drawn = None;
            let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
        }
    }

    fn draw(&mut self, text: &str) {
        let block = if self.terminal {
            // Cursor up over the last block, and clear to the end of the screen (ECMA-48 CUU, ED).
            let over = self.drawn.map_or_else(String::new, |lines| format!("\x1b[{lines}A\x1b[J"));
            self.drawn = Some(text.lines().count());
            format!("{over}{text}")
        } else {
            format!("{text}\n")
        };
        let _ = io::stderr().write_all(block.as_bytes());
    }
}

/// What `%` codes in file names stand for.
pub(crate) fn name_facts() -> NameFacts {
    NameFacts { pid: std::process::id(), host: host(), started: started() }
}

/// Appends in one write; after an error the file is given up, with one line.
fn append(file: &mut Option<File>, bytes: &[u8], what: &str) {
    if let Some(open) = file
        && let Err(error) = open.write_all(bytes)
    {
        say(&format!("cannot write the {what} any more ({error}): it ends here"));
        *file = None;
    }
}

fn open_report(folder: &str) -> Result<File, SinkError> {
    let path = Path::new(folder).join(REPORT_FILE);
    let error = |cause| SinkError { path: path.display().to_string(), cause, option: "#output a folder" };
    fs::create_dir_all(folder).map_err(error)?;
    own_file().append(true).open(&path).map_err(error)
}

fn open_recording(path: &Path) -> Result<File, SinkError> {
    let error = |cause| SinkError { path: path.display().to_string(), cause, option: "#recording a file" };
    own_file().write(true).truncate(true).open(path).map_err(error)
}

/// A file that only the user may read; a link planted in its place is not followed.
fn own_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options
}

/// Columns and rows of the console; 80 by 24 if it is none.
pub(crate) fn console_size() -> (usize, usize) {
    match terminal_size_of(io::stderr()) {
        Some((Width(columns), Height(rows))) => (columns.into(), rows.into()),
        None => (80, 24),
    }
}

/// Columns of a report on stderr: all it has use for, unless a terminal has fewer.
pub(crate) fn report_columns() -> usize {
    terminal_size_of(io::stderr()).map_or(COLUMNS, |(Width(columns), _)| columns.into())
}

/// Now, as Java's `Date.toString()` puts it.
pub(crate) fn date() -> String {
    jiff::Zoned::now().strftime("%a %b %d %H:%M:%S %Z %Y").to_string()
}

fn started() -> String {
    jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string()
}

fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "localhost".into(), |name| name.trim().into())
}
