//! The depth-first walk that the search for dominators starts from.

use crate::filter::Filter;
use crate::graph::Graph;
use crate::index::ObjectIndex;

/// A depth-first walk from all roots, which count as referred to by one object with number 0.
///
/// 24 bytes per object, and 8 per reference that leads to an object met before.
#[derive(Debug)]
pub(super) struct Walk {
    /// By object: when it was met, from 1 on; 0 if it was not.
    pub(super) numbers: Vec<u32>,
    /// By number: the object; something for 0.
    pub(super) order: Vec<ObjectIndex>,
    /// By number.
    pub(super) nodes: Vec<Node>,
    /// References to objects met before, in lists that begin in the nodes; the first stands for the end of a list.
    pub(super) others: Vec<Other>,
}

/// What is known of an object while dominators are searched. Each number serves several times, one after another, so that what
/// is needed together lies together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    /// From which object it was met. Later any higher up in the tree of these.
    pub(super) above: u32,
    /// Where the list of its other referrers begins. Later the one of lowest semidominator on the way to `above`.
    pub(super) label: u32,
    /// How many of its references were looked at. Then where the list of those that it semidominates begins, and then its own
    /// semidominator.
    pub(super) semi: u32,
    /// The next in a list of semidominated ones. Then the immediate dominator.
    pub(super) idom: u32,
}

/// A further reference to an object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Other {
    pub(super) from: u32,
    pub(super) next: u32,
}

impl Walk {
    pub(super) fn new(graph: &Graph, filter: &Filter) -> Self {
        let mut walk = Self {
            numbers: vec![0; graph.len()],
            order: Vec::with_capacity(graph.len() + 1),
            nodes: Vec::with_capacity(graph.len() + 1),
            others: vec![Other::default()],
        };
        walk.order.push(ObjectIndex(0));
        walk.nodes.push(Node::default());
        for root in graph.roots().iter().filter(|root| filter.enters(root.object)) {
            if walk.meet(root.object, 0) {
                walk.descend(graph, filter);
            }
        }
        walk
    }

    /// Walks on from the object met last until all is met that can be. The way back is in the nodes: no stack grows.
    fn descend(&mut self, graph: &Graph, filter: &Filter) {
        let mut at = self.order.len() as u32 - 1;
        while at != 0 {
            let object = self.order[at as usize];
            let places = graph.edge_places(object);
            let end = if filter.leaves(object) { places.end } else { places.start };
            let mut place = places.start + self.nodes[at as usize].semi as usize;
            let mut down = false;
            while place < end && !down {
                let to = graph.targets[place];
                down = filter.follows(graph.labels[place]) && filter.enters(to) && self.meet(to, at);
                place += 1;
            }
            if down {
                self.nodes[at as usize].semi = (place - places.start) as u32;
                at = self.order.len() as u32 - 1;
            } else {
                self.nodes[at as usize].semi = 0;
                at = self.nodes[at as usize].above;
            }
        }
    }

    /// Numbers an object that has no number yet; notes that there is another reference to one that has.
    fn meet(&mut self, object: ObjectIndex, from: u32) -> bool {
        let number = &mut self.numbers[object.0 as usize];
        if *number == 0 {
            *number = self.order.len() as u32;
            self.order.push(object);
            self.nodes.push(Node { above: from, ..Node::default() });
            return true;
        }
        let node = &mut self.nodes[*number as usize];
        // What is a root is dominated by nothing else, whoever refers to it.
        if node.above != 0 {
            self.others.push(Other { from, next: node.label });
            node.label = self.others.len() as u32 - 1;
        }
        false
    }
}
