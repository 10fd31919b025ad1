//! `graph`: what questions to a heap graph cost, in time and memory, on a made-up heap of millions of objects.
//!
//! Needs no JVM. Reading dumps is not in it.

use std::error::Error;
use std::fs;
use std::hint::black_box;

use clap::Args;
use mayfly_heap::dominators::Dominators;
use mayfly_heap::paths::PathTree;
use mayfly_heap::{
    Class, EdgeName, Filter, Graph, GraphBuilder, ObjectIndex, ObjectSet, Referrers, RootKind, Strength,
};
use mayfly_tests::status_bytes;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::table;

const HEADING: [&str; 6] = ["order", "step", "CPU s", "ns per object", "peak MiB more", "bytes per object"];

/// Options of `graph`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Objects, in millions
    #[arg(long, default_value_t = 10)]
    millions: u32,
}

/// Builds the heap in both orders and asks the questions.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    println!("## Heap graph, {} million objects\n", arguments.millions);
    let mut rows = Vec::new();
    for (order, scattered) in [("as allocated", false), ("scattered", true)] {
        let mark = Mark::now()?;
        let graph = heap(arguments.millions * 1_000_000 / 4, scattered)?;
        let objects = graph.len();
        rows.push(mark.row(order, "build", objects)?);
        println!("- {order}: {objects} objects, {} references", graph.edge_count());
        let filter = Filter::new(&graph, Strength::Soft);
        let all = ObjectSet::of(&graph, graph.objects());
        let mark = Mark::now()?;
        black_box(PathTree::to(&graph, &filter, &all));
        rows.push(mark.row(order, "all shortest paths", objects)?);
        let mark = Mark::now()?;
        black_box(Referrers::new(&graph));
        rows.push(mark.row(order, "referrers", objects)?);
        let mark = Mark::now()?;
        let dominators = Dominators::new(&graph, &filter);
        rows.push(mark.row(order, "dominators", objects)?);
        let mark = Mark::now()?;
        black_box(dominators.by_class(&graph));
        rows.push(mark.row(order, "retained by class", objects)?);
    }
    println!("\n{}", table::markdown(&HEADING, &rows));
    Ok(true)
}

/// Maps of entries with a key, its text and a value that refers to others, as in a cache: static field, map, table, and chains
/// of entries. Some values are shared between entries.
fn heap(entries: u32, scattered: bool) -> Result<Graph, Box<dyn Error>> {
    let mut builder = GraphBuilder::default();
    let [entry, string, bytes, value, table, mirror] =
        ["Entry", "java.lang.String", "[B", "Value", "[LEntry;", "java.lang.Class"]
            .map(|name| builder.class(Class { name: name.into(), ..Class::default() }));
    let field = |builder: &mut GraphBuilder, name: &str| {
        let name = name.into();
        builder.name(EdgeName::Field { declaring: entry, name, strength: Strength::Strong })
    };
    let [key, val, next, text, last, shared] =
        ["key", "value", "next", "text", "last", "shared"].map(|name| field(&mut builder, name));
    let map = builder.name(EdgeName::Static { declaring: entry, name: "map".into(), type_name: None });
    let class = builder.object(0, mirror, 100);
    let slots = builder.object(1, table, u64::from(entries));
    let kinds = [(entry, 32), (string, 24), (bytes, 40), (value, 24)];
    let count = u64::from(entries) * 4;
    // A prime larger than any count: all objects come, each once.
    let stride = if scattered { 2_654_435_761 } else { 1 };
    let mut objects = vec![ObjectIndex(0); count as usize];
    for turn in 0..count {
        let number = turn * stride % count;
        let (class, size) = kinds[number as usize % kinds.len()];
        objects[number as usize] = builder.object(number + 2, class, size);
    }
    let object = |entry: u32, kind: u32| objects[entry as usize * kinds.len() + kind as usize];
    builder.root(class, RootKind::SystemClass);
    builder.edge(class, map, slots);
    for slot in (0..entries).step_by(2) {
        builder.element(slots, slot, object(slot, 0));
    }
    let mut random = 0x9e37_79b9_u32;
    for number in 0..entries {
        let [entry, string, bytes, value] = [0, 1, 2, 3].map(|kind| object(number, kind));
        builder.edge(entry, key, string);
        builder.edge(entry, val, value);
        if number % 2 == 0 && number + 1 < entries {
            builder.edge(entry, next, object(number + 1, 0));
        }
        builder.edge(string, text, bytes);
        if number > 0 {
            builder.edge(value, last, object(number - 1, 3));
        }
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        builder.edge(value, shared, object(random % entries, random % 4));
    }
    Ok(builder.finish()?)
}

/// When a step began, and with how much memory.
struct Mark {
    cpu_s: f64,
    resident_kib: u64,
}

impl Mark {
    fn now() -> Result<Self, Box<dyn Error>> {
        // Makes the peak the present (proc(5), clear_refs).
        fs::write("/proc/self/clear_refs", "5")?;
        Ok(Self { cpu_s: cpu_s()?, resident_kib: status_kib("VmRSS")? })
    }

    fn row(&self, order: &str, step: &str, objects: usize) -> Result<Vec<String>, Box<dyn Error>> {
        let seconds = cpu_s()? - self.cpu_s;
        let more_kib = status_kib("VmHWM")?.saturating_sub(self.resident_kib);
        let per_object = |value: f64| value / objects as f64;
        Ok(vec![
            order.into(),
            step.into(),
            format!("{seconds:.2}"),
            format!("{:.0}", per_object(seconds * 1e9)),
            format!("{}", more_kib / 1024),
            format!("{:.1}", per_object(more_kib as f64 * 1024.0)),
        ])
    }
}

/// CPU time of this process so far, in seconds.
fn cpu_s() -> Result<f64, Box<dyn Error>> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// A line of this process' status, in KiB.
fn status_kib(line: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let bytes = status_bytes(&status, line).ok_or_else(|| format!("no {line} in /proc/self/status"))?;
    Ok(bytes >> 10)
}
