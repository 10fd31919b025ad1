//! Arguments of the commands that judge: `mayfly check`, `mayfly diff`, `mayfly leaks`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mayfly_formats::Format as Foreign;
use mayfly_profile::option_value;

use super::own::OwnArgs;
use super::part::{Phase, VerdictArgs, format_parser};
use super::running::duration;
use crate::report::Format;

pub(crate) const CHECK_EXAMPLES: &str = "\
Examples:
  mayfly check --write budget.toml mayfly-4711.mayfly
  mayfly check --budget budget.toml mayfly-4711.mayfly
  mayfly check --budget budget.toml --annotations --junit mayfly.xml --markdown mayfly.md mayfly-*.mayfly
  mayfly check new.mayfly --baseline old-1.mayfly old-2.mayfly old-3.mayfly
  mayfly run --budget budget.toml -- java -jar app.jar";

/// What `mayfly check` takes.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The recordings, each checked by itself; - reads standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) recordings: Vec<PathBuf>,

    /// The budget that each of them has to keep
    #[arg(long, value_name = "TOML", required_unless_present_any = ["write", "baseline"])]
    pub(crate) budget: Option<PathBuf>,

    /// Older recordings of the program, instead of a budget: what it allocates and holds must not be more; with three or more,
    /// the differences between their runs are taken into account
    #[arg(long, value_name = "OLD", num_args = 1.., conflicts_with_all = ["budget", "write", "operations"])]
    pub(crate) baseline: Vec<PathBuf>,

    /// What is allowed above the mean of the baseline, however alike its recordings are
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share, requires = "baseline")]
    pub(crate) tolerance: f64,

    /// Least share of the JVM's bytes that has to be known, with a baseline; a budget names its own
    #[arg(long, value_name = "SHARE", default_value = "0.99", value_parser = share, requires = "baseline")]
    pub(crate) trust: f64,

    /// Write a budget that the recording keeps with a tenth to spare, instead of checking; - is standard output
    #[arg(long, value_name = "TOML", conflicts_with = "budget")]
    pub(crate) write: Option<PathBuf>,

    /// How many operations the program did, for limits per operation; wins over the budget's, and over what the program reported
    #[arg(long, value_name = "N", value_parser = operations)]
    pub(crate) operations: Option<f64>,

    #[command(flatten)]
    pub(crate) form: VerdictArgs,

    #[command(flatten)]
    pub(crate) outputs: CheckOutputs,
}

/// Where the outcome of a check goes, beside standard output.
#[derive(Debug, Default, Args)]
pub(crate) struct CheckOutputs {
    /// Print what is not kept as annotations of GitHub Actions
    #[arg(long, conflicts_with = "write")]
    pub(crate) annotations: bool,

    /// Write the outcome as JUnit XML, a test case for each limit
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub(crate) junit: Option<PathBuf>,

    /// Write what was measured as Bencher Metric Format (JSON)
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub(crate) bmf: Option<PathBuf>,

    /// Write the outcome as Markdown, for a comment on a pull request
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub(crate) markdown: Option<PathBuf>,
}

/// A number above zero.
pub(crate) fn operations(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if f64::is_finite(number) && number > 0.0 => Ok(number),
        _ => Err("expected a number above zero".to_owned()),
    }
}

pub(crate) const DIFF_EXAMPLES: &str = "\
Examples:
  mayfly diff old.mayfly new.mayfly
  mayfly diff --before old-1.mayfly old-2.mayfly old-3.mayfly --after new-1.mayfly new-2.mayfly new-3.mayfly
  mayfly diff --per 10000,12000 old.mayfly new.mayfly
  mayfly diff --format html -o diff.html old.mayfly new.mayfly
  mayfly diff --format markdown old.mayfly new.mayfly
  mayfly diff --format json old.mayfly new.mayfly | jq '.findings[] | select(.verdict != \"same\")'";

/// What `mayfly diff` takes.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct DiffArgs {
    /// One recording of each side, or a folder of recordings
    #[arg(value_names = ["BEFORE", "AFTER"], num_args = 1..=2, required_unless_present = "before", conflicts_with = "before")]
    pub(crate) pair: Vec<PathBuf>,

    /// Recordings of the program as it was, or folders of them; with three or more, the spread between runs is known
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "after")]
    pub(crate) before: Vec<PathBuf>,

    /// Recordings of the program as it is now, or folders of them
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "before")]
    pub(crate) after: Vec<PathBuf>,

    /// Compare per operation: how many each recording did, one number for all, or one for each with commas between; without it, as
    /// many as the programs reported; 1 compares whole runs
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = operations)]
    pub(crate) per: Vec<f64>,

    /// Compare only the start-up of the programs, until class loading ebbs, or only their work after that
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<Phase>,

    /// Largest share of false alarms among the changes that are shown
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    pub(crate) level: f64,

    /// Least share of the JVM's bytes that has to be known of each recording
    #[arg(long, value_name = "SHARE", default_value = "0.9", value_parser = share)]
    pub(crate) trust: f64,

    #[command(flatten)]
    pub(crate) own: OwnArgs,

    /// Write in this format: text on one screen, full text with every row, JSON (schema mayfly-diff/1), a page for a browser with a flame
    /// graph coloured by what grew and shrank, or Markdown for a comment on a pull request
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::is_of_comparisons), conflicts_with_all = ["json", "html", "markdown"])]
    format: Option<Format>,

    /// Show every row, also those that did not change
    #[arg(long, conflicts_with_all = ["json", "html"])]
    pub(crate) full: bool,

    /// Write JSON (schema mayfly-diff/1)
    #[arg(long, conflicts_with_all = ["html", "markdown"])]
    json: bool,

    /// Write Markdown
    #[arg(long, hide = true, conflicts_with = "html")]
    markdown: bool,

    /// Write a page for a browser
    #[arg(long, hide = true)]
    html: bool,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl DiffArgs {
    /// The format that is wanted.
    pub(crate) fn format(&self) -> Format {
        let by_option = match () {
            () if self.full => Format::Full,
            () if self.json => Format::Json,
            () if self.markdown => Format::Markdown,
            () if self.html => Format::Of(Foreign::Html),
            () => Format::Text,
        };
        self.format.unwrap_or(by_option)
    }
}

pub(crate) const LEAKS_EXAMPLES: &str = "\
Examples:
  mayfly leaks 4711
  mayfly leaks 4711 --for 10m --dumps 6
  mayfly leaks 4711 --step
  mayfly leaks first.hprof second.hprof third.hprof fourth.hprof
  mayfly leaks mayfly-4711.mayfly";

/// What `mayfly leaks` takes.
#[derive(Debug, Args)]
#[command(after_help = LEAKS_EXAMPLES)]
pub(crate) struct LeaksArgs {
    /// A process id, or a main class or jar that exactly one JVM runs; or two dumps or more, in their order; or recordings, or folders of them
    #[arg(value_name = "PID|FILE|DUMP", required = true)]
    pub(crate) targets: Vec<String>,

    /// From the first dump of a running JVM to the last: seconds, or a number with s, m or h [default: 30s]
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,

    /// How many dumps of a running JVM are taken; with fewer than 4, growth can't be distinguished from warming up [default: 4]
    #[arg(long, value_name = "N", value_parser = dumps)]
    dumps: Option<usize>,

    /// Take each further dump when a line comes on standard input: between them, let the program do what should leave nothing behind
    #[arg(long, conflicts_with = "time")]
    pub(crate) step: bool,

    /// The longest pause that one dump may take: if the heap is too large for that, none is taken; after one that took longer no other is [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    most_pause: Option<Duration>,

    /// Least share of the JVM's bytes that has to be known of a recording
    #[arg(long, value_name = "SHARE", default_value = "0.9", value_parser = share)]
    pub(crate) trust: f64,

    #[command(flatten)]
    pub(crate) form: VerdictArgs,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl LeaksArgs {
    const TIME: Duration = Duration::from_secs(30);
    const DUMPS: usize = 4;
    const MOST_PAUSE: Duration = Duration::from_secs(30);

    pub(crate) fn time(&self) -> Duration {
        self.time.unwrap_or(Self::TIME)
    }

    pub(crate) fn dumps(&self) -> usize {
        self.dumps.unwrap_or(Self::DUMPS)
    }

    pub(crate) fn most_pause(&self) -> Duration {
        self.most_pause.unwrap_or(Self::MOST_PAUSE)
    }

    /// Options that say how a running JVM is looked at, and whether each was given: files take none.
    pub(crate) fn of_a_running_jvm(&self) -> [(&'static str, bool); 4] {
        [
            ("--for", self.time.is_some()),
            ("--dumps", self.dumps.is_some()),
            ("--step", self.step),
            ("--most-pause", self.most_pause.is_some()),
        ]
    }
}

pub(crate) const ADVISE_EXAMPLES: &str = "\
Examples:
  mayfly advise 4711
  mayfly advise -- java -jar app.jar
  mayfly advise mayfly-4711.mayfly
  mayfly advise --young 64m --gc-log gc.log mayfly-4711.mayfly";

/// What `mayfly advise` takes.
#[derive(Debug, Args)]
#[command(after_help = ADVISE_EXAMPLES)]
pub(crate) struct AdviseArgs {
    /// A process id, or a main class or jar that exactly one JVM runs; or a recording, - reads one from standard input
    #[arg(value_name = "PID|FILE", required_unless_present = "command", conflicts_with = "command")]
    pub(crate) target: Option<String>,

    /// A program to run and to measure until it ends, behind --
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    /// How long a running JVM is measured: seconds, or a number with s, m or h [default: 30s]
    #[arg(long = "for", value_name = "TIME", value_parser = duration, conflicts_with = "command")]
    time: Option<Duration>,

    /// Keep what was measured as a recording; without it only the advice is left
    #[arg(long, value_name = "FILE")]
    pub(crate) recording: Option<PathBuf>,

    /// How much memory the JVM may have; no larger heap is suggested than fits in three quarters of it [default: what its
    /// container allows, or what the machine has; of a recording it is not known]
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub(crate) memory: Option<u64>,

    /// Size of the JVM's young generation [default: as its collections tell]
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub(crate) young: Option<u64>,

    /// The JVM's -XX:SurvivorRatio [default: as recorded, or 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) survivor_ratio: Option<u64>,

    /// The JVM's -XX:MaxTenuringThreshold [default: as recorded, or 15]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=15))]
    pub(crate) threshold: Option<u8>,

    /// No young generation larger than this is suggested [default: what the recorded heap has room for]
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub(crate) room: Option<u64>,

    /// Size of G1's regions, -XX:G1HeapRegionSize [default: as recorded, or 1m]
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub(crate) region: Option<u64>,

    /// The JVM's log of the same settings (-Xlog:gc*, of G1 best with gc+plab=debug): what it promoted is held beside the prediction
    #[arg(long, value_name = "LOG")]
    pub(crate) gc_log: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) form: VerdictArgs,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl AdviseArgs {
    const TIME: Duration = Duration::from_secs(30);

    pub(crate) fn time(&self) -> Duration {
        self.time.unwrap_or(Self::TIME)
    }

    /// Options that say how a JVM is measured, and whether each was given: a recording is there already.
    pub(crate) fn of_a_jvm(&self) -> [(&'static str, bool); 2] {
        [("--for", self.time.is_some()), ("--recording", self.recording.is_some())]
    }
}

const COST_EXAMPLES: &str = "\
Examples:
  mayfly cost -- java -jar app.jar
  mayfly cost --all --rounds 5 -- java -jar app.jar
  mayfly cost --for 60s -- java -jar service.jar";

/// What `mayfly cost` takes.
#[derive(Debug, Args)]
#[command(after_help = COST_EXAMPLES)]
pub(crate) struct CostArgs {
    /// How often it runs each way
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) rounds: u8,

    /// End each run after so long, by SIGTERM, as a service does not end by itself: seconds, or a number with s, m or h. The program has
    /// to have the same to do in each
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,

    /// With --counts-only and --every-object, too
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) form: VerdictArgs,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// The program and its arguments, usually after --
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// Bytes: digits with or without k, m or g.
fn size(text: &str) -> Result<u64, String> {
    match option_value::size(text) {
        Ok(bytes @ 1..) => Ok(bytes),
        _ => Err("expected a size above zero, e.g. 64m".to_owned()),
    }
}

fn dumps(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 2..=100) => Ok(number),
        _ => Err("expected a number from 2 to 100".to_owned()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("expected a share from 0 to 1".to_owned()),
    }
}
