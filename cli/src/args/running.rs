//! Arguments of the commands for JVMs that run: `agent`, `live`, `ps`, `status`, `pause`, `resume`, `reset`, `snapshot`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::part::JsonArgs;

/// What `mayfly ps` takes.
#[derive(Debug, Args)]
pub(crate) struct PsArgs {
    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

/// What `mayfly doctor` takes.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Process id, or a main class or jar that exactly one JVM runs [default: no JVM is looked at]
    #[arg(value_name = "PID")]
    pub(crate) jvm: Option<String>,

    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

/// What `mayfly agent` takes.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// Put a copy there, which every user can read; one that is there is replaced
    #[arg(long, value_name = "FOLDER")]
    pub(crate) copy_to: Option<PathBuf>,
}

/// Which JVM is meant.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Process id, or a main class or jar that exactly one JVM runs
    #[arg(value_name = "PID")]
    pub(crate) target: String,
}

/// What `mayfly status` takes.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) jvm: TargetArgs,

    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

/// What `mayfly snapshot` takes.
#[derive(Debug, Args)]
#[command(after_help = SNAPSHOT_EXAMPLES)]
pub(crate) struct SnapshotArgs {
    #[command(flatten)]
    pub(crate) jvm: TargetArgs,

    /// Where the recording goes; - writes standard output [default: mayfly-PID-snapshot.mayfly]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

pub(super) const SNAPSHOT_EXAMPLES: &str = "\
Examples:
  mayfly snapshot 4711
  mayfly snapshot -o before.mayfly com.example.Main
  mayfly snapshot -o - 4711 | mayfly report --limit 10 -";

/// What `mayfly start` takes.
#[derive(Debug, Args)]
#[command(after_help = START_EXAMPLES)]
pub(crate) struct StartArgs {
    #[command(flatten)]
    pub(crate) jvm: TargetArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

pub(super) const START_EXAMPLES: &str = "\
Examples:
  mayfly start 4711
  mayfly start 4711 '#sample-64k#include-com.example'
  mayfly start --exact 4711 '#trackcollections#include-com.example'
  mayfly start --sampled com.example.Main '#recording-/var/tmp/%p.mayfly'";

/// What `mayfly stop` takes.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    #[command(flatten)]
    pub(crate) jvm: TargetArgs,

    /// After exact counts: give all classes back as they were, too; otherwise hooks stay in them, switched off
    #[arg(long)]
    pub(crate) restore: bool,
}

/// What `mayfly record` takes.
#[derive(Debug, Args)]
#[command(after_help = RECORD_EXAMPLES)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub(crate) jvm: TargetArgs,

    /// How long: seconds, or a number with s, m or h
    #[arg(long = "for", value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) time: Duration,

    /// Where the recording goes [default: mayfly-PID.mayfly]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Request no collection at the end: if none ran while recording, what is live is not known
    #[arg(long)]
    pub(crate) no_collect: bool,

    /// Request a full collection at the end, and look for holders: the program pauses, and it is known what stays, what leaks and who holds it
    #[arg(long, conflicts_with = "no_collect")]
    pub(crate) collect: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

pub(super) const RECORD_EXAMPLES: &str = "\
Examples:
  mayfly record 4711 --for 60s -o run.mayfly
  mayfly record 4711 --for 60s --collect
  mayfly record --for 10m com.example.Main '#sample-1m'
  mayfly record 4711 --census --for 5m
  mayfly record 4711 --exact --for 30s";

/// How profiling is to be done that begins in a JVM that runs.
#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    /// By the JVM's own sampler: counts, lifetimes and stacks are estimates; no class is touched (the default)
    #[arg(long)]
    pub(crate) sampled: bool,

    /// Count every allocation from now on: all loaded classes are rewritten, during which the program stands still several times
    #[arg(long, conflicts_with = "sampled")]
    pub(crate) exact: bool,

    /// With --exact: begin also where more than 3,000 classes have to be rewritten; without it the cost is printed, and nothing is done
    #[arg(long, requires = "exact")]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) census: CensusArgs,

    /// Record by thread: stacks name the pool of the thread, for mayfly report --threads
    #[arg(long)]
    pub(crate) threads: bool,

    /// Record by class loader: stacks name the loader of the program's code, for mayfly report --loaders
    #[arg(long)]
    pub(crate) loaders: bool,

    /// Agent options as for -agentpath, '#name-value#name…'
    #[arg(value_name = "#OPTIONS", default_value = "", hide_default_value = true)]
    pub(crate) options: String,
}

/// Whether young collections are read, and how much that may take.
#[derive(Debug, Default, Args)]
pub(crate) struct CensusArgs {
    /// Read what each young collection leaves behind: counts by class, and who died young at which age; Serial, Parallel, G1
    #[arg(long)]
    pub(crate) census: bool,

    /// With --census: what reading may add to a pause, in milliseconds; 0: all is read, and counts of classes are exact
    ///
    /// If not given, reading takes a fifth of what pauses take without it, and with G1 4 ms of one at most; samples count for the rest.
    #[arg(long, value_name = "MS", requires = "census", value_parser = milliseconds)]
    pub(crate) pause: Option<String>,
}

/// Accepts what may be in the agent's `#pause`.
fn milliseconds(text: &str) -> Result<String, String> {
    match text.strip_suffix("ms").unwrap_or(text).parse() {
        Ok(0..=60_000u32) => Ok(text.to_owned()),
        _ => Err("expected milliseconds up to 60000, e.g. 5 or 5ms".to_owned()),
    }
}

/// Seconds, minutes or hours, from a second to a week.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1),
        Some((at, 'm')) => (&text[..at], 60),
        Some((at, 'h')) => (&text[..at], 3600),
        _ => (text, 1),
    };
    let seconds = number.parse::<u32>().ok().map(|number| u64::from(number) * unit);
    match seconds {
        Some(seconds @ 1..=604_800) => Ok(Duration::from_secs(seconds)),
        _ => Err("expected a time from 1s to 168h, e.g. 90s, 10m or 1h".to_owned()),
    }
}

/// What `mayfly mcp` takes.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Allow tools that attach to running JVMs and write recordings (leaks, heap and record by process id); without it only files
    /// are read
    #[arg(long)]
    pub(crate) allow_attach: bool,
}

/// What `mayfly live` takes.
#[derive(Debug, Args)]
#[command(after_help = LIVE_EXAMPLES)]
pub(crate) struct LiveArgs {
    /// Process id, or a main class or jar that exactly one JVM runs; or a recording
    #[arg(value_name = "PID|FILE")]
    pub(crate) target: String,
}

pub(super) const LIVE_EXAMPLES: &str = "\
Examples:
  mayfly live 4711
  mayfly live mayfly-4711.mayfly
  mayfly live mayfly-4711.mayfly | tee blocks.txt";
