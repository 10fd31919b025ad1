//! `soak`: the same work over and over in every mode on each JVM (`MAYFLY_JVMS`; not set, two of those found): memory must stay flat, nothing may hang, and the
//! result must be the one without the agent. Takes as long as it is told; no test runs it.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use mayfly_tests::{Jvm, Launch, Profiled, jvms};

use crate::bed_run::BedRunner;
use crate::table;

/// The ways to profile, as the agent's options.
const MODES: [&str; 7] = [
    "",
    "#trackcollections",
    "#trace",
    "#trackcollections#trace",
    "#trackcollections#trace-all",
    "#trackcollections#every-10",
    "#sample-64k#trace",
];
/// Threads of a round, and class loaders that each of them makes and drops.
const WORK: &[&str] = &["40", "10"];
const JVM_ARGS: &[&str] =
    &["-XX:+UseSerialGC", "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:MaxMetaspaceSize=64m"];
/// Longest time for one round, and for the end.
const ROUND_LIMIT: Duration = Duration::from_secs(120);
/// Rounds that are always run: a third of them for the program to grow into.
const FEWEST_ROUNDS: usize = 9;
/// What may be added in the last third of the rounds, beside a part of all.
const GROWTH_BYTES: u64 = 6 << 20;
const GROWTH_PART: u64 = 50;

const HEADING: [&str; 6] =
    ["JVM", "program", "mode", "rounds", "resident MiB: first, second, last third", "verdict"];

/// Options of `soak`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Minutes for the class-loading, thread-churning program, all JVMs and modes together
    #[arg(long, default_value_t = 60.0)]
    minutes: f64,
    /// Folder of the bed scripts: if given, tomcat runs once in every mode, too
    #[arg(long, value_name = "DIR", env = "MAYFLY_BEDS")]
    beds_dir: Option<PathBuf>,
}

/// What one run came to.
struct Soaked {
    rounds: usize,
    /// Largest resident bytes of each third of the rounds.
    thirds: [u64; 3],
    result: String,
}

/// Soaks and prints the table; `false` if anything grew, hung or differed. JVMs are those of the tests.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let runs = jvms().len() * (MODES.len() + 1);
    let each = Duration::from_secs_f64(arguments.minutes.max(0.0) * 60.0 / runs.max(1) as f64);
    let (mut rows, mut healthy) = (Vec::new(), true);
    for jvm in jvms() {
        let plain = soak(&Launch::new(jvm, "soak.Soak"), each);
        let mut note = |mode: &str, soaked: &Result<Soaked, String>| {
            let verdict = verdict(soaked, &plain);
            eprintln!("{jvm} {mode:?}: {}", verdict.as_ref().err().map_or("well", |why| why));
            healthy &= verdict.is_ok();
            rows.push(row(jvm, mode, soaked, verdict));
        };
        note("no agent", &plain);
        for mode in MODES {
            let run = Profiled::new(jvm, "soak.Soak", mode);
            note(if mode.is_empty() { "counting" } else { mode }, &soak(run.launch(), each));
        }
        if let Some(folder) = &arguments.beds_dir {
            healthy &= tomcat(jvm, folder, &mut rows)?;
        }
    }
    println!("{}", table::markdown(&HEADING, &rows));
    Ok(healthy)
}

/// Rounds until the time is up; why it came to no result otherwise.
fn soak(launch: &Launch, time: Duration) -> Result<Soaked, String> {
    let launch = launch.clone().jvm_args(JVM_ARGS).args(WORK).limit(time + 10 * ROUND_LIMIT);
    // A program that hangs or dies is told by a panic of the tests' harness.
    catch_unwind(AssertUnwindSafe(|| rounds(&launch, time))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map_or("it panicked", String::as_str);
        text.lines().next().unwrap_or_default().to_owned()
    })?
}

fn rounds(launch: &Launch, time: Duration) -> Result<Soaked, String> {
    let mut running = launch.start();
    let (began, mut resident) = (Instant::now(), Vec::new());
    loop {
        let round = Instant::now();
        running.wait_for_line("READY");
        if round.elapsed() > ROUND_LIMIT {
            return Err(format!("round {} took {} s", resident.len() + 1, round.elapsed().as_secs()));
        }
        running.wait_until_idle();
        resident.push(running.resident_bytes());
        if began.elapsed() >= time && resident.len() >= FEWEST_ROUNDS {
            break;
        }
        running.send_line("");
    }
    running.send_line("END");
    let outcome = running.try_finish()?;
    let result = outcome.stdout.lines().find_map(|line| line.strip_prefix("RESULT ")).map(str::to_owned);
    let result = result.filter(|_| outcome.status.success()).ok_or_else(|| format!("{}", outcome.status))?;
    Ok(Soaked { rounds: resident.len(), thirds: thirds(&resident), result })
}

/// The largest of each third.
fn thirds(resident: &[u64]) -> [u64; 3] {
    let third = resident.len().div_ceil(3).max(1);
    let mut largest = resident.chunks(third).map(|part| part.iter().copied().max().unwrap_or(0));
    [(); 3].map(|()| largest.next().unwrap_or(0))
}

/// Whether it grew no more from the second third to the last than without the agent, and a little.
fn is_flat([_, second, last]: [u64; 3], [_, plain_second, plain_last]: [u64; 3]) -> bool {
    let allowed = plain_last.saturating_sub(plain_second) + GROWTH_BYTES.max(second / GROWTH_PART);
    last <= second + allowed
}

/// What is wrong with a run, beside that without the agent.
fn verdict(soaked: &Result<Soaked, String>, plain: &Result<Soaked, String>) -> Result<(), String> {
    let soaked = soaked.as_ref().map_err(Clone::clone)?;
    let plain = plain.as_ref().map_err(|_| "nothing to compare with".to_owned())?;
    if plain.result != soaked.result {
        return Err(format!("DIFFERS: {}", soaked.result));
    }
    if is_flat(soaked.thirds, plain.thirds) { Ok(()) } else { Err("GREW".into()) }
}

fn row(jvm: &Jvm, mode: &str, soaked: &Result<Soaked, String>, verdict: Result<(), String>) -> Vec<String> {
    let (rounds, thirds) = match soaked {
        Ok(soaked) => {
            (soaked.rounds.to_string(), soaked.thirds.map(|bytes| (bytes >> 20).to_string()).join(", "))
        }
        Err(_) => ("-".into(), "-".into()),
    };
    let verdict = verdict.err().unwrap_or_else(|| "well".into());
    vec![jvm.feature.to_string(), "soak".into(), mode.to_owned(), rounds, thirds, verdict]
}

/// Tomcat once without the agent and once in every mode: the same result, and an end in time.
fn tomcat(jvm: &Jvm, folder: &Path, rows: &mut Vec<Vec<String>>) -> Result<bool, Box<dyn Error>> {
    let script = folder.join("tomcat.sh");
    let (java, interrupted) = (jvm.java(), Arc::new(AtomicBool::new(false)));
    let runner = BedRunner { java: &java, timeout: 5 * ROUND_LIMIT, interrupted: &interrupted };
    let (mut reference, mut healthy) = (None, true);
    let agent = mayfly_tests::artifacts().agent.display();
    for mode in std::iter::once(None).chain(MODES.iter().map(Some)) {
        let files = tempfile::tempdir()?;
        let options = mode.map(|mode| {
            format!("-agentpath:{agent}={mode}#live-0#output-{}/agent-%p", files.path().display())
        });
        let run = runner.run(&script, options.as_slice(), files.path());
        let (rss, verdict) = match run {
            Ok(run) => {
                let same = *reference.get_or_insert_with(|| run.result.clone()) == run.result;
                (
                    format!("{:.0}", run.rss_mib),
                    if same { "well".into() } else { format!("DIFFERS: {}", run.result) },
                )
            }
            Err(failure) => ("-".into(), failure.to_string()),
        };
        healthy &= verdict == "well";
        let mode = mode.map_or("no agent", |mode| if mode.is_empty() { "counting" } else { mode });
        eprintln!("{jvm} tomcat {mode:?}: {verdict}");
        rows.push(vec![jvm.feature.to_string(), "tomcat".into(), mode.to_owned(), "1".into(), rss, verdict]);
    }
    Ok(healthy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_from_the_second_third_to_the_last_is_seen() {
        const MIB: u64 = 1 << 20;
        let of = |at: fn(u64) -> u64| thirds(&(0..30).map(|round| at(round) * MIB).collect::<Vec<_>>());
        let (settled, growing) =
            (of(|round| if round < 10 { 50 + 5 * round } else { 100 + round % 3 }), of(|round| 100 + round));
        assert!(is_flat(settled, settled) && is_flat(growing, growing));
        assert!(!is_flat(growing, settled));
        assert_eq!(thirds(&[]), [0; 3]);
    }

    #[test]
    fn another_result_is_no_good_one() {
        let soaked = |result: &str| Ok(Soaked { rounds: 9, thirds: [1; 3], result: result.into() });
        let hung = || Err("it hung".to_owned());
        assert_eq!(verdict(&soaked("7"), &soaked("7")), Ok(()));
        assert!(verdict(&soaked("8"), &soaked("7")).is_err());
        assert!(verdict(&soaked("7"), &hung()).is_err());
        assert!(verdict(&hung(), &soaked("7")).is_err());
    }
}
