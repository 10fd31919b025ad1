//! Over how many containers a growth is spread: one list that grows is another matter than the reservoirs of a hundred histograms.

use rustc_hash::FxHashMap;

use super::outline::Outline;
use super::sustained::Sustained;
use super::tree::{NodeIndex, class_of};
use crate::graph::Graph;
use crate::index::ObjectIndex;

/// Containers that became more by this factor bring the growth, not their contents.
const MORE_CONTAINERS: f64 = 1.1;

/// Over how many containers a growth is spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// So many containers took objects that came.
    pub containers: u64,
    /// Over so many it would be spread if each took the same: of two of which one takes nearly all hardly more than one.
    pub evenly: f64,
}

impl Spread {
    /// All that came is in one.
    pub const NONE: Self = Self { containers: 1, evenly: 1.0 };

    /// Of what came into each container.
    fn of(came: impl Iterator<Item = u64> + Clone) -> Self {
        let containers = came.clone().filter(|&objects| objects > 0).count() as u64;
        let (sum, squares) = came.fold((0.0, 0.0), |(sum, squares), objects| {
            let objects = objects as f64;
            (sum + objects, squares + objects * objects)
        });
        if squares == 0.0 { Self::NONE } else { Self { containers, evenly: sum * sum / squares } }
    }
}

/// Of each row, in the last dump with its graph. What came in containers that are new themselves is growth by their number, and counts as one.
/// Where ids are not the same in all dumps, all that is there stands for what came.
pub fn spreads(rows: &[&Sustained], graph: &Graph, dumps: &[Outline]) -> Vec<Spread> {
    let (Some(first), Some(last)) = (dumps.first(), dumps.last()) else {
        return vec![Spread::NONE; rows.len()];
    };
    let seen = Seen { graph, first, last };
    let elements = rows.iter().map(|row| last.node(&row.path[..=row.element]));
    let mut came: FxHashMap<NodeIndex, FxHashMap<Option<ObjectIndex>, u64>> = FxHashMap::default();
    came.extend(elements.clone().flatten().map(|node| (node, FxHashMap::default())));
    let mut owners = FxHashMap::default();
    for (object, node) in last.tree.node_of.iter().enumerate() {
        let object = ObjectIndex(object as u32);
        if let Some(came) = came.get_mut(node).filter(|_| seen.is_new(object)) {
            let owner = seen.container(object, &mut owners).filter(|&owner| !seen.is_new_in_series(owner));
            *came.entry(owner).or_default() += 1;
        }
    }
    let of = |(row, node): (&&Sustained, Option<NodeIndex>)| {
        let came = node.and_then(|node| came.get(&node)).filter(|_| !seen.by_number(row));
        came.map_or(Spread::NONE, |came| Spread::of(came.values().copied()))
    };
    rows.iter().zip(elements).map(of).collect()
}

struct Seen<'a> {
    graph: &'a Graph,
    first: &'a Outline,
    last: &'a Outline,
}

impl Seen<'_> {
    /// Whether it came since the first dump; where ids say nothing, any may have.
    fn is_new(&self, object: ObjectIndex) -> bool {
        self.first.by_identity.is_none() || self.is_new_in_series(object)
    }

    fn is_new_in_series(&self, object: ObjectIndex) -> bool {
        self.first.by_identity.is_some() && self.first.place(self.graph.id(object) as usize) == 0
    }

    /// What holds an object as its container: the first above that is neither an element itself nor a part of a collection, which is made
    /// anew when the collection grows. `owners` are those that are known.
    fn container(
        &self,
        object: ObjectIndex,
        owners: &mut FxHashMap<ObjectIndex, Option<ObjectIndex>>,
    ) -> Option<ObjectIndex> {
        let tree = &self.last.tree;
        let node = tree.node_of[object.0 as usize];
        let mut passed = Vec::new();
        let mut at = object;
        let owner = loop {
            if let Some(&known) = owners.get(&at) {
                break known;
            }
            passed.push(at);
            match tree.dominator(at) {
                None => break None,
                Some(above) if tree.node_of[above.0 as usize] != node && !self.is_inside(above) => {
                    break Some(above);
                }
                Some(above) => at = above,
            }
        };
        // The insides of a collection may belong to several rows, whose containers differ.
        owners.extend(
            passed.into_iter().filter(|at| tree.node_of[at.0 as usize] == node).map(|at| (at, owner)),
        );
        owner
    }

    /// Whether it is an array, or an entry of a collection of the JDK.
    fn is_inside(&self, object: ObjectIndex) -> bool {
        let class = &*self.graph.class(self.graph.class_of(object)).name;
        class.starts_with('[') || (class.starts_with("java.util.") && class.contains('$'))
    }

    /// Where no ids tell which containers are new: whether there are more of them.
    fn by_number(&self, row: &Sustained) -> bool {
        let array = |label: &str| class_of(label).starts_with('[');
        let Some(at) = row.path[..row.element].iter().rposition(|label| !array(label)) else { return false };
        let objects = |dump: &Outline| dump.objects_at(&row.path[..=at]);
        self.first.by_identity.is_none()
            && objects(self.last) as f64 > MORE_CONTAINERS * objects(self.first) as f64
    }
}
