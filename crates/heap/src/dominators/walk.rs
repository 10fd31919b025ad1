//! The depth-first walk that the search for dominators starts from.

use crate::{Filter, Graph, ObjectIndex};

/// A depth-first walk from all roots, which count as referred to by one object with number 0.
#[derive(Debug)]
pub(super) struct Walk {
    /// By object: when it was met, from 1 on; 0 if it was not.
    pub(super) numbers: Vec<u32>,
    /// By number: the object; something for 0.
    pub(super) order: Vec<ObjectIndex>,
    /// By number: from which it was met.
    pub(super) parents: Vec<u32>,
}

impl Walk {
    pub(super) fn new(graph: &Graph, filter: &Filter) -> Self {
        let mut walk = Self { numbers: vec![0; graph.len()], order: vec![ObjectIndex(0)], parents: vec![0] };
        // By number: how many references were looked at.
        let mut looked = vec![0];
        for root in graph.roots() {
            if filter.enters(root.object) && walk.meet(root.object, 0) {
                looked.push(0);
                walk.descend(graph, filter, &mut looked);
            }
        }
        walk
    }

    /// Walks on from the object met last until all is met that can be. The way back is in `parents`: no stack grows.
    fn descend(&mut self, graph: &Graph, filter: &Filter, looked: &mut Vec<u32>) {
        let mut at = self.order.len() as u32 - 1;
        while at != 0 {
            let object = self.order[at as usize];
            let places = graph.edge_places(object);
            let end = if filter.leaves(object) { places.end } else { places.start };
            let mut place = places.start + looked[at as usize] as usize;
            let mut down = false;
            while place < end && !down {
                let to = graph.targets[place];
                down = filter.follows(graph.labels[place])
                    && self.numbers[to.0 as usize] == 0
                    && filter.enters(to)
                    && self.meet(to, at);
                place += 1;
            }
            looked[at as usize] = (place - places.start) as u32;
            if down {
                looked.push(0);
                at = self.order.len() as u32 - 1;
            } else {
                at = self.parents[at as usize];
            }
        }
    }

    /// Numbers an object, if it has no number yet.
    fn meet(&mut self, object: ObjectIndex, from: u32) -> bool {
        let number = &mut self.numbers[object.0 as usize];
        if *number != 0 {
            return false;
        }
        *number = self.order.len() as u32;
        self.order.push(object);
        self.parents.push(from);
        true
    }
}
