//! `micro`: CPU time of one allocating thread per operation, by `java/Micro.java`. Allocated bytes show whether scalar
//! replacement survives. No wall-clock times: the machine's cores are few.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use clap::Args;
use thiserror::Error;

use crate::settings::{Settings, Setup};
use crate::stats::Summary;
use crate::table;
use crate::variant::{Variant, order};

/// A fixed young generation: the same number of collections per allocated byte in every variant.
const HEAP: [&str; 3] = ["-Xms512m", "-Xmx512m", "-Xmn64m"];
const HEADING: [&str; 7] = [
    "workload",
    "variant",
    "ns/op (min–max of forks)",
    "ratio",
    "difference ns",
    "process ns/op",
    "bytes/op",
];

/// Options of `micro`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Workloads: obj1 (escaping 24-byte object), arr1 (an array of 64 bytes), ea1 (scalar-replaceable object), mix (collections), call (a call
    /// that allocates once: with variant scope each is a scope)
    #[arg(long, value_delimiter = ',', default_value = "obj1,arr1,ea1,mix")]
    workloads: Vec<String>,
    /// Variants: none, dormant, count, scope, sample, recorded, sampled, balanced, track, trace, tracktrace, jfr; the first is the base
    #[arg(long, value_delimiter = ',', default_value = "none,count,sample,track")]
    variants: Vec<String>,
    /// Interleaved JVMs per workload and variant
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    forks: u16,
    /// Measured intervals per JVM
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    intervals: u16,
    /// CPU time per interval, in milliseconds
    #[arg(long, default_value_t = 300)]
    interval_ms: u32,
    /// CPU time before the first interval, in milliseconds
    #[arg(long, default_value_t = 2000)]
    warmup_ms: u32,
    #[command(flatten)]
    settings: Settings,
}

/// One measured interval, per operation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    thread_ns: f64,
    process_ns: f64,
    bytes: f64,
}

/// Medians of one fork's intervals.
type Fork = Interval;

/// A fork that gave no figures.
#[derive(Debug, Error)]
enum MicroError {
    #[error("{workload}, {variant}: the JVM ended with {status}: {stderr}")]
    Jvm { workload: String, variant: String, status: String, stderr: String },
    #[error("{workload}, {variant}: {intervals} intervals instead of {expected}")]
    Intervals { workload: String, variant: String, intervals: usize, expected: usize },
}

/// Runs the workloads and prints the table. `false` if a JVM failed.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let setup = arguments.settings.set_up(&arguments.variants)?;
    let classes = tempfile::tempdir()?;
    setup.jdk.compile("Micro.java", classes.path())?;
    println!("{}", table::provenance("Micro workloads", &setup.jdk));
    let (mut rows, mut healthy) = (Vec::new(), true);
    for workload in &arguments.workloads {
        let mut forks: Vec<Vec<Fork>> = vec![Vec::new(); setup.variants.len()];
        for round in 0..usize::from(arguments.forks) {
            for index in order(setup.variants.len(), round) {
                match fork(arguments, &setup, workload, &setup.variants[index], classes.path()) {
                    Ok(fork) => forks[index].push(fork),
                    Err(failure) => {
                        println!("FAILED {failure}");
                        healthy = false;
                    }
                }
            }
        }
        for (index, variant) in setup.variants.iter().enumerate() {
            rows.push(row(workload, &variant.name, &forks[index], &forks[0]));
        }
    }
    println!("{}", table::markdown(&HEADING, &rows));
    Ok(healthy)
}

fn fork(
    arguments: &Arguments,
    setup: &Setup,
    workload: &str,
    variant: &Variant,
    classes: &Path,
) -> Result<Fork, Box<dyn Error>> {
    let folder = tempfile::Builder::new().prefix("mayfly-bench-").tempdir()?;
    let mut command = Command::new(setup.jdk.java());
    command
        .args(HEAP)
        .args(&setup.jvm_options)
        .args(variant.jvm_options(setup.agent.as_deref(), folder.path()));
    command.arg("-cp").arg(classes).args(["Micro", workload]).arg(arguments.warmup_ms.to_string());
    command.arg(arguments.intervals.to_string()).arg(arguments.interval_ms.to_string());
    let output = command.output()?;
    let (workload, variant) = (workload.to_owned(), variant.name.clone());
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(MicroError::Jvm { workload, variant, status: output.status.to_string(), stderr }.into());
    }
    let intervals: Vec<Interval> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(parse).collect();
    let expected = usize::from(arguments.intervals);
    let fork = medians(&intervals).filter(|_| intervals.len() == expected);
    let fork =
        fork.ok_or(MicroError::Intervals { workload, variant, intervals: intervals.len(), expected })?;
    Ok(fork)
}

/// A line `interval operations=… cpu_ns=… process_ns=… bytes=…`, divided by its operations.
fn parse(line: &str) -> Option<Interval> {
    let fields = line.strip_prefix("interval ")?;
    let field = |name: &str| -> Option<f64> {
        fields.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='))?.parse().ok()
    };
    let operations = field("operations").filter(|&operations| operations > 0.0)?;
    let per_operation = |name: &str| Some(field(name)? / operations);
    Some(Interval {
        thread_ns: per_operation("cpu_ns")?,
        process_ns: per_operation("process_ns")?,
        bytes: per_operation("bytes")?,
    })
}

fn medians(intervals: &[Interval]) -> Option<Interval> {
    let median = |of: fn(&Interval) -> f64| Some(summary(intervals, of)?.median);
    Some(Interval {
        thread_ns: median(|interval| interval.thread_ns)?,
        process_ns: median(|interval| interval.process_ns)?,
        bytes: median(|interval| interval.bytes)?,
    })
}

fn summary(intervals: &[Interval], of: fn(&Interval) -> f64) -> Option<Summary> {
    Summary::of(&intervals.iter().map(of).collect::<Vec<_>>())
}

fn row(workload: &str, variant: &str, forks: &[Fork], base: &[Fork]) -> Vec<String> {
    let thread = summary(forks, |fork| fork.thread_ns);
    let base = summary(base, |fork| fork.thread_ns);
    let both = thread.zip(base);
    let cells = [
        Some(workload.to_owned()),
        Some(variant.to_owned()),
        thread.map(|ns| ns.show(2)),
        both.map(|(ns, base)| format!("{:.2}", ns.median / base.median)),
        both.map(|(ns, base)| format!("{:+.2}", ns.median - base.median)),
        summary(forks, |fork| fork.process_ns).map(|ns| format!("{:.2}", ns.median)),
        summary(forks, |fork| fork.bytes).map(|bytes| format!("{:.2}", bytes.median)),
    ];
    cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_read_per_operation() {
        let line = "interval operations=100 cpu_ns=750 process_ns=800 bytes=2400";
        assert_eq!(parse(line), Some(Interval { thread_ns: 7.5, process_ns: 8.0, bytes: 24.0 }));
    }

    #[test]
    fn other_lines_and_empty_intervals_are_no_figures() {
        assert_eq!(parse("checksum 5"), None);
        assert_eq!(parse("interval operations=0 cpu_ns=1 process_ns=1 bytes=1"), None);
        assert_eq!(parse("interval operations=5 cpu_ns=1"), None);
    }

    #[test]
    fn a_row_shows_ratio_and_difference_to_the_base() {
        let fork = |thread_ns: f64| Interval { thread_ns, process_ns: thread_ns + 1.0, bytes: 24.0 };
        let cells = row("obj1", "count", &[fork(8.0), fork(9.0), fork(7.0)], &[fork(4.0)]);
        assert_eq!(cells, ["obj1", "count", "8.00 (7.00–9.00)", "2.00", "+4.00", "9.00", "24.00"]);
        assert_eq!(row("obj1", "count", &[], &[fork(4.0)])[2..], ["-"; 5]);
    }
}
