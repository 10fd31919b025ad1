//! `beds`: real programs with and without the agent, interleaved. What one run is, is `bed_run`'s.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::bed_run::{BedFailure, BedRun, BedRunner, SECONDS};
use crate::pauses::percentiles_of;
use crate::settings::{Settings, Setup};
use crate::stats::{Summary, geometric_mean, paired_ratios};
use crate::table;
use crate::trust::Trust;
use crate::variant::{Variant, order};

const HEADING: [&str; 11] = [
    "bed",
    "variant",
    "CPU s (min–max)",
    "CPU ratio (pairs min–max)",
    "RSS MiB",
    "RSS ratio",
    "pauses ms: half, 99 %, all",
    "accounted",
    "explained",
    "dropped M",
    "Little's law",
];

/// Options of `beds`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder of the bed scripts, NAME.sh each. It is no part of a clean clone
    #[arg(long, value_name = "DIR", env = "MAYFLY_BEDS")]
    beds_dir: Option<PathBuf>,
    /// Beds to run
    #[arg(long, value_delimiter = ',', default_value = "javac-bc,h2,clojure")]
    beds: Vec<String>,
    /// Variants: none, dormant, count, sample, recorded, sampled, balanced, track, trace, tracktrace, jfr; the first is the base of the ratios
    #[arg(long, value_delimiter = ',', default_value = "none,count,sample,track")]
    variants: Vec<String>,
    /// Measured rounds; each runs every variant once. One unmeasured run comes first
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Only from a third of all allocation to the last collection, in runs of one to three minutes of CPU: without start-up and warm-up.
    /// Beds are told to do more, or their main method runs several times in one JVM (JDK 17 or before)
    #[arg(long)]
    steady: bool,
    /// Longest time for one run, in seconds
    #[arg(long, default_value_t = 900)]
    timeout: u64,
    #[command(flatten)]
    settings: Settings,
}

/// How each bed is made to take one to three minutes of CPU.
const LONGER: [(&str, Longer); 8] = [
    ("bio-picard", Longer::told(("READS", "300000"))),
    ("clojure", Longer::told(("ROUNDS", "36"))),
    ("h2", Longer::told(("N", "900000"))),
    ("javac-bc", Longer::repeated(8)),
    // It would skip what it has done before.
    ("jruby-rdoc", Longer { variable: Some(("RDOCOPT", "--force-update")), ..Longer::repeated(6) }),
    ("spark-sql", Longer::told(("N", "36000000"))),
    // Its sessions, of which none ends meanwhile, fill the heap after a minute and a half.
    ("tomcat", Longer::told((SECONDS, "40"))),
    ("vnu", Longer::repeated(40)),
];
/// The agent that runs a main method several times.
const REPEAT: &str = "Repeat";

/// Below every table.
const NOTES: &str = "CPU: user and system time of the bed's JVMs, median of the rounds; for a bed that runs for a fixed \
     time (tomcat) per 1,000 requests. Ratios are of medians, in brackets those of single rounds. \
     Pauses: for how long all threads stood still, by the JVM's log of safepoints (JDK 17 and later): half of the pauses, and 99 of 100, are \
     no longer than this; all those of a run together, and behind a + those that an agent asked for, as the JVM ends (in no other figure). \
     Accounted: share of the JVM's own allocation counter that the agent accounts for, in the JVM with the lowest; \
     above 100 % where the JIT compiler removed counted allocations. Explained: with what is named in the trust line, \
     exact or estimated. Dropped: millions of objects not tracked for want of \
     room: a cost not paid. Little's law: in how many JVMs what was live after collections may be what lifetimes say, of \
     those with ten steps or more: a recording has one a second.";

/// Said before a table of `--steady`.
const STEADY: &str = "Steady state: CPU from a third of all allocation, by the JVM's log of collections, to the last collection.";

/// How a program is made to run for long.
#[derive(Clone, Copy)]
struct Longer {
    /// A variable that tells it, and its value.
    variable: Option<(&'static str, &'static str)>,
    /// How often its main method runs in one JVM.
    times: u32,
}

impl Longer {
    fn of(bed: &str) -> Option<Self> {
        LONGER.iter().find(|(name, _)| *name == bed).map(|&(_, longer)| longer)
    }

    const fn told(variable: (&'static str, &'static str)) -> Self {
        Self { variable: Some(variable), times: 1 }
    }

    const fn repeated(times: u32) -> Self {
        Self { variable: None, times }
    }
}

/// A bed script and how much it is to do.
struct Bed {
    name: String,
    script: PathBuf,
    /// With `--steady`, by [`LONGER`].
    steady: Option<Steady>,
}

/// How a bed is run for long.
struct Steady {
    variable: Option<(&'static str, &'static str)>,
    /// The option by which its main method runs several times.
    repeat: Option<String>,
}

impl Steady {
    /// `agent`: [`REPEAT`], if any bed needs it.
    fn of(longer: Longer, agent: Option<&Path>) -> Self {
        let repeat = agent.filter(|_| longer.times > 1);
        let repeat = repeat.map(|agent| format!("-javaagent:{}={}", agent.display(), longer.times));
        Self { variable: longer.variable, repeat }
    }
}

/// All runs of one bed: per variant, per round.
struct Measured {
    bed: String,
    /// The line every run must give.
    reference: String,
    runs: Vec<Vec<Option<BedRun>>>,
}

/// Runs the beds and prints the table. `false` if a run failed or a result differed.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let Some(folder) = arguments.beds_dir.as_deref().filter(|folder| folder.is_dir()) else {
        println!(
            "skip(no-beds): the bed scripts are no part of a clean clone; name their folder by --beds-dir or MAYFLY_BEDS"
        );
        return Ok(true);
    };
    let setup = arguments.settings.set_up(&arguments.variants)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    println!("{}", table::provenance("Real programs", &setup.jdk));
    let timeout = Duration::from_secs(arguments.timeout);
    let java = setup.jdk.java();
    let packed = tempfile::tempdir()?;
    let repeats = |bed: &String| Longer::of(bed).is_some_and(|longer| longer.times > 1);
    let repeat = arguments.steady && arguments.beds.iter().any(repeats);
    let repeat = repeat.then(|| setup.jdk.pack_java_agent(REPEAT, packed.path())).transpose()?;
    if arguments.steady {
        println!("{STEADY}\n");
    }
    let runner = BedRunner { java: &java, timeout, variable: None, interrupted: &interrupted };
    let (mut measured, mut healthy) = (Vec::new(), true);
    for name in arguments.beds.iter().take_while(|_| !interrupted.load(Ordering::Relaxed)) {
        let longer = Longer::of(name).filter(|_| arguments.steady);
        if arguments.steady && longer.is_none() {
            println!("skip(no-size): how {name} is made to run for longer is not known");
            continue;
        }
        let steady = longer.map(|longer| Steady::of(longer, repeat.as_deref()));
        let bed = Bed { name: name.clone(), script: folder.join(format!("{name}.sh")), steady };
        match measure(&bed, &runner, &setup, usize::from(arguments.rounds)) {
            Ok((bed, all_well)) => {
                healthy &= all_well;
                measured.push(bed);
            }
            Err(failure) => {
                println!("FAILED {name}, {}: {failure}", setup.variants[0].name);
                healthy = false;
            }
        }
    }
    if !measured.is_empty() {
        print_tables(&measured, &setup.variants);
    }
    Ok(healthy)
}

/// One unmeasured run of the base (downloads, file cache, the reference result), then the rounds.
fn measure(
    bed: &Bed,
    runner: &BedRunner<'_>,
    setup: &Setup,
    rounds: usize,
) -> Result<(Measured, bool), BedFailure> {
    let reference = run_once(bed, runner, setup, &setup.variants[0])?.result;
    let mut runs = vec![Vec::new(); setup.variants.len()];
    let mut healthy = true;
    for round in 0..rounds {
        for index in order(setup.variants.len(), round) {
            let variant = &setup.variants[index];
            let run = match run_once(bed, runner, setup, variant) {
                Err(BedFailure::Interrupted) => return Err(BedFailure::Interrupted),
                other => report(&bed.name, variant, &reference, other),
            };
            healthy &= run.is_some();
            runs[index].push(run);
        }
    }
    Ok((Measured { bed: bed.name.clone(), reference, runs }, healthy))
}

/// One run; of a steady state what it did once it was warm.
fn run_once(
    bed: &Bed,
    runner: &BedRunner<'_>,
    setup: &Setup,
    variant: &Variant,
) -> Result<BedRun, BedFailure> {
    let variable = bed.steady.as_ref().and_then(|steady| steady.variable);
    let run = run_script(bed, &BedRunner { variable, ..*runner }, setup, variant)?;
    if bed.steady.is_some() { run.once_warm() } else { Ok(run) }
}

/// One run in a folder of its own, which is kept if the run failed: logs and crash files are there.
fn run_script(
    bed: &Bed,
    runner: &BedRunner<'_>,
    setup: &Setup,
    variant: &Variant,
) -> Result<BedRun, BedFailure> {
    let folder = tempfile::Builder::new().prefix("mayfly-bench-").tempdir()?;
    let mut options = vec![format!("-XX:ErrorFile={}/hs_err_%p.log", folder.path().display())];
    options.extend(setup.jvm_options.iter().cloned());
    options.extend(variant.jvm_options(setup.agent.as_deref(), folder.path()));
    // The last agent that is named starts last.
    options.extend(bed.steady.iter().filter_map(|steady| steady.repeat.clone()));
    let run = runner.run(&bed.script, &options, folder.path());
    if run.as_ref().is_err_and(|failure| !matches!(failure, BedFailure::Interrupted)) {
        eprintln!("kept {}", folder.keep().display());
    }
    run
}

/// Says how a run went. Only a run with the reference's result counts; another profiler's may differ by its greeting.
fn report(bed: &str, variant: &Variant, reference: &str, run: Result<BedRun, BedFailure>) -> Option<BedRun> {
    match run {
        Ok(run) if run.result == reference => {
            eprintln!("{bed} {}: {:.2} s CPU, {:.0} MiB", variant.name, run.cpu_s(), run.rss_mib);
            Some(run)
        }
        Ok(run) => {
            println!("DIFFERS {bed}, {}: {} instead of {reference}", variant.name, run.result);
            variant.is_peer().then_some(run)
        }
        Err(failure) => {
            println!("FAILED {bed}, {}: {failure}", variant.name);
            None
        }
    }
}

fn print_tables(measured: &[Measured], variants: &[Variant]) {
    let mut rows = Vec::new();
    let mut ratios: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for bed in measured {
        for (index, variant) in variants.iter().enumerate() {
            let (row, ratio) = row(bed, index, &variant.name);
            rows.push(row);
            ratios.entry(index).or_default().extend(ratio);
        }
    }
    println!("{}", table::markdown(&HEADING, &rows));
    let means: Vec<Vec<String>> = ratios
        .iter()
        .filter(|(index, _)| **index > 0)
        .map(|(&index, ratios)| {
            let mean = geometric_mean(ratios).map_or("-".into(), |mean| format!("{mean:.3}"));
            vec![variants[index].name.clone(), mean, ratios.len().to_string()]
        })
        .collect();
    println!("{}", table::markdown(&["variant", "geometric mean of CPU ratios", "beds"], &means));
    println!("{NOTES}\n");
    for bed in measured {
        println!("- result of every counted run: `{}`", bed.reference);
    }
}

/// The table row of one variant of one bed, and its CPU ratio to the base.
fn row(bed: &Measured, index: usize, name: &str) -> (Vec<String>, Option<f64>) {
    let values = |index: usize, of: fn(&BedRun) -> f64| -> Vec<Option<f64>> {
        bed.runs[index].iter().map(|run| run.as_ref().map(of)).collect()
    };
    let summary = |values: &[Option<f64>]| Summary::of(&values.iter().flatten().copied().collect::<Vec<_>>());
    let (cpu, base_cpu) = (values(index, BedRun::cpu_s), values(0, BedRun::cpu_s));
    let (rss, base_rss) = (values(index, |run| run.rss_mib), values(0, |run| run.rss_mib));
    let ratio_of =
        |values: &[Option<f64>], base: &[Option<f64>]| Some(summary(values)?.median / summary(base)?.median);
    let ratio = ratio_of(&cpu, &base_cpu);
    let pairs = Summary::of(&paired_ratios(&cpu, &base_cpu));
    let ratio_cell =
        ratio.zip(pairs).map(|(ratio, pairs)| format!("{ratio:.3} ({:.3}–{:.3})", pairs.min, pairs.max));
    let trusts: Vec<Trust> = bed.runs[index].iter().flatten().filter_map(|run| run.trust).collect();
    let shares = Summary::of(&trusts.iter().map(|trust| trust.share).collect::<Vec<_>>());
    let explained = Summary::of(&trusts.iter().filter_map(|trust| trust.explained).collect::<Vec<_>>());
    let dropped = Summary::of(&trusts.iter().map(|trust| trust.dropped as f64).collect::<Vec<_>>());
    let (holds, fails): (u64, u64) =
        trusts.iter().fold((0, 0), |sum, trust| (sum.0 + trust.law_holds, sum.1 + trust.law_fails));
    let cells = vec![
        Some(bed.bed.clone()),
        Some(name.to_owned()),
        summary(&cpu).map(|cpu| cpu.show(2)),
        ratio_cell,
        summary(&rss).map(|rss| format!("{:.0}", rss.median)),
        ratio_of(&rss, &base_rss).map(|ratio| format!("{ratio:.2}")),
        percentiles_of(&bed.runs[index].iter().flatten().map(|run| &run.pauses).collect::<Vec<_>>()),
        shares.map(|shares| format!("{:.2} %", shares.median * 100.0)),
        explained.map(|explained| format!("{:.2} %", explained.median * 100.0)),
        dropped.map(|dropped| format!("{:.2}", dropped.median / 1e6)),
        (holds + fails > 0).then(|| format!("{holds} of {}", holds + fails)),
    ];
    (cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".into())).collect(), ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bed_run::MeasuredJvm;
    use crate::pauses::Pauses;

    fn bed_run(cpu_s: f64, rss_mib: f64, trust: Option<Trust>) -> Option<BedRun> {
        Some(BedRun {
            result: "h2 ok".into(),
            jvm_cpu_s: cpu_s,
            requests: None,
            rss_mib,
            jvms: vec![MeasuredJvm { warm_cpu_s: Some(cpu_s / 2.0), ..MeasuredJvm::default() }],
            pauses: Pauses::default(),
            trust,
        })
    }

    #[test]
    fn a_row_relates_medians_to_the_base_and_pairs_rounds() {
        let trust =
            Trust { share: 0.99, explained: Some(0.9995), dropped: 1_500_000, law_holds: 1, law_fails: 0 };
        let (trust, other) = (Some(trust), Some(Trust { law_holds: 0, law_fails: 1, ..trust }));
        let bed = Measured {
            bed: "h2".into(),
            reference: "h2 ok".into(),
            runs: vec![
                vec![bed_run(10.0, 100.0, None), bed_run(20.0, 100.0, None), bed_run(10.0, 100.0, None)],
                vec![bed_run(11.0, 150.0, trust), None, bed_run(13.0, 150.0, other)],
            ],
        };
        let (cells, ratio) = row(&bed, 1, "count");
        assert_eq!(ratio, Some(1.2));
        let expected = [
            "h2",
            "count",
            "12.00 (11.00–13.00)",
            "1.200 (1.100–1.300)",
            "150",
            "1.50",
            "-",
            "99.00 %",
            "99.95 %",
            "1.50",
            "1 of 2",
        ];
        assert_eq!(cells, expected);
    }

    #[test]
    fn of_a_steady_state_only_what_was_done_once_warm_counts() {
        let served = BedRun { requests: Some(6_000.0), ..bed_run(16.0, 90.0, None).expect("a run") };
        let steady = served.once_warm().expect("collections");
        assert!((steady.cpu_s() - 2.0).abs() < 1e-9, "{}", steady.cpu_s());
        assert_eq!((steady.rss_mib, steady.result.as_str()), (90.0, "h2 ok"));
        let [warm, cold] =
            [Some(8.0), None].map(|warm_cpu_s| MeasuredJvm { warm_cpu_s, ..MeasuredJvm::default() });
        let of = |jvms| BedRun { jvms, ..bed_run(16.0, 90.0, None).expect("a run") }.once_warm();
        let two = of(vec![warm.clone(), warm.clone()]).expect("collections of both");
        assert!((two.cpu_s() - 16.0).abs() < 1e-9, "{}", two.cpu_s());
        assert!(matches!(of(vec![warm, cold]), Err(BedFailure::NeverWarm)));
        assert!(matches!(of(Vec::new()), Err(BedFailure::NeverWarm)));
    }

    #[test]
    fn a_variant_that_never_succeeded_has_no_figures() {
        let runs = vec![vec![bed_run(10.0, 100.0, None)], vec![None]];
        let bed = Measured { bed: "h2".into(), reference: String::new(), runs };
        let (cells, ratio) = row(&bed, 1, "track");
        assert_eq!(ratio, None);
        assert_eq!(cells[2..], ["-"; 9]);
    }

    #[test]
    fn a_run_with_another_result_counts_only_for_other_profilers() {
        let run = bed_run(1.0, 1.0, None).expect("a run");
        for (name, counts) in [("none", false), ("count", false), ("jfr", true)] {
            let variant = Variant::built_in(name).expect("built in");
            assert!(report("h2", &variant, "h2 ok", Ok(run.clone())).is_some());
            assert_eq!(report("h2", &variant, "h2 other", Ok(run.clone())).is_some(), counts, "{name}");
        }
    }
}
