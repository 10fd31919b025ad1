//! What grew from each dump to the next: a cache that is full, and a batch that is dropped, did not.

use super::outline::Outline;
use super::paths::earlier;
use super::stay::{Stay, Stays};
use super::tree::{ClassTree, NodeIndex, class_of};
use mayfly_counts::Total;

/// Objects of one class below others that became more, or larger, from each dump to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sustained {
    /// Classes from a root on, each held by the one before alone, as in [`super::PathGrowth`].
    pub path: Vec<Box<str>>,
    /// What of the path became more: the first of its classes with more objects in each dump than in the one before, else in steps;
    /// the last class where none has.
    pub element: usize,
    /// These objects in each dump.
    pub own: Vec<Total>,
    /// How many objects of each class of the path there were in each dump: of a skip list's elements there are more than of the nodes that lead to them.
    pub objects: Vec<Vec<u64>>,
    /// They and all that they retain.
    pub retained: Vec<Total>,
    /// Of these, in each dump, those that hold something softly.
    pub soft: Vec<u64>,
    /// Bytes outside of the heap that they have beside: of direct and mapped buffers.
    pub off_heap: Vec<u64>,
    /// How the objects of each class of the path came and went; empty if ids are not the same in all dumps.
    pub stays: Vec<Stay>,
}

impl Sustained {
    /// All bytes in each dump, of the heap and outside of it.
    pub fn held(&self) -> Vec<u64> {
        let off_heap = self.off_heap.iter().copied().chain(std::iter::repeat(0));
        self.retained.iter().zip(off_heap).map(|(retained, off_heap)| retained.bytes + off_heap).collect()
    }

    /// Bytes more in the last dump than in the first.
    pub fn bytes(&self) -> u64 {
        match self.held()[..] {
            [first, .., last] => last.saturating_sub(first),
            _ => 0,
        }
    }
}

/// What grew all along some dumps, or where ids are known in steps, in their order, by `least` bytes or more; most first. Each element is there once, with the
/// path below it that grew most, of those in which a class says something, if there are any: the key of an entry may say more than its value.
pub fn sustained(dumps: &[Outline], least: u64, says: impl Fn(&str) -> bool) -> Vec<Sustained> {
    let Some(last) = dumps.last().filter(|_| dumps.len() > 1) else { return Vec::new() };
    let compared = Compared::new(dumps, &last.tree);
    let mut open = compared.growing(0, least);
    let mut rows: Vec<(u64, Sustained)> = Vec::new();
    while let Some(node) = open.pop() {
        let parts = compared.growing(node, least);
        if parts.is_empty() {
            rows.extend(compared.row(node).map(|row| (compared.grown[node as usize], row)));
        }
        open.extend(parts);
    }
    rows.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.path.cmp(&other.path)));
    let mut distinct: Vec<Sustained> = Vec::new();
    for (_, row) in rows {
        let top = |row: &Sustained| row.path[..=row.element].to_vec();
        let says_something = |row: &Sustained| row.path[row.element..].iter().any(|label| says(label));
        match distinct.iter_mut().find(|known| top(known) == top(&row)) {
            Some(known) if !says_something(known) && says_something(&row) => *known = row,
            Some(_) => {}
            None => distinct.push(row),
        }
    }
    distinct.sort_by_key(|row| std::cmp::Reverse(row.bytes()));
    distinct
}

/// Trees of dumps, and for each node of the last the same ones of all.
struct Compared<'tree> {
    trees: Vec<&'tree ClassTree>,
    last: &'tree ClassTree,
    same: Vec<Vec<Option<NodeIndex>>>,
    stays: Option<Stays>,
    /// Of each node: bytes that it, or parts of it, grew by all along.
    grown: Vec<u64>,
}

impl<'tree> Compared<'tree> {
    fn new(dumps: &'tree [Outline], last: &'tree ClassTree) -> Self {
        let trees: Vec<_> = dumps.iter().map(|dump| &dump.tree).collect();
        let same = trees.iter().map(|tree| earlier(tree, last)).collect();
        let mut compared = Self { trees, last, same, stays: Stays::of(dumps), grown: Vec::new() };
        let mut grown = vec![0; last.nodes.len()];
        // Each node comes after the one above.
        for number in (1..last.nodes.len()).rev() {
            let bytes = compared.held(number as NodeIndex);
            let in_steps = compared.stays.is_some() && rises_in_steps(&bytes);
            if rises(&bytes) || in_steps || compared.is_enlarged(number as NodeIndex) {
                grown[number] = bytes[bytes.len() - 1] - bytes[0];
            }
            let above = last.nodes[number].above as usize;
            // What is above counts for itself, if it grew; else by what is in it.
            if above == 0 || !rises(&compared.held(above as NodeIndex)) {
                grown[above] += grown[number];
            }
        }
        compared.grown = grown;
        compared
    }

    /// One number of a node in each dump; 0 where it is not there.
    fn totals<T: Default>(&self, node: NodeIndex, of: impl Fn(&ClassTree, usize) -> T) -> Vec<T> {
        let each = self.trees.iter().zip(&self.same);
        each.map(|(tree, same)| same[node as usize].map(|node| of(tree, node as usize)).unwrap_or_default())
            .collect()
    }

    /// The objects of a node in each dump, also where they hung below something else then.
    fn own(&self, node: NodeIndex) -> Vec<Total> {
        let known = self.totals(node, |tree, node| tree.nodes[node].own);
        self.with_moved(node, known, self.last.nodes[node as usize].own)
    }

    /// The same with all that they retain.
    fn retained(&self, node: NodeIndex) -> Vec<Total> {
        let known = self.totals(node, |tree, node| tree.nodes[node].retained);
        self.with_moved(node, known, self.last.nodes[node as usize].retained)
    }

    fn off_heap(&self, node: NodeIndex) -> Vec<u64> {
        self.totals(node, |tree, node| tree.nodes[node].off_heap)
    }

    /// Bytes that they retain, and those outside of the heap.
    fn held(&self, node: NodeIndex) -> Vec<u64> {
        let retained = self.retained(node);
        retained
            .iter()
            .zip(self.off_heap(node))
            .map(|(retained, off_heap)| retained.bytes + off_heap)
            .collect()
    }

    /// Where more of its objects were there than hung below the same classes, they count with their share of what is there now. Not where these alone
    /// became more each time: of the last dump it is not known what else will hang there, as what requests that run still hold.
    fn with_moved(&self, node: NodeIndex, mut known: Vec<Total>, now: Total) -> Vec<Total> {
        let Some(stay) = self.stay(node).filter(|_| node != 0) else { return known };
        let objects = self.totals(node, |tree, node| tree.nodes[node].own.objects);
        if rises(&objects) {
            return known;
        }
        let all = stay.present.last().copied().unwrap_or(0).max(1);
        for ((known, &present), objects) in known.iter_mut().zip(&stay.present).zip(objects) {
            if present > objects {
                let share = |number: u64| (u128::from(number) * u128::from(present) / u128::from(all)) as u64;
                known.objects = known.objects.max(share(now.objects));
                known.bytes = known.bytes.max(share(now.bytes));
            }
        }
        known
    }

    fn stay(&self, node: NodeIndex) -> Option<Stay> {
        let same = |dump: usize| self.same.get(dump).and_then(|same| same[node as usize]);
        self.stays.as_ref().map(|stays| stays.get(node, same(0), same(1)))
    }

    /// The nodes below one that grew by so many bytes at least.
    fn growing(&self, node: NodeIndex, least: u64) -> Vec<NodeIndex> {
        let below = self.last.nodes[node as usize].below.iter().copied();
        below.filter(|&part| self.grown[part as usize] >= least).collect()
    }

    /// `None` if neither its objects nor what it is made of grew all along: it may hold a cache that was filled, beside a batch.
    fn row(&self, node: NodeIndex) -> Option<Sustained> {
        let up = std::iter::successors(Some(node), |&node| Some(self.last.nodes[node as usize].above));
        let mut nodes: Vec<_> = up.take_while(|&node| node != 0).collect();
        nodes.reverse();
        let objects_of = |&node| self.own(node).iter().map(|total| total.objects).collect();
        let objects: Vec<Vec<u64>> = nodes.iter().map(objects_of).collect();
        let first = |more: fn(&[u64]) -> bool| objects.iter().position(|objects| more(objects));
        let in_steps = || if self.stays.is_some() { first(rises_in_steps) } else { None };
        let element = match first(rises).or_else(in_steps) {
            Some(element) => element,
            None if self.grows_by_its_parts(node) => nodes.len() - 1,
            None => return None,
        };
        let at = nodes[element];
        Some(Sustained {
            path: nodes.iter().map(|&node| self.last.nodes[node as usize].label.clone()).collect(),
            element,
            own: self.own(at),
            objects,
            retained: self.retained(at),
            soft: self.totals(at, |tree, node| tree.nodes[node].soft),
            off_heap: self.off_heap(at),
            stays: nodes.iter().filter_map(|&node| self.stay(node)).collect(),
        })
    }

    /// Whether it is one array of numbers, replaced by a larger one more than once: of a table of references what is in it tells more.
    fn is_enlarged(&self, node: NodeIndex) -> bool {
        let label = &self.last.nodes[node as usize].label;
        let numbers = |class: &str| class.len() == 2 && class.starts_with('[');
        let own = |node| self.totals(node, |tree, node| tree.nodes[node].own);
        let is_one = || own(node).iter().all(|own| own.objects == 1);
        numbers(class_of(label)) && is_one() && {
            let own: Vec<_> = own(node);
            let steps = || own.windows(2).map(|pair| (pair[0].bytes, pair[1].bytes));
            steps().all(|(before, after)| before <= after)
                && steps().filter(|(before, after)| before < after).count() > 1
        }
    }

    /// Whether its own size grew all along, or most of its growth is in parts that did.
    fn grows_by_its_parts(&self, node: NodeIndex) -> bool {
        let parts: u64 = self.growing(node, 1).iter().map(|&part| self.grown[part as usize]).sum();
        let own: Vec<_> = self.own(node).iter().map(|total| total.bytes).collect();
        rises(&own) || self.is_enlarged(node) || parts > self.grown[node as usize] / 2
    }
}

/// Whether they never fall, and rise more than once or at last: what a job leaves now and then, and what begins late, grows so.
fn rises_in_steps(numbers: &[u64]) -> bool {
    let steps = || numbers.windows(2).map(|pair| pair[0] < pair[1]);
    let often = steps().filter(|&rises| rises).count() > 1 || steps().next_back() == Some(true);
    often && numbers.windows(2).all(|pair| pair[0] <= pair[1])
}

fn rises(numbers: &[u64]) -> bool {
    numbers.windows(2).all(|pair| pair[0] < pair[1])
}
