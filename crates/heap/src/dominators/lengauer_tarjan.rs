//! Immediate dominators by the algorithm of Lengauer and Tarjan (1979), simple form: path compression without balancing.
//!
//! All arrays are by number in the depth-first walk; 0 is the root of all roots. Three of the paper's arrays share memory with
//! others, as their times do not overlap: `ancestor` begins as the walk's `parent`, the lists of a bucket begin in `semi` of
//! a number not processed yet, and go on through `idom`, which is not known while a number is in a bucket.

use crate::{Filter, Graph, ObjectIndex, ObjectSet, Referrers};

/// The number of the immediate dominator of each number.
pub(super) fn immediate_dominators(
    graph: &Graph,
    filter: &Filter,
    parents: Vec<u32>,
    numbers: &[u32],
    order: &[ObjectIndex],
) -> Vec<u32> {
    let roots = graph.roots().iter().map(|root| root.object).filter(|&object| filter.enters(object));
    let roots = ObjectSet::of(graph, roots);
    let referrers = Referrers::of(graph, |from, label, to| {
        filter.follows(label)
            && numbers[from.0 as usize] != 0
            && filter.enters(to)
            && filter.leaves(from)
            && !roots.contains(to)
    });
    let count = order.len();
    let mut forest = Forest { ancestor: parents, label: (0..count as u32).collect(), semi: vec![0; count] };
    let mut idom = vec![0; count];
    for w in (1..count as u32).rev() {
        forest.empty_bucket(w, &mut idom);
        let object = order[w as usize];
        let semi = if roots.contains(object) {
            0
        } else {
            let referrers = referrers.sources(object).iter().map(|from| numbers[from.0 as usize]);
            forest.semidominator(w, referrers)
        };
        // What the root of all roots semidominates, it dominates: its bucket needs no second look.
        if semi != 0 {
            idom[w as usize] = forest.semi[semi as usize];
            forest.semi[semi as usize] = w;
        }
        forest.semi[w as usize] = semi;
    }
    for w in 1..count {
        if idom[w] != forest.semi[w] {
            idom[w] = idom[idom[w] as usize];
        }
    }
    idom
}

/// The part of the walk's tree above the number at hand: numbers higher than that one hang together.
struct Forest {
    ancestor: Vec<u32>,
    /// On the way to `ancestor`, the number with the lowest semidominator.
    label: Vec<u32>,
    semi: Vec<u32>,
}

impl Forest {
    /// Finds the dominators of what `w` semidominates: `w`, or whatever dominates a number on the way.
    fn empty_bucket(&mut self, w: u32, idom: &mut [u32]) {
        let mut v = self.semi[w as usize];
        while v != 0 {
            let next = idom[v as usize];
            let lowest = self.lowest(v, w);
            idom[v as usize] = if self.semi[lowest as usize] < w { lowest } else { w };
            v = next;
        }
    }

    /// The lowest number from which a path leads to `w` whose other numbers are all higher than `w`.
    fn semidominator(&mut self, w: u32, referrers: impl Iterator<Item = u32>) -> u32 {
        let mut semi = self.ancestor[w as usize];
        for v in referrers {
            let candidate = if v <= w { v } else { self.semi_of_lowest(v, w) };
            semi = semi.min(candidate);
        }
        semi
    }

    fn semi_of_lowest(&mut self, v: u32, w: u32) -> u32 {
        let lowest = self.lowest(v, w);
        self.semi[lowest as usize]
    }

    /// The number with the lowest semidominator between `v` and the root of its tree in the forest, which is `w` or lower.
    fn lowest(&mut self, v: u32, w: u32) -> u32 {
        self.compress(v, w);
        self.label[v as usize]
    }

    /// Shortens the way from `v` to its root to one step. Ways can be as long as there are objects (a linked list),
    /// so there is no recursion: the way is turned round on the way up, and back on the way down.
    fn compress(&mut self, v: u32, w: u32) {
        let (mut at, mut from) = (v, v);
        loop {
            let up = self.ancestor[at as usize];
            if up <= w {
                break;
            }
            self.ancestor[at as usize] = from;
            from = at;
            at = up;
        }
        let root = self.ancestor[at as usize];
        let mut best = self.label[at as usize];
        let mut best_semi = self.semi[best as usize];
        while at != v {
            at = from;
            from = self.ancestor[at as usize];
            let own = self.label[at as usize];
            let own_semi = self.semi[own as usize];
            if own_semi <= best_semi {
                (best, best_semi) = (own, own_semi);
            } else {
                self.label[at as usize] = best;
            }
            self.ancestor[at as usize] = root;
        }
    }
}
