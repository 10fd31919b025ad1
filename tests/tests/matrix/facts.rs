//! Runs the program in each mode, and compares what is reported with what the program knows of itself.

use std::fs;

use mayfly_tests::{Count, JsonReport, Jvm, Launch, Profiled, Workspace, check_all};

use crate::collector::Collector;

const MAIN: &str = "matrix.Matrix";
const HEAP: &str = "-Xmx512m";
/// Bytes between samples, on average, of `#sample-512k`.
const INTERVAL: f64 = 524_288.0;
/// One sound run in 1.7 million lies farther away.
const DEVIATIONS: f64 = 5.0;
/// Of the JVM's counter. What lies outside is start-up: 1.5 MiB of 300, and what the agent uses up until the JVM's sampler
/// picks something, a random number of bytes of mean 0.5 MiB.
const SHARES: std::ops::RangeInclusive<f64> = 0.97..=1.005;

/// What is profiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Counts,
    Tracked,
    Traced,
    Sampled,
    Balanced,
}

impl Mode {
    const ALL: [Self; 5] = [Self::Counts, Self::Tracked, Self::Traced, Self::Sampled, Self::Balanced];

    fn options(self) -> &'static str {
        match self {
            Self::Counts => "",
            Self::Tracked => "#trackcollections",
            Self::Traced => "#trackcollections#trace",
            Self::Sampled => "#sample-512k",
            Self::Balanced => "#track-balanced",
        }
    }
}

/// Bytes accounted ÷ the JVM's counter when counting, if it has one.
pub(crate) fn judge(jvm: &Jvm, collector: Collector, jvm_args: &[String]) -> Result<Option<f64>, String> {
    let args: Vec<&str> = jvm_args.iter().map(String::as_str).chain([HEAP]).collect();
    let plain = Launch::new(jvm, MAIN).jvm_args(&args).start().try_finish()?;
    if !plain.status.success() {
        return Err(format!("without the agent: {}\n{}", plain.status, plain.stderr));
    }
    let mut share = None;
    for mode in Mode::ALL {
        let report = profiled(jvm, &args, mode, &plain.stdout)
            .and_then(|report| hold(jvm, collector, mode, &plain.stdout, &report).map(|()| report))
            .map_err(|why| format!("{mode:?}: {why}"))?;
        share = share.or(report.share());
    }
    Ok(share)
}

/// A run whose result is that of the program alone.
fn profiled(jvm: &Jvm, args: &[&str], mode: Mode, stdout: &str) -> Result<JsonReport, String> {
    let folder = Workspace::new();
    let run = Profiled::new(jvm, MAIN, mode.options()).with(|l| l.jvm_args(args).folder(folder.path()));
    let outcome = run.start().try_finish()?;
    let left: Vec<_> = fs::read_dir(folder.path()).into_iter().flatten().flatten().collect();
    if !outcome.status.success() || !left.is_empty() {
        return Err(format!("{}, left {left:?}\n{}", outcome.status, outcome.stderr));
    }
    if outcome.stdout != stdout {
        return Err(format!("stdout is not that of the program alone:\n{}", outcome.stdout));
    }
    Ok(run.json())
}

fn hold(
    jvm: &Jvm,
    collector: Collector,
    mode: Mode,
    stdout: &str,
    report: &JsonReport,
) -> Result<(), String> {
    check_counts(jvm, stdout, report)?;
    check_run(collector, report)?;
    match mode {
        Mode::Counts => Ok(()),
        Mode::Tracked => check_lifetimes(stdout, report).and_then(|()| check_ages(collector, stdout, report)),
        Mode::Traced => check_lifetimes(stdout, report).and_then(|()| check_sites(report)),
        Mode::Sampled => check_estimates(stdout, report),
        Mode::Balanced => check_shares(stdout, report),
    }
}

/// Objects only: references and headers are not equally large under all collectors.
fn check_counts(jvm: &Jvm, stdout: &str, report: &JsonReport) -> Result<(), String> {
    check_all(jvm, stdout, &report.allocated())
}

fn check_run(collector: Collector, report: &JsonReport) -> Result<(), String> {
    let told = report.0["jvm"]["gc"].as_str().unwrap_or_default();
    // Some newer JVMs do not tell.
    if !told.is_empty() && told != collector.reported_as() {
        return Err(format!("the report names the collector {told}"));
    }
    match report.share() {
        Some(share) if !SHARES.contains(&share) => Err(format!("{share} of the bytes accounted for")),
        _ => Ok(()),
    }
}

/// (outcome, class, number) of the lines `DEAD`, `LIVE`, `AGED`.
fn facts(stdout: &str) -> impl Iterator<Item = (&str, &str, u64)> {
    stdout.lines().filter(|line| !line.starts_with("EXPECT")).filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?, words.next()?, words.next()?.parse().ok()?))
    })
}

/// Dead and live objects of a class. The JDK's own arrays are among the live.
fn outcome(report: &JsonReport, class: &str) -> (Count, Count) {
    let of = |counts: &mayfly_tests::Counts| counts.get(class).copied().unwrap_or_default();
    (of(&report.collected()), of(&report.not_seen_dead()))
}

/// Whether so many objects were found; within what chance explains where some stood for others.
fn is(report: &JsonReport, found: u64, expected: u64) -> bool {
    let one_in = report.0["trust"]["following"]["thinned_to_one_in"].as_f64().unwrap_or(1.0).max(1.0);
    let deviation = (expected as f64 * (one_in - 1.0)).sqrt();
    (found as f64 - expected as f64).abs() <= DEVIATIONS * deviation
}

fn check_lifetimes(stdout: &str, report: &JsonReport) -> Result<(), String> {
    let allocated = report.allocated();
    for (what, class, objects) in facts(stdout) {
        let (dead, live) = outcome(report, class);
        let all = allocated.get(class).copied().unwrap_or_default().objects;
        let holds = match what {
            "DEAD" => is(report, dead.objects, objects) && is(report, live.objects, all - objects),
            "LIVE" => is(report, live.objects, all) && dead.objects == 0,
            _ => true,
        };
        if !holds {
            return Err(format!("{what} {class} {objects}: {} dead, {} live", dead.objects, live.objects));
        }
    }
    Ok(())
}

/// All of a class share one outcome. The JDK's own few of the arrays may not: each of them may stand for as many as a share of this
/// size lets one object stand for.
fn check_shares(stdout: &str, report: &JsonReport) -> Result<(), String> {
    const MOST_OWN: u64 = 10;
    const LEAST_STRATA: u64 = 256;
    for (what, class, objects) in facts(stdout).filter(|(what, ..)| *what != "AGED") {
        let (dead, live) = outcome(report, class);
        let (seen, unseen) = if what == "DEAD" { (dead, live) } else { (live, dead) };
        let slack = if class.starts_with('[') { MOST_OWN * (objects / LEAST_STRATA + 1) } else { 0 };
        if seen.objects.abs_diff(objects) > slack || unseen.objects > slack {
            return Err(format!("{what} {class} {objects}: {} dead, {} live", dead.objects, live.objects));
        }
    }
    Ok(())
}

/// Aged objects lived through their collections, and longer than brief ones.
fn check_ages(collector: Collector, stdout: &str, report: &JsonReport) -> Result<(), String> {
    let median = |class: &str| report.class(class).and_then(|class| class["lifetime"]["p50_gcs"].as_f64());
    // The JVM itself keeps no shorter lifetimes apart where young collections do not clear weak references.
    let least_apart = if collector == Collector::GenerationalZ { 0.0 } else { 1.0 };
    let brief = median("matrix.Matrix$Brief").ok_or("no median lifetime of Brief")?;
    for (what, class, collections) in facts(stdout) {
        let Some(aged) = (what == "AGED").then(|| median(class)) else { continue };
        let aged = aged.ok_or_else(|| format!("no median lifetime of {class}"))?;
        if aged < collections as f64 || aged < brief + least_apart {
            return Err(format!(
                "{class} lived through {aged} collections, not {collections}; brief {brief}"
            ));
        }
    }
    Ok(())
}

fn check_sites(report: &JsonReport) -> Result<(), String> {
    let sites = report.0["sites"].as_array().ok_or("no sites")?;
    for (class, method) in [("Brief", "waste"), ("Aged", "age"), ("Kept", "keep")] {
        let (class, frame) = (format!("matrix.Matrix${class}"), format!("matrix.Matrix.{method}("));
        let of_class: Vec<_> = sites.iter().filter(|site| site["class"] == class.as_str()).collect();
        let innermost =
            |site: &&&serde_json::Value| site["stack"][0].as_str().is_some_and(|f| f.starts_with(&frame));
        if of_class.is_empty() || !of_class.iter().all(|site| innermost(&site)) {
            return Err(format!("{class} is not allocated in {frame}): {of_class:?}"));
        }
    }
    Ok(())
}

/// Estimates of the arrays, within what chance explains. Other objects are too few to be met by a sample.
fn check_estimates(stdout: &str, report: &JsonReport) -> Result<(), String> {
    for (what, class, objects) in facts(stdout).filter(|(_, class, _)| class.starts_with('[')) {
        let (dead, live) = outcome(report, class);
        let (seen, unseen) = if what == "DEAD" { (dead, live) } else { (live, dead) };
        let one = report.allocated()[class];
        let taken = 1.0 - f64::exp(-(one.bytes as f64 / one.objects as f64) / INTERVAL);
        let deviation = (objects as f64 * (1.0 - taken) / taken).sqrt();
        if (seen.objects as f64 - objects as f64).abs() > DEVIATIONS * deviation || unseen.objects > 0 {
            let (dead, live) = (dead.objects, live.objects);
            return Err(format!(
                "{what} {class} {objects}: {dead} dead, {live} live, deviation {deviation:.0}"
            ));
        }
    }
    Ok(())
}
