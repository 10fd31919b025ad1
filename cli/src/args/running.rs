//! Arguments of the commands for JVMs that run: `live`, `ps`, `status`, `pause`, `resume`, `reset`, `snapshot`.

use std::path::PathBuf;

use clap::Args;

/// What `mayfly ps` takes.
#[derive(Debug, Args)]
pub(crate) struct PsArgs {
    /// Write JSON (schema mayfly-ps/1)
    #[arg(long)]
    pub(crate) json: bool,
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

    /// Write JSON (schema mayfly-status/1)
    #[arg(long)]
    pub(crate) json: bool,
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
