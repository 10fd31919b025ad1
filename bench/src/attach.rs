//! `attach`: attached, begun, watched, fetched and stopped again, over and over, while a server has load: requests that failed, how
//! long others took before, meanwhile and afterwards, memory; beside the same server left alone.
//!
//! Load is the bed script's; a client of our own asks one request after the other.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use mayfly_tests::{Jvm, Outcome, Running, artifacts, jvms, mayfly, status_bytes};

use crate::bed_run::{BedFailure, BedRun, BedRunner, SECONDS};
use crate::process::process_of;
use crate::stats::percentile;
use crate::table;

const SCRIPT: &str = "tomcat.sh";
/// Where the script has it listen.
const ADDRESS: ([u8; 4], u16) = ([127, 0, 0, 1], 18080);
const REQUEST: &[u8] =
    b"GET /examples/servlets/servlet/HelloWorldExample HTTP/1.0\r\nHost: localhost\r\n\r\n";
/// Room for the sessions that the load leaves behind: some 300,000 in ten minutes.
const HEAP: [&str; 4] = ["-XX:+UseG1GC", "-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"];
/// Marks the server among the processes of the machine.
const MARK: &str = "-Dmayfly.bench.attach";
/// Until a server answers that is being installed and started.
const START_LIMIT: Duration = Duration::from_secs(300);
/// Longest time for one answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);
/// Seconds of load of a server that is left alone; half of it is looked at.
const ALONE: u64 = 120;
/// Load goes on for so long after the rounds should have ended: the last one may take its time.
const LAST_ROUND: u64 = 60;
/// For what the script does besides, and for classes to be compiled.
const ADDED: Duration = Duration::from_secs(600);

const HEADING: [&str; 8] = [
    "JVM",
    "rounds",
    "failed requests of (load: others, sockets)",
    "p50 ms: before, meanwhile, after",
    "p99 ms: before, meanwhile, after",
    "longest ms",
    "resident MiB: before, after",
    "Metaspace KiB: before, after",
];

/// Options of `attach`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder of the bed scripts. It is no part of a clean clone
    #[arg(long, value_name = "DIR", env = "MAYFLY_BEDS")]
    beds_dir: Option<PathBuf>,
    /// Rounds on each JVM, as many as there is time for
    #[arg(long, default_value_t = 100)]
    rounds: usize,
    /// Each so many rounds by exact counts, with all classes given back; the others by samples
    #[arg(long, default_value_t = 10)]
    exact_every: usize,
    /// Seconds of load for all rounds
    #[arg(long, default_value_t = 300)]
    seconds: u64,
    /// Seconds before, until all is compiled, and seconds looked at before and after
    #[arg(long, default_value_t = 30)]
    aside: u64,
}

/// One answer, and when it came.
struct Answer {
    at: Instant,
    took: Duration,
    well: bool,
}

/// A server that was under load.
struct Served {
    rounds: usize,
    answers: Vec<Answer>,
    /// Begin and end of the rounds, after and before the times looked at.
    rounds_at: [Instant; 2],
    resident: [u64; 2],
    metaspace: [Option<u64>; 2],
    /// What the script says of its load.
    load: String,
}

/// Runs each JVM alone and with rounds, and prints the table; `false` if a request failed, or a command. JVMs are those of the tests.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let Some(folder) = arguments.beds_dir.as_deref().filter(|folder| folder.is_dir()) else {
        println!(
            "skip(no-beds): the bed scripts are no part of a clean clone; name their folder by --beds-dir or MAYFLY_BEDS"
        );
        return Ok(true);
    };
    let (mut rows, mut healthy) = (Vec::new(), true);
    for jvm in jvms() {
        for rounds in [0, arguments.rounds] {
            let served = serve(jvm, &folder.join(SCRIPT), arguments, rounds);
            let row = served.as_ref().map(|served| row(jvm, served, arguments)).map_err(ToString::to_string);
            eprintln!("{jvm}: {row:?}");
            healthy &= served.is_ok_and(|served| served.answers.iter().all(|answer| answer.well));
            let failed = |why: String| vec![jvm.feature.to_string(), rounds.to_string(), why];
            rows.push(row.unwrap_or_else(failed));
        }
    }
    println!("{}", table::markdown(&HEADING, &rows));
    Ok(healthy)
}

fn serve(jvm: &Jvm, script: &Path, arguments: &Arguments, rounds: usize) -> Result<Served, Box<dyn Error>> {
    let files = tempfile::tempdir()?;
    let (java, interrupted) = (jvm.java(), Arc::new(AtomicBool::new(false)));
    let seconds = match rounds {
        0 => ALONE,
        _ => arguments.seconds + LAST_ROUND,
    } + 3 * arguments.aside;
    let timeout = START_LIMIT + Duration::from_secs(seconds) + ADDED;
    let seconds = seconds.to_string();
    let variable = Some((SECONDS, seconds.as_str()));
    let runner = BedRunner { java: &java, timeout, variable, interrupted: &interrupted };
    let options: Vec<_> = HEAP.into_iter().chain([MARK]).map(str::to_owned).collect();
    thread::scope(|scope| {
        let bed = scope.spawn(|| runner.run(script, &options, files.path()));
        let watched = watch(jvm, arguments, rounds, &|| bed.is_finished());
        if watched.is_err() {
            interrupted.store(true, Ordering::Relaxed);
        }
        let ended: Result<BedRun, BedFailure> = bed.join().expect("a bed's thread tells of failures");
        let mut served = watched?;
        served.load = ended?.result;
        Ok(served)
    })
}

/// The times before, meanwhile and after.
fn watch(
    jvm: &Jvm,
    arguments: &Arguments,
    rounds: usize,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<Served, Box<dyn Error>> {
    let began = Instant::now();
    while !answer().well {
        if is_over() || began.elapsed() > START_LIMIT {
            return Err("the server does not answer".into());
        }
        thread::sleep(Duration::from_millis(200));
    }
    let (aside, all) = (Duration::from_secs(arguments.aside), Duration::from_secs(arguments.seconds));
    let pid = server(&jvm.java())?;
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let client = scope.spawn(|| {
            let mut answers = Vec::new();
            while !done.load(Ordering::Relaxed) && !is_over() {
                answers.push(answer());
            }
            answers
        });
        thread::sleep(2 * aside);
        let before = (Instant::now(), memory(jvm, pid));
        let made = (0..rounds).map_while(|number| {
            let exact = arguments.exact_every > 0 && number % arguments.exact_every == 0;
            (before.0.elapsed() < all).then(|| round(pid, exact))
        });
        let made = made.collect::<Result<Vec<()>, _>>();
        if rounds == 0 {
            thread::sleep(Duration::from_secs(ALONE / 2));
        }
        let after = (Instant::now(), memory(jvm, pid));
        if made.is_ok() {
            thread::sleep(aside);
        }
        let ended_early = is_over();
        done.store(true, Ordering::Relaxed);
        let answers = client.join().expect("the client counts failures");
        if ended_early {
            return Err("the load ended before the rounds did: --seconds must be more".into());
        }
        Ok(Served {
            rounds: made?.len(),
            answers,
            rounds_at: [before.0, after.0],
            resident: [before.1.0, after.1.0],
            metaspace: [before.1.1, after.1.1],
            load: String::new(),
        })
    })
}

/// Asks the server once.
fn answer() -> Answer {
    let began = Instant::now();
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect_timeout(&SocketAddr::from(ADDRESS), ANSWER_LIMIT)?;
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        stream.write_all(REQUEST)?;
        let mut text = Vec::new();
        stream.read_to_end(&mut text)?;
        Ok(text.starts_with(b"HTTP/1.1 200") && text.ends_with(b"</html>\n"))
    };
    let well = ask().unwrap_or(false);
    Answer { at: Instant::now(), took: began.elapsed(), well }
}

/// The process of the server.
fn server(java: &Path) -> Result<u32, Box<dyn Error>> {
    let java = java.as_os_str().as_encoded_bytes();
    let is_it = |line: &[&[u8]]| line.first() == Some(&java) && line.contains(&MARK.as_bytes());
    process_of(is_it)?.ok_or_else(|| "the server's process is not there".into())
}

/// Begins, watches a step, fetches a snapshot, and stops; nothing is left of it but the agent.
fn round(pid: u32, exact: bool) -> Result<(), String> {
    let pid = pid.to_string();
    let ask = |command: &str, more: &[&str]| -> Result<Outcome, String> {
        let outcome = mayfly([command, &pid].into_iter().chain(more.iter().copied()));
        if outcome.status.success() { Ok(outcome) } else { Err(format!("{command}: {}", outcome.stderr)) }
    };
    ask("start", if exact { &["--exact", "--yes"] } else { &["--sampled"] })?;
    let mut watching = Command::new(&artifacts().cli);
    watching.args(["live", &pid]);
    let mut watching = Running::of(watching);
    // Piped, it prints a block, and goes on until there is nothing more to watch.
    watching.wait_for_line("");
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    ask("snapshot", &["-o", &folder.path().join("snapshot.mayfly").display().to_string()])?;
    ask("stop", if exact { &["--restore"] } else { &[] })?;
    watching.try_finish().map(drop)
}

/// Resident bytes, and those in use of Metaspace if the JVM comes with the tool that says.
fn memory(jvm: &Jvm, pid: u32) -> (u64, Option<u64>) {
    let tool = |command: &str| {
        let output = Command::new(jvm.home.join("bin/jcmd")).args([&pid.to_string(), command]).output();
        output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // What is no longer used is given back when the JVM looks for it, after a collection.
    tool("GC.run");
    let counters = tool("PerfCounter.print").unwrap_or_default();
    let used = counters.lines().find_map(|line| line.strip_prefix("sun.gc.metaspace.used="));
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    (status_bytes(&status, "VmRSS").unwrap_or(0), used.and_then(|used| used.parse().ok()))
}

fn row(jvm: &Jvm, served: &Served, arguments: &Arguments) -> Vec<String> {
    let aside = Duration::from_secs(arguments.aside);
    let [from, to] = served.rounds_at;
    // The memory that was looked at last is no part of what came before or after.
    let times = [(from - aside, from), (from, to), (to + aside / 6, to + aside)];
    let parts = times.map(|(from, to)| {
        let inside = served.answers.iter().filter(|answer| (from..to).contains(&answer.at));
        let mut ms: Vec<_> = inside.map(|answer| answer.took.as_secs_f64() * 1e3).collect();
        ms.sort_by(f64::total_cmp);
        ms
    });
    let each = |part: f64| parts.each_ref().map(|ms| format!("{:.1}", percentile(ms, part))).join(", ");
    let failed = served.answers.iter().filter(|answer| !answer.well).count();
    let longest = parts.iter().flatten().fold(0.0f64, |most, &ms| most.max(ms));
    let pair = |[before, after]: [Option<u64>; 2], shift: u32| {
        let show = |value: Option<u64>| value.map_or("-".into(), |value| (value >> shift).to_string());
        format!("{}, {}", show(before), show(after))
    };
    vec![
        jvm.feature.to_string(),
        if served.rounds == 0 { "none".into() } else { served.rounds.to_string() },
        format!("{failed} of {} ({})", served.answers.len(), failures_of(&served.load)),
        each(0.5),
        each(0.99),
        format!("{longest:.0}"),
        pair(served.resident.map(Some), 20),
        pair(served.metaspace, 10),
    ]
}

/// What the script says of its own requests that failed.
fn failures_of(result: &str) -> String {
    let words = result.split_whitespace();
    let values = words.filter_map(|word| word.strip_prefix("non2xx=").or(word.strip_prefix("sockerr=")));
    values.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_the_load_are_those_that_its_script_tells() {
        assert_eq!(failures_of("tomcat pages=ab same_after_load=yes non2xx=0 sockerr=3"), "0, 3");
    }
}
