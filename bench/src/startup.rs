//! `startup`: CPU time of a JVM that says hello and ends. Programs that do something are `beds`'s and `micro`'s.

use std::error::Error;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::Args;

use crate::jvm_wrapper::{MEASURED, REAL_JAVA, USAGE_FILE, Usage};
use crate::settings::{Settings, Setup};
use crate::stats::{Summary, paired_ratios};
use crate::table;
use crate::variant::{Variant, order};

const HEADING: [&str; 5] =
    ["variant", "CPU ms (min–max)", "difference ms", "ratio (pairs median)", "RSS MiB"];

/// Options of `startup`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Variants: none, dormant, count, sample, recorded, sampled, balanced, track, trace, tracktrace, jfr; the first is the base
    #[arg(long, value_delimiter = ',', default_value = "none,count")]
    variants: Vec<String>,
    /// Interleaved runs of each variant
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    #[command(flatten)]
    settings: Settings,
}

/// Runs hello world and prints the table. `false` if a JVM failed or said something else.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let setup = arguments.settings.set_up(&arguments.variants)?;
    let classes = tempfile::tempdir()?;
    setup.jdk.compile("Hello.java", classes.path())?;
    println!("{}", table::provenance("Start-up (hello world)", &setup.jdk));
    let mut runs: Vec<Vec<Option<Usage>>> = vec![Vec::new(); setup.variants.len()];
    for round in 0..usize::from(arguments.runs) {
        for index in order(setup.variants.len(), round) {
            let variant = &setup.variants[index];
            let usage = hello(&setup, variant, classes.path());
            if let Err(failure) = &usage {
                println!("FAILED {}: {failure}", variant.name);
            }
            runs[index].push(usage.ok());
        }
    }
    let names = setup.variants.iter().map(|variant| variant.name.as_str());
    let rows: Vec<_> = names.zip(&runs).map(|(name, usages)| row(name, usages, &runs[0])).collect();
    println!("{}", table::markdown(&HEADING, &rows));
    Ok(runs.iter().flatten().all(Option::is_some))
}

fn hello(setup: &Setup, variant: &Variant, classes: &Path) -> io::Result<Usage> {
    let folder = tempfile::Builder::new().prefix("mayfly-bench-").tempdir()?;
    let usage_file = folder.path().join("usage");
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["jvm-wrapper", MEASURED]).args(&setup.jvm_options);
    command
        .args(variant.jvm_options(setup.agent.as_deref(), folder.path()))
        .arg("-cp")
        .arg(classes)
        .arg("Hello");
    command.env(REAL_JAVA, setup.jdk.java()).env(USAGE_FILE, &usage_file).stdin(Stdio::null());
    let output = command.output()?;
    // Our agent leaves stdout alone; other profilers greet there.
    let as_expected =
        if variant.is_peer() { output.stdout.ends_with(b"hello\n") } else { output.stdout == b"hello\n" };
    if !output.status.success() || !as_expected {
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        return Err(io::Error::other(format!("hello world ended with {}: {said}", output.status)));
    }
    Usage::read_all(&usage_file)?
        .first()
        .copied()
        .ok_or_else(|| io::Error::other("the wrapper noted no usage"))
}

fn row(name: &str, usages: &[Option<Usage>], base: &[Option<Usage>]) -> Vec<String> {
    let cpu_ms = |usages: &[Option<Usage>]| -> Vec<Option<f64>> {
        usages.iter().map(|usage| usage.map(|usage| usage.cpu_us as f64 / 1000.0)).collect()
    };
    let summary = |values: &[Option<f64>]| Summary::of(&values.iter().flatten().copied().collect::<Vec<_>>());
    let (cpu, base) = (cpu_ms(usages), cpu_ms(base));
    let rss: Vec<f64> = usages.iter().flatten().map(|usage| usage.max_rss_kib as f64 / 1024.0).collect();
    let cells = [
        Some(name.to_owned()),
        summary(&cpu).map(|cpu| cpu.show(1)),
        summary(&cpu).zip(summary(&base)).map(|(cpu, base)| format!("{:+.1}", cpu.median - base.median)),
        Summary::of(&paired_ratios(&cpu, &base)).map(|ratios| format!("{:.2}", ratios.median)),
        Summary::of(&rss).map(|rss| format!("{:.0}", rss.median)),
    ];
    cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_pairs_runs_of_one_round() {
        let usage = |ms: u64| Some(Usage { cpu_us: ms * 1000, max_rss_kib: 40 * 1024, exit: 0 });
        let cells = row("count", &[usage(60), None, usage(90)], &[usage(40), usage(10), usage(45)]);
        assert_eq!(cells, ["count", "75.0 (60.0–90.0)", "+35.0", "1.75", "40"]);
    }
}
