//! The tree of dominators, and what each object in it retains.

use super::lengauer_tarjan::find_dominators;
use super::walk::Walk;
use crate::filter::Filter;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::offsets::Offsets;

/// The tree of dominators, and retained sizes: 20 bytes per object.
///
/// Made by the algorithm of Lengauer and Tarjan ("A fast algorithm for finding dominators in a flowgraph", 1979) in its
/// simple form, in O(m log n). While it is made it takes 24 bytes per object, and 8 for each reference but one to each object;
/// 28 per object at its end.
#[derive(Debug)]
pub struct Dominators {
    /// Number of each object in a depth-first walk from the roots; 0 for unreachable ones.
    numbers: Vec<u32>,
    /// The objects in that order; the first stands for all roots together.
    pub(super) order: Vec<ObjectIndex>,
    /// Number of the immediate dominator, by number; 0: none but the roots together.
    pub(super) immediate: Vec<u32>,
    /// Retained bytes, by number.
    pub(super) retained: Vec<u64>,
}

impl Dominators {
    /// Of the objects that the filter lets be reached from the roots.
    pub fn new(graph: &Graph, filter: &Filter) -> Self {
        let mut walk = Walk::new(graph, filter);
        find_dominators(&mut walk);
        walk.others = Vec::new();
        let immediate: Vec<_> = walk.nodes.iter().map(|node| node.idom).collect();
        walk.nodes = Vec::new();
        let sizes = walk.order[1..].iter().map(|&object| graph.size(object));
        let mut retained: Vec<_> = std::iter::once(0).chain(sizes).collect();
        // Whatever is dominated has a higher number than what dominates it.
        for number in (1..retained.len()).rev() {
            let by = immediate[number] as usize;
            retained[by] = retained[by].saturating_add(retained[number]);
        }
        Self { numbers: walk.numbers, order: walk.order, immediate, retained }
    }

    /// Whether an object is reachable.
    pub fn is_reachable(&self, object: ObjectIndex) -> bool {
        self.numbers[object.0 as usize] != 0
    }

    /// All reachable objects, each after its dominators.
    pub fn reachable(&self) -> impl ExactSizeIterator<Item = ObjectIndex> {
        self.order[1..].iter().copied()
    }

    /// The nearest object through which every path to this one leads. None if there is none, or no path.
    pub fn immediate(&self, object: ObjectIndex) -> Option<ObjectIndex> {
        match self.immediate[self.numbers[object.0 as usize] as usize] {
            0 => None,
            number => Some(self.order[number as usize]),
        }
    }

    /// Bytes that would be freed if an object were gone: its own, and those of all that it dominates. 0 if it is
    /// not reachable.
    pub fn retained(&self, object: ObjectIndex) -> u64 {
        match self.numbers[object.0 as usize] {
            0 => 0,
            number => self.retained[number as usize],
        }
    }

    /// Bytes of all reachable objects.
    pub fn total(&self) -> u64 {
        self.retained[0]
    }

    /// Of some objects the `most` that retain most, in this order; of equals the first in the graph.
    pub fn largest(&self, objects: impl IntoIterator<Item = ObjectIndex>, most: usize) -> Vec<ObjectIndex> {
        let rank = |&object: &ObjectIndex| (std::cmp::Reverse(self.retained(object)), object);
        let mut found: Vec<_> = Vec::new();
        for object in objects {
            found.push(object);
            if found.len() >= most.saturating_mul(2).max(1024) {
                found.select_nth_unstable_by_key(most, rank);
                found.truncate(most);
            }
        }
        found.sort_unstable_by_key(rank);
        found.truncate(most);
        found
    }

    /// The tree from above: which objects each one dominates immediately.
    pub fn children(&self) -> Children<'_> {
        let mut counts = vec![0; self.order.len()];
        self.immediate[1..].iter().for_each(|&by| counts[by as usize] += 1);
        let mut starts = Offsets::from_lengths(counts);
        let mut objects = vec![ObjectIndex(0); self.order.len() - 1];
        for (&by, &object) in self.immediate.iter().zip(&self.order).skip(1) {
            objects[starts.take(by, 1)] = object;
        }
        starts.settle();
        Children { dominators: self, starts, objects }
    }

    /// Bytes of memory taken.
    pub fn memory(&self) -> usize {
        (self.numbers.capacity() + self.order.capacity() + self.immediate.capacity()) * size_of::<u32>()
            + self.retained.capacity() * size_of::<u64>()
    }
}

/// The tree of dominators from above: 8 bytes more per object.
#[derive(Debug)]
pub struct Children<'tree> {
    dominators: &'tree Dominators,
    starts: Offsets,
    objects: Vec<ObjectIndex>,
}

impl Children<'_> {
    /// The objects that nothing dominates but the roots together.
    pub fn top(&self) -> &[ObjectIndex] {
        &self.objects[self.starts.range(0)]
    }

    /// The objects that an object dominates immediately.
    pub fn of(&self, object: ObjectIndex) -> &[ObjectIndex] {
        match self.dominators.numbers[object.0 as usize] {
            0 => &[],
            number => &self.objects[self.starts.range(number)],
        }
    }
}
