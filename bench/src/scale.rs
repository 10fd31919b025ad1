//! `scale`: millions of live tracked objects: native memory of each, young pauses, and what sweeping them takes.

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use clap::Args;

use crate::settings::{Settings, Setup};
use crate::table;

const HEADING: [&str; 7] =
    ["collector", "variant", "RSS MiB", "bytes per object", "young pauses", "mean ms", "sweeps"];
const COLLECTORS: [&str; 2] = ["Parallel", "G1"];
const VARIANTS: [(&str, Option<&str>); 3] = [
    ("none", None),
    ("count", Some("#live-0")),
    ("track", Some("#trackcollections#include-Scale$#memlimit-1g#live-0")),
];

/// Options of `scale`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Objects that stay alive
    #[arg(long, default_value_t = 10_000_000)]
    live: u64,
    /// Objects that die meanwhile
    #[arg(long, default_value_t = 20_000_000)]
    churn: u64,
    #[command(flatten)]
    settings: Settings,
}

/// What one run said.
struct Run {
    rss_kib: u64,
    pauses: u64,
    pause_ms: u64,
    /// The report's line on sweeps.
    sweeps: String,
}

/// Runs the program and prints the table. `false` if a JVM failed.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let setup = arguments.settings.set_up(&["none".into(), "count".into()])?;
    let classes = tempfile::tempdir()?;
    setup.jdk.compile("Scale.java", classes.path())?;
    println!("{}", table::provenance("Scale", &setup.jdk));
    let mut rows = Vec::new();
    let mut healthy = true;
    for collector in COLLECTORS {
        let mut counting_kib = 0;
        for (variant, options) in VARIANTS {
            match once(arguments, &setup, classes.path(), collector, options) {
                Ok(run) => {
                    counting_kib = if variant == "count" { run.rss_kib } else { counting_kib };
                    let more = run.rss_kib.saturating_sub(counting_kib) * 1024;
                    let per_object = (variant == "track").then(|| more as f64 / arguments.live as f64);
                    rows.push(row(collector, variant, &run, per_object));
                }
                Err(failure) => {
                    healthy = false;
                    println!("FAILED {collector} {variant}: {failure}");
                }
            }
        }
    }
    println!("{}", table::markdown(&HEADING, &rows));
    println!(
        "Bytes per object: resident memory beyond that of counting alone, by live object; the heap has a fixed size."
    );
    Ok(healthy)
}

fn row(collector: &str, variant: &str, run: &Run, per_object: Option<f64>) -> Vec<String> {
    let mean = run.pause_ms as f64 / run.pauses.max(1) as f64;
    vec![
        collector.into(),
        variant.into(),
        (run.rss_kib / 1024).to_string(),
        per_object.map_or_else(|| "-".into(), |bytes| format!("{bytes:.1}")),
        run.pauses.to_string(),
        format!("{mean:.0}"),
        run.sweeps.clone(),
    ]
}

fn once(
    arguments: &Arguments,
    setup: &Setup,
    classes: &Path,
    collector: &str,
    options: Option<&str>,
) -> io::Result<Run> {
    let folder = tempfile::Builder::new().prefix("mayfly-bench-").tempdir()?;
    let mut command = Command::new(setup.jdk.java());
    command.args([&format!("-XX:+Use{collector}GC"), "-Xms3g", "-Xmx3g", "-Xmn192m", "-XX:+AlwaysPreTouch"]);
    if let (Some(options), Some(agent)) = (options, &setup.agent) {
        command.arg(format!("-agentpath:{}={options}#output-{}", agent.display(), folder.path().display()));
    }
    command.args(&setup.jvm_options).arg("-cp").arg(classes).arg("Scale");
    let output = command.args([arguments.live.to_string(), arguments.churn.to_string()]).output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let said = || format!("{}: {stdout}{}", output.status, String::from_utf8_lossy(&output.stderr));
    let numbers: Vec<u64> =
        stdout.split_whitespace().skip(2).map_while(|number| number.parse().ok()).collect();
    let &[rss_kib, pauses, pause_ms] = numbers.as_slice() else { return Err(io::Error::other(said())) };
    let log = fs::read_to_string(folder.path().join("mayfly.log")).unwrap_or_default();
    let sweeps = log.lines().find_map(|line| line.trim().strip_prefix("sweeps: ")).unwrap_or("-");
    Ok(Run { rss_kib, pauses, pause_ms, sweeps: sweeps.to_owned() })
}
