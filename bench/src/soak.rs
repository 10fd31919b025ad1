//! `soak`: the same work over and over in every mode on each JVM (`MAYFLY_JVMS`; not set, two of those found): memory must stay flat, nothing may hang, and the
//! result must be the one without the agent. Takes as long as it is told; no test runs it.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use mayfly_tests::{Jvm, Launch, Profiled, jvms};

use crate::bed_run::{BedRunner, MeasuredJvm, SECONDS};
use crate::jvm_wrapper::Moment;
use crate::progress::value_at;
use crate::table;

/// The ways to profile, as the agent's options.
const MODES: [&str; 10] = [
    "",
    "#trackcollections",
    "#trace",
    "#trackcollections#trace",
    "#trackcollections#trace-all",
    "#trackcollections#every-10",
    "#sample-64k#trace",
    "#track-balanced#trace",
    "#trackcollections#scope-soak.Soak$Task.getAsLong#scope-jakarta.servlet.http.HttpServlet.service",
    "#engine-sampled#sample-64k",
];
/// What modes begin with that follow each object.
const EACH_OBJECT: &str = "#trackcollections";
/// Threads of a round, and class loaders that each of them makes and drops.
const WORK: &[&str] = &["40", "10"];
const JVM_ARGS: &[&str] =
    &["-XX:+UseSerialGC", "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:MaxMetaspaceSize=64m"];
/// The same for tomcat: what differs in its memory is native.
const TOMCAT_HEAP: [&str; 3] = ["-XX:+UseSerialGC", "-Xms256m", "-XX:+AlwaysPreTouch"];
/// So long is needed for tomcat's classes to be compiled.
const TOMCAT_SECONDS: u64 = 15;
/// The allocator keeps what was freed, for each of sixteen arenas as much as was ever needed there at once: that grows for hundreds of rounds
/// without anything being held. Of one arena it is soon all (JDK 17, a scope, most in each third of 180 rounds: 402, 401, 402 MiB, and 396, 410, 409
/// without this).
const ONE_ARENA: (&str, &str) = ("MALLOC_ARENA_MAX", "1");
/// Longest time for one round, and for the end.
const ROUND_LIMIT: Duration = Duration::from_secs(120);
/// Rounds that are always run: a third of them for what the allocator keeps to grow into (JDK 25, `#trackcollections`: 60 rounds beside
/// other work, then 294 to 315 MiB to round 210).
const FEWEST_ROUNDS: usize = 150;
/// What may be added in the last third of the rounds, beside a part of all.
const GROWTH_BYTES: u64 = 6 << 20;
const GROWTH_PART: u64 = 50;

const HEADING: [&str; 6] =
    ["JVM", "program", "mode", "looks", "resident MiB: first, second, last third", "verdict"];

/// Options of `soak`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Minutes for all JVMs, modes and programs together
    #[arg(long, default_value_t = 60.0)]
    minutes: f64,
    /// Folder of the bed scripts: if given, tomcat under load has half of the time
    #[arg(long, value_name = "DIR", env = "MAYFLY_BEDS")]
    beds_dir: Option<PathBuf>,
    /// Programs, of those that there are
    #[arg(long, value_enum, value_delimiter = ',', default_value = "soak,tomcat")]
    programs: Vec<Program>,
    /// Modes, of those that there are, as the table names them; beside them no agent
    #[arg(long, value_delimiter = ',', value_parser = known_mode, default_values = MODES.map(named))]
    modes: Vec<&'static str>,
}

/// What the table calls a mode.
fn named(mode: &'static str) -> &'static str {
    if mode.is_empty() { "counting" } else { mode }
}

fn known_mode(name: &str) -> Result<&'static str, String> {
    let known = MODES.into_iter().find(|mode| named(mode) == name);
    known.ok_or_else(|| format!("no such mode; there are {}", MODES.map(named).join(" ")))
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Program {
    Soak,
    Tomcat,
}

/// What one run came to.
struct Soaked {
    /// How often memory was looked at: at the end of each round, or each second.
    looks: usize,
    /// Median of resident bytes in each third of the looks.
    thirds: [u64; 3],
    /// The same of what must stay flat.
    judged: [u64; 3],
    result: String,
}

impl Soaked {
    fn of(resident: &[u64], judged: &[u64], result: String) -> Self {
        Self { looks: resident.len(), thirds: thirds(resident), judged: thirds(judged), result }
    }
}

/// Soaks and prints the table; `false` if anything grew, hung or differed. JVMs are those of the tests.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let asked = |program| arguments.programs.contains(&program);
    let folder = arguments.beds_dir.as_deref().filter(|_| asked(Program::Tomcat));
    let programs = usize::from(asked(Program::Soak)) + usize::from(folder.is_some());
    let runs = jvms().len() * (arguments.modes.len() + 1) * programs;
    let each = Duration::from_secs_f64(arguments.minutes.max(0.0) * 60.0 / runs.max(1) as f64);
    let (mut rows, mut healthy) = (Vec::new(), true);
    for jvm in jvms() {
        if asked(Program::Soak) {
            healthy &= in_modes(&arguments.modes, (jvm, "soak"), &mut rows, |mode| match mode {
                Some(mode) => soak(Profiled::new(jvm, "soak.Soak", mode).launch(), each),
                None => soak(&Launch::new(jvm, "soak.Soak"), each),
            });
        }
        if let Some(folder) = folder {
            healthy &= in_modes(&arguments.modes, (jvm, "tomcat"), &mut rows, |mode| {
                tomcat(jvm, folder, mode, each).map_err(|error| error.to_string())
            });
        }
    }
    println!("{}", table::markdown(&HEADING, &rows));
    Ok(healthy)
}

/// Runs a program without the agent and in each mode; whether all went well.
fn in_modes(
    modes: &[&'static str],
    (jvm, program): (&Jvm, &str),
    rows: &mut Vec<Vec<String>>,
    run: impl Fn(Option<&str>) -> Result<Soaked, String>,
) -> bool {
    let plain = run(None);
    let mut healthy = true;
    let mut note = |mode: &str, soaked: &Result<Soaked, String>| {
        let verdict = verdict(soaked, &plain);
        healthy &= verdict.is_ok();
        let row = row([jvm.feature.to_string(), program.to_owned(), mode.to_owned()], soaked, verdict);
        // At once: who ends it early has seen what there is.
        eprintln!("{}", row.join(" | "));
        rows.push(row);
    };
    note("no agent", &plain);
    for mode in modes {
        note(named(mode), &run(Some(mode)));
    }
    healthy
}

/// Rounds until the time is up; why it came to no result otherwise.
fn soak(launch: &Launch, time: Duration) -> Result<Soaked, String> {
    let (name, value) = ONE_ARENA;
    let launch = launch.clone().jvm_args(JVM_ARGS).args(WORK).environment(name, value);
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
        running.set_limit(ROUND_LIMIT);
        running.wait_for_line("READY");
        running.wait_until_idle();
        resident.push(running.resident_bytes());
        if began.elapsed() >= time && resident.len() >= FEWEST_ROUNDS {
            break;
        }
        running.send_line("");
    }
    running.set_limit(ROUND_LIMIT);
    running.send_line("END");
    let outcome = running.try_finish()?;
    let result = outcome.stdout.lines().find_map(|line| line.strip_prefix("RESULT ")).map(str::to_owned);
    let result = result.filter(|_| outcome.status.success()).ok_or_else(|| format!("{}", outcome.status))?;
    Ok(Soaked::of(&resident, &resident, result))
}

/// The median of each third: what a compiler takes for a moment says nothing.
fn thirds(resident: &[u64]) -> [u64; 3] {
    let third = resident.len().div_ceil(3).max(1);
    let mut medians = resident.chunks(third).map(|part| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part[part.len() / 2]
    });
    [(); 3].map(|()| medians.next().unwrap_or(0))
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
    if is_flat(soaked.judged, plain.judged) { Ok(()) } else { Err("GREW".into()) }
}

/// `which`: JVM, program and mode.
fn row(which: [String; 3], soaked: &Result<Soaked, String>, verdict: Result<(), String>) -> Vec<String> {
    let (looks, thirds) = match soaked {
        Ok(soaked) => {
            (soaked.looks.to_string(), soaked.thirds.map(|bytes| (bytes >> 20).to_string()).join(", "))
        }
        Err(_) => ("-".into(), "-".into()),
    };
    let verdict = verdict.err().unwrap_or_else(|| "well".into());
    which.into_iter().chain([looks, thirds, verdict]).collect()
}

/// Tomcat under load for so long, and its end.
fn tomcat(jvm: &Jvm, folder: &Path, mode: Option<&str>, time: Duration) -> Result<Soaked, Box<dyn Error>> {
    let (java, interrupted) = (jvm.java(), Arc::new(AtomicBool::new(false)));
    let seconds = time.as_secs().max(TOMCAT_SECONDS);
    let timeout = Duration::from_secs(seconds) + 5 * ROUND_LIMIT;
    let seconds = seconds.to_string();
    let variable = Some((SECONDS, seconds.as_str()));
    let runner = BedRunner { java: &java, timeout, variable, interrupted: &interrupted };
    let files = tempfile::tempdir()?;
    let agent = mode.map(|mode| {
        let library = mayfly_tests::artifacts().agent.display();
        format!("-agentpath:{library}={mode}#live-0#output-{}/agent-%p", files.path().display())
    });
    let options: Vec<String> = TOMCAT_HEAP.into_iter().map(str::to_owned).chain(agent).collect();
    let run = runner.run(&folder.join("tomcat.sh"), &options, files.path())?;
    let server = run.jvms.first().ok_or("no JVM was measured")?;
    let resident: Vec<_> = server.moments.iter().map(|moment| moment.resident_bytes).collect();
    let follows_each = mode.is_some_and(|mode| mode.starts_with(EACH_OBJECT));
    let judged = if follows_each { without_uncollected(server) } else { resident.clone() };
    Ok(Soaked::of(&resident, &judged, run.result))
}

/// Resident bytes less one for each byte of an object that was not collected: some 40 are kept of each object, which has about as many. Under
/// this load there are ever more of them, as thousands of sessions are begun each second and none ends for half an hour.
fn without_uncollected(server: &MeasuredJvm) -> Vec<u64> {
    let of = |moment: &Moment| {
        let uncollected = value_at(&server.left_in_heap, moment.uptime_s) as u64;
        moment.resident_bytes.saturating_sub(uncollected)
    };
    server.moments.iter().map(of).collect()
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
    fn what_is_kept_of_ever_more_objects_is_not_called_growth() {
        let moments: Vec<_> = (0..30)
            .map(|second| Moment {
                uptime_s: f64::from(second),
                cpu_s: 0.0,
                resident_bytes: (500 + 3 * second as u64) << 20,
            })
            .collect();
        let judged = |left_in_heap: &[(f64, f64)]| {
            let (moments, left_in_heap) = (moments.clone(), left_in_heap.to_vec());
            thirds(&without_uncollected(&MeasuredJvm { moments, left_in_heap, ..MeasuredJvm::default() }))
        };
        let kept = f64::from(3 << 20);
        assert!(is_flat(judged(&[(0.0, 0.0), (10.0, 10.0 * kept), (29.0, 29.0 * kept)]), [1; 3]));
        assert!(!is_flat(judged(&[(0.0, kept), (29.0, kept)]), [1; 3]), "the heap did not grow");
    }

    #[test]
    fn another_result_is_no_good_one() {
        let soaked = |result: &str| Ok(Soaked::of(&[1; 9], &[1; 9], result.into()));
        let hung = || Err("it hung".to_owned());
        assert_eq!(verdict(&soaked("7"), &soaked("7")), Ok(()));
        assert!(verdict(&soaked("8"), &soaked("7")).is_err());
        assert!(verdict(&soaked("7"), &hung()).is_err());
        assert!(verdict(&hung(), &soaked("7")).is_err());
    }
}
