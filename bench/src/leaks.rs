//! `leaks`: programs that leak and programs that only look so, asked in each way whether they do.
//!
//! Prints who was right. What is true of each is in `fixtures/leakbench/truth.txt`.

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use clap::Args;

use crate::jdk::Jdk;
use crate::leak_truth::{Program, chosen, programs};
use crate::leak_verdict::{Outcome, Verdict};
use crate::leak_ways::{Bench, Target, Way, find_mayfly};
use crate::table;

/// Options of `leaks`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// JVM by its JAVA_HOME, with options behind it: /usr/lib/jvm/java-21,-XX:+UseSerialGC; several, one after the other [default: $JAVA_HOME, else java on the PATH]
    #[arg(long = "jvm", value_name = "HOME[,OPTION…]")]
    jvms: Vec<String>,
    /// Programs [default: all that the JVM runs]
    #[arg(long, value_delimiter = ',')]
    names: Vec<String>,
    /// How often each is asked in each way
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// For how long each is looked at
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// How each is asked
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = [Way::Pid, Way::File, Way::Screen])]
    ways: Vec<Way>,
    /// Garbage beside each, in MB a second
    #[arg(long, default_value_t = 80)]
    garbage: u32,
    /// How many programs run at a time
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    at_once: u8,
    /// The command under test [default: mayfly beside this program]
    #[arg(long, value_name = "FILE")]
    mayfly: Option<PathBuf>,
    /// async-profiler's library, as scripts/fetch-async-profiler prints it
    #[arg(long, value_name = "FILE")]
    async_profiler: Option<PathBuf>,
    /// Options of `mayfly run` in recordings: --run=--scope=leakbench.Server.dispatch
    #[arg(long = "run", value_name = "OPTION", allow_hyphen_values = true)]
    run_options: Vec<String>,
}

/// Verdicts by program and way.
type Verdicts = HashMap<(String, Way), Vec<Verdict>>;

/// A program that is started once.
#[derive(Clone, Copy)]
struct Job<'a> {
    program: &'a Program,
    /// A recording answers two.
    way: Way,
}

/// Asks all, and prints the tables. `false` if something had no answer.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let programs = chosen(&programs()?, &arguments.names)?;
    let folder = tempfile::Builder::new().prefix("mayfly-bench-").tempdir()?;
    let bench = Bench {
        mayfly: find_mayfly(arguments.mayfly.as_deref())?,
        classes: folder.path().join("classes"),
        folder: folder.path().to_path_buf(),
        seconds: arguments.seconds,
        async_profiler: arguments.async_profiler.clone(),
        garbage_mb_per_s: arguments.garbage,
        run_options: arguments.run_options.clone(),
    };
    let mut answered = true;
    let jvms = if arguments.jvms.is_empty() { vec![String::new()] } else { arguments.jvms.clone() };
    for jvm in &jvms {
        let (jdk, target) = target(jvm)?;
        if !bench.classes.exists() {
            jdk.compile_fixture("leakbench", &bench.classes)?;
        }
        let verdicts = ask_all(arguments, &bench, &jdk, &target, &programs);
        println!("{}", table::provenance(&format!("Leaks, {}", target.name), &jdk));
        print_tables(arguments, &programs, &verdicts);
        answered &= verdicts.values().flatten().all(|verdict| verdict.outcome != Outcome::Failed);
    }
    Ok(answered)
}

/// `HOME,OPTION,OPTION`.
fn target(jvm: &str) -> Result<(Jdk, Target), Box<dyn Error>> {
    let mut parts = jvm.split(',').filter(|part| !part.is_empty());
    let jdk = Jdk::find(parts.next().map(Path::new))?;
    let options: Vec<String> = parts.map(str::to_owned).collect();
    let release = jdk.release().map_or_else(|| "?".into(), |release| release.to_string());
    let target =
        Target { name: [vec![release], options.clone()].concat().join(" "), home: jdk.home.clone(), options };
    Ok((jdk, target))
}

fn ask_all(
    arguments: &Arguments,
    bench: &Bench,
    jdk: &Jdk,
    target: &Target,
    programs: &[Program],
) -> Verdicts {
    let runs = |program: &&Program| jdk.release().is_none_or(|release| program.java <= release);
    // The screen comes with the recording.
    let mut ways: Vec<_> =
        arguments.ways.iter().map(|&way| if way == Way::Screen { Way::File } else { way }).collect();
    ways.dedup();
    let mut jobs = Vec::new();
    for _ in 0..arguments.rounds {
        for program in programs.iter().filter(runs) {
            jobs.extend(ways.iter().map(|&way| Job { program, way }));
        }
    }
    jobs.reverse();
    let (jobs, verdicts) = (Mutex::new(jobs), Mutex::new(Verdicts::new()));
    let next = || jobs.lock().expect("no thread panics with it").pop();
    thread::scope(|scope| {
        for _ in 0..arguments.at_once {
            scope.spawn(|| {
                while let Some(job) = next() {
                    for (way, verdict) in ask(bench, target, job) {
                        note(&verdicts, &job.program.name, way, verdict);
                    }
                }
            });
        }
    });
    verdicts.into_inner().expect("no thread panics with it")
}

fn ask(bench: &Bench, target: &Target, job: Job<'_>) -> Vec<(Way, Verdict)> {
    match job.way {
        Way::Pid => vec![(Way::Pid, bench.by_pid(target, job.program))],
        Way::File | Way::Screen => {
            let [file, screen] = bench.by_recording(target, job.program);
            vec![(Way::File, file), (Way::Screen, screen)]
        }
        Way::Jfr | Way::Async => vec![(job.way, bench.by_peer(job.way, target, job.program))],
    }
}

/// Also on stderr, as it happens.
fn note(verdicts: &Mutex<Verdicts>, program: &str, way: Way, verdict: Verdict) {
    let others = if verdict.others > 0 { format!(", {} others", verdict.others) } else { String::new() };
    eprintln!("{program}, {}: {}{others}: {}", way.name(), verdict.outcome.name(), verdict.summary);
    let mut verdicts = verdicts.lock().expect("no thread panics with it");
    verdicts.entry((program.to_owned(), way)).or_default().push(verdict);
}

fn print_tables(arguments: &Arguments, programs: &[Program], verdicts: &Verdicts) {
    let rows: Vec<_> = arguments.ways.iter().map(|&way| sums(way, programs, verdicts)).collect();
    let heading = [
        "way",
        "found",
        "misnamed",
        "unsure",
        "missed",
        "failed",
        "silent",
        "unsure",
        "called one",
        "failed",
        "others beside a leak",
    ];
    println!("Of the leaks, then of what only looks so:\n\n{}", table::markdown(&heading, &rows));
    let heading: Vec<&str> =
        ["program"].into_iter().chain(arguments.ways.iter().map(|way| way.name())).collect();
    let cells = |program: &Program| -> Vec<String> {
        arguments.ways.iter().map(|&way| cell(verdicts.get(&(program.name.clone(), way)))).collect()
    };
    let rows: Vec<_> =
        programs.iter().map(|program| [vec![program.to_string()], cells(program)].concat()).collect();
    println!("{}", table::markdown(&heading, &rows));
}

fn sums(way: Way, programs: &[Program], verdicts: &Verdicts) -> Vec<String> {
    let of = |leaks: bool| -> Vec<&Verdict> {
        let such = programs.iter().filter(|program| program.leak.is_some() == leaks);
        such.filter_map(|program| verdicts.get(&(program.name.clone(), way))).flatten().collect()
    };
    let (leaks, clean) = (of(true), of(false));
    let count = |of: &[&Verdict], outcome: Outcome| of.iter().filter(|one| one.outcome == outcome).count();
    let mut row = vec![way.name().into(), format!("{} of {}", count(&leaks, Outcome::Found), leaks.len())];
    let kinds = [Outcome::Misnamed, Outcome::Unsure, Outcome::Missed, Outcome::Failed];
    row.extend(kinds.map(|outcome| count(&leaks, outcome).to_string()));
    row.push(format!("{} of {}", count(&clean, Outcome::Silent), clean.len()));
    let kinds = [Outcome::Unsure, Outcome::FalseAlarm, Outcome::Failed];
    row.extend(kinds.map(|outcome| count(&clean, outcome).to_string()));
    row.push(leaks.iter().map(|verdict| verdict.others).sum::<usize>().to_string());
    row
}

/// Outcomes in the order of rounds.
fn cell(verdicts: Option<&Vec<Verdict>>) -> String {
    let names = verdicts.into_iter().flatten().map(|verdict| verdict.outcome.name());
    let names: Vec<_> = names.collect();
    match names.as_slice() {
        [] => "-".into(),
        [first, rest @ ..] if rest.iter().all(|name| name == first) => (*first).into(),
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(outcome: Outcome) -> Verdict {
        Verdict { outcome, others: 1, summary: String::new() }
    }

    #[test]
    fn rounds_that_agree_are_said_once() {
        assert_eq!(cell(None), "-");
        assert_eq!(cell(Some(&vec![verdict(Outcome::Found), verdict(Outcome::Found)])), "found");
        assert_eq!(cell(Some(&vec![verdict(Outcome::Found), verdict(Outcome::Missed)])), "found, missed");
    }

    #[test]
    fn leaks_and_others_are_summed_apart() {
        let programs =
            chosen(&programs().expect("table"), &["Sessions".into(), "Lru".into()]).expect("there");
        let mut verdicts = Verdicts::new();
        verdicts
            .insert(("Sessions".into(), Way::Pid), vec![verdict(Outcome::Found), verdict(Outcome::Missed)]);
        verdicts.insert(("Lru".into(), Way::Pid), vec![verdict(Outcome::FalseAlarm)]);
        let row = sums(Way::Pid, &programs, &verdicts).join(" ");
        assert_eq!(row, "`leaks PID` 1 of 2 0 0 1 0 0 of 1 0 1 0 2");
    }
}
