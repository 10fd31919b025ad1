//! What is kept of a dump to compare it with later ones: far less than its graph.

use super::tree::{ClassTree, NodeIndex};
use crate::dominators::Dominators;
use crate::graph::Graph;
use crate::index::ObjectIndex;

/// A dump as the classes that hold each other alone, with how many objects there are and what they retain.
#[derive(Debug)]
pub struct Outline {
    pub(super) tree: ClassTree,
}

impl Outline {
    /// Of what the dominators' filter lets be reached. Takes 4 bytes per object, until [`Self::forget_objects`].
    pub fn new(graph: &Graph, dominators: &Dominators) -> Self {
        Self { tree: ClassTree::new(graph, dominators) }
    }

    /// Keeps numbers only: [`Self::objects`] finds none from now on.
    pub fn forget_objects(&mut self) {
        self.tree.node_of = Vec::new();
    }

    /// The objects at the end of a path of classes, as [`super::Sustained`] gives it.
    pub fn objects(&self, path: &[Box<str>]) -> Vec<ObjectIndex> {
        let Some(node) = self.node(path) else { return Vec::new() };
        let all = self.tree.node_of.iter().enumerate();
        all.filter(|&(_, &of)| of == node && node > 0).map(|(object, _)| ObjectIndex(object as u32)).collect()
    }

    /// Bytes of all that is reachable.
    pub fn bytes(&self) -> u64 {
        self.tree.nodes[0].retained.bytes
    }

    fn node(&self, path: &[Box<str>]) -> Option<NodeIndex> {
        let nodes = &self.tree.nodes;
        path.iter().try_fold(0, |node: NodeIndex, label| {
            nodes[node as usize].below.iter().copied().find(|&below| nodes[below as usize].label == *label)
        })
    }
}
