//! Dumps of one program, in their order: what grew from each to the next, what holds it, and a path to it in the last.

use std::path::PathBuf;
use std::time::Duration;

use mayfly_heap::dominators::{Dominators, lasting_first};
use mayfly_heap::growth::{LoadedClasses, OneEach, Outline, Sustained, in_fixed_arrays, one_each, sustained};
use mayfly_heap::{Edge, EdgeName, Filter, Graph, ObjectSet, Strength, paths};
use mayfly_profile::{Profile, holders_that_drop, is_of_expiry};
use mayfly_verdicts::leaks::{
    Bound, Growth, Starting, Suspicion, Turnover, Watched, growing, is_unsteady, least_growth,
};

use super::containers::{self, Container};
use super::labels::{class_of, is_own, named, own_class, shown};
use super::makers::{self, Grown};
use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::heap::owning_field::holding_class;
use crate::heap::progress::Progress;
use crate::verdicts::{Floor, Leaks, Searched, Suspect};

/// Leaks and doubtful ones that are shown with a path.
const MOST: usize = 5;
/// Less than this, and than one part in so many of the heap, is not looked at.
const LEAST_BYTES: u64 = 4 << 10;
const LEAST_PART: u64 = 2000;

pub(super) fn search(files: &[PathBuf]) -> Result<Leaks, Error> {
    let mut dumps = Dumps::default();
    for file in files {
        dumps.add(&DumpFile::open(file)?)?;
    }
    let names = files.iter().map(|file| file.display().to_string()).collect();
    Ok(dumps.leaks(Searched::Dumps { files: names }))
}

/// The dumps so far: outlines of all, the graph of the last.
#[derive(Default)]
pub(super) struct Dumps {
    outlines: Vec<Outline>,
    last: Option<Graph>,
    /// Of a running JVM, where each object has the same id in all dumps: how long it had run for before.
    ran_before: Option<Duration>,
    /// And when each was taken, in seconds.
    times: Vec<f64>,
    /// What was sampled meanwhile.
    made: Option<Profile>,
    /// The classes of the last, of a running JVM.
    classes: Option<LoadedClasses>,
    /// Whether the program still started before the last one.
    starting: Option<Starting>,
}

impl Dumps {
    /// Of a JVM that has run for so long, each with the same ids.
    pub(super) fn of_jvm(ran_before: Duration) -> Self {
        Self { ran_before: Some(ran_before), ..Self::default() }
    }

    /// What was sampled while they were taken.
    pub(super) fn made_by(&mut self, profile: Profile) {
        self.made = Some(profile);
    }

    /// Takes the next dump of a running JVM.
    pub(super) fn add_at(&mut self, file: &DumpFile, at: Duration) -> Result<(), Error> {
        self.add(file)?;
        self.times.push(at.as_secs_f64());
        Ok(())
    }

    /// Whether the program still started between the last dump and the one before.
    pub(super) fn starting(&self) -> Option<Starting> {
        self.starting
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.outlines.len()
    }

    /// When each was, in seconds after the first, to a tenth.
    pub(super) fn taken_at(&self) -> Vec<f64> {
        let first = self.times.first().copied().unwrap_or_default();
        self.times.iter().map(|at| ((at - first) * 10.0).round() / 10.0).collect()
    }

    /// The slowest leak that is seen between the first and the last; `None` if they have no times.
    pub(super) fn floor(&self) -> Option<Floor> {
        let seconds = self.taken_at().last().copied().filter(|&seconds| seconds > 0.0)?;
        let least = least_growth(self.outlines.last()?.bytes());
        Some(Floor { bytes_per_s: least / seconds, own_are_known: false, is_small: true, denser: None })
    }

    /// Forgets all but the last.
    pub(super) fn begin_anew(&mut self) {
        let before = self.outlines.len().saturating_sub(1);
        self.outlines.drain(..before);
        self.times.drain(..self.times.len().saturating_sub(1));
        self.starting = None;
    }

    /// Takes the next dump.
    pub(super) fn add(&mut self, file: &DumpFile) -> Result<(), Error> {
        if let Some(before) = self.outlines.last_mut() {
            before.forget_objects();
        }
        self.last = None;
        let graph = file.graph()?;
        if self.ran_before.is_some() {
            self.count_classes(&graph);
        }
        let _progress = Progress::work("finding what holds what");
        let dominators = Dominators::staged(&graph, &held(&graph), lasting_first(&graph));
        self.outlines.push(match self.ran_before {
            Some(_) => Outline::identified(&graph, &dominators),
            None => Outline::new(&graph, &dominators),
        });
        self.last = Some(graph);
        Ok(())
    }

    fn count_classes(&mut self, graph: &Graph) {
        let now = LoadedClasses::of(graph);
        self.starting = self.classes.as_ref().and_then(|before| Starting::of(now.since(before), now.count()));
        self.classes = Some(now);
    }

    /// Whether one more may tell of something that grew whether it goes on.
    pub(super) fn want_another(&self) -> bool {
        let _progress = Progress::work("comparing the dumps");
        let grown = self.grown();
        grown.into_iter().any(|(growth, row)| {
            is_unsteady(&growth) && !matches!(self.judged(growth, &row), Suspicion::Harmless(_))
        })
    }

    /// What they tell.
    pub(super) fn leaks(&self, searched: Searched) -> Leaks {
        let progress = Progress::work("comparing the dumps");
        let judged = self.grown().into_iter().map(|(growth, row)| (self.judged(growth, &row), row));
        let rows = judged.filter(|(suspicion, _)| !matches!(suspicion, Suspicion::Harmless(_))).collect();
        let mut containers =
            containers::of(rows, self.last.as_ref(), (&self.outlines, &self.times), self.family());
        let more = containers.len().saturating_sub(MOST);
        containers.truncate(MOST);
        drop(progress);
        let _progress = Progress::work("looking for what holds and who makes what grew");
        let suspects = containers.into_iter().map(|container| self.suspect(container)).collect();
        Leaks { suspects, more, ..Leaks::of(searched) }
    }

    /// What became more from each to the next.
    fn grown(&self) -> Vec<(Growth, Sustained)> {
        let heap_bytes = self.outlines.last().map_or(0, Outline::bytes);
        let least = LEAST_BYTES.max(heap_bytes / LEAST_PART);
        let rows = sustained(&self.outlines, least, is_own);
        let containers = containers::bytes(&rows);
        let with = |(row, container)| (self.growth(&row, container, heap_bytes), row);
        rows.into_iter().zip(containers).map(with).collect()
    }

    fn growth(&self, row: &Sustained, container_bytes: Vec<u64>, heap_bytes: u64) -> Growth {
        Growth {
            objects: row.own.iter().map(|total| total.objects).collect(),
            bytes: row.held(),
            soft: row.soft.clone(),
            container_bytes,
            heap_bytes,
            expiry: None,
            turnover: turnover(row),
            bound: None,
            in_fixed_arrays_of: None,
            lasting: is_lasting(row),
            nobodys: containers::is_nobodys(row),
            watched: self.watched(),
            starting: self.starting,
            times: self.times.clone(),
        }
    }

    fn judged(&self, mut growth: Growth, row: &Sustained) -> Suspicion {
        // All objects are gone through for these: only where they decide.
        if growing(&growth) == Suspicion::Leak {
            growth.expiry = self.expiry(row);
            growth.bound = self.bound(row);
            let holder = in_fixed_arrays(row, &self.outlines);
            growth.in_fixed_arrays_of = holder.map(|label| class_of(&label).to_owned());
        }
        growing(&growth)
    }

    fn watched(&self) -> Option<Watched> {
        let (first, last) = (self.times.first()?, self.times.last()?);
        Some(Watched { ran_before: self.ran_before?.as_secs_f64() + first, seconds: last - first })
    }

    fn bound(&self, row: &Sustained) -> Option<Bound> {
        let OneEach { holder, holders, taken } = one_each(row, &self.outlines)?;
        Some(Bound { holder: class_of(&holder).to_owned(), holders, taken })
    }

    /// How the names of the program's own classes begin, if that is known.
    fn family(&self) -> Option<&str> {
        self.made.as_ref().and_then(Profile::own_family)
    }

    /// A field by which entries may be dropped in time, of the element or of what holds it.
    fn expiry(&self, row: &Sustained) -> Option<String> {
        let (graph, outline) = (self.last.as_ref()?, self.outlines.last()?);
        let holders = row.path[..row.element].iter().rev().map(|label| own_class(label));
        let own = holders_that_drop(holders, self.family());
        let mut nodes = row.element - own.unwrap_or(0)..=shown(row);
        nodes.find_map(|node| {
            // One stands for all, which are of one class.
            let object = outline.objects(&row.path[..=node]).first().copied()?;
            graph.edges(object).find_map(|edge| match edge.name {
                EdgeName::Field { declaring, name, .. } if is_of_expiry(name) => {
                    Some(format!("{}.{name}", graph.class(*declaring).name))
                }
                // Statics of a class may be of anything.
                _ => None,
            })
        })
    }

    fn suspect(&self, container: Container) -> Suspect {
        let row = &container.row;
        let shown = shown(row);
        let seen = self.last.as_ref().zip(self.outlines.last());
        let classes = containers::classes(&container);
        let grown = Grown {
            holder: containers::owner_class(row),
            objects: containers::more(row),
            bytes: containers::difference(container.bytes.first(), container.bytes.last()),
        };
        let here = seen.map(|(graph, outline)| containers::mostly_here(&container, graph, outline));
        let made = |profile| makers::of(profile, &classes, &here.unwrap_or_default(), grown);
        let maker = self.made.as_ref().and_then(made);
        let (allocated_by, added_by) = maker.map(|maker| (maker.by, maker.stack)).unzip();
        let path = self.path(&row.path[..=shown]);
        let mut rows = std::iter::once(row).chain(&container.together);
        let holder =
            seen.and_then(|(graph, outline)| rows.find_map(|row| containers::holder(row, graph, outline)));
        let more = |row: &Sustained| (containers::element(row).to_owned(), containers::more(row));
        Suspect {
            suspicion: container.suspicion,
            what: containers::element(row).to_owned(),
            objects: containers::objects(row).to_vec(),
            bytes: container.bytes,
            off_heap: container.off_heap,
            held_by: row.path[..row.element].iter().map(|label| label.to_string()).collect(),
            holds: seen.map_or(Vec::new(), |(graph, outline)| containers::fields(row, graph, outline)),
            allocated_by,
            added_by: added_by.unwrap_or_default(),
            together: container.together.iter().map(more).collect(),
            also: container.also,
            containers: container.spread.containers,
            through: if holder.is_none() { self.through(path.as_ref()) } else { None },
            holder,
            path: path.and_then(|path| Some(path.text(self.last.as_ref()?))),
            ..Suspect::default()
        }
    }

    /// A shortest path to one of the objects, in the last dump.
    fn path(&self, labels: &[Box<str>]) -> Option<paths::Path> {
        let (graph, outline) = (self.last.as_ref()?, self.outlines.last()?);
        let objects = ObjectSet::of(graph, outline.objects(labels));
        paths::lasting(graph, &objects, &held(graph))
    }

    /// The last field on a path of the program's own that there is one of: a static one, or that of an object that is the only one of its
    /// class.
    fn through(&self, path: Option<&paths::Path>) -> Option<String> {
        let graph = self.last.as_ref()?;
        let is_one = |edge: &Edge<'_>, class: &str| {
            matches!(edge.name, EdgeName::Static { .. })
                || graph.instances(|of| *of.name == *class).nth(1).is_none()
        };
        let fields = path?.edges(graph).filter(|edge| !containers::is_inherited(edge, graph));
        let named = fields.filter_map(|edge| Some((edge, &*graph.class(holding_class(graph, &edge)?).name)));
        let own: Vec<_> = named.filter(|(_, class)| is_own(class)).collect();
        // All objects are gone through for each: from the end on.
        let (edge, class) = own.iter().rev().find(|(edge, class)| is_one(edge, class))?;
        Some(format!("{class}.{}", paths::edge_text(edge)))
    }
}

/// Whether a class or a thread holds it alone: then no method that is at work with it does.
fn is_lasting(row: &Sustained) -> bool {
    row.path.first().is_some_and(|root| root.starts_with("class ") || &**root == "java.lang.Thread")
}

/// What came and went of what the element is called by.
fn turnover(row: &Sustained) -> Option<Turnover> {
    let stay = row.stays.get(named(row))?.clone();
    Some(Turnover { present: stay.present, first: stay.first, second: stay.second })
}

/// What the collector can't take: strong references.
fn held(graph: &Graph) -> Filter {
    Filter::new(graph, Strength::Strong)
}

#[cfg(test)]
mod tests {
    use mayfly_heap::fake::heap;

    use super::*;

    /// Two caches of a library, which a registry refers to as well: nothing holds one of them alone.
    fn caches(sessions: u64) -> Graph {
        let mut text = String::from(
            "root static my.App.registry -> 7:my.Registry -all-> 1:my.Entries -[0]-> 2:org.infinispan.container.impl.DefaultDataContainer
             1 -[1]-> 3:org.infinispan.container.impl.DefaultDataContainer
             root static my.App.sessions -> 4:my.Sessions -cache-> 2
             4 -other-> 3
             2 -data-> 5:com.github.benmanes.caffeine.cache.SSLMS
             3 -data-> 6:com.github.benmanes.caffeine.cache.SSLMS\n",
        );
        for at in 0..100 * sessions {
            let (node, value) = (0x1000 + at, 0x9000 + at);
            text += &format!("5 -[{at}]-> {node:x}:com.github.benmanes.caffeine.cache.PSMS[40]\n");
            text += &format!("{node:x} -value-> {value:x}:my.Session[100]\n");
        }
        heap(&text)
    }

    fn found(dumps: impl Iterator<Item = Graph>) -> Vec<Suspect> {
        all(dumps).leaks(Searched::Dumps { files: Vec::new() }).suspects
    }

    fn all(dumps: impl Iterator<Item = Graph>) -> Dumps {
        let mut all = Dumps::default();
        for graph in dumps {
            let dominators = Dominators::staged(&graph, &held(&graph), lasting_first(&graph));
            all.outlines.push(Outline::identified(&graph, &dominators));
            all.last = Some(graph);
        }
        all
    }

    /// A pool that found its size, and what was found to grow elsewhere.
    #[test]
    fn another_dump_is_wanted_where_growth_slowed() {
        let pool = |buffers: &[u64]| {
            let graphs = buffers.iter().map(|&buffers| {
                let mut text = String::from("root static my.App.pool -> 1:my.Pool[16]\n");
                for at in 0..buffers {
                    text += &format!("1 -[{at}]-> {:x}:my.Buffer[1000]\n", 0x1000 + at);
                }
                heap(&text)
            });
            all(graphs).want_another()
        };
        assert!(pool(&[114, 312, 504, 600]));
        assert!(pool(&[60, 240, 300, 400]), "two requests ran at once");
        assert!(!pool(&[114, 312, 504, 600, 600]), "it is full");
        assert!(!pool(&[100, 200, 300, 400]), "a leak is one without another");
        assert!(!pool(&[600, 600, 600, 600]));
    }

    /// A list that begins to grow after the third dump, and what a method is at work with during the last.
    #[test]
    fn what_begins_late_is_looked_at_for_longer_and_work_at_hand_is_not() {
        let app = |&(lines, at_hand): &(u64, u64)| {
            let mut text =
                String::from("root static my.App.lines -> 1:my.Lines[16]\nroot jni -> 2:my.Work[16]\n");
            for (holder, number, class) in [(1, lines, "my.Line"), (2, at_hand, "my.Part")] {
                for at in 0..number {
                    text += &format!("{holder} -[{at}]-> {:x}:{class}[1000]\n", 0x10000 * holder + at);
                }
            }
            heap(&text)
        };
        let judged = |dumps: &[(u64, u64)]| {
            let dumps = all(dumps.iter().map(app));
            let found = dumps.leaks(Searched::Dumps { files: Vec::new() }).suspects;
            let named: Vec<_> = found.iter().map(|of| (of.what.clone(), of.suspicion.name())).collect();
            (named, dumps.want_another())
        };
        let line = |verdict| vec![("my.Line".to_owned(), verdict)];
        assert_eq!(judged(&[(9, 0), (9, 0), (9, 0), (90, 90)]), (line("unsure"), true));
        assert_eq!(judged(&[(9, 0), (9, 0), (9, 0), (9, 90)]), (Vec::new(), false));
        assert_eq!(judged(&[(9, 0), (9, 0), (9, 0), (90, 9), (170, 0), (250, 90)]), (line("leak"), false));
        assert_eq!(judged(&[(9, 0), (9, 0), (9, 0), (90, 9), (90, 0), (90, 0)]), (Vec::new(), false));
    }

    /// A consumer is in the list of a bus, by its registration, and in a map of what is to be closed: nothing holds it alone. What it was made for grows as fast,
    /// and is something else.
    #[test]
    fn what_comes_one_with_each_other_is_one_leak() {
        let bus = |requests: u64| {
            let mut text = String::from(
                "root static my.App.bus -> 1:my.Bus[16]
                 root static my.App.closing -> 2:my.Closing -hooks-> 3:java.util.HashMap -table-> 4:java.util.HashMap$Node[][64]
                 root static my.App.log -> 5:my.Log[16]\n",
            );
            for at in 0..100 * requests {
                let [holder, consumer, node, line] =
                    [0x10000, 0x20000, 0x30000, 0x40000].map(|base| base + at);
                text += &format!(
                    "1 -[{at}]-> {holder:x}:my.Holder[40] -handler-> {consumer:x}:my.Consumer[200]\n"
                );
                text += &format!("{consumer:x} -registered-> {holder:x}\n");
                text += &format!("4 -[{at}]-> {node:x}:java.util.HashMap$Node[32] -key-> {consumer:x}\n");
                text += &format!("5 -[{at}]-> {line:x}:my.Line[80]\n");
            }
            heap(&text)
        };
        let found = found((1..=4).map(bus));
        let classes: Vec<_> = found.iter().map(|of| (&*of.what, of.holder.as_deref())).collect();
        assert_eq!(classes, [("my.Consumer", Some("my.Closing.hooks")), ("my.Line", Some("my.Log.[0]"))]);
        let with: Vec<_> = found[0].together.iter().map(|(class, more)| (&**class, *more)).collect();
        assert_eq!(with, [("my.Holder", 300), ("java.util.HashMap$Node", 300)]);
        assert_eq!(found[0].bytes[0], 100 * (200 + 40 + 32));
    }

    #[test]
    fn a_list_of_the_programs_own_is_named_by_who_holds_it() {
        let queue = |messages: u64| {
            let mut text =
                String::from("root static my.App.queue -> 1:my.QueueImpl -messages-> 2:my.LinkedListImpl\n");
            for at in 0..100 * messages {
                text += &format!("2 -[{at}]-> {:x}:my.Message[100]\n", 0x1000 + at);
            }
            heap(&text)
        };
        let leaks = found((1..=4).map(queue));
        assert_eq!(leaks[0].holder.as_deref(), Some("my.QueueImpl.messages"));
    }

    /// Few small objects, with much memory that is not in the heap, and one cleaner each; beside them small objects that grow by more in it.
    #[test]
    fn buffers_weigh_by_their_memory_and_cleaners_are_no_leak_of_their_own() {
        let buffers = |number: u64| {
            let mut text = String::from("root static my.App.cache -> 1:my.Cache[16]\n");
            text += "root static my.App.names -> 2:my.Names[16]\n";
            text += "root static jdk.internal.ref.Cleaner.first -> 3:java.lang.Object[16]\n";
            for at in 0..20 * number {
                let (buffer, cleaner, name) = (0x1000 + at, 0x9000 + at, 0x20000 + at);
                text += &format!("1 -[{at}]-> {buffer:x}:java.nio.DirectByteBuffer[64]\n");
                text += &format!("3 -[{at}]-> {cleaner:x}:jdk.internal.ref.Cleaner[600]\n");
                text += &format!("2 -[{at}]-> {name:x}:my.Name[500]\n{buffer:x} off-heap 1000000\n");
            }
            heap(&text)
        };
        let found = found((1..=4).map(buffers));
        let named: Vec<_> =
            found.iter().map(|suspect| (suspect.what.as_str(), suspect.off_heap[3])).collect();
        assert_eq!(named, [("java.nio.DirectByteBuffer", 80_000_000), ("my.Name", 0)]);
        assert_eq!(found[0].bytes[0], 20 * 1_000_064);
    }

    #[test]
    fn what_a_cache_of_a_library_holds_is_named_and_which_cache_it_is() {
        let of = |suspect: &Suspect| (suspect.what.clone(), suspect.through.clone());
        let found: Vec<_> = found((1..=4).map(caches)).iter().map(of).collect();
        assert_eq!(found, [("my.Session".to_owned(), Some("my.Sessions.cache".to_owned()))]);
    }

    /// Spans that a filter leaves in its threads' stacks: in the map of a thread local that a static field refers to.
    #[test]
    fn below_a_thread_local_its_field_and_the_threads_are_named() {
        let spans = |number: u64, field: &str| {
            let mut text = String::from(
                "class java.lang.ref.WeakReference extends java.lang.ref.Reference
                 class java.lang.ThreadLocal$ThreadLocalMap$Entry extends java.lang.ref.WeakReference
                 1 named worker-0; 2 named worker-1; 9:java.lang.ThreadLocal; root jni -> 9\n",
            );
            text += field;
            for thread in [1, 2] {
                let [map, table, entry, stack] = [3, 4, 5, 6].map(|at| at * 16 + thread);
                text += &format!(
                    "\nroot thread -> {thread}:java.lang.Thread -threadLocals-> {map:x}:java.lang.ThreadLocal$ThreadLocalMap
                     {map:x} -table-> {table:x}:java.lang.ThreadLocal$ThreadLocalMap$Entry[] -[7]-> {entry:x}:java.lang.ThreadLocal$ThreadLocalMap$Entry
                     {entry:x} -java.lang.ref.Reference.referent-> 9
                     {entry:x} -value-> {stack:x}:java.util.ArrayDeque\n"
                );
                for at in 0..50 * thread * number {
                    text += &format!("{stack:x} -[{at}]-> {:x}:my.Span[100]\n", (0x10000 * thread) + at);
                }
            }
            heap(&text)
        };
        let holder = |field: &str| {
            found((1..=4).map(|number| spans(number, field)))[0].holder.clone().unwrap_or_default()
        };
        let of = "of threads worker-1 and worker-0";
        assert_eq!(holder("root static my.Filter.STACK -> 9"), format!("thread local my.Filter.STACK {of}"));
        assert_eq!(
            holder("root static my.App.filter -> 8:my.Filter -stack-> 9"),
            format!("thread local my.Filter.stack {of}")
        );
        assert_eq!(holder(""), format!("a thread local {of}"));
    }

    /// An LRU cache that extends the JDK's map, and requests that virtual threads wait with.
    #[test]
    fn who_holds_a_map_of_the_jdk_is_named_and_not_the_maps_own_field() {
        let grown = |holds: &str, number: u64| {
            let mut text = format!(
                "class my.Lru extends java.util.LinkedHashMap\n{holds} -java.util.LinkedHashMap.head-> 2:java.util.LinkedHashMap$Entry\n"
            );
            for at in 0..100 * number {
                text += &format!("2 -[{at}]-> {:x}:my.Quote[100]\n", 0x1000 + at);
            }
            heap(&text)
        };
        let holder = |holds: &str| {
            let found = found((1..=4).map(|number| grown(holds, number)));
            (found[0].holder.clone().unwrap_or_default(), found[0].through.clone().unwrap_or_default())
        };
        let named = |field: &str| (field.to_owned(), String::new());
        assert_eq!(holder("root static my.Quotes.lru -> 1:my.Lru"), named("my.Quotes.lru"));
        assert_eq!(
            holder("root static my.App.quotes -> 3:my.Quotes -cache-> 1:my.Lru"),
            named("my.Quotes.cache")
        );
        let shared = "root static my.App.one -> 3:my.Quotes -cache-> 1:my.Lru
                      root static my.App.other -> 4:my.Prices -quotes-> 1";
        assert_eq!(holder(shared), (String::new(), "my.Quotes.cache".to_owned()));
    }

    #[test]
    fn what_virtual_threads_wait_with_is_held_by_these() {
        let parked = |number: u64| {
            let mut text = String::from(
                "root static java.lang.Threads.ALL -> 1:java.util.Set -[0]-> 2:java.util.HashMap$Node[]\n",
            );
            for at in 0..100 * number {
                let [node, thread, poll] = [0x10000, 0x20000, 0x30000].map(|base| base + at);
                text += &format!(
                    "2 -[{at}]-> {node:x}:java.util.HashMap$Node -key-> {thread:x}:java.lang.VirtualThread -task-> {poll:x}:my.Poll[100]\n"
                );
            }
            heap(&text)
        };
        let holder = found((1..=4).map(parked))[0].holder.clone();
        assert_eq!(holder.as_deref(), Some("virtual threads that have not ended (400)"));
    }
}
