//! Immediate dominators by the algorithm of Lengauer and Tarjan (1979), simple form: path compression without balancing.
//!
//! All numbers are those of the depth-first walk; 0 is the root of all roots. It goes from the highest number down: those
//! higher than the one at hand hang together in a forest, by `above`. The semidominator of a number is the lowest one
//! from which a path leads to it through higher ones only.

use super::walk::{Node, Other, Walk};

/// Sets `idom` in all nodes of a walk, which is used up by it.
pub(super) fn find_dominators(walk: &mut Walk) {
    let mut forest = Forest { nodes: &mut walk.nodes, others: &walk.others };
    for w in (1..forest.nodes.len() as u32).rev() {
        forest.empty_bucket(w);
        forest.hang(w);
    }
    for w in 1..walk.nodes.len() {
        let Node { semi, idom, .. } = walk.nodes[w];
        if idom != semi {
            walk.nodes[w].idom = walk.nodes[idom as usize].idom;
        }
    }
}

struct Forest<'walk> {
    nodes: &'walk mut [Node],
    others: &'walk [Other],
}

impl Forest<'_> {
    fn node(&mut self, number: u32) -> &mut Node {
        &mut self.nodes[number as usize]
    }

    /// Finds the dominators of what `w` semidominates: `w`, or for now one that has the same dominator.
    fn empty_bucket(&mut self, w: u32) {
        let mut v = self.node(w).semi;
        while v != 0 {
            let (lowest, semi) = self.lowest(v, w);
            let node = self.node(v);
            let next = node.idom;
            node.idom = if semi < w { lowest } else { w };
            v = next;
        }
    }

    /// Finds the semidominator of `w`, and adds `w` to the forest.
    fn hang(&mut self, w: u32) {
        let Node { above: parent, label: mut other, .. } = *self.node(w);
        let mut semi = parent;
        while other != 0 {
            let Other { from, next } = self.others[other as usize];
            let candidate = if from <= w { from } else { self.lowest(from, w).1 };
            semi = semi.min(candidate);
            other = next;
        }
        // Nothing lies between it and its parent, and nothing else between it and the root of all roots: no second look.
        let idom =
            if semi == parent || semi == 0 { semi } else { std::mem::replace(&mut self.node(semi).semi, w) };
        *self.node(w) = Node { above: parent, label: w, semi, idom };
    }

    /// Of `v` and all above it in its tree but the root, the number with the lowest semidominator, and that.
    fn lowest(&mut self, v: u32, w: u32) -> (u32, u32) {
        self.compress(v, w);
        let label = self.node(v).label;
        (label, self.node(label).semi)
    }

    /// Shortens the way from `v` to its root, which is `w` or lower, to one step. Ways can be as long as there are objects (a
    /// linked list), so there is no recursion: the way is turned round on the way up, and back on the way down.
    fn compress(&mut self, v: u32, w: u32) {
        let (mut at, mut from) = (v, v);
        let root = loop {
            let up = self.node(at).above;
            if up <= w {
                break up;
            }
            self.node(at).above = from;
            (from, at) = (at, up);
        };
        let mut best = self.node(at).label;
        let mut best_semi = self.node(best).semi;
        while at != v {
            at = from;
            let Node { above, label, .. } = *self.node(at);
            let semi = self.node(label).semi;
            if semi <= best_semi {
                (best, best_semi) = (label, semi);
            }
            let node = self.node(at);
            (node.above, node.label) = (root, best);
            from = above;
        }
    }
}
