//! Where in the heap it grew: the classes from the roots down to where the growth can't be laid on few classes any more.

use rustc_hash::FxHashMap;

use super::tree::{ClassTree, NodeIndex};
use crate::dominators::Dominators;
use crate::graph::Graph;
use mayfly_counts::Total;

/// Objects of one class below others, and what they retain together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathGrowth {
    /// Classes from a root on, each held by the one before alone. `class A` is the class itself, `x: B` what its static field `x`
    /// holds.
    pub path: Vec<Box<str>>,
    /// These objects and all that they retain, in the first dump.
    pub before: Total,
    /// In the second.
    pub after: Total,
}

impl PathGrowth {
    /// Bytes more in the second dump.
    pub fn bytes(&self) -> i64 {
        difference(self.before.bytes, self.after.bytes)
    }
}

/// The share of all growth from which on what is below one class is looked at on its own: one in so many.
const WORTH_A_LOOK: i64 = 20;

/// What grew, by the classes that alone hold it, most bytes first. No row is below another. A path goes down as long as most of
/// the growth is in such parts below that have a twentieth of all growth.
pub fn by_path(before: (&Graph, &Dominators), after: (&Graph, &Dominators)) -> Vec<PathGrowth> {
    let before = ClassTree::new(before.0, before.1);
    let after = ClassTree::new(after.0, after.1);
    let compared = Compared { earlier: earlier(&before, &after), before: &before, after: &after };
    let top = || after.nodes[0].below.iter().copied().filter(|&node| compared.growth(node) > 0);
    let least = top().map(|node| compared.growth(node)).sum::<i64>() / WORTH_A_LOOK;
    let mut open: Vec<_> = top().collect();
    let mut rows = Vec::new();
    while let Some(node) = open.pop() {
        match compared.parts(node, least) {
            parts if parts.is_empty() => rows.push(compared.row(node)),
            parts => open.extend(parts),
        }
    }
    rows.sort_by(|a, b| b.bytes().cmp(&a.bytes()).then_with(|| a.path.cmp(&b.path)));
    rows
}

/// Two trees, and for each node of the second the same one of the first, if there was one.
struct Compared<'tree> {
    before: &'tree ClassTree,
    after: &'tree ClassTree,
    earlier: Vec<Option<NodeIndex>>,
}

/// For each node of the later tree the same one of the earlier, if it is there.
pub(super) fn earlier(before: &ClassTree, after: &ClassTree) -> Vec<Option<NodeIndex>> {
    let nodes = before.nodes.iter().enumerate().skip(1);
    let known: FxHashMap<_, _> =
        nodes.map(|(number, node)| ((node.above, &*node.label), number as NodeIndex)).collect();
    let mut earlier = vec![Some(0)];
    for node in &after.nodes[1..] {
        let above: Option<NodeIndex> = earlier[node.above as usize];
        earlier.push(above.and_then(|above| known.get(&(above, &*node.label)).copied()));
    }
    earlier
}

impl Compared<'_> {
    fn totals(&self, node: NodeIndex) -> (Total, Total) {
        let before = self.earlier[node as usize].map(|node| self.before.nodes[node as usize].retained);
        (before.unwrap_or_default(), self.after.nodes[node as usize].retained)
    }

    fn growth(&self, node: NodeIndex) -> i64 {
        let (before, after) = self.totals(node);
        difference(before.bytes, after.bytes)
    }

    /// What is below a node and grew by `least` or more, if that explains most of the node's growth.
    fn parts(&self, node: NodeIndex, least: i64) -> Vec<NodeIndex> {
        let mut parts = self.after.nodes[node as usize].below.clone();
        parts.retain(|&part| self.growth(part) >= least.max(1));
        let explained: i64 = parts.iter().map(|&part| self.growth(part)).sum();
        if explained > self.growth(node) / 2 { parts } else { Vec::new() }
    }

    fn row(&self, node: NodeIndex) -> PathGrowth {
        let up = std::iter::successors(Some(node), |&node| Some(self.after.nodes[node as usize].above));
        let mut path: Vec<_> = up
            .take_while(|&node| node != 0)
            .map(|node| self.after.nodes[node as usize].label.clone())
            .collect();
        path.reverse();
        let (before, after) = self.totals(node);
        PathGrowth { path, before, after }
    }
}

/// How much more the second is.
fn difference(before: u64, after: u64) -> i64 {
    after.wrapping_sub(before) as i64
}
