//! What is kept of a dump to compare it with later ones: far less than its graph.

use rustc_hash::FxHashMap;

use super::tree::{ClassTree, NodeIndex};
use crate::dominators::Dominators;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use mayfly_counts::Total;

/// Ids are below.
const MOST_IDS: usize = 1 << 32;

/// A dump as the classes that hold each other alone, with how many objects there are and what they retain.
#[derive(Debug)]
pub struct Outline {
    pub(super) tree: ClassTree,
    /// By id of the object, if ids are the same in all dumps: its node, 0 for what is not reachable.
    pub(super) by_identity: Option<Vec<NodeIndex>>,
}

impl Outline {
    /// Of what the dominators' filter lets be reached. Takes 8 bytes per object, until [`Self::forget_objects`].
    pub fn new(graph: &Graph, dominators: &Dominators) -> Self {
        Self { tree: ClassTree::new(graph, dominators), by_identity: None }
    }

    /// The same of dumps in which each object has the same id, numbers from 1 on. Takes 4 bytes for each that was ever given out.
    pub fn identified(graph: &Graph, dominators: &Dominators) -> Self {
        let tree = ClassTree::new(graph, dominators);
        let mut by_identity = Vec::new();
        for object in graph.objects() {
            let id = graph.id(object) as usize;
            // No walk has so many objects: such an id is none that was given out.
            if id >= MOST_IDS {
                continue;
            }
            if id >= by_identity.len() {
                by_identity.resize(id + 1, 0);
            }
            by_identity[id] = tree.node_of[object.0 as usize];
        }
        Self { tree, by_identity: Some(by_identity) }
    }

    /// Keeps numbers only: [`Self::objects`] finds none from now on.
    pub fn forget_objects(&mut self) {
        (self.tree.node_of, self.tree.above) = (Vec::new(), Vec::new());
    }

    /// The objects at the end of a path of classes, as [`super::Sustained`] gives it.
    pub fn objects(&self, path: &[Box<str>]) -> Vec<ObjectIndex> {
        let Some(node) = self.node(path) else { return Vec::new() };
        let all = self.tree.node_of.iter().enumerate();
        all.filter(|&(_, &of)| of == node && node > 0).map(|(object, _)| ObjectIndex(object as u32)).collect()
    }

    /// What holds the objects at the end of a path alone, of those at the end of its first `above` classes: each with how many it holds, the
    /// one that holds most first.
    pub fn holders(&self, path: &[Box<str>], above: usize) -> Vec<(ObjectIndex, u64)> {
        let Some(holder) = self.node(&path[..above]).filter(|&node| node > 0) else { return Vec::new() };
        let mut known: FxHashMap<ObjectIndex, Option<ObjectIndex>> = FxHashMap::default();
        let mut held: FxHashMap<ObjectIndex, u64> = FxHashMap::default();
        let (mut passed, tree) = (Vec::new(), &self.tree);
        for object in self.objects(path) {
            let mut at = Some(object);
            // Elements of a list hold each other: each is passed once.
            let found = loop {
                match at {
                    Some(one) if tree.node_of[one.0 as usize] == holder => break Some(one),
                    Some(one) if known.contains_key(&one) => break known[&one],
                    Some(one) => passed.push(one),
                    None => break None,
                }
                at = at.and_then(|one| tree.dominator(one));
            };
            known.extend(passed.drain(..).map(|one| (one, found)));
            found.into_iter().for_each(|found| *held.entry(found).or_default() += 1);
        }
        let mut held: Vec<_> = held.into_iter().collect();
        held.sort_unstable_by_key(|&(holder, objects)| (std::cmp::Reverse(objects), holder));
        held
    }

    /// Bytes of all that is reachable.
    pub fn bytes(&self) -> u64 {
        self.tree.nodes[0].retained.bytes
    }

    /// Where an object is, by its id.
    pub(super) fn place(&self, id: usize) -> NodeIndex {
        self.by_identity.as_ref().and_then(|nodes| nodes.get(id)).copied().unwrap_or(0)
    }

    /// How many objects are at the end of such a path.
    pub fn objects_at(&self, path: &[Box<str>]) -> u64 {
        self.own_at(path).objects
    }

    /// Bytes of them and of all that they retain.
    pub fn retained_at(&self, path: &[Box<str>]) -> u64 {
        self.node(path).map_or(0, |node| self.tree.nodes[node as usize].retained.bytes)
    }

    /// The same with their bytes.
    pub(super) fn own_at(&self, path: &[Box<str>]) -> Total {
        self.node(path).map_or(Total::default(), |node| self.tree.nodes[node as usize].own)
    }

    pub(super) fn node(&self, path: &[Box<str>]) -> Option<NodeIndex> {
        let nodes = &self.tree.nodes;
        path.iter().try_fold(0, |node: NodeIndex, label| {
            nodes[node as usize].below.iter().copied().find(|&below| nodes[below as usize].label == *label)
        })
    }
}
