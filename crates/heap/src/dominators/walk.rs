//! The depth-first walk that the search for dominators starts from.

use crate::column::Column;
use crate::filter::Filter;
use crate::graph::Graph;
use crate::index::ObjectIndex;

/// A depth-first walk from all roots, which count as referred to by one object with number 0.
///
/// 16 bytes per object, 4 more while it lasts, and 8 per reference that leads to an object met before.
#[derive(Debug)]
pub(super) struct Walk {
    /// By number, from 1 on, which says when an object was met; 0 is no object.
    pub(super) nodes: Vec<Node>,
    /// References to objects met before, in lists that begin in the nodes; the first stands for the end of a list.
    pub(super) others: Vec<Other>,
}

/// What is known of an object while dominators are searched. Each number serves several times, one after another, so that what
/// is needed together lies together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    /// From which object it was met. Later any higher up in the tree of these. In the end the low half of the bytes retained.
    pub(super) above: u32,
    /// Where the list of its other referrers begins. Later the one of lowest semidominator on the way to `above`. In the end the
    /// high half of the bytes retained.
    pub(super) label: u32,
    /// How many of its references were looked at. Then where the list of those that it semidominates begins, and then its own
    /// semidominator.
    pub(super) semi: u32,
    /// The object, while the walk lasts. The next in a list of semidominated ones. Then the immediate dominator.
    pub(super) idom: u32,
}

impl Node {
    /// Bytes retained, in the end.
    pub(super) fn retained(&self) -> u64 {
        u64::from(self.label) << 32 | u64::from(self.above)
    }

    pub(super) fn set_retained(&mut self, bytes: u64) {
        (self.label, self.above) = ((bytes >> 32) as u32, bytes as u32);
    }
}

/// A further reference to an object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Other {
    pub(super) from: u32,
    pub(super) next: u32,
}

/// A walk that goes on.
struct Walking<'a> {
    graph: &'a Graph,
    filter: &'a Filter,
    /// By object: its number; 0 if it was not met.
    numbers: Vec<u32>,
    /// The first number of the stage at hand: what was met before is not changed any more.
    stage: u32,
    walk: Walk,
}

impl Walk {
    /// Walks through all that is reachable from what each stage begins at, one stage after the other: what an earlier one reached is
    /// none of a later one's. The objects in the order in which they were met, and the walk.
    pub(super) fn new<S>(
        graph: &Graph,
        filter: &Filter,
        stages: impl IntoIterator<Item = S>,
    ) -> (Column, Self)
    where
        S: IntoIterator<Item = ObjectIndex>,
    {
        let mut nodes = Vec::with_capacity(graph.len() + 1);
        nodes.push(Node::default());
        let walk = Self { nodes, others: vec![Other::default()] };
        let mut walking = Walking { graph, filter, numbers: vec![0; graph.len()], stage: 1, walk };
        for begins in stages {
            walking.stage = walking.walk.nodes.len() as u32;
            for object in begins.into_iter().filter(|&object| filter.enters(object)) {
                if walking.meet(object, 0) {
                    walking.descend();
                }
            }
        }
        let Walking { walk, numbers, .. } = walking;
        drop(numbers);
        (walk.nodes.iter().map(|node| u64::from(node.idom)).collect(), walk)
    }
}

impl Walking<'_> {
    /// Walks on from the object met last until all is met that can be. The way back is in the nodes: no stack grows.
    fn descend(&mut self) {
        let (graph, filter) = (self.graph, self.filter);
        let mut at = self.walk.nodes.len() as u32 - 1;
        while at != 0 {
            let Node { idom: object, semi: looked_at, above, .. } = self.walk.nodes[at as usize];
            let object = ObjectIndex(object);
            let places = graph.edge_places(object);
            let mut place = places.start + looked_at as usize;
            let mut down = false;
            while place < places.end && !down {
                let to = graph.target(place);
                down = filter.follows(graph.label(place)) && filter.enters(to) && self.meet(to, at);
                place += 1;
            }
            if down {
                self.walk.nodes[at as usize].semi = (place - places.start) as u32;
                at = self.walk.nodes.len() as u32 - 1;
            } else {
                self.walk.nodes[at as usize].semi = 0;
                at = above;
            }
        }
    }

    /// Numbers an object that has no number yet; notes that there is another reference to one that has.
    fn meet(&mut self, object: ObjectIndex, from: u32) -> bool {
        let Walk { nodes, others } = &mut self.walk;
        let number = &mut self.numbers[object.0 as usize];
        if *number == 0 {
            *number = nodes.len() as u32;
            nodes.push(Node { above: from, idom: object.0, ..Node::default() });
            return true;
        }
        let node = &mut nodes[*number as usize];
        if *number < self.stage {
            return false;
        }
        // What is a root is dominated by nothing else, whoever refers to it.
        if node.above != 0 {
            others.push(Other { from, next: node.label });
            node.label = others.len() as u32 - 1;
        }
        false
    }
}
