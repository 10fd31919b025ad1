//! `heap`: what heap summaries, dumps and questions take, beside the JDK's histogram and another reader of hprof.
//!
//! All of a table is measured in one run on the same heap, the sides by turns.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::heap_readers::{Question, Readers};
use crate::heap_target::{Felt, HeapTarget, NativeMemory};
use crate::jdk::Jdk;
use crate::measured::{Measured, measure};
use crate::pauses::{Pauses, made_of};
use crate::stats::{Summary, paired_ratios};
use crate::table;
use crate::variant::find_agent;

/// Options of `heap`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Objects on the heap
    #[arg(long, default_value_t = 6_000_000)]
    objects: u64,
    /// Size of the hprof file in MiB, about; 0 leaves that part out
    #[arg(long, default_value_t = 1024)]
    hprof_mib: u64,
    /// Rounds, in each of which every side runs once
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// JAVA_HOME of a full JDK [default: $JAVA_HOME, else java on the PATH]
    #[arg(long, value_name = "HOME")]
    java: Option<PathBuf>,
    /// The `mayfly` command [default: beside this program, else of the release build]
    #[arg(long, value_name = "FILE")]
    mayfly: Option<PathBuf>,
    /// hprof-slurp, another reader [default: the one in target/peers or on the PATH; without it its row is left out]
    #[arg(long, value_name = "FILE")]
    hprof_slurp: Option<PathBuf>,
}

/// By how much two runs of the same may differ, in seconds.
const NOISE_S: f64 = 0.05;

/// The programs that are compared.
struct Sides {
    jdk: Jdk,
    mayfly: PathBuf,
    readers: Readers,
    folder: tempfile::TempDir,
    rounds: usize,
}

/// One thing to run, by turns with others.
struct Side<'a> {
    name: &'a str,
    program: PathBuf,
    arguments: Vec<OsString>,
    /// A file that it writes, removed before each run.
    fresh: Option<PathBuf>,
}

/// Runs everything and prints the tables. `false` if something failed.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let sides = Sides::new(arguments)?;
    println!("{}", table::provenance("The heap", &sides.jdk));
    let healthy = live(&sides, arguments.objects)?;
    let offline = arguments.hprof_mib == 0 || hprof(&sides, arguments.hprof_mib)?;
    Ok(healthy && offline)
}

impl Sides {
    fn new(arguments: &Arguments) -> Result<Self, Box<dyn Error>> {
        let jdk = Jdk::find(arguments.java.as_deref())?;
        // The attach library is looked for beside the command.
        let agent = find_agent(None).ok_or("no libmayfly.so: build it by `cargo build --release`")?;
        let beside = agent.with_file_name("mayfly");
        let mayfly = arguments.mayfly.clone().unwrap_or(beside).canonicalize()?;
        let folder = tempfile::Builder::new().prefix("mayfly-bench-").tempdir()?;
        let readers = Readers::find(arguments.hprof_slurp.as_deref(), &jdk, folder.path());
        Ok(Self { jdk, mayfly, readers, folder, rounds: arguments.rounds.into() })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn mayfly<'a>(&self, name: &'a str, arguments: &[&str]) -> Side<'a> {
        Side::new(name, &self.mayfly, arguments)
    }

    fn jcmd<'a>(&self, name: &'a str, pid: &str, command: &[&str]) -> Side<'a> {
        Side::new(name, &self.jdk.home.join("bin/jcmd"), &[&[pid], command].concat())
    }

    /// Runs all sides, round by round. What failed is printed and has no value.
    fn by_turns(&self, sides: &[Side<'_>]) -> Vec<Vec<Option<Measured>>> {
        let mut runs = vec![Vec::new(); sides.len()];
        for round in 0..self.rounds {
            for index in crate::variant::order(sides.len(), round) {
                runs[index].push(sides[index].run());
            }
        }
        runs
    }

    /// The same, with what each run costs the target.
    fn felt_by_turns(&self, target: &HeapTarget, sides: &[Side<'_>]) -> std::io::Result<Vec<Costs>> {
        let mut runs: Vec<Costs> = sides.iter().map(|_| Costs::default()).collect();
        for round in 0..self.rounds {
            for index in crate::variant::order(sides.len(), round) {
                let (run, felt) = target.feels(|| sides[index].run())?;
                runs[index].1.push(run.map(|_| felt));
                runs[index].0.push(run);
            }
        }
        Ok(runs)
    }
}

/// Runs of one side, and what each cost the target; none of one that failed.
type Costs = (Vec<Option<Measured>>, Vec<Option<Felt>>);

impl<'a> Side<'a> {
    fn new(name: &'a str, program: &Path, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(OsString::from).collect();
        Self { name, program: program.to_owned(), arguments, fresh: None }
    }

    fn writing(mut self, file: PathBuf) -> Self {
        self.fresh = Some(file);
        self
    }

    fn run(&self) -> Option<Measured> {
        if let Some(file) = &self.fresh {
            // It is there from the round before, or not yet.
            let _ = fs::remove_file(file);
        }
        match measure(&self.program, &self.arguments) {
            Ok(measured) => Some(measured),
            Err(failure) => {
                println!("FAILED {}: {failure}", self.name);
                None
            }
        }
    }
}

/// Summary, dump and path of a live heap.
fn live(sides: &Sides, objects: u64) -> Result<bool, Box<dyn Error>> {
    let target = HeapTarget::start(&sides.jdk, sides.folder.path(), objects)?;
    let pid = target.pid().to_string();
    // What attaching takes, once, is in no figure, as a jcmd has nothing of the kind.
    let attached = sides.mayfly("mayfly attach", &["attach", &pid]).run().is_some();
    let summaries = summaries(sides, &target, objects)?;
    let dumps = dumps(sides, &target, objects)?;
    Ok(attached && summaries && dumps)
}

/// Beside `jcmd GC.class_histogram`: without a collection on either side, and with two on both.
fn summaries(sides: &Sides, target: &HeapTarget, objects: u64) -> Result<bool, Box<dyn Error>> {
    let pid = &target.pid().to_string();
    let compared = [
        sides.jcmd("jcmd VM.version (its start alone)", pid, &["VM.version"]),
        sides.mayfly("mayfly status (its start alone)", &["status", pid]),
        sides.jcmd("jcmd GC.class_histogram -all", pid, &["GC.class_histogram", "-all"]),
        sides.mayfly("mayfly heap --all", &["heap", pid, "--all"]),
        sides.jcmd("jcmd GC.run", pid, &["GC.run"]),
        sides.jcmd("jcmd GC.class_histogram (one collection)", pid, &["GC.class_histogram"]),
        sides.mayfly("mayfly heap (two collections)", &["heap", pid]),
    ];
    let (runs, felt): (Vec<_>, Vec<_>) = sides.felt_by_turns(target, &compared)?.into_iter().unzip();
    let seconds: Vec<Vec<Option<f64>>> = runs.iter().map(|runs| wall(runs)).collect();
    let net = |side: usize, start: usize| minus(&seconds[side], &seconds[start]);
    // One collection more than jcmd's own, without another start.
    let two_collections = plus(&net(5, 0), &net(4, 0));
    println!("### Summary of {objects} objects\n");
    let rows = vec![
        summary_row("no collection", &seconds[2], &seconds[3], &net(2, 0), &net(3, 1)),
        summary_row(
            "two collections",
            &plus(&seconds[5], &net(4, 0)),
            &seconds[6],
            &two_collections,
            &net(6, 1),
        ),
    ];
    let heading = [
        "",
        "jcmd s",
        "mayfly s",
        "ratio",
        "jcmd s without its start",
        "mayfly s without its start",
        "ratio",
    ];
    println!("{}", table::markdown(&heading, &rows));
    println!("### Its pauses, by the JVM's log of safepoints\n");
    // Those of jcmd that a row's pauses are compared with, added up.
    let like: [(usize, &[usize]); 5] = [(2, &[2]), (3, &[2]), (4, &[4]), (5, &[5]), (6, &[4, 5])];
    let rows: Vec<_> =
        like.into_iter().map(|(side, like)| pause_row(compared[side].name, side, like, &felt)).collect();
    let heading =
        ["", "all pauses s", "ratio to jcmd", "longest s", "CPU s in the target", "what stops it, s"];
    println!("{}", table::markdown(&heading, &rows));
    println!(
        "Ratio: to the pauses of jcmd for the same, of `mayfly heap` to those of GC.run and GC.class_histogram together.\n"
    );
    Ok(runs.iter().flatten().all(Option::is_some))
}

fn pause_row(name: &str, side: usize, like: &[usize], felt: &[Vec<Option<Felt>>]) -> Vec<String> {
    let of = |side: usize, value: fn(&Pauses) -> Option<f64>| -> Vec<Option<f64>> {
        felt[side].iter().map(|felt| value(&felt.as_ref()?.pauses)).collect()
    };
    let total = of(side, Pauses::total_s);
    let base = like.iter().map(|&side| of(side, Pauses::total_s)).reduce(|sum, more| plus(&sum, &more));
    let cpu: Vec<_> = felt[side].iter().map(|felt| felt.as_ref().map(|felt| felt.cpu_s)).collect();
    let pauses: Vec<_> = felt[side].iter().flatten().map(|felt| felt.pauses.clone()).collect();
    vec![
        name.to_owned(),
        shown(&total, 3),
        ratio(&total, &base.unwrap_or_default()),
        shown(&of(side, Pauses::longest_s), 3),
        shown(&cpu, 2),
        made_of(&pauses),
    ]
}

fn summary_row(
    name: &str,
    jcmd: &[Option<f64>],
    mayfly: &[Option<f64>],
    jcmd_net: &[Option<f64>],
    mayfly_net: &[Option<f64>],
) -> Vec<String> {
    vec![
        name.to_owned(),
        shown(jcmd, 2),
        shown(mayfly, 2),
        ratio(mayfly, jcmd),
        shown(jcmd_net, 2),
        shown(mayfly_net, 2),
        ratio_of_net(mayfly_net, jcmd_net),
    ]
}

/// The ways of dumping, each with the path to one object in the file; and what that takes of the target's native
/// memory. The walk goes last: what malloc keeps of its tags would hide what the others take.
fn dumps(sides: &Sides, target: &HeapTarget, objects: u64) -> Result<bool, Box<dyn Error>> {
    let ways: [(&str, &str, &[&str]); 3] = [
        ("by the JVM, .hprof", "live.hprof", &[]),
        ("by the JVM and packed, .mayheap", "packed.mayheap", &[]),
        ("by a walk, .mayheap", "walked.mayheap", &["--walk"]),
    ];
    let mut rows = Vec::new();
    let mut healthy = true;
    for (name, file, way) in ways {
        let (row, whole) = dump_and_path(sides, target, objects, name, &sides.file(file), way)?;
        rows.push(row);
        healthy &= whole;
    }
    println!("### Dump of {objects} objects, and a path\n");
    let heading = [
        "",
        "dump s",
        "pauses s",
        "CPU s, target and command",
        "command peak MiB",
        "path s",
        "path peak MiB",
        "file MiB",
        "native B per object",
        "of it the JVM's tags",
    ];
    println!("{}", table::markdown(&heading, &rows));
    println!(
        "Native memory: the most that was resident in the target during the first dump, beyond what was before it; the heap is"
    );
    println!(
        "touched beforehand. The JVM's tags are its own account (native memory tracking, \"Serviceability\"), where it keeps peaks."
    );
    Ok(healthy)
}

fn dump_and_path(
    sides: &Sides,
    target: &HeapTarget,
    objects: u64,
    name: &str,
    file: &Path,
    way: &[&str],
) -> Result<(Vec<String>, bool), Box<dyn Error>> {
    let (pid, path) = (target.pid().to_string(), file.to_string_lossy().into_owned());
    let arguments = [&["heap", "dump", &pid, &path, "--quiet", "--no-strings"], way].concat();
    let dump = [sides.mayfly("mayfly heap dump", &arguments).writing(file.to_owned())];
    // Memory in one dump: what malloc keeps from one to the next is no part of what one takes.
    let before = target.begin_native_peak()?;
    let first = dump[0].run().is_some();
    let peak = target.native_peak()?;
    let (runs, felt) = sides.felt_by_turns(target, &dump)?.remove(0);
    let paths = sides.by_turns(&[sides
        .mayfly("mayfly heap paths", &["heap", "paths", &path, "--to", "HeapScale$Needle", "--no-index"])]);
    let pauses: Vec<_> = felt.iter().map(|felt| felt.as_ref()?.pauses.total_s()).collect();
    let in_target: Vec<_> = felt.iter().map(|felt| felt.as_ref().map(|felt| felt.cpu_s)).collect();
    let row = vec![
        name.to_owned(),
        shown(&wall(&runs), 2),
        shown(&pauses, 2),
        shown(&plus(&in_target, &cpu(&runs)), 2),
        peak_mib(&runs),
        shown(&wall(&paths[0]), 2),
        peak_mib(&paths[0]),
        mib(fs::metadata(file)?.len()),
        per_object(before, peak, objects, |memory| Some(memory.resident)),
        per_object(before, peak, objects, |memory| memory.jvm_tags),
    ];
    Ok((row, first && runs.iter().chain(&paths[0]).all(Option::is_some)))
}

/// An hprof file: histogram and dominators beside other readers.
fn hprof(sides: &Sides, mib_wanted: u64) -> Result<bool, Box<dyn Error>> {
    // A link is 3 objects and 102 bytes of file: measured, and near enough.
    let target = HeapTarget::start(&sides.jdk, sides.folder.path(), (mib_wanted << 20) / 34)?;
    let file = sides.file("heap.hprof");
    let path = file.to_string_lossy().into_owned();
    if sides.jcmd("jcmd GC.heap_dump", &target.pid().to_string(), &["GC.heap_dump", &path]).run().is_none() {
        return Ok(false);
    }
    drop(target);
    println!("### hprof file of {} MiB, and other readers\n", mib(fs::metadata(&file)?.len()));
    let asked = [("histogram", Question::Histogram), ("retained", Question::Retained)];
    let (mut rows, mut whole) = (Vec::new(), true);
    for (verb, question) in asked {
        let ours = ["heap", verb, &path, "--limit", "20", "--no-index"];
        let mut compared = vec![sides.mayfly("mayfly", &ours)];
        for other in sides.readers.invocations(question, &file, sides.folder.path()) {
            let (name, program, arguments) = (other.name, other.program, other.arguments);
            compared.push(Side { name, program, arguments, fresh: other.writes });
        }
        let runs = sides.by_turns(&compared);
        let base = cpu(&runs[0]);
        for (side, runs) in compared.iter().zip(&runs) {
            rows.push(reader_row(verb, side.name, runs, &base));
            whole &= runs.iter().all(Option::is_some);
        }
    }
    let heading = ["question", "reader", "CPU s", "CPU, ratio to ours", "s", "peak MiB"];
    println!("{}", table::markdown(&heading, &rows));
    Ok(questions(sides, &path) && whole)
}

/// Questions to an hprof file: without an index, as the first one, which writes it, and when it is there.
fn questions(sides: &Sides, path: &str) -> bool {
    let index = PathBuf::from(format!("{path}.mayidx"));
    let asked: [(&str, &[&str]); 5] = [
        ("histogram", &["--limit", "20"]),
        ("retained", &["--limit", "20"]),
        ("retained --by class", &["--by", "class", "--limit", "20"]),
        ("paths", &["--to", "HeapScale$Needle"]),
        ("holders", &["--of", "HeapScale$Needle"]),
    ];
    let side = |(name, words): &(&'static str, &[&str]), more: &[&str]| {
        let verb = name.split(' ').next().unwrap_or(name);
        sides.mayfly(name, &[&["heap", verb, path], *words, more].concat())
    };
    let without: Vec<_> = asked.iter().map(|question| side(question, &["--no-index"])).collect();
    let first: Vec<_> = asked.iter().map(|question| side(question, &[]).writing(index.clone())).collect();
    let second: Vec<_> = asked.iter().map(|question| side(question, &[])).collect();
    let (without, first) = (sides.by_turns(&without), sides.by_turns(&first));
    // Each keeps what it finds.
    let kept = second.iter().all(|question| question.run().is_some());
    let second = sides.by_turns(&second);
    println!(
        "### Questions to it, and an index of {} MiB\n",
        mib(fs::metadata(&index).map_or(0, |index| index.len()))
    );
    let rows: Vec<_> = (0..asked.len())
        .map(|at| {
            let [without, first, second] = [&without[at], &first[at], &second[at]];
            vec![
                asked[at].0.to_owned(),
                shown(&wall(without), 2),
                shown(&wall(first), 2),
                shown(&wall(second), 3),
                ratio(&wall(without), &wall(second)),
                peak_mib(without),
                peak_mib(second),
            ]
        })
        .collect();
    let heading = [
        "",
        "no index s",
        "first question s",
        "second s",
        "times as fast",
        "no index peak MiB",
        "second peak MiB",
    ];
    println!("{}", table::markdown(&heading, &rows));
    kept && without.iter().chain(&first).chain(&second).flatten().all(Option::is_some)
}

fn reader_row(question: &str, reader: &str, runs: &[Option<Measured>], base: &[Option<f64>]) -> Vec<String> {
    let cpu = cpu(runs);
    let ratio = ratio(&cpu, base);
    vec![question.to_owned(), reader.to_owned(), shown(&cpu, 2), ratio, shown(&wall(runs), 2), peak_mib(runs)]
}

fn cpu(runs: &[Option<Measured>]) -> Vec<Option<f64>> {
    runs.iter().map(|run| run.map(|run| run.cpu.as_secs_f64())).collect()
}

fn wall(runs: &[Option<Measured>]) -> Vec<Option<f64>> {
    runs.iter().map(|run| run.map(|run| run.wall.as_secs_f64())).collect()
}

fn peak_mib(runs: &[Option<Measured>]) -> String {
    let peaks: Vec<_> = runs.iter().map(|run| run.map(|run| run.max_rss_kib as f64 / 1024.0)).collect();
    shown(&peaks, 0)
}

fn minus(values: &[Option<f64>], others: &[Option<f64>]) -> Vec<Option<f64>> {
    values.iter().zip(others).map(|(value, other)| Some((*value)? - (*other)?)).collect()
}

fn plus(values: &[Option<f64>], others: &[Option<f64>]) -> Vec<Option<f64>> {
    values.iter().zip(others).map(|(value, other)| Some((*value)? + (*other)?)).collect()
}

fn shown(values: &[Option<f64>], decimals: usize) -> String {
    let measured: Vec<_> = values.iter().flatten().copied().collect();
    Summary::of(&measured).map_or_else(|| "-".to_owned(), |summary| summary.show(decimals))
}

fn ratio(values: &[Option<f64>], base: &[Option<f64>]) -> String {
    let ratios = Summary::of(&paired_ratios(values, base));
    ratios.map_or_else(|| "-".to_owned(), |ratios| format!("{:.2}", ratios.median))
}

/// Differences of two runs that are hardly more than their noise have no ratio.
fn ratio_of_net(values: &[Option<f64>], base: &[Option<f64>]) -> String {
    let measured: Vec<_> = base.iter().flatten().copied().collect();
    match Summary::of(&measured) {
        Some(summary) if summary.min > NOISE_S => ratio(values, base),
        _ => "-".to_owned(),
    }
}

fn mib(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / f64::from(1u32 << 20))
}

fn per_object(
    before: NativeMemory,
    peak: NativeMemory,
    objects: u64,
    which: impl Fn(NativeMemory) -> Option<u64>,
) -> String {
    match (which(before), which(peak)) {
        (Some(before), Some(peak)) => format!("{:.1}", peak.saturating_sub(before) as f64 / objects as f64),
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_round_has_no_part_in_sums_and_ratios() {
        let (values, base) = ([Some(3.0), None, Some(5.0)], [Some(1.0), Some(1.0), Some(2.0)]);
        assert_eq!(minus(&values, &base), [Some(2.0), None, Some(3.0)]);
        assert_eq!(plus(&values, &base), [Some(4.0), None, Some(7.0)]);
        assert_eq!(ratio(&values, &base), "2.75");
        assert_eq!(shown(&[None], 1), "-");
        assert_eq!(
            (ratio_of_net(&values, &base), ratio_of_net(&values, &[Some(0.01)])),
            ("2.75".into(), "-".into())
        );
    }

    #[test]
    fn native_memory_is_told_per_object_and_only_if_known() {
        let memory = |resident, jvm_tags| NativeMemory { resident, jvm_tags };
        let (before, peak) = (memory(100, None), memory(1300, Some(7)));
        assert_eq!(per_object(before, peak, 100, |memory| Some(memory.resident)), "12.0");
        assert_eq!(per_object(before, peak, 100, |memory| memory.jvm_tags), "-");
    }
}
