//! What commands take that are about many recordings, or hand them on.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

const MERGE_EXAMPLES: &str = "\
Examples:
  mayfly merge -o all.mayfly a.mayfly b.mayfly
  mayfly merge -o shop.mayfly recordings/";

/// What `mayfly merge` takes.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArgs {
    /// Recordings, or folders: of these all files *.mayfly, also those in folders below
    #[arg(value_name = "FILE|FOLDER", required = true)]
    pub(crate) recordings: Vec<PathBuf>,

    /// The recording to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  mayfly export recordings/ -o fleet
  duckdb -c \"SELECT application, sum(allocated_bytes) FROM 'fleet/recordings/*/*/*.parquet' GROUP BY ALL\"";

/// What `mayfly export` takes.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArgs {
    /// Recordings, or folders: of these all files *.mayfly, also those in folders below
    #[arg(value_name = "FILE|FOLDER", required = true)]
    pub(crate) recordings: Vec<PathBuf>,

    /// The folder of the tables; what is there of other recordings stays
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,

    /// Stacks with line numbers
    #[arg(long)]
    pub(crate) lines: bool,
}

const PUSH_EXAMPLES: &str = "\
Examples:
  mayfly push mayfly-4711.mayfly --to http://localhost:4318
  mayfly push 4711 --to http://localhost:4318 --every 60s
  mayfly push mayfly-4711.mayfly --to http://localhost:4040 --as pyroscope
  mayfly push 4711 --textfile /var/lib/node_exporter/app.prom --every 15s";

/// Who takes profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Receiver {
    /// A collector of OpenTelemetry: OTLP over HTTP, /v1development/profiles
    Otlp,
    /// Pyroscope: push.v1, with pprof
    Pyroscope,
}

/// What `mayfly push` takes.
#[derive(Debug, Args)]
#[command(after_help = PUSH_EXAMPLES)]
pub(crate) struct PushArgs {
    /// Recordings or folders of them; or a process id, or a main class or jar that exactly one JVM runs
    #[arg(value_name = "FILE|PID", required = true)]
    pub(crate) targets: Vec<String>,

    /// Where to: http://HOST:PORT. A path replaces the usual one
    #[arg(long, value_name = "URL", value_parser = url, required_unless_present = "textfile")]
    pub(crate) to: Option<String>,

    /// Of a running JVM, instead: metrics in this file, for the textfile collector of node_exporter (*.prom); replaced as a whole each time
    #[arg(long, value_name = "FILE", conflicts_with_all = ["to", "receiver", "patience", "header"])]
    pub(crate) textfile: Option<PathBuf>,

    /// Who takes it there
    #[arg(long = "as", value_name = "WHO", default_value = "otlp")]
    pub(crate) receiver: Receiver,

    /// Of a running JVM, again and again: seconds, or a number with s, m or h; until it ends, or Ctrl-C
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) every: Option<Duration>,

    /// How long one profile is tried in all
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = time)]
    pub(crate) patience: Duration,

    /// A header of each request, NAME=VALUE, as a tenant or a token (may be given more than once)
    #[arg(long, value_name = "NAME=VALUE", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
}

fn url(text: &str) -> Result<String, String> {
    let rest = text
        .strip_prefix("http://")
        .ok_or("expected http://HOST:PORT; for https let a collector on this host pass it on")?;
    if rest.is_empty() || rest.starts_with('/') {
        return Err("expected a host behind http://".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

fn time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<u64>().map(Duration::from_secs);
    let time = seconds
        .or_else(|_| humantime::parse_duration(text))
        .map_err(|error| format!("{error}; e.g. 60s, 5m"))?;
    if time < Duration::from_secs(1) { Err("at least 1s".to_owned()) } else { Ok(time) }
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(is_of_name) || value.contains(['\r', '\n']) {
        return Err("expected a name of letters, digits and -, and a value of one line".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}
