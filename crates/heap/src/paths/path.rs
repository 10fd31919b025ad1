//! A way to an object, as places in the graph.

use crate::edge::{Edge, EdgeName, Strength};
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::root::{Root, RootKind};

/// A way from a root to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Number of the root in `Graph::roots`.
    pub(super) root: usize,
    /// From the object that the root holds.
    pub(super) steps: Steps,
}

/// A way from an object to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    pub(super) first: ObjectIndex,
    /// The references: referring object, and the reference's place among all of the graph.
    pub(super) steps: Vec<(ObjectIndex, usize)>,
}

impl Path {
    /// What it begins with.
    pub fn root<'graph>(&self, graph: &'graph Graph) -> &'graph Root {
        &graph.roots()[self.root]
    }

    /// The static field that it begins with: its root is a class that is never unloaded, and its first reference this.
    pub fn static_field<'graph>(&self, graph: &'graph Graph) -> Option<Edge<'graph>> {
        let first = self.edges(graph).next()?;
        let is_static = matches!(first.name, EdgeName::Static { .. });
        (is_static && self.root(graph).kind == RootKind::SystemClass).then_some(first)
    }

    /// The references on it, from the root's object on.
    pub fn edges<'graph>(&self, graph: &'graph Graph) -> impl ExactSizeIterator<Item = Edge<'graph>> {
        self.steps.edges(graph)
    }

    /// The objects on it: what the root holds, or its static field, and so on to the target.
    pub fn objects(&self, graph: &Graph) -> Vec<ObjectIndex> {
        let first = self.static_field(graph).is_none().then_some(self.steps.first);
        first.into_iter().chain(self.edges(graph).map(|edge| edge.to)).collect()
    }

    /// The object that it leads to.
    pub fn target(&self, graph: &Graph) -> ObjectIndex {
        self.steps.target(graph)
    }

    /// The weakest reference on it: what keeps the target alive if there is no other path.
    pub fn strength(&self, graph: &Graph) -> Strength {
        self.edges(graph).map(|edge| edge.name.strength()).max().unwrap_or_default()
    }
}

impl Steps {
    pub(crate) fn new(first: ObjectIndex, steps: Vec<(ObjectIndex, usize)>) -> Self {
        Self { first, steps }
    }

    /// The references.
    pub fn edges<'graph>(&self, graph: &'graph Graph) -> impl ExactSizeIterator<Item = Edge<'graph>> {
        self.steps.iter().map(|&(from, place)| graph.edge_at(from, place))
    }

    /// The object that it leads to.
    pub fn target(&self, graph: &Graph) -> ObjectIndex {
        self.edges(graph).last().map_or(self.first, |edge| edge.to)
    }
}
