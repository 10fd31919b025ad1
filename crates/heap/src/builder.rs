//! Puts a graph together from what a format tells: classes, objects, references, roots, in any order.
//!
//! Formats tell the references of one object one after another, and some (hprof) in the order of the objects, too. Then
//! references are stored where they stay. Otherwise they are moved once, at the end.

use rustc_hash::FxHashMap;

use crate::column::{Column, Packer};
use crate::edge::EdgeName;
use crate::graph::{Class, ELEMENT, Graph, stored_label};
use crate::index::{ClassIndex, ObjectIndex};
use crate::offsets::Offsets;
use crate::root::{Root, RootKind};

/// A heap that objects and references can't be numbered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the heap has more than {} objects or {} references: too large to be held as a graph",
    MOST_OBJECTS,
    u32::MAX
)]
pub struct TooLarge;

/// Fields of `java.nio.DirectByteBuffer` and `java.nio.Buffer` that are null in what has memory of its own.
const OTHERS_MEMORY: [&str; 2] = ["att", "segment"];

/// The number after the last stands for "none" in tables of objects.
pub(crate) const MOST_OBJECTS: u32 = u32::MAX - 1;

/// A graph in the making.
///
/// Takes what the graph will. If references are not told in the order of the objects, 8 bytes more for each object that refers to
/// others, and at the end, for a moment, the references once more and 12 bytes per object.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    classes: Vec<Class>,
    names: Vec<EdgeName>,
    roots: Vec<Root>,
    numbers: FxHashMap<EdgeName, u32>,
    ids: Packer,
    class_of: Packer,
    sizes: Packer,
    references: References,
    off_heap: Vec<(ObjectIndex, u64)>,
    threads: FxHashMap<ObjectIndex, Box<str>>,
    overflow: bool,
}

impl GraphBuilder {
    /// Adds a class. What it refers to may be added later, through [`Self::class_mut`].
    pub fn class(&mut self, class: Class) -> ClassIndex {
        self.classes.push(class);
        ClassIndex(self.classes.len() as u32 - 1)
    }

    /// A class added before.
    pub fn class_mut(&mut self, class: ClassIndex) -> &mut Class {
        &mut self.classes[class.0 as usize]
    }

    /// Adds an object of `size` bytes, which its source calls `id`.
    pub fn object(&mut self, id: u64, class: ClassIndex, size: u64) -> ObjectIndex {
        let number = self.ids.len();
        if number >= MOST_OBJECTS as usize {
            self.overflow = true;
            return ObjectIndex(0);
        }
        self.ids.push(id);
        self.class_of.push(u64::from(class.0));
        self.sizes.push(size);
        ObjectIndex(number as u32)
    }

    /// The objects added so far whose class `wanted` takes.
    pub(crate) fn instances(&self, wanted: impl Fn(&Class) -> bool) -> impl Iterator<Item = ObjectIndex> {
        let by_class: Vec<_> = self.classes.iter().map(wanted).collect();
        let count = if by_class.contains(&true) { self.ids.len() } else { 0 };
        (0..count)
            .filter(move |&at| by_class[self.class_of.get(at) as usize])
            .map(|at| ObjectIndex(at as u32))
    }

    /// The name of an object's class.
    pub(crate) fn class_name_of(&self, object: ObjectIndex) -> &str {
        &self.classes[self.class_of.get(object.0 as usize) as usize].name
    }

    /// The number of a name, for [`Self::edge`].
    pub fn name(&mut self, name: EdgeName) -> u32 {
        let names = &mut self.names;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() as u32 - 1
        })
    }

    /// Adds a reference by a name of [`Self::name`].
    pub fn edge(&mut self, from: ObjectIndex, name: u32, to: ObjectIndex) {
        self.push(from, name, to);
    }

    /// Adds a reference by an array element, of an index below 2^31 (JVMS: array lengths are `int`s).
    pub fn element(&mut self, from: ObjectIndex, index: u32, to: ObjectIndex) {
        self.push(from, ELEMENT | index, to);
    }

    fn push(&mut self, from: ObjectIndex, label: u32, to: ObjectIndex) {
        if self.references.targets.len() >= u32::MAX as usize {
            self.overflow = true;
            return;
        }
        self.references.push(from, label, to);
    }

    /// Adds a root.
    pub fn root(&mut self, object: ObjectIndex, kind: RootKind) {
        self.roots.push(Root { object, kind });
    }

    /// Notes that an object is a buffer of so many bytes that are not in the heap. Of one that shares another's memory this is forgotten when all
    /// is known.
    pub fn off_heap(&mut self, object: ObjectIndex, capacity: i64) {
        if let Ok(bytes @ 1..) = u64::try_from(capacity) {
            self.off_heap.push((object, bytes));
        }
    }

    /// Names a thread.
    pub fn thread(&mut self, object: ObjectIndex, name: &str) {
        self.threads.insert(object, name.into());
    }

    /// The graph. References of one object keep their order.
    ///
    /// # Errors
    /// If there are more than 2^32 - 2 objects, or more than 2^32 - 1 references.
    pub fn finish(self) -> Result<Graph, TooLarge> {
        if self.overflow {
            return Err(TooLarge);
        }
        let (starts, labels, targets) = self.references.finish(self.ids.len());
        let mut graph = Graph {
            classes: self.classes,
            names: self.names,
            ids: self.ids.finish(),
            class_of: self.class_of.finish(),
            sizes: self.sizes.finish(),
            starts,
            labels,
            targets,
            roots: self.roots,
            mirrored: FxHashMap::default(),
            off_heap: FxHashMap::default(),
            threads: self.threads,
        };
        graph.mirrored = graph.mirrors();
        let owners = self.off_heap.into_iter().filter(|&(buffer, _)| !shares_memory(&graph, buffer));
        graph.off_heap = owners.collect();
        Ok(graph)
    }
}

/// Whether a buffer is a slice or duplicate of another, or a segment's view.
fn shares_memory(graph: &Graph, buffer: ObjectIndex) -> bool {
    let names = graph.edges(buffer).map(|edge| edge.name);
    names.filter_map(EdgeName::field).any(|(_, field)| OTHERS_MEMORY.contains(&field))
}

/// References as they were told.
#[derive(Debug, Default)]
struct References {
    labels: Packer,
    targets: Packer,
    order: Order,
}

/// In which order references were told.
#[derive(Debug)]
enum Order {
    /// In that of the objects: where those of each object begin, up to the one told last.
    OfObjects(Box<Packer>),
    /// In another: how many of one object were told one after another.
    Runs(Vec<Run>),
}

impl Default for Order {
    fn default() -> Self {
        Self::OfObjects(Box::default())
    }
}

/// References of one object, told one after another.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    from: u32,
    length: u32,
}

impl References {
    #[inline]
    fn push(&mut self, from: ObjectIndex, label: u32, to: ObjectIndex) {
        let place = self.targets.len();
        match &mut self.order {
            Order::OfObjects(starts) if from.0 as usize + 1 >= starts.len() => {
                while starts.len() <= from.0 as usize {
                    starts.push(place as u64);
                }
            }
            Order::OfObjects(starts) => {
                let mut runs = runs_of(starts, place);
                runs.push(Run { from: from.0, length: 1 });
                self.order = Order::Runs(runs);
            }
            Order::Runs(runs) => match runs.last_mut() {
                Some(run) if run.from == from.0 => run.length += 1,
                _ => runs.push(Run { from: from.0, length: 1 }),
            },
        }
        self.labels.push(stored_label(label));
        self.targets.push(u64::from(to.0));
    }

    /// Where the references of each of so many objects begin, their labels, and their targets.
    fn finish(self, objects: usize) -> (Column, Column, Column) {
        let (labels, targets) = (self.labels.finish(), self.targets.finish());
        match self.order {
            Order::OfObjects(mut starts) => {
                while starts.len() <= objects {
                    starts.push(targets.len() as u64);
                }
                (starts.finish(), labels, targets)
            }
            Order::Runs(runs) => gathered(&runs, objects, &labels, &targets),
        }
    }
}

/// The references told so far, as runs: `places` in all.
fn runs_of(starts: &Packer, places: usize) -> Vec<Run> {
    let end = |object: usize| if object < starts.len() { starts.get(object) as usize } else { places };
    let run = |object| Run { from: object as u32, length: (end(object + 1) - end(object)) as u32 };
    (0..starts.len()).map(run).filter(|run| run.length > 0).collect()
}

/// What is in runs, each moved to the list of its object.
fn gathered(runs: &[Run], objects: usize, labels: &Column, targets: &Column) -> (Column, Column, Column) {
    let mut counts = vec![0; objects];
    runs.iter().for_each(|run| counts[run.from as usize] += 1);
    let mut of_object = Offsets::from_lengths(counts);
    // By object: where its runs begin, and how long they are.
    let mut sorted = vec![(0, 0); runs.len()];
    let mut begin = 0;
    for run in runs {
        sorted[of_object.take(run.from, 1)] = (begin, run.length);
        begin += run.length;
    }
    of_object.settle();
    let (mut starts, mut moved_labels, mut moved_targets) =
        (Packer::default(), Packer::default(), Packer::default());
    for object in 0..objects as u32 {
        starts.push(moved_targets.len() as u64);
        for &(begin, length) in &sorted[of_object.range(object)] {
            for place in begin as usize..(begin + length) as usize {
                moved_labels.push(labels.get(place));
                moved_targets.push(targets.get(place));
            }
        }
    }
    starts.push(moved_targets.len() as u64);
    (starts.finish(), moved_labels.finish(), moved_targets.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_sorted_by_object_and_keep_their_order() {
        let mut builder = GraphBuilder::default();
        let class = builder.class(Class { name: "A".into(), ..Class::default() });
        let [a, b] = [1, 2].map(|id| builder.object(id, class, 16));
        let name = builder.name(EdgeName::Internal("next".into()));
        builder.edge(b, name, a);
        builder.element(a, 7, b);
        builder.edge(b, name, b);
        builder.root(b, RootKind::Monitor);
        let graph = builder.finish().unwrap();
        let edges = |object| graph.edges(object).map(|edge| (edge.index, edge.to)).collect::<Vec<_>>();
        assert_eq!(edges(a), [(Some(7), b)]);
        assert_eq!(edges(b), [(None, a), (None, b)]);
    }

    #[test]
    fn references_told_in_order_stay_where_they_are() {
        let mut builder = GraphBuilder::default();
        let class = builder.class(Class::default());
        let [a, b, c] = [1, 2, 3].map(|id| builder.object(id, class, 16));
        for (from, to) in [(a, b), (a, c), (c, a)] {
            builder.element(from, to.0, to);
        }
        assert!(matches!(builder.references.order, Order::OfObjects(_)));
        let graph = builder.finish().unwrap();
        let targets = |object| graph.edges(object).map(|edge| edge.to).collect::<Vec<_>>();
        assert_eq!([a, b, c].map(targets), [vec![b, c], vec![], vec![a]]);
    }

    #[test]
    fn sizes_beyond_four_gigabytes_are_kept() {
        let mut builder = GraphBuilder::default();
        let class = builder.class(Class::default());
        let object = builder.object(1, class, 20 << 30);
        assert_eq!(builder.finish().unwrap().size(object), 20 << 30);
    }
}
