//! The tree of dominators, and what each object in it retains.

use std::cmp::Reverse;
use std::sync::OnceLock;

use super::lengauer_tarjan::find_dominators;
use super::walk::{Node, Walk};
use crate::column::Column;
use crate::filter::Filter;
use crate::graph::Graph;
use crate::index::ObjectIndex;

/// The tree of dominators, and retained sizes, packed: some 10 bytes per object.
///
/// Made by the algorithm of Lengauer and Tarjan ("A fast algorithm for finding dominators in a flowgraph", 1979) in its
/// simple form, in O(m log n). While it is made it takes 23 bytes per object, and 8 for each reference but one to each object.
#[derive(Debug)]
pub struct Dominators {
    /// Number of objects of the graph.
    objects: usize,
    /// Number of each object in a depth-first walk from the roots, 0 for unreachable ones; made when it is asked for.
    numbers: OnceLock<Column>,
    /// The objects in that order; the first stands for all roots together.
    pub(super) order: Column,
    /// Number of the immediate dominator, by number; 0: none but the roots together.
    pub(super) immediate: Column,
    /// Retained bytes, by number.
    pub(super) retained: Column,
}

impl Dominators {
    /// Of the objects that the filter lets be reached from the roots.
    pub fn new(graph: &Graph, filter: &Filter) -> Self {
        Self::staged(graph, filter, [graph.roots().iter().map(|root| root.object)])
    }

    /// By stages: what is reachable from the objects that the first one begins at is dominated as if there were no others; these hold
    /// only what nothing before them does. Roots have to be among them ([`super::lasting_first`]).
    pub fn staged<S>(graph: &Graph, filter: &Filter, stages: impl IntoIterator<Item = S>) -> Self
    where
        S: IntoIterator<Item = ObjectIndex>,
    {
        let (order, mut walk) = Walk::new(graph, filter, stages);
        find_dominators(&mut walk);
        walk.others = Vec::new();
        let mut nodes = walk.nodes;
        retain(graph, &order, &mut nodes);
        let immediate = nodes.iter().map(|node| u64::from(node.idom)).collect();
        let retained = nodes.iter().map(Node::retained).collect();
        drop(nodes);
        Self { objects: graph.len(), numbers: OnceLock::new(), order, immediate, retained }
    }

    /// From columns that were written; none if they are of no tree of this graph.
    pub(crate) fn of_columns(
        graph: &Graph,
        order: Column,
        immediate: Column,
        retained: Column,
    ) -> Option<Self> {
        let (objects, count) = (graph.len(), order.len());
        let fits = (1..=objects + 1).contains(&count)
            && (immediate.len(), retained.len()) == (count, count)
            && order.most() <= objects.saturating_sub(1) as u64;
        fits.then_some(Self { objects, numbers: OnceLock::new(), order, immediate, retained })
    }

    /// Objects, immediate dominators and bytes retained, by number.
    pub(crate) fn columns(&self) -> (&Column, &Column, &Column) {
        (&self.order, &self.immediate, &self.retained)
    }

    /// Its number; 0 if it is not reachable.
    fn number(&self, object: ObjectIndex) -> usize {
        let numbers = self.numbers.get_or_init(|| {
            let mut numbers = vec![0_u32; self.objects];
            for (number, object) in self.order.iter().enumerate().skip(1) {
                numbers[object as usize] = number as u32;
            }
            numbers.into_iter().map(u64::from).collect()
        });
        numbers.get(object.0 as usize) as usize
    }

    /// The object with a number.
    pub(super) fn object(&self, number: usize) -> ObjectIndex {
        ObjectIndex(self.order.get(number) as u32)
    }

    /// The number of the immediate dominator of a number above 0, which is lower.
    pub(super) fn above(&self, number: usize) -> usize {
        // It is: so that there is no way round even in a forged index.
        (self.immediate.get(number) as usize).min(number.saturating_sub(1))
    }

    /// Whether an object is reachable.
    pub fn is_reachable(&self, object: ObjectIndex) -> bool {
        self.number(object) != 0
    }

    /// All reachable objects, each after its dominators.
    pub fn reachable(&self) -> impl ExactSizeIterator<Item = ObjectIndex> {
        (1..self.order.len() as u32).map(|number| self.object(number as usize))
    }

    /// The nearest object through which every path to this one leads. None if there is none, or no path.
    pub fn immediate(&self, object: ObjectIndex) -> Option<ObjectIndex> {
        match self.above(self.number(object)) {
            0 => None,
            number => Some(self.object(number)),
        }
    }

    /// Bytes that would be freed if an object were gone: its own, and those of all that it dominates. 0 if it is
    /// not reachable.
    pub fn retained(&self, object: ObjectIndex) -> u64 {
        match self.number(object) {
            0 => 0,
            number => self.retained.get(number),
        }
    }

    /// Bytes of all reachable objects.
    pub fn total(&self) -> u64 {
        self.retained.get(0)
    }

    /// Of some objects the `most` that retain most, in this order, with the bytes; of equals the first in the graph.
    pub fn largest(
        &self,
        objects: impl IntoIterator<Item = ObjectIndex>,
        most: usize,
    ) -> Vec<(ObjectIndex, u64)> {
        largest(objects.into_iter().map(|object| (Reverse(self.retained(object)), object)), most)
    }

    /// The same of all that are reachable.
    pub fn largest_of_all(&self, most: usize) -> Vec<(ObjectIndex, u64)> {
        let all = self.retained.iter().zip(self.order.iter()).skip(1);
        largest(all.map(|(retained, object)| (Reverse(retained), ObjectIndex(object as u32))), most)
    }
}

/// Has all nodes, whose dominators were found, say what they retain.
fn retain(graph: &Graph, order: &Column, nodes: &mut [Node]) {
    nodes[0].set_retained(0);
    for (node, object) in nodes.iter_mut().zip(order.iter()).skip(1) {
        node.set_retained(graph.size(ObjectIndex(object as u32)));
    }
    // Whatever is dominated has a higher number than what dominates it.
    for number in (1..nodes.len()).rev() {
        let (bytes, by) = (nodes[number].retained(), nodes[number].idom as usize);
        let all = nodes[by].retained().saturating_add(bytes);
        nodes[by].set_retained(all);
    }
}

/// The first `most` of some objects by rank.
fn largest(
    ranked: impl Iterator<Item = (Reverse<u64>, ObjectIndex)>,
    most: usize,
) -> Vec<(ObjectIndex, u64)> {
    let mut found: Vec<_> = Vec::new();
    // What comes after this one is not among them.
    let mut last = None;
    for object in ranked.take_while(|_| most > 0) {
        if last.is_some_and(|last| object > last) {
            continue;
        }
        found.push(object);
        if found.len() >= most.saturating_mul(2).max(1024) {
            let (_, &mut last_kept, _) = found.select_nth_unstable(most - 1);
            last = Some(last_kept);
            found.truncate(most);
        }
    }
    found.sort_unstable();
    found.truncate(most);
    found.into_iter().map(|(Reverse(bytes), object)| (object, bytes)).collect()
}
