//! Everything that can go wrong in a command: what happened, to what, and what to do next.
//!
//! Not here: usage errors that clap reports itself.

use std::io;
use std::path::PathBuf;

use mayfly_recording::ReadError;
use mayfly_recording::control::{ExchangeError, PROTOCOL_VERSION, Refusal};
use mayfly_verdicts::{BudgetError, NotComparable};

use crate::exit_codes;
use crate::heap::error::QueryError;
use crate::session::unreachable::Unreachable;

/// Why a command gave up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No `libmayfly.so` at any of the places where it is looked for.
    #[error(
        "can't find the agent libmayfly.so; looked at {}. Put it beside mayfly, or name it in MAYFLY_AGENT (cargo install \
         leaves it out: cargo build --release -p mayfly-agent makes target/release/libmayfly.so)",
        list(.looked_at)
    )]
    AgentNotFound {
        /// Every path tried, in order.
        looked_at: Vec<PathBuf>,
    },
    /// `MAYFLY_AGENT` names no file.
    #[error("MAYFLY_AGENT names {}, which is not a file; name the path of libmayfly.so, or unset it", .0.display())]
    AgentNotAFile(PathBuf),
    /// A path that can't be written into the agent's option string.
    #[error("{what} {} can't be passed to the JVM: it contains {contains}; choose another path", .path.display())]
    UnpassablePath {
        /// What the path is for.
        what: &'static str,
        /// The path.
        path: PathBuf,
        /// What makes it unpassable.
        contains: &'static str,
    },
    /// A name filter that can't be written into the agent's option string.
    #[error("{option} '{value}' can't be passed to the agent: names must not be empty or contain '#'")]
    UnpassableName {
        /// The option as the user wrote it.
        option: &'static str,
        /// Its value.
        value: String,
    },
    /// The program could not be started at all.
    #[error("can't start {program}: {source}{}", start_advice(.program, .source))]
    NotStarted {
        /// As given on the command line.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A run whose cost was to be measured did not do its work.
    #[error("{program} ended with {code} when it ran {way}: only runs that succeed are measured; {wrote}")]
    NotMeasured {
        /// As given on the command line.
        program: String,
        /// How it ran.
        way: &'static str,
        /// With what it ended.
        code: u8,
        /// Whether it wrote anything.
        wrote: &'static str,
    },
    /// The program was started but could not be waited for, or signals could not be watched.
    #[error("can't watch over {program}: {source}")]
    NotWatched {
        /// As given on the command line.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// Signals could not be watched, so that an early end would lose what was recorded.
    #[error("can't watch signals: {0}")]
    SignalsNotWatched(io::Error),
    /// No JVM to run the demo with.
    #[error("can't find a java launcher; looked at {}. Install a JDK (11 or newer), or name one: --java PATH", list(.looked_at))]
    JavaNotFound {
        /// Every path tried, in order.
        looked_at: Vec<PathBuf>,
    },
    /// The demo program does not compile with the JDK found.
    #[error("can't compile the demo with {}: {reason}; try another JDK (11 or newer): --java PATH", .compiler.display())]
    DemoNotCompiled {
        /// The compiler that was tried.
        compiler: PathBuf,
        /// Its first words, or what the system said.
        reason: String,
    },
    /// A recording that can't be read from disk.
    #[error("can't read recording {name}: {source}")]
    RecordingUnreadable {
        /// File name, or `standard input`.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// Bytes that are no recording which this version can read.
    #[error("can't read recording {name}: {cause}")]
    RecordingRefused {
        /// File name, or `standard input`.
        name: String,
        /// What the reader said.
        cause: ReadError,
    },
    /// A file of another kind, given as a recording.
    #[error("can't read {name} as a recording: it is {what}")]
    AnotherKind {
        /// File name.
        name: String,
        /// What it is, and who reads it.
        what: String,
    },
    /// A folder without a recording.
    #[error("{}: there is no recording (*.mayfly) in this folder or below it; name another one, or files", .0.display())]
    NoRecordings(PathBuf),
    /// What is merged would be written over.
    #[error("{} would be merged into itself; name another file to write, outside of the folder: -o FILE", .0.display())]
    MergedIntoItself(PathBuf),
    /// Recordings of several values in one.
    #[error("{}: was merged from recordings of {label} {values}; name those recordings themselves", .file.display())]
    MixedLabels {
        /// The recording.
        file: PathBuf,
        /// The label.
        label: String,
        /// Its values.
        values: String,
    },
    /// A label that no recording has.
    #[error(
        "no recording has a label {0}; mayfly report --json lists those it has (labels), #label-NAME=VALUE of the agent adds one"
    )]
    NoSuchLabel(String),
    /// An option that says how a JVM is looked at, and files that are there already.
    #[error("{0} is for a JVM, named by its process id; of files leave it out")]
    NeedsJvm(&'static str),
    /// `--textfile` of what does not run.
    #[error("--textfile is for one running JVM; for a recording: mayfly report --format openmetrics FILE")]
    TextfileNeedsJvm,
    /// A budget that can't be read from disk.
    #[error("can't read budget {}: {source}; name a file, or have one written: mayfly check --write TOML FILE", .path.display())]
    BudgetUnreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A text that is no budget.
    #[error("can't take budget {}: {cause}; docs/guide/check.md has every key", .path.display())]
    BudgetRefused {
        /// The file.
        path: PathBuf,
        /// What is wrong, and in which line.
        cause: BudgetError,
    },
    /// A budget was to be written, from several recordings.
    #[error("a budget is written from one recording; name one")]
    OneRecordingToWriteFrom,
    /// Recordings of which one can't be trusted.
    #[error("no verdict: {}: {cause}; record it again, or accept less: --trust SHARE", .file.display())]
    NotComparable {
        /// The recording.
        file: PathBuf,
        /// Why.
        cause: NotComparable,
    },
    /// Numbers of operations that can't be given to recordings.
    #[error("--per has {numbers} numbers for {recordings} recordings; give one for all, or one for each")]
    OperationsDoNotMatch {
        /// How many were given.
        numbers: usize,
        /// For how many.
        recordings: usize,
    },
    /// A log of collections that can't be read from disk.
    #[error("can't read the log {}: {source}", .path.display())]
    GcLogUnreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A text that is no log of collections.
    #[error("{} has no young collection that says how full the old generation was; have the JVM write it: -Xlog:gc*:file=gc.log", .0.display())]
    GcLogRefused(PathBuf),
    /// A program was run, and no recording is there.
    #[error(
        "{0} was not measured: no JVM with the agent in it got as far as to write a recording; is it a program of Java?"
    )]
    NothingRecorded(String),
    /// Leaks can't be searched in one dump.
    #[error("{}: growth needs two dumps or more; name them in the order they were taken, or name the PID of the program", .0.display())]
    OneDump(PathBuf),
    /// A walk of the heap would take too long.
    #[error(
        "JVM {pid} has {heap} in its heap: each dump would pause it for some {pause}, longer than --most-pause {most}; allow more, or judge a recording, \
         which pauses nothing: mayfly record {pid} --for 60s"
    )]
    LongPause {
        /// The JVM.
        pid: u32,
        /// What is in its heap.
        heap: String,
        /// For how long it would be paused.
        pause: String,
        /// For how long it may be.
        most: String,
    },
    /// Only one recording to compare.
    #[error(
        "{}: a comparison needs two recordings: mayfly diff BEFORE AFTER; for one recording use mayfly report", .0.display()
    )]
    OneToCompare(PathBuf),
    /// Leaks can't be searched in such files together.
    #[error("{}: leaks are searched in one recording, or in two or more heap dumps of one program; {}", .file.display(), .what)]
    MixedFiles {
        /// The file that does not go with the others.
        file: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// What is shown leaves nothing.
    #[error("{name}: none of its {classes} classes is shown by {filter}; mayfly report --full lists them")]
    NothingShown {
        /// File name.
        name: String,
        /// How many there are.
        classes: usize,
        /// What leaves them out.
        filter: &'static str,
    },
    /// A word that is no JVM, but nearly a command.
    #[error("no JVM runs a main class or jar called '{word}'; did you mean: mayfly heap {verb}?")]
    NearlyAVerb {
        /// As given.
        word: String,
        /// What may have been meant.
        verb: String,
    },
    /// A run to be checked left nothing to check.
    #[error("there is no recording to check against {}; keep one: -o FILE", .0.display())]
    NothingToCheck(PathBuf),
    /// What was asked for is not in the recording.
    #[error("{name}: {cause}")]
    NotInRecording {
        /// File name, or `standard input`.
        name: String,
        /// What is missing, and what to do.
        cause: String,
    },
    /// An option beside a format that has no use for it.
    #[error("{option} means nothing in the format {format}: leave it out, or choose another format")]
    NotOfFormat {
        /// As the command line spells it.
        option: &'static str,
        /// As `--format` takes it.
        format: &'static str,
    },
    /// Tables without a folder for them.
    #[error("parquet makes several files: name a folder (-o DIR)")]
    NoFolder,
    /// A format that is no text, on a terminal.
    #[error("this format is binary, and would garble the terminal: name a file (-o FILE), or pipe it")]
    BinaryOnTerminal,
    /// A running JVM that can't be reached.
    #[error(transparent)]
    Unreachable(#[from] Unreachable),
    /// The agent in a running JVM did not do what it was asked.
    #[error("JVM {pid} refused '{request}': {refusal}")]
    Refused {
        /// As the command line spells it.
        request: &'static str,
        /// The JVM.
        pid: u32,
        /// Why.
        refusal: Refusal,
    },
    /// A report, or a file of our own, that can't be written.
    #[error("can't write {name}: {source}; check that the folder exists and can be written")]
    NotWritten {
        /// File name, or `standard output`.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// `--live-view` where none can be shown.
    #[error("--live-view {0}; leave it out, and run in another terminal: mayfly live RECORDING")]
    NoView(&'static str),
    /// What the program writes can't be kept while a view is shown, or not be shown afterwards.
    #[error("can't keep what the program writes: {0}; check the folder for temporary files (TMPDIR)")]
    OutputNotKept(io::Error),
    /// A terminal that can't be taken for a view.
    #[error("can't use this terminal for a view: {0}; pipe the output for plain blocks: mayfly live … | cat")]
    Terminal(io::Error),
    /// No thread to read a stream with.
    #[error("can't start a thread: {0}; end some processes and try again")]
    NoThread(io::Error),
    /// See there.
    #[error(transparent)]
    Heap(#[from] QueryError),
}

impl Error {
    /// Refuses the first of these options that was given: they are for a JVM, and there are files.
    pub(crate) fn if_given(options: &[(&'static str, bool)]) -> Result<(), Self> {
        match options.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Self::NeedsJvm(option)),
            None => Ok(()),
        }
    }

    /// An answer that does not belong to the request.
    pub(crate) fn unexpected(pid: u32) -> Self {
        let cause = ExchangeError::Malformed { version: PROTOCOL_VERSION };
        Self::Unreachable(Unreachable::Confused { pid, cause })
    }

    /// The code to end with, one of [`exit_codes`].
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::RecordingUnreadable { .. } | Self::RecordingRefused { .. } | Self::AnotherKind { .. } => {
                exit_codes::RECORDING_UNREADABLE
            }
            // Reached, and tried: what was asked can't be done.
            Self::Refused { refusal: Refusal::Failed { .. }, .. } => exit_codes::USAGE,
            Self::Unreachable(_) | Self::Refused { .. } => exit_codes::UNREACHABLE,
            Self::Heap(error) => error.exit_code(),
            _ => exit_codes::USAGE,
        }
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn start_advice(program: &str, source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound if program.parse::<u32>().is_ok() => {
            ", which may be a pid: this starts a program (`-- java -jar app.jar`); a JVM that runs is recorded by `mayfly record PID`, and \
             `mayfly status PID` shows what its agent takes"
        }
        io::ErrorKind::NotFound => "; check its name, and that it is on the PATH",
        io::ErrorKind::PermissionDenied => "; check that it is executable",
        _ => "",
    }
}
