//! Begun and ended over and over in a JVM that runs, by each engine: nothing stays behind, neither in its memory nor in its speed.

use std::process::Command;
use std::time::Instant;

use mayfly_tests::{JsonReport, Jvm, Launch, Outcome, Running, Workspace, artifacts, each_jvm, jcmd, mayfly};

const JVM_ARGS: &[&str] = &["-Xmx64m", "-Xms64m", "-XX:+AlwaysPreTouch"];
/// Items of a round.
const ITEMS: u64 = 100_000;
const MIB: u64 = 1 << 20;
/// JDK 11 does not use again what changed classes had of Metaspace.
const FIRST_TO_USE_AGAIN: u32 = 17;

/// How it is begun and ended, and what may be left of that.
struct Way {
    start: &'static [&'static str],
    stop: &'static [&'static str],
    /// Rounds that load classes and fill the allocator's pools.
    warm: usize,
    /// What memory may differ by afterwards: a few arenas, and code that the JIT compiled.
    resident: u64,
    metaspace: u64,
}

const SAMPLED: Way =
    Way { start: &["#sample-4k"], stop: &[], warm: 8, resident: 4 * MIB, metaspace: 64 << 10 };
/// Hundreds of classes are changed, and changed back: 3 MiB of Metaspace in each round, of which HotSpot itself loses some 200 KiB.
const EXACT: Way =
    Way { start: &["--exact"], stop: &["--restore"], warm: 3, resident: 16 * MIB, metaspace: 3 * MIB };

/// Attached, begun, watched, fetched and stopped again, by turns.
struct OverAndOver {
    way: &'static Way,
    running: Running,
    /// Resident bytes after each round.
    resident: Vec<u64>,
    /// Bytes of Metaspace once it is warm, and in the end, if the JVM has the tool that says.
    metaspace: Vec<u64>,
}

impl OverAndOver {
    fn run(jvm: &Jvm, way: &'static Way, rounds: usize) -> Self {
        let mut all = Self { way, running: started(jvm), resident: Vec::new(), metaspace: Vec::new() };
        for round in 1..=rounds {
            all.round(jvm, round % 4 == 1);
            if round == way.warm || round == rounds {
                all.look_at_metaspace(jvm);
            }
        }
        all
    }

    /// What is no longer used is given back when the JVM looks for it, after a collection.
    fn look_at_metaspace(&mut self, jvm: &Jvm) {
        if jcmd(jvm, &self.running, &["GC.run"]).is_none() {
            return;
        }
        let counters = jcmd(jvm, &self.running, &["PerfCounter.print"]);
        let used = |text: &str| {
            text.lines().find_map(|line| line.strip_prefix("sun.gc.metaspace.used=")?.parse::<u64>().ok())
        };
        self.metaspace.extend(counters.as_deref().and_then(used));
    }

    fn round(&mut self, jvm: &Jvm, looks: bool) {
        let pid = self.running.pid();
        ask("start", pid, self.way.start).ok();
        if looks {
            let mut watching = Command::new(&artifacts().cli);
            watching.args(["live", &pid.to_string()]);
            let mut watching = Running::of(watching);
            self.running.does(&format!("make {ITEMS}"));
            // Piped, it prints a block, and goes on until there is nothing more to watch.
            watching.wait_for_line("");
            // Few samples a second are taken, and the first may all be of items.
            let sees_paced = || snapshot(pid).class("[B").is_some();
            self.running.wait_until(&format!("no array was ever seen on {jvm}"), sees_paced);
            ask("stop", pid, self.way.stop).ok();
            watching.finish();
        } else {
            self.running.does(&format!("make {ITEMS}"));
            ask("stop", pid, self.way.stop).ok();
        }
        self.resident.push(self.running.resident_bytes());
    }

    #[track_caller]
    fn ends_flat(self, jvm: &Jvm) {
        let (first, last) = self.resident.split_at(self.way.warm);
        let (before, after) = (first.iter().max().expect("rounds"), last.iter().min().expect("rounds"));
        assert!(*after < before + self.way.resident, "{after} bytes, {before} before on {jvm}");
        if let ([before, last], FIRST_TO_USE_AGAIN..) = (&self.metaspace[..], jvm.feature) {
            assert!(
                *last <= before + self.way.metaspace,
                "{last} bytes of Metaspace, {before} before on {jvm}"
            );
        }
        is_unharmed(self.running, ITEMS * self.resident.len() as u64, jvm);
    }
}

fn started(jvm: &Jvm) -> Running {
    let mut running = Launch::new(jvm, "steered.Steered").jvm_args(JVM_ARGS).start().when_ready();
    running.does("pace");
    running
}

fn ask(command: &str, pid: u32, more: &[&str]) -> Outcome {
    let pid = pid.to_string();
    mayfly([command, &pid].into_iter().chain(more.iter().copied()))
}

fn snapshot(pid: u32) -> JsonReport {
    let workspace = Workspace::new();
    let path = workspace.file("snapshot.mayfly");
    ask("snapshot", pid, &["-o", &path.display().to_string()]).ok();
    JsonReport::of(&path)
}

/// Since JDK 21 the JVM warns on stderr that an agent was loaded; nothing else may have been added.
#[track_caller]
fn is_unharmed(running: Running, made: u64, jvm: &Jvm) {
    let outcome = running.finish().ok();
    assert!(outcome.stdout.ends_with(&format!("MADE {made} KEPT 0\nDONE\n")), "on {jvm}: {}", outcome.stdout);
    let others: Vec<_> = outcome.stderr.lines().filter(|line| !line.starts_with("WARNING: ")).collect();
    assert_eq!(others, Vec::<&str>::new(), "on {jvm}");
}

#[test]
fn samples_leave_nothing_behind() {
    each_jvm(|jvm| OverAndOver::run(jvm, &SAMPLED, 20).ends_flat(jvm));
}

#[test]
fn exact_counts_leave_nothing_behind_once_classes_are_given_back() {
    each_jvm(|jvm| OverAndOver::run(jvm, &EXACT, 6).ends_flat(jvm));
}

/// The time that the program takes for the same work before and after, beside.
fn costs_nothing_afterwards(way: &'static Way, rounds: usize) {
    each_jvm(|jvm| {
        let before = time(&mut started(jvm));
        let mut all = OverAndOver::run(jvm, way, rounds);
        let after = time(&mut all.running);
        println!(
            "{jvm}: {before:.3} s untouched, {after:.3} s after {rounds} rounds; resident {} to {} MiB, Metaspace {:?}",
            all.resident[way.warm - 1] >> 20,
            all.resident[rounds - 1] >> 20,
            all.metaspace
        );
        all.running.finish().ok();
    });
}

/// Median seconds of a piece of work.
fn time(running: &mut Running) -> f64 {
    let mut times: Vec<_> = (0..15)
        .map(|_| {
            let began = Instant::now();
            running.does("make 50000000");
            began.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[7]
}

#[test]
#[ignore = "minutes: just rounds"]
fn samples_a_hundred_times() {
    costs_nothing_afterwards(&SAMPLED, 100);
}

#[test]
#[ignore = "minutes: just rounds"]
fn exact_counts_twenty_times() {
    costs_nothing_afterwards(&EXACT, 20);
}
