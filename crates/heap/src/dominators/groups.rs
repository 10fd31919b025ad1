//! What the objects of a class, or of a class loader, retain together.
//!
//! Of a group, the objects count that no other of the group dominates, with all that is below them in the tree: so nothing counts
//! twice. What two objects of a group hold only together counts for neither; `reach::retained` finds that too, for one group.

use rustc_hash::FxHashMap;

use super::tree::Dominators;
use crate::graph::Graph;
use crate::index::{ClassIndex, ObjectIndex};
use mayfly_counts::Total;

/// Reachable objects of classes of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassRetained {
    /// As `Class.getName()` gives it.
    pub name: Box<str>,
    /// Themselves.
    pub own: Total,
    /// Bytes that they retain, their own included.
    pub retained: u64,
}

/// Reachable objects that belong to a class loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderRetained {
    /// The loader; none for the boot loader.
    pub loader: Option<ObjectIndex>,
    /// Number of classes that it loaded.
    pub classes: u64,
    /// Instances of its classes, these classes themselves, and it.
    pub own: Total,
    /// Bytes that these retain, their own included.
    pub retained: u64,
}

impl Dominators {
    /// By name of class, those that retain most first, then by name.
    pub fn by_class(&self, graph: &Graph) -> Vec<ClassRetained> {
        let mut groups: FxHashMap<&str, u32> = FxHashMap::default();
        let mut names = Vec::new();
        let by_class: Vec<_> = graph
            .classes()
            .map(|(_, class)| {
                *groups.entry(&*class.name).or_insert_with(|| {
                    names.push(class.name.clone());
                    names.len() as u32 - 1
                })
            })
            .collect();
        let group_of = |object| by_class[graph.class_of(object).0 as usize];
        let groups = self.groups(graph, names.len(), group_of).into_iter();
        let rows = names.into_iter().zip(groups).filter(|(_, (own, _))| own.objects > 0);
        let mut rows: Vec<_> =
            rows.map(|(name, (own, retained))| ClassRetained { name, own, retained }).collect();
        rows.sort_by(|a, b| b.retained.cmp(&a.retained).then_with(|| a.name.cmp(&b.name)));
        rows
    }

    /// By class loader, those that retain most first.
    pub fn by_loader(&self, graph: &Graph) -> Vec<LoaderRetained> {
        let empty = |loader| LoaderRetained { loader, classes: 0, own: Total::default(), retained: 0 };
        let mut rows = vec![empty(None)];
        let mut groups: FxHashMap<ObjectIndex, u32> = FxHashMap::default();
        let mut by_class = Vec::new();
        for (_, class) in graph.classes() {
            let group = class.loader.map_or(0, |loader| {
                *groups.entry(loader).or_insert_with(|| {
                    rows.push(empty(Some(loader)));
                    rows.len() as u32 - 1
                })
            });
            rows[group as usize].classes += 1;
            by_class.push(group);
        }
        let of_class = |class: ClassIndex| by_class[class.0 as usize];
        let group_of = |object| {
            let of_mirror = || graph.mirrored(object).map(of_class);
            groups
                .get(&object)
                .copied()
                .or_else(of_mirror)
                .unwrap_or_else(|| of_class(graph.class_of(object)))
        };
        let totals = self.groups(graph, rows.len(), group_of);
        for (row, (own, retained)) in rows.iter_mut().zip(totals) {
            (row.own, row.retained) = (own, retained);
        }
        rows.retain(|row| row.own.objects > 0);
        rows.sort_by_key(|row| (std::cmp::Reverse(row.retained), row.loader));
        rows
    }

    /// What the objects of each group are, and what they retain.
    fn groups(
        &self,
        graph: &Graph,
        groups: usize,
        group_of: impl Fn(ObjectIndex) -> u32,
    ) -> Vec<(Total, u64)> {
        let mut found = vec![(Total::default(), 0_u64); groups];
        // By group: where in the order of the tree what is below its last outermost object ends.
        let mut ends = vec![0; groups];
        let (preorder, below) = self.preorder();
        for (place, &number) in preorder.iter().enumerate() {
            let object = self.object(number as usize);
            let group = group_of(object) as usize;
            let (own, retained) = &mut found[group];
            own.add(Total::one(graph.size(object)));
            if ends[group] <= place {
                ends[group] = place + below[number as usize] as usize;
                *retained = retained.saturating_add(self.retained.get(number as usize));
            }
        }
        found
    }

    /// The numbers in an order in which each is followed by all below it in the tree, and how many these are, with itself.
    fn preorder(&self) -> (Vec<u32>, Vec<u32>) {
        let count = self.order.len();
        let mut below = vec![1_u32; count];
        for number in (1..count).rev() {
            below[self.above(number)] += below[number];
        }
        let mut preorder = vec![0; count - 1];
        // By number: the next free place below it.
        let mut next = vec![0_u32; count];
        for number in 1..count {
            let by = self.above(number);
            let place = next[by];
            next[by] += below[number];
            next[number] = place + 1;
            preorder[place as usize] = number as u32;
        }
        (preorder, below)
    }
}
