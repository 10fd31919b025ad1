//! The command line: commands and options, and their help. Nothing below `commands/` sees these types.

pub(crate) mod fleet;
pub(crate) mod heap;
pub(crate) mod judging;
pub(crate) mod own;
pub(crate) mod part;
pub(crate) mod running;

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{Args, Parser, Subcommand};
use fleet::{ExportArgs, MergeArgs, PushArgs};
use judging::{AdviseArgs, CheckArgs, CostArgs, DiffArgs, LeaksArgs};
use mayfly_profile::option_value;
use mayfly_recording::FORMAT_VERSION;
use mayfly_recording::control::PROTOCOL_VERSION;
use own::OwnArgs;
pub(crate) use part::Phase;
use part::{FormatArgs, PartArgs};
use running::{
    AgentArgs, DoctorArgs, LiveArgs, McpArgs, PsArgs, RecordArgs, SnapshotArgs, StartArgs, StatusArgs,
    StopArgs, TargetArgs,
};

/// See how long the objects of a Java program live: which classes and call sites allocate, how much, and when those
/// objects die.
#[derive(Debug, Parser)]
#[command(name = "mayfly", version, long_version = long_version(), propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What this is, in a line: version, protocol, target.
pub(crate) fn versions() -> String {
    format!("mayfly {}", long_version().replace('\n', ", "))
}

/// What `--version` shows behind the name, by lines; `-V` shows the first.
fn long_version() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    let c_library = match () {
        () if cfg!(target_env = "musl") => "linux-musl",
        () if cfg!(target_env = "gnu") => "linux-gnu",
        () => "linux",
    };
    TEXT.get_or_init(|| {
        format!(
            "{}\nagent protocol {PROTOCOL_VERSION}\nrecordings {FORMAT_VERSION}\nfor {}-{c_library}",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::ARCH
        )
    })
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a Java program under the agent, and keep a recording
    ///
    /// Starts COMMAND with the agent inside. Allocations are counted exactly; lifetimes and stacks come from an unbiased
    /// sample of the allocated bytes, unless --every-object is given. If COMMAND is a java launcher, the agent is put on its
    /// command line; any other program (a script, a build tool) hands it to each JVM that it starts, by JAVA_TOOL_OPTIONS.
    ///
    /// Exits with the program's own code, with 128+N if signal N ended it, and with 2 if it could not be started. With --budget and
    /// a program that ends with 0: with the code of the check.
    Run(RunArgs),
    /// Show a recording as text, as JSON, or for other tools
    ///
    /// Reads a recording and shows one screen: findings, classes and methods by bytes allocated, live and held over time, and the
    /// coverage. --full shows all rows, with allocation sites. The filters of the run apply
    /// unless others are given. If the JVM was killed, the recording is read up to its last step, with a warning.
    Report(ReportArgs),
    /// Make one recording of several: runs of a program, or the processes of a service
    ///
    /// Totals, sites, lifetimes and coverage add up; each recording stays a source with its labels, totals and coverage. Lifetimes of the
    /// result are mixtures of those of its sources. Single collections and what happened when are of one JVM, and left out.
    Merge(MergeArgs),
    /// Write recordings as Parquet tables by application and day, for DuckDB, Spark and their like
    ///
    /// FOLDER/TABLE/application=A/day=D/RECORDING.parquet, with the tables of report --parquet and one of the recordings. One recording is
    /// read at a time for each processor, so that thousands fit; written again, a recording replaces itself.
    Export(ExportArgs),
    /// Send profiles to a collector of OpenTelemetry, or to Pyroscope
    ///
    /// A recording is sent once; of a running JVM, with --every, what happened since the last time it was taken: allocations as they
    /// were made meanwhile, live objects as of now, lifetimes as attributes. Waits for nobody for longer than --patience: what is not
    /// taken by then is lost, and counted. Exits with 3 if anything was lost.
    Push(PushArgs),
    /// Check recordings against a budget: bytes, objects, what stays live, lifetimes
    ///
    /// Compares each recording with the limits of a budget, and names the classes and stacks that exceed them. Exits with 0 if every
    /// limit is kept, with 1 if one is exceeded, and with 2 if that is not known: too little of what the JVM allocated was counted,
    /// or the recording lacks what a limit needs.
    Check(CheckArgs),
    /// Show what changed between recordings, and how sure that is
    ///
    /// Compares classes and allocation sites of two sides: what they allocate, what of it is live, and how long it lives. With three
    /// recordings or more of each side, a change counts only if it is larger than the differences between runs of one side; ~ stands
    /// for no change.
    Diff(DiffArgs),
    /// Find leaks: objects that become more and more, and what holds them
    ///
    /// PID: takes some heap dumps of the running JVM and prints how long they paused the program. Dumps of one program, oldest first:
    /// shows what grew from each to the next. A recording: shows which methods make objects that stay. Not a leak is what stopped
    /// growing, what is removed again, and what is only softly held. Exits with 0 if nothing leaks, with 1 if something leaks, and
    /// with 2 if that is not known.
    Leaks(LeaksArgs),
    /// Find out which flag helps, or that none does, and why the collector is busy
    ///
    /// Measures a running JVM for a while, runs a program to its end, or reads a recording. The first sentence is the answer: a young
    /// generation or a heap of another size, never beyond what -Xmx or the container allows, with what it would change; or that there is
    /// nothing to gain. Then: what in the code is made again and again, why the JVM collects, what dies just after promotion, what could
    /// be pooled, and which objects G1 puts into regions of their own. Exits with 2 if it is not known, with what is missing.
    Advise(AdviseArgs),
    /// Measure what profiling costs a program: runs without and with Mayfly, in turn
    ///
    /// Runs COMMAND once to warm up, and then some rounds: without Mayfly, with mayfly run --sampled, and with mayfly run. The runs of a
    /// round are compared with each other: processor time, time on the clock, and memory, with the least and the most of all rounds.
    /// The program gets nothing to read; what it writes is shown of the first run only. Nothing is kept.
    Cost(CostArgs),
    /// Run a small Java program under the agent, to see what mayfly shows
    ///
    /// Runs a small Java program under the agent for a few seconds: live histogram, then the report. Its recording is kept.
    Demo(DemoArgs),
    /// Watch how long objects live, on the whole screen, as it happens
    ///
    /// Follows a JVM that was started with the agent, or the recording that one is writing, or shows a finished one: lifetimes on three clocks, allocation, deaths and
    /// collections over time, classes and sites by what they allocate, hold and for how long, down to a stack and a survival
    /// curve. ? shows the keys. Where standard output is no terminal it prints plain blocks of text.
    Live(LiveArgs),
    /// List the JVMs that run here, and what the agent does in each
    ///
    /// Lists the JVMs of this user (root: of all users), also those in containers, with the agent's state in each: none, launched (to
    /// profile, or for the heap only), attached, or silent if it takes no requests.
    Ps(PsArgs),
    /// Say what works here and in a JVM, and what stands in the way of a recording
    ///
    /// Looks at this installation, and with PID at that JVM: its release, collector, C library, whether it can be attached to, and how the
    /// agent would come to it. Changes nothing. Exits with 0 if a recording could be started, with 2 if this installation is in the
    /// way, and with 3 if the JVM is.
    Doctor(DoctorArgs),
    /// Say where the agent's library is, or copy it
    ///
    /// For command lines: -agentpath:$(mayfly agent)=#… With --copy-to, puts a copy into a folder and says where: for images without a
    /// shell, whose init container gives the agent to another one.
    Agent(AgentArgs),
    /// Load the agent into a running JVM, to look at its heap
    ///
    /// Commands that need it do this by themselves. An agent that is there already is left as it is.
    Attach(TargetArgs),
    /// Show the state of the agent in a running JVM
    Status(StatusArgs),
    /// Begin to profile a running JVM with its own sampler
    ///
    /// Loads the agent if it is not there. No class is rewritten without --exact, and the program's process writes no file
    /// unless an option names one. Profiling runs until `mayfly stop`; only objects made in that time are known.
    Start(StartArgs),
    /// End profiling that was begun by start; nothing of it stays in the JVM, but after exact counts hooks that are switched off
    Stop(StopArgs),
    /// Profile a running JVM for a while, and keep a recording
    ///
    /// Begins as `mayfly start`, waits, fetches the profile as a recording, and stops. Ctrl-C ends it early and keeps it.
    Record(RecordArgs),
    /// Stop counting in a running JVM; its data stays
    Pause(TargetArgs),
    /// Count again in a running JVM that was paused, or launched with #delayprofiling
    Resume(TargetArgs),
    /// Set all counts in a running JVM to zero
    Reset(TargetArgs),
    /// Fetch the profile of a running JVM so far, as a recording
    Snapshot(SnapshotArgs),
    /// Show the heap of a running JVM, or of a dump: objects by class, and what holds them
    ///
    /// With a PID, counts the objects on that JVM's heap by class, after two full collections. The other commands write a
    /// dump, compare summaries, and query a dump: Mayfly's, an hprof file, or INSANE's XML.
    Heap(heap::HeapArgs),
    /// Serve assistants: the answers of these commands over the Model Context Protocol
    ///
    /// Speaks the protocol on standard input and output, for a client that starts this command. Tools: list_jvms, status, report,
    /// leaks, diff, heap, advise, record. Reads files only, unless --allow-attach is given.
    Mcp(McpArgs),
    /// Write manual pages and completions for shells, for packages
    #[command(hide = true)]
    HelpFiles(HelpFilesArgs),
}

/// What `mayfly help-files` takes.
#[derive(Debug, Args)]
pub(crate) struct HelpFilesArgs {
    /// Where to: pages go to man/, completions to completions/ in it
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

/// What `mayfly run` takes.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// Where the recording goes; %p is the JVM's process id, %h the host, %t the time
    #[arg(short, long, value_name = "FILE", default_value = "mayfly-%p.mayfly")]
    pub(crate) output: PathBuf,

    /// Go on in a new file each TIME (30min, 1h, 1d) or SIZE (64mb, 1g); for both give it twice. All of them together: mayfly report FOLDER
    #[arg(long = "loop", value_name = "TIME|SIZE", value_parser = time_or_size)]
    pub(crate) rotate: Vec<String>,

    /// Of the files of --loop keep those of the last TIME, or no more than SIZE: older ones are removed; for both give it twice
    #[arg(long, value_name = "TIME|SIZE", value_parser = time_or_size, requires = "rotate")]
    pub(crate) keep: Vec<String>,

    /// Follow the life of every object, exact, with the stacks of some (a sample at each allocating instruction); slower
    #[arg(long)]
    pub(crate) every_object: bool,

    /// Take one sample per BYTES allocated on average; suffixes k, m, g. Default: per 8k, but 500 a second at most, or 2,000 where they cost little
    #[arg(long, value_name = "BYTES", value_parser = byte_count, conflicts_with = "every_object")]
    pub(crate) sample: Option<String>,

    /// Count by the JVM's own sampler, too: all numbers are estimates; the cheapest with lifetimes and stacks, for production
    #[arg(long, conflicts_with_all = ["every_object", "counts_only"])]
    pub(crate) sampled: bool,

    /// Count allocations only: no lifetimes, no stacks; the cheapest
    #[arg(long, conflicts_with_all = ["every_object", "sample"])]
    pub(crate) counts_only: bool,

    #[command(flatten)]
    pub(crate) census: running::CensusArgs,

    /// Record by thread: stacks name the pool of the thread, for mayfly report --threads
    #[arg(long, conflicts_with = "counts_only")]
    pub(crate) threads: bool,

    /// Record by class loader: stacks name the loader of the program's code, for mayfly report --loaders
    #[arg(long, conflicts_with = "counts_only")]
    pub(crate) loaders: bool,

    /// Each call of this method is a scope: what it allocates, what of that survives it and for how long (may be given more than once)
    #[arg(long, value_name = "CLASS.METHOD", conflicts_with = "sampled")]
    pub(crate) scope: Vec<String>,

    /// Follow what survives the scopes that the program enters itself: endpoints of a web server (mayfly-endpoints.jar), @Scoped, Mayfly.scope
    #[arg(long, conflicts_with = "sampled")]
    pub(crate) scopes: bool,

    /// Print a live histogram to standard error every SECONDS (1), between what the program writes
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub(crate) live: Option<NonZeroU64>,

    /// Show the live view (mayfly live) on the terminal while the program runs
    ///
    /// The program gets nothing to read. What it writes is kept in a file meanwhile, in the folder for temporary files, and
    /// shown when the view is left (q), and from then on as it comes. Needs a terminal.
    #[arg(long, conflicts_with = "live")]
    pub(crate) live_view: bool,

    /// Print no live histogram (the default)
    #[arg(long, conflicts_with = "live")]
    pub(crate) no_live: bool,

    /// Check the recordings against this budget at the end, as mayfly check does: its exit code holds if the program's is 0
    #[arg(long, value_name = "TOML")]
    pub(crate) budget: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) classes: ClassArgs,

    /// Agent options as for -agentpath, '#name-value#name…'; they win over all others
    #[arg(long, value_name = "#OPTIONS", default_value = "", hide_default_value = true)]
    pub(crate) agent_options: String,

    /// The program and its arguments, usually after --
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

const RUN_EXAMPLES: &str = "\
Examples:
  mayfly run -- java -jar app.jar
  mayfly run --every-object --include com.example -- java -jar app.jar
  mayfly run --live-view -- java -jar app.jar
  mayfly run --scope com.example.Handler.handle -- java -jar app.jar
  mayfly run --scopes -- java -jar app.jar
  mayfly run --sampled -- java -jar app.jar
  mayfly run --sampled --census -- java -jar app.jar
  mayfly run -o out/%p.mayfly -- mvn test
  mayfly run --sampled --loop 1h --keep 24h --keep 1g -- java -jar app.jar
  mayfly run --agent-options '#trackcollections#gc-1#bucket-1,5,60' -- java -jar app.jar";

/// What `mayfly report` takes.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArgs {
    /// The recording; - reads standard input. Of several, or of a folder of them, what mayfly merge makes of them is shown
    #[arg(value_name = "FILE", required = true)]
    pub(crate) recordings: Vec<PathBuf>,

    /// Compare recordings by a label: application, version, host, java, gc, pid, or one given by the agent's #label-NAME=VALUE
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["text", "full", "ways", "threads", "loaders", "limit", "own", "not_own", "lived", "value"])]
    pub(crate) by: Option<String>,

    /// Write JSON (schema mayfly-report/1; with --by mayfly-by/1)
    #[arg(long, conflicts_with_all = ["text", "own", "not_own"])]
    pub(crate) json: bool,

    /// Write text (the default)
    #[arg(long)]
    pub(crate) text: bool,

    /// Show all rows, with live and collected objects, lifetimes and allocation sites of each class
    #[arg(long, conflicts_with_all = ["json", "own", "not_own"])]
    pub(crate) full: bool,

    /// Show who calls: the tree of the program's own frames with what was allocated through each
    #[arg(long, conflicts_with_all = ["json", "full", "limit"])]
    pub(crate) ways: bool,

    /// Show what each pool of threads allocates; recorded with --threads or #threads
    #[arg(long, conflicts_with_all = ["json", "full", "ways", "limit", "own", "not_own"])]
    pub(crate) threads: bool,

    /// Show what the code of each class loader allocates; recorded with --loaders or #loaders
    #[arg(long, conflicts_with_all = ["json", "full", "ways", "threads", "limit", "own", "not_own"])]
    pub(crate) loaders: bool,

    /// Show requests whose objects are still there, by trace and span
    #[arg(long, conflicts_with_all = ["json", "full", "ways", "threads", "loaders", "limit", "own", "not_own"])]
    pub(crate) traces: bool,

    /// Show what of this trace is still there, with stacks; its id, or how it begins, in hexadecimal digits. Others are left out of JSON and csv-traces
    #[arg(long, value_name = "ID", value_parser = part::trace_id,
        conflicts_with_all = ["full", "ways", "threads", "loaders", "traces", "limit", "own", "not_own"])]
    pub(crate) trace: Option<String>,

    /// Show at most N classes, and N sites of each, in full text or JSON; totals still cover everything
    #[arg(long, value_name = "N", conflicts_with_all = ["own", "not_own"])]
    pub(crate) limit: Option<usize>,

    #[command(flatten)]
    pub(crate) format: FormatArgs,

    #[command(flatten)]
    pub(crate) part: PartArgs,

    #[command(flatten)]
    pub(crate) classes: ClassArgs,

    #[command(flatten)]
    pub(crate) own: OwnArgs,

    /// Blame no frames of classes whose name starts with PREFIX, commas between several
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub(crate) trace_ignore: Vec<String>,

    /// Blame no further than the first frame of a class whose name starts with PREFIX, commas between several
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub(crate) trace_target: Vec<String>,

    /// Leave out the classes to blame
    #[arg(long)]
    pub(crate) no_blame: bool,

    /// Write to FILE instead of standard output; of parquet the folder of the tables
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const REPORT_EXAMPLES: &str = "\
Examples:
  mayfly report mayfly-4711.mayfly
  mayfly report --full mayfly-4711.mayfly
  mayfly report --ways mayfly-4711.mayfly
  mayfly report --include com.example --limit 10 mayfly-4711.mayfly
  mayfly report --format json mayfly-4711.mayfly | jq '.classes[0]'
  mayfly report --lived 30s..5m mayfly-4711.mayfly
  mayfly report --format pprof -o heap.pb.gz mayfly-4711.mayfly
  mayfly report --format collapsed --value live --during 10s..60s mayfly-4711.mayfly";

/// What `mayfly demo` takes.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// How long the program allocates
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) seconds: u32,

    /// The java launcher to use, or a JDK's folder [default: JAVA_HOME, then the PATH]
    #[arg(long, value_name = "PATH")]
    pub(crate) java: Option<PathBuf>,

    /// Where the recording goes [default: a file in the folder for temporary files]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Which classes are meant.
#[derive(Debug, Args)]
pub(crate) struct ClassArgs {
    /// Only classes whose name starts with PREFIX, as Class.getName() spells it; commas between several
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub(crate) include: Vec<String>,

    /// Leave out classes whose name starts with PREFIX, commas between several
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub(crate) exclude: Vec<String>,

    /// Compare whole names, not prefixes
    #[arg(long)]
    pub(crate) exact_match: bool,
}

/// Accepts what the agent's `#sample` takes: digits with an optional k, m or g.
fn byte_count(text: &str) -> Result<String, String> {
    match option_value::size(text) {
        Ok(1..) => Ok(text.to_owned()),
        _ => Err("expected a number of bytes above zero, e.g. 512k or 2m".to_owned()),
    }
}

/// Accepts what may be in the agent's `#loop` and `#keep`, which says what is wrong with it.
fn time_or_size(text: &str) -> Result<String, String> {
    let is_word = !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_alphanumeric());
    if is_word {
        Ok(text.to_owned())
    } else {
        Err("expected a time or a size, e.g. 30min, 1h, 64mb or 1g".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn run_args(words: &[&str]) -> RunArgs {
        match Cli::try_parse_from(words).expect("parses").command {
            Command::Run(args) => args,
            other => panic!("not run: {other:?}"),
        }
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    /// The command of a line as a shell would see it, up to a pipe or a redirection.
    fn words(line: &str) -> Vec<String> {
        let words = shlex::split(line).expect("quotes match");
        words.into_iter().take_while(|word| word != "|" && word != "<").collect()
    }

    #[test]
    fn every_example_in_help_and_guide_is_accepted() {
        let guides = [
            include_str!("../../../docs/guide/cli.md"),
            include_str!("../../../docs/guide/formats/collapsed.md"),
            include_str!("../../../docs/guide/formats/csv.md"),
            include_str!("../../../docs/guide/formats/hdr.md"),
            include_str!("../../../docs/guide/formats/openmetrics.md"),
            include_str!("../../../docs/guide/formats/page.md"),
            include_str!("../../../docs/guide/formats/parquet.md"),
            include_str!("../../../docs/guide/formats/pprof.md"),
            include_str!("../../../docs/guide/formats/speedscope.md"),
            include_str!("../../../docs/guide/formats/svg.md"),
            include_str!("../../../docs/guide/heap.md"),
            include_str!("../../../docs/guide/live.md"),
            include_str!("../../../docs/guide/running-jvms.md"),
            include_str!("../../../docs/guide/check.md"),
            include_str!("../../../docs/guide/diff.md"),
            include_str!("../../../docs/guide/leaks.md"),
            include_str!("../../../docs/guide/advise.md"),
        ];
        let guide = guides.iter().flat_map(|guide| guide.lines()).filter_map(|line| line.strip_prefix("$ "));
        let examples = RUN_EXAMPLES
            .lines()
            .chain(REPORT_EXAMPLES.lines())
            .chain(running::SNAPSHOT_EXAMPLES.lines())
            .chain([running::START_EXAMPLES, running::RECORD_EXAMPLES].into_iter().flat_map(str::lines))
            .chain(running::LIVE_EXAMPLES.lines())
            .chain(judging::CHECK_EXAMPLES.lines())
            .chain(judging::DIFF_EXAMPLES.lines())
            .chain([judging::LEAKS_EXAMPLES, judging::ADVISE_EXAMPLES].into_iter().flat_map(str::lines))
            .chain([heap::EXAMPLES, heap::PATHS_EXAMPLES].into_iter().flat_map(str::lines))
            .filter_map(|line| line.strip_prefix("  "));
        let lines: Vec<_> = guide.chain(examples).collect();
        assert!(lines.len() > 15, "{lines:?}");
        for line in lines {
            assert!(line.starts_with("mayfly "), "{line}");
            if let Err(error) = Cli::try_parse_from(words(line)) {
                panic!("{line}: {error}");
            }
        }
    }

    #[test]
    fn options_after_the_program_are_the_programs() {
        for words in [
            &["mayfly", "run", "--no-live", "--", "java", "--live", "-o", "x"][..],
            &["mayfly", "run", "--no-live", "java", "--live", "-o", "x"],
        ] {
            let args = run_args(words);
            assert_eq!(args.command, ["java", "--live", "-o", "x"]);
            assert!(args.no_live && args.live.is_none());
        }
    }

    #[test]
    fn live_takes_its_seconds_only_after_an_equals_sign() {
        assert_eq!(run_args(&["mayfly", "run", "--live", "java"]).live, NonZeroU64::new(1));
        assert_eq!(run_args(&["mayfly", "run", "--live=3", "java"]).live, NonZeroU64::new(3));
    }

    #[test]
    fn misuse_is_refused() {
        for words in [
            &["mayfly", "run"][..],
            &["mayfly", "run", "--live=0", "java"],
            &["mayfly", "run", "--live=1", "--no-live", "java"],
            &["mayfly", "run", "--every-object", "--counts-only", "java"],
            &["mayfly", "run", "--sample", "0", "java"],
            &["mayfly", "run", "--sample", "5x", "java"],
            &["mayfly", "run", "--typo", "java"],
            &["mayfly", "report"],
            &["mayfly", "status"],
            &["mayfly", "start"],
            &["mayfly", "run", "--sampled", "--counts-only", "java"],
            &["mayfly", "record", "--for", "0s", "4711"],
            &["mayfly", "record", "--for", "1d", "4711"],
            &["mayfly", "ps", "4711"],
            &["mayfly", "pause", "1", "2"],
            &["mayfly", "report", "--json", "--text", "f"],
            &["mayfly", "report", "--json", "--full", "f"],
            &["mayfly", "report", "--ways", "--full", "f"],
            &["mayfly", "report", "--ways", "--csv", "f"],
            &["mayfly", "report", "--threads", "--ways", "f"],
            &["mayfly", "report", "--threads", "--csv", "f"],
            &["mayfly", "report", "--threads", "--loaders", "f"],
            &["mayfly", "report", "--trace", "xyz", "f"],
            &["mayfly", "report", "--trace", "", "f"],
            &["mayfly", "report", "--traces", "--json", "f"],
            &["mayfly", "run", "--threads", "--counts-only", "java"],
            &["mayfly", "run", "--loaders", "--counts-only", "java"],
            &["mayfly", "report", "--own", "a.", "--json", "f"],
            &["mayfly", "report", "--json", "--csv", "f"],
            &["mayfly", "report", "--pprof", "--csv", "f"],
            &["mayfly", "report", "--lived", "5s..1s", "f"],
            &["mayfly", "demo", "--seconds", "0"],
            &["mayfly", "check", "f"],
            &["mayfly", "diff", "a", "b", "c"],
            &["mayfly", "diff", "--before", "a"],
            &["mayfly", "diff", "--level", "5", "a", "b"],
            &["mayfly", "check", "--budget", "b"],
            &["mayfly", "check", "--budget", "b", "--write", "c", "f"],
            &["mayfly", "check", "--budget", "b", "--operations", "0", "f"],
            &["mayfly", "run", "--budget", "b", "-o", "/dev/null", "--typo", "java"],
        ] {
            assert!(Cli::try_parse_from(words).is_err(), "{words:?}");
        }
    }
}
