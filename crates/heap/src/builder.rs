//! Puts a graph together from what a format tells: classes, objects, references, roots, in any order.
//!
//! Formats tell the references of one object one after another, and some (hprof) in the order of the objects, too. Then
//! references are stored where they stay. Otherwise they are moved once, at the end.

use rustc_hash::FxHashMap;

use crate::edge::EdgeName;
use crate::graph::ELEMENT;
use crate::graph::{Class, Graph};
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

/// The number after the last stands for "none" in tables of objects.
const MOST_OBJECTS: u32 = u32::MAX - 1;

/// A graph in the making.
///
/// Takes 16 bytes per object and 8 per reference, as the graph will, and 8 for each object that refers to others. At the
/// end, references that were not told in the order of the objects need 4 bytes each for a moment.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    graph: Graph,
    numbers: FxHashMap<EdgeName, u32>,
    runs: Vec<Run>,
    overflow: bool,
}

/// References of one object, told one after another.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: ObjectIndex,
    length: u32,
}

impl GraphBuilder {
    /// Makes room for as many objects and references, for formats that know.
    pub fn reserve(&mut self, objects: usize, references: usize) {
        self.graph.ids.reserve(objects);
        self.graph.class_of.reserve(objects);
        self.graph.sizes.reserve(objects);
        self.graph.labels.reserve(references);
        self.graph.targets.reserve(references);
    }

    /// Adds a class. What it refers to may be added later, through [`Self::class_mut`].
    pub fn class(&mut self, class: Class) -> ClassIndex {
        self.graph.classes.push(class);
        ClassIndex(self.graph.classes.len() as u32 - 1)
    }

    /// A class added before.
    pub fn class_mut(&mut self, class: ClassIndex) -> &mut Class {
        &mut self.graph.classes[class.0 as usize]
    }

    /// Adds an object of `size` bytes, which its source calls `id`.
    pub fn object(&mut self, id: u64, class: ClassIndex, size: u64) -> ObjectIndex {
        let number = self.graph.class_of.len();
        if number >= MOST_OBJECTS as usize {
            self.overflow = true;
            return ObjectIndex(0);
        }
        let object = ObjectIndex(number as u32);
        self.graph.ids.push(id);
        self.graph.class_of.push(class);
        let short = u32::try_from(size).unwrap_or(u32::MAX);
        if short == u32::MAX {
            self.graph.large.insert(object, size);
        }
        self.graph.sizes.push(short);
        object
    }

    /// What the source calls the objects added so far.
    pub(crate) fn ids(&self) -> &[u64] {
        &self.graph.ids
    }

    /// The name of an object's class.
    pub(crate) fn class_name_of(&self, object: ObjectIndex) -> &str {
        &self.graph.class(self.graph.class_of(object)).name
    }

    /// The number of a name, for [`Self::edge`].
    pub fn name(&mut self, name: EdgeName) -> u32 {
        let names = &mut self.graph.names;
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
        if self.graph.targets.len() >= u32::MAX as usize {
            self.overflow = true;
            return;
        }
        match self.runs.last_mut() {
            Some(run) if run.from == from => run.length += 1,
            _ => self.runs.push(Run { from, length: 1 }),
        }
        self.graph.labels.push(label);
        self.graph.targets.push(to);
    }

    /// Adds a root.
    pub fn root(&mut self, object: ObjectIndex, kind: RootKind) {
        self.graph.roots.push(Root { object, kind });
    }

    /// The graph. References of one object keep their order.
    ///
    /// # Errors
    /// If there are more than 2^32 - 2 objects, or more than 2^32 - 1 references.
    pub fn finish(mut self) -> Result<Graph, TooLarge> {
        if self.overflow {
            return Err(TooLarge);
        }
        let mut lengths = vec![0; self.graph.len()];
        for run in &self.runs {
            lengths[run.from.0 as usize] += run.length;
        }
        self.graph.starts = Offsets::from_lengths(lengths);
        if !self.runs.is_sorted_by(|one, next| one.from < next.from) {
            self.graph.labels = gathered(&self.graph.labels, &self.runs, &mut self.graph.starts);
            self.graph.targets = gathered(&self.graph.targets, &self.runs, &mut self.graph.starts);
        }
        self.graph.mirrored =
            self.graph.classes().filter_map(|(class, facts)| Some((facts.mirror?, class))).collect();
        Ok(self.graph)
    }
}

/// What is in runs, each moved to the list of its object.
fn gathered<T: Copy + Default>(told: &[T], runs: &[Run], starts: &mut Offsets) -> Vec<T> {
    let mut gathered = vec![T::default(); told.len()];
    let mut rest = told;
    for run in runs {
        let (head, tail) = rest.split_at(run.length as usize);
        let place = starts.take(run.from.0, run.length);
        gathered[place..place + head.len()].copy_from_slice(head);
        rest = tail;
    }
    starts.settle();
    gathered
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
        let told = builder.graph.targets.as_ptr();
        let graph = builder.finish().unwrap();
        assert_eq!(graph.targets.as_ptr(), told);
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
