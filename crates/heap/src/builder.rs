//! Puts a graph together from what a format tells: classes, objects, references, roots, in any order.

use rustc_hash::FxHashMap;

use crate::graph::ELEMENT;
use crate::{Class, ClassIndex, EdgeName, Graph, ObjectIndex, Root, RootKind};

/// A graph in the making.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    graph: Graph,
    numbers: FxHashMap<EdgeName, u32>,
    /// The referring object of each edge, until they are sorted.
    sources: Vec<ObjectIndex>,
}

impl GraphBuilder {
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
        let object = ObjectIndex(self.graph.class_of.len() as u32);
        self.graph.ids.push(id);
        self.graph.class_of.push(class);
        let short = u32::try_from(size).unwrap_or(u32::MAX);
        if short == u32::MAX {
            self.graph.large.insert(object, size);
        }
        self.graph.sizes.push(short);
        object
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

    /// Adds a reference by an array element.
    pub fn element(&mut self, from: ObjectIndex, index: u32, to: ObjectIndex) {
        self.push(from, ELEMENT | index, to);
    }

    fn push(&mut self, from: ObjectIndex, label: u32, to: ObjectIndex) {
        self.sources.push(from);
        self.graph.labels.push(label);
        self.graph.targets.push(to);
    }

    /// Adds a root.
    pub fn root(&mut self, object: ObjectIndex, kind: RootKind) {
        self.graph.roots.push(Root { object, kind });
    }

    /// The graph. References of one object keep their order.
    pub fn finish(mut self) -> Graph {
        let mut starts = vec![0u64; self.graph.len() + 1];
        for from in &self.sources {
            starts[from.0 as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut labels = vec![0; self.sources.len()];
        let mut targets = vec![ObjectIndex(0); self.sources.len()];
        for (edge, from) in self.sources.iter().enumerate() {
            let place = &mut next[from.0 as usize];
            labels[*place as usize] = self.graph.labels[edge];
            targets[*place as usize] = self.graph.targets[edge];
            *place += 1;
        }
        self.graph.starts = starts;
        self.graph.labels = labels;
        self.graph.targets = targets;
        self.graph
    }
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
        let graph = builder.finish();
        let edges = |object| graph.edges(object).map(|edge| (edge.index, edge.to)).collect::<Vec<_>>();
        assert_eq!(edges(a), [(Some(7), b)]);
        assert_eq!(edges(b), [(None, a), (None, b)]);
    }

    #[test]
    fn sizes_beyond_four_gigabytes_are_kept() {
        let mut builder = GraphBuilder::default();
        let class = builder.class(Class::default());
        let object = builder.object(1, class, 20 << 30);
        assert_eq!(builder.finish().size(object), 20 << 30);
    }
}
