//! Collections in a recording, against the JVM's own log of them.

use std::collections::HashMap;
use std::fs;

use mayfly_tests::{Jvm, Profiled, Workspace, each_jvm, skip};
use serde_json::Value;

/// What the log says of a pause.
#[derive(Clone, Debug, Default)]
struct Pause {
    /// Number of the collection: pauses of one that is concurrent share it.
    id: u32,
    /// That of the young collection that was made in the same pause before this one, or the same.
    first: u32,
    /// As `Pause Young (Allocation Failure)`.
    what: String,
    /// Heap before, after, and unit, in bytes.
    heap: Option<(u64, u64, u64)>,
}

/// What the log says of a collection, beside its pauses.
#[derive(Debug, Default)]
struct Details {
    /// Bytes of the old generation before and after.
    old: Option<(u64, u64)>,
    desired_survivors: Option<u64>,
    threshold: Option<u64>,
    ages: Vec<u64>,
}

#[derive(Debug, Default)]
struct Log {
    pauses: Vec<Pause>,
    details: HashMap<u32, Details>,
}

impl Log {
    /// Of `-Xlog:gc*,gc+age=trace` without decorations.
    fn read(text: &str) -> Self {
        let mut log = Self::default();
        for line in text.lines() {
            let Some((id, line)) = line.strip_prefix("GC(").and_then(|line| line.split_once(") ")) else {
                continue;
            };
            let Ok(id) = id.parse() else { continue };
            // Generational ZGC says of which generation.
            let line = line.trim();
            if line.contains("Pause ") && line.ends_with("ms") {
                log.pauses.push(Pause { id, first: id, what: line.to_owned(), heap: sizes(line) });
            } else {
                log.details.entry(id).or_default().read(line);
            }
        }
        log
    }
}

impl Details {
    fn read(&mut self, line: &str) {
        let old = ["Tenured: ", "ParOldGen: "].iter().find_map(|name| line.strip_prefix(name));
        if let Some((before, after)) = old.and_then(|line| line.split_once("->")) {
            self.old = Some((size(before).0, size(after).0));
        }
        if let Some(rest) = line.strip_prefix("Desired survivor size ") {
            let numbers: Vec<u64> =
                rest.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
            (self.desired_survivors, self.threshold) = (numbers.first().copied(), numbers.get(1).copied());
        }
        if let Some(rest) = line.strip_prefix("- age") {
            let words: Vec<&str> = rest.split([':', ' ']).filter(|word| !word.is_empty()).collect();
            self.ages.extend(words.get(1).and_then(|bytes| bytes.parse::<u64>().ok()));
        }
    }
}

/// `17M->1M(61M)` in a line.
fn sizes(line: &str) -> Option<(u64, u64, u64)> {
    let word = line.split(' ').find(|word| word.contains("->"))?;
    let (before, after) = word.split_once("->")?;
    let ((before, unit), (after, _)) = (size(before), size(after));
    Some((before, after, unit))
}

/// What begins a text, as `17M(…`, in bytes, and the unit.
fn size(text: &str) -> (u64, u64) {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = match text[digits..].chars().next() {
        Some('K') => 1 << 10,
        Some('M') => 1 << 20,
        Some('G') => 1 << 30,
        _ => 1,
    };
    (text[..digits].parse().unwrap_or(0) * unit, unit)
}

struct Run {
    collections: Vec<Value>,
    flags: Value,
    /// By the JVM's own counter; null if it has none.
    allocated: Value,
    log: Log,
}

fn run(jvm: &Jvm, gc: &[&str]) -> Option<Run> {
    let place = Workspace::new();
    let file = place.file("gc.log");
    let log = format!("-Xlog:gc*,gc+age=trace:file={}:none", file.display());
    let profiled = Profiled::new(jvm, "collected.Collected", "#include-collected.#trackcollections")
        .with(|l| l.jvm_args(gc).jvm_args(&["-Xms64m", "-Xmx64m", &log]).args(&["300"]));
    let outcome = profiled.start().finish();
    if outcome.stderr.contains("Unrecognized VM option") || outcome.stderr.contains("not supported") {
        skip(&format!("{gc:?} on {jvm}"), "this JVM lacks the collector");
        return None;
    }
    outcome.ok();
    let json = profiled.json().0;
    let log = Log::read(&fs::read_to_string(&file).expect("the JVM's log"));
    let collections = json["collections"].as_array().expect("a list").clone();
    let allocated = json["trust"]["jvm_allocated_bytes"].clone();
    Some(Run { collections, flags: json["jvm_flags"].clone(), allocated, log })
}

/// What a pause of that name is called in a report.
fn kind(pause: &Pause) -> &'static str {
    match pause.what.split_once("Pause ").map_or("", |(_, name)| name) {
        name if name.starts_with("Young") => "young",
        name if name.starts_with("Full") => "full",
        _ => "concurrent",
    }
}

impl Pause {
    /// Both, if the program stood still once for them: Parallel makes room for a full collection by a young one.
    fn with(&self, full: &Self) -> Option<Self> {
        let ((before, middle, unit), (begin, after, _)) = self.heap.zip(full.heap)?;
        let is_one = kind(self) == "young" && kind(full) == "full" && middle == begin;
        is_one.then(|| Self {
            id: full.id,
            first: self.id,
            what: format!("{} after {}", full.what, self.what),
            heap: Some((before, after, unit)),
        })
    }
}

/// Each collection is the pause of the log that has its place; a full one may be two of them.
#[track_caller]
fn pairs(run: &Run) -> Vec<(&Value, Pause)> {
    let mut log = run.log.pauses.iter().peekable();
    let mut pairs = Vec::new();
    for gc in &run.collections {
        let pause = log.next().unwrap_or_else(|| panic!("{gc} is not in the log: {:#?}", run.log.pauses));
        let both = log.peek().filter(|_| gc["kind"] == "full").and_then(|next| pause.with(next));
        if both.is_some() {
            log.next();
        }
        pairs.push((gc, both.unwrap_or_else(|| pause.clone())));
    }
    assert_eq!(log.next().map(|pause| &pause.what), None, "{:#?}\n{:#?}", run.collections, run.log.pauses);
    assert!(pairs.len() > 4, "{:?}", run.log.pauses);
    pairs
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[track_caller]
fn check_order(run: &Run) {
    let mut last = (0, 0.0);
    for (at, gc) in run.collections.iter().enumerate() {
        assert_eq!(number(&gc["number"]), at as u64 + number(&run.collections[0]["number"]));
        let now = (number(&gc["allocated_bytes"]), gc["at_s"].as_f64().expect("a number"));
        assert!(now.0 >= last.0 && now.1 >= last.1, "{gc}");
        // Those of ZGC may be shorter than a microsecond.
        assert!(gc["pause_ms"].as_f64().expect("a number") >= 0.0, "{gc}");
        last = now;
    }
    // The program makes 300 MB of them; the rest is the JVM's start and its own. Between looks at the JVM's counter it is
    // about how many: how far behind, depends on the machine.
    assert!(last.0 < 400 << 20 && (last.0 > 0 || run.allocated.is_null()), "{}", last.0);
    assert_eq!(run.flags["MaxHeapSize"], 64 << 20, "{}", run.flags);
}

#[test]
fn collections_of_contiguous_heaps_are_those_of_the_jvms_log() {
    each_jvm(|jvm| {
        for gc in &["-XX:+UseSerialGC", "-XX:+UseParallelGC"] {
            let run = run(jvm, &[gc]).expect("every JVM has it");
            check_order(&run);
            for (gc, pause) in pairs(&run) {
                assert_eq!(gc["kind"], kind(&pause), "{gc} {pause:?}");
                assert!(pause.what.contains(gc["cause"].as_str().expect("a text")), "{gc} {pause:?}");
                let (before, after, unit) = pause.heap.expect("sizes");
                let heap = |name: &str| number(&gc["heap"][name]) / unit * unit;
                assert_eq!((heap("before_bytes"), heap("after_bytes")), (before, after), "{gc} {pause:?}");
                let details = &run.log.details[&pause.id];
                let old_of = |id: &u32| run.log.details[id].old.expect("the old generation");
                let (old_before, old_after) = (old_of(&pause.first).0, old_of(&pause.id).1);
                let old = |name: &str| number(&gc["old"][name]) >> 10 << 10;
                assert_eq!((old("before_bytes"), old("after_bytes")), (old_before, old_after), "{gc}");
                check_ages(gc, details);
            }
            let promoted = |gc: &Value| gc["promoted_bytes"].as_u64();
            assert!(
                run.collections.iter().filter_map(promoted).any(|bytes| bytes > 0),
                "{:?}",
                run.collections
            );
        }
    });
}

/// What is published is what the log says; Parallel has no table of ages.
#[track_caller]
fn check_ages(gc: &Value, details: &Details) {
    if gc["kind"] != "young" {
        assert_eq!(gc["tenuring"], Value::Null, "{gc}");
        return;
    }
    let tenuring = &gc["tenuring"];
    assert_eq!(tenuring["threshold"].as_u64(), details.threshold, "{gc} {details:?}");
    let desired = tenuring["desired_survivor_bytes"].as_u64();
    assert!(desired.is_none() || desired == details.desired_survivors, "{gc} {details:?}");
    let ages = tenuring["age_bytes"].as_array().expect("a list").iter().map(number);
    let ages: Vec<u64> = ages.filter(|&bytes| bytes > 0).collect();
    let logged: Vec<u64> = details.ages.iter().copied().filter(|&bytes| bytes > 0).collect();
    assert!(ages == logged, "{gc} {details:?}");
}

#[test]
fn collections_of_g1_are_those_of_the_jvms_log() {
    each_jvm(|jvm| {
        let run = run(jvm, &["-XX:+UseG1GC", "-XX:G1HeapRegionSize=1m"]).expect("every JVM has it");
        check_order(&run);
        for (gc, pause) in pairs(&run) {
            assert_eq!(gc["kind"], kind(&pause), "{gc} {pause:?}");
            let (before, after, unit) = pause.heap.expect("sizes");
            let heap = |name: &str| number(&gc["heap"][name]) / unit * unit;
            // Regions that are begun count as full before; JDK 11 counts those of survivors so after, too.
            assert!(heap("after_bytes").abs_diff(after) <= 2 << 20, "{gc} {pause:?}");
            assert!(heap("before_bytes").abs_diff(before) <= 2 << 20, "{gc} {pause:?}");
            check_ages(gc, &run.log.details[&pause.id]);
        }
        assert_eq!(run.flags["G1HeapRegionSize"], 1 << 20);
    });
}

#[test]
fn pauses_of_zgc_are_those_of_the_jvms_log() {
    each_jvm(|jvm| {
        // Experimental up to JDK 14.
        let Some(run) = run(jvm, &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"]) else { return };
        check_order(&run);
        // Those while the JVM ends are not ours any more.
        assert!(run.log.pauses.len() >= run.collections.len() && run.collections.len() > 4, "{:?}", run.log);
        for gc in &run.collections {
            assert_eq!((&gc["promoted_bytes"], &gc["tenuring"]), (&Value::Null, &Value::Null), "{gc}");
            assert!(gc["kind"] != "full" && gc["heap"]["after_bytes"].as_u64() > Some(0), "{gc}");
        }
    });
}

/// "5 full (Allocation Failure)" of Serial and Parallel, which say nothing of collections that `jcmd PID GC.class_histogram` brings, and "Try -Xmx1408m ...
/// sure" for that.
#[test]
fn collections_that_a_class_histogram_brings_are_none_of_the_programs() {
    each_jvm(|jvm| {
        for gc in ["Serial", "Parallel", "G1"] {
            let collector = format!("-XX:+Use{gc}GC");
            let profiled = Profiled::new(jvm, "inspected.Inspected", "#include-inspected.")
                .with(|launch| launch.jvm_args(&[&collector, "-Xms48m", "-Xmx48m"]));
            let outcome = profiled.start().finish();
            if outcome.stderr.contains("InstanceNotFoundException") {
                skip(&format!("a class histogram on {jvm}"), "this JVM has no diagnostic commands");
                return;
            }
            outcome.ok();
            let json = profiled.json().0;
            let collections = json["collections"].as_array().expect("a list");
            let is_own = |gc: &&Value| {
                let cause = gc["cause"].as_str().unwrap_or_default();
                !["Heap Inspection Initiated GC", "JvmtiEnv ForceGarbageCollection"].contains(&cause)
            };
            let own: Vec<_> = collections.iter().filter(is_own).collect();
            assert!(own.len() >= 6, "{gc} on {jvm}: {collections:?}");
            assert!(own.iter().all(|collection| collection["kind"] != "full"), "{gc} on {jvm}: {own:?}");
        }
    });
}
