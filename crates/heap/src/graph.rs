//! The heap as arrays: objects by number, their classes and sizes, and their references one after another.
//!
//! Not here: how it is made (`builder`), and every question but the plainest.

use mayfly_counts::{HeapSummary, Total};
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::column::Column;
use crate::edge::{Edge, EdgeName};
use crate::index::{ClassIndex, ObjectIndex};
use crate::root::Root;

/// A class of the heap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// As `Class.getName()` gives it.
    pub name: Box<str>,
    /// Its `java.lang.Class`, if that is an object of the graph.
    pub mirror: Option<ObjectIndex>,
    /// The object that loaded it; none for the boot loader, and if not known.
    pub loader: Option<ObjectIndex>,
    /// Its superclass.
    pub superclass: Option<ClassIndex>,
    /// The interfaces that it declares, as far as its source tells: hprof and INSANE's formats tell none.
    pub interfaces: Box<[ClassIndex]>,
}

/// Marks an edge's label as the index of an array element.
pub(crate) const ELEMENT: u32 = 1 << 31;

/// A label as it is packed: small for names and for elements.
pub(crate) fn stored_label(label: u32) -> u64 {
    u64::from(label.rotate_left(1))
}

/// A heap, packed: of one as JVMs lay them out some 6 bytes per object and 3 per reference.
#[derive(Debug)]
pub struct Graph {
    pub(crate) classes: Vec<Class>,
    pub(crate) names: Vec<EdgeName>,
    /// Of each object, as the source of the graph names it: an address or a tag.
    pub(crate) ids: Column,
    pub(crate) class_of: Column,
    /// Shallow sizes in bytes.
    pub(crate) sizes: Column,
    /// Where the references of each object begin, and where the last one's end.
    pub(crate) starts: Column,
    /// Of each reference, as [`stored_label`] has them.
    pub(crate) labels: Column,
    pub(crate) targets: Column,
    pub(crate) roots: Vec<Root>,
    /// The class that each `java.lang.Class` stands for.
    pub(crate) mirrored: FxHashMap<ObjectIndex, ClassIndex>,
    /// Bytes outside of the heap, of the buffers that have memory of their own.
    pub(crate) off_heap: FxHashMap<ObjectIndex, u64>,
    /// Names of threads, as far as a walk has them; no index keeps them.
    pub(crate) threads: FxHashMap<ObjectIndex, Box<str>>,
}

impl Graph {
    /// Number of objects.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All objects.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = ObjectIndex> + use<> {
        (0..self.len() as u32).map(ObjectIndex)
    }

    /// How many some objects are, and how large.
    pub fn total(&self, objects: impl IntoIterator<Item = ObjectIndex>) -> Total {
        objects.into_iter().map(|object| Total::one(self.size(object))).sum()
    }

    /// The same by class. Classes of one name are one row, whatever loaders they have.
    pub fn summary(&self, objects: impl IntoIterator<Item = ObjectIndex>) -> HeapSummary {
        let mut totals = vec![Total::default(); self.classes.len()];
        for object in objects {
            totals[self.class_of(object).0 as usize].add(Total::one(self.size(object)));
        }
        self.classes.iter().map(|class| &*class.name).zip(totals).collect()
    }

    /// All classes.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = (ClassIndex, &Class)> {
        self.classes.iter().enumerate().map(|(index, class)| (ClassIndex(index as u32), class))
    }

    /// A class.
    pub fn class(&self, class: ClassIndex) -> &Class {
        &self.classes[class.0 as usize]
    }

    /// The class that an object, a `java.lang.Class`, stands for.
    pub fn mirrored(&self, mirror: ObjectIndex) -> Option<ClassIndex> {
        self.mirrored.get(&mirror).copied()
    }

    /// The class that each `java.lang.Class` stands for.
    pub(crate) fn mirrors(&self) -> FxHashMap<ObjectIndex, ClassIndex> {
        self.classes().filter_map(|(class, facts)| Some((facts.mirror?, class))).collect()
    }

    /// Bytes outside of the heap that an object has: of a direct buffer its memory, of a mapped one its part of a file.
    pub fn off_heap(&self, object: ObjectIndex) -> u64 {
        self.off_heap.get(&object).copied().unwrap_or(0)
    }

    /// The name of a thread, if that is known.
    pub fn thread_name(&self, thread: ObjectIndex) -> Option<&str> {
        self.threads.get(&thread).map(|name| &**name)
    }

    /// The objects that have such bytes, in their order.
    pub(crate) fn buffers(&self) -> Vec<(ObjectIndex, u64)> {
        let mut buffers: Vec<_> = self.off_heap.iter().map(|(&object, &bytes)| (object, bytes)).collect();
        buffers.sort_unstable();
        buffers
    }

    /// All objects whose class `wanted` takes.
    pub fn instances(&self, wanted: impl Fn(&Class) -> bool) -> impl Iterator<Item = ObjectIndex> {
        let by_class: Vec<_> = self.classes.iter().map(wanted).collect();
        self.objects().filter(move |&object| by_class[self.class_of(object).0 as usize])
    }

    /// These classes, and all that extend or implement them, directly or not.
    pub fn with_subclasses(&self, of: &[ClassIndex]) -> Vec<ClassIndex> {
        let mut below: Vec<Vec<ClassIndex>> = vec![Vec::new(); self.classes.len()];
        for (class, facts) in self.classes() {
            for parent in facts.superclass.iter().chain(&facts.interfaces) {
                below[parent.0 as usize].push(class);
            }
        }
        let mut taken = vec![false; self.classes.len()];
        let mut open = of.to_vec();
        while let Some(class) = open.pop() {
            if !std::mem::replace(&mut taken[class.0 as usize], true) {
                open.extend(&below[class.0 as usize]);
            }
        }
        self.classes().map(|(class, _)| class).filter(|class| taken[class.0 as usize]).collect()
    }

    /// The object that the source of the graph calls `id`. Looks at all of them.
    pub fn find(&self, id: u64) -> Option<ObjectIndex> {
        self.ids.iter().position(|other| other == id).map(|place| ObjectIndex(place as u32))
    }

    /// The class of an object.
    pub fn class_of(&self, object: ObjectIndex) -> ClassIndex {
        ClassIndex(self.class_of.get(object.0 as usize) as u32)
    }

    /// The name of an object in the source of the graph: an address, or a tag.
    pub fn id(&self, object: ObjectIndex) -> u64 {
        self.ids.get(object.0 as usize)
    }

    /// Shallow size of an object in bytes.
    pub fn size(&self, object: ObjectIndex) -> u64 {
        self.sizes.get(object.0 as usize)
    }

    /// The references of an object, in the order of its fields or elements.
    pub fn edges(&self, from: ObjectIndex) -> impl ExactSizeIterator<Item = Edge<'_>> {
        self.edge_places(from).map(move |place| self.edge_at(from, place))
    }

    /// Where the references of an object are among all.
    #[inline]
    pub(crate) fn edge_places(&self, from: ObjectIndex) -> Range<usize> {
        let (begin, end) = self.starts.pair(from.0 as usize);
        begin as usize..end as usize
    }

    /// By what the reference at a place refers: the number of a name, or [`ELEMENT`] with an index.
    #[inline]
    pub(crate) fn label(&self, place: usize) -> u32 {
        (self.labels.get(place) as u32).rotate_right(1)
    }

    /// The object that the reference at a place refers to.
    #[inline]
    pub(crate) fn target(&self, place: usize) -> ObjectIndex {
        ObjectIndex(self.targets.get(place) as u32)
    }

    /// The reference at a place of `from`.
    pub(crate) fn edge_at(&self, from: ObjectIndex, place: usize) -> Edge<'_> {
        let label = self.label(place);
        let index = (label & ELEMENT != 0).then_some(label & !ELEMENT);
        Edge { from, name: self.name_at(place), index, to: self.target(place) }
    }

    /// By what the reference at a place refers.
    pub(crate) fn name_at(&self, place: usize) -> &EdgeName {
        match self.label(place) {
            label if label & ELEMENT != 0 => &EdgeName::Element,
            // That it is there holds for all but a forged index.
            label => self.names.get(label as usize).unwrap_or(&EdgeName::Element),
        }
    }

    /// Number of references.
    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// What the collector starts from.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Bytes of memory taken by objects and references.
    pub fn memory(&self) -> usize {
        let columns = [&self.ids, &self.class_of, &self.sizes, &self.starts, &self.labels, &self.targets];
        columns.iter().map(|column| column.memory()).sum()
    }

    /// All references in order: from which object, by what label, to which.
    pub(crate) fn references(&self) -> impl Iterator<Item = (ObjectIndex, u32, ObjectIndex)> {
        let mut ends = self.starts.iter().skip(1).zip(0..);
        let mut here = (0, 0);
        let (labels, targets) = (self.labels.iter(), self.targets.iter());
        labels.zip(targets).zip(0..).map_while(move |((label, target), place)| {
            while here.0 <= place {
                here = ends.next()?;
            }
            Some((ObjectIndex(here.1), (label as u32).rotate_right(1), ObjectIndex(target as u32)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::heap;
    use crate::referrers::Referrers;

    #[test]
    fn subclasses_are_found_by_superclass_and_by_interface() {
        let mut builder = crate::builder::GraphBuilder::default();
        let mut class = |superclass, interfaces: &[ClassIndex]| {
            builder.class(Class { superclass, interfaces: interfaces.into(), ..Class::default() })
        };
        let (object, map) = (class(None, &[]), class(None, &[]));
        let sorted = class(None, &[map]);
        let tree = class(Some(object), &[sorted]);
        let own = class(Some(tree), &[]);
        let hash = class(Some(object), &[map]);
        let graph = builder.finish().unwrap();
        assert_eq!(graph.with_subclasses(&[map]), [map, sorted, tree, own, hash]);
        assert_eq!(graph.with_subclasses(&[sorted]), [sorted, tree, own]);
        assert_eq!(graph.with_subclasses(&[own, hash]), [own, hash]);
    }

    /// What INSANE's model of a dump answers.
    #[test]
    fn objects_are_found_by_id_class_and_static_field() {
        let graph = heap(
            "root static A.x -> 1:B[24] -next-> 2:C; root static A.y -> 2
             class C extends B; 3:D -next-> 2",
        );
        let ids =
            |objects: &[ObjectIndex]| objects.iter().map(|&object| graph.id(object)).collect::<Vec<_>>();
        let all: Vec<_> = graph.objects().collect();
        assert_eq!(ids(&all)[..3], [1, 2, 3], "and the class of A");
        assert_eq!(ids(&graph.instances(|class| &*class.name == "B").collect::<Vec<_>>()), [1]);
        let second = graph.find(2).unwrap();
        assert_eq!(graph.find(4), None);
        assert_eq!((graph.size(second), graph.size(graph.find(1).unwrap())), (16, 24));
        let outgoing: Vec<_> = graph.edges(graph.find(1).unwrap()).map(|edge| edge.to).collect();
        assert_eq!(ids(&outgoing), [2]);
        assert_eq!(ids(&Referrers::new(&graph).sources(second).take(2).collect::<Vec<_>>()), [1, 3]);
    }
}
