//! A breadth-first walk from all roots at once: to each object that it reaches it knows a shortest path.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::entrances::Entrances;
use super::path::{Path, Steps};
use crate::column::Column;
use crate::edge::{EdgeName, Strength};
use crate::filter::Filter;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::root::RootKind;
use crate::set::ObjectSet;

const UNSEEN: u32 = u32::MAX;
const ROOT: u32 = u32::MAX - 1;

/// Shortest paths to objects: 4 bytes per object, and 4 more while it grows.
///
/// Objects that the filter passes over are not on any path, roots neither. A static field counts as a root:
/// the class that has it is no object of the path.
#[derive(Debug)]
pub struct PathTree<'graph> {
    graph: &'graph Graph,
    filter: &'graph Filter,
    entrances: Entrances,
    used: Used,
    /// The object from which each was reached first.
    parents: Parents,
}

/// From where objects were reached, by object.
#[derive(Debug)]
enum Parents {
    Walked(Vec<u32>),
    /// As [`stored`] has them.
    Saved(Column),
}

impl Parents {
    fn get(&self, object: ObjectIndex) -> u32 {
        match self {
            Self::Walked(parents) => parents[object.0 as usize],
            Self::Saved(parents) => (parents.get(object.0 as usize) as u32).wrapping_sub(2),
        }
    }
}

/// A parent as it is packed: what no object is becomes small.
fn stored(parent: u32) -> u64 {
    u64::from(parent.wrapping_add(2))
}

/// Shortest paths along strong references to all objects, and which were reached earlier: what a first path to any of some objects
/// needs.
#[derive(Debug)]
pub struct ShortestPaths {
    parents: Column,
    /// The how manieth each was reached, by object.
    ranks: Column,
}

impl ShortestPaths {
    /// Walks to all objects.
    pub fn new(graph: &Graph) -> Self {
        let filter = Filter::new(graph, Strength::Strong);
        let mut tree = PathTree::without(graph, &filter, Used::default());
        let (mut ranks, mut reached) = (vec![0_u32; graph.len()], 0);
        tree.grow(|object| {
            ranks[object.0 as usize] = reached;
            reached += 1;
            false
        });
        let parents = graph.objects().map(|object| stored(tree.parents.get(object))).collect();
        Self { parents, ranks: ranks.into_iter().map(u64::from).collect() }
    }

    /// From columns that were written; none if they are of no graph like this one.
    pub(crate) fn of_columns(graph: &Graph, parents: Column, ranks: Column) -> Option<Self> {
        let fits = (parents.len(), ranks.len()) == (graph.len(), graph.len())
            && (parents.len() == 0 || parents.most() <= graph.len() as u64 + 1);
        fits.then_some(Self { parents, ranks })
    }

    /// From where objects are reached, and the how manieth.
    pub(crate) fn columns(&self) -> (&Column, &Column) {
        (&self.parents, &self.ranks)
    }

    /// A shortest path to any of some objects: the one that a walk along strong references finds first.
    pub(super) fn first(&self, graph: &Graph, targets: &ObjectSet) -> Option<Path> {
        let parents = Parents::Saved(self.parents.clone());
        let reached = targets.iter().filter(|&object| parents.get(object) != UNSEEN);
        let to = reached.min_by_key(|object| self.ranks.get(object.0 as usize))?;
        let filter = Filter::new(graph, Strength::Strong);
        let tree = PathTree {
            graph,
            filter: &filter,
            entrances: Entrances::of(graph),
            used: Used::default(),
            parents,
        };
        tree.path(to)
    }
}

/// How paths may not get from the roots to their first object: of the stacks of a hundred thousand threads there are many.
#[derive(Clone, Debug, Default)]
pub(super) struct Used {
    /// By number.
    pub(super) roots: FxHashSet<usize>,
    /// Static fields, by their place among the graph's references.
    pub(super) statics: FxHashSet<usize>,
}

impl<'graph> PathTree<'graph> {
    /// To some objects at least: stops when it has reached them.
    pub fn to(graph: &'graph Graph, filter: &'graph Filter, targets: &ObjectSet) -> Self {
        let mut tree = Self::without(graph, filter, Used::default());
        let mut missing = targets.len();
        tree.grow(|object| {
            missing -= usize::from(targets.contains(object));
            missing == 0
        });
        tree
    }

    /// One that has not grown, and will not begin with some entries.
    pub(super) fn without(graph: &'graph Graph, filter: &'graph Filter, used: Used) -> Self {
        let parents = Parents::Walked(vec![UNSEEN; graph.len()]);
        Self { graph, filter, entrances: Entrances::of(graph), used, parents }
    }

    /// Walks until `enough` says so of an object that it has reached. Which one that was.
    pub(super) fn grow(&mut self, enough: impl FnMut(ObjectIndex) -> bool) -> Option<ObjectIndex> {
        let none = Parents::Walked(Vec::new());
        let Parents::Walked(parents) = std::mem::replace(&mut self.parents, none) else { return None };
        let mut walk = Walk { parents, reached: Vec::new(), enough };
        let found = match self.start(&mut walk) {
            ControlFlow::Continue(()) => self.go_on(&mut walk),
            found => found,
        };
        self.parents = Parents::Walked(walk.parents);
        found.break_value()
    }

    /// Reaches what the roots hold, in the order of the entrances.
    fn start(&self, walk: &mut Walk<impl FnMut(ObjectIndex) -> bool>) -> ControlFlow<ObjectIndex> {
        let roots = self.graph.roots();
        let open = |&root: &usize| self.filter.enters(roots[root].object) && !self.used.roots.contains(&root);
        // Classes count as reached before their statics are, but are walked through in their own turn.
        let classes: Vec<_> = self.entrances.classes.iter().copied().filter(open).collect();
        for &class in &classes {
            walk.note(roots[class].object, ROOT)?;
        }
        for &class in &classes {
            let class = roots[class].object;
            for place in self.places(class).filter(|&place| is_static(self.graph, place)) {
                walk.reach(self.graph.target(place), class.0)?;
            }
        }
        for root in self.entrances.all.iter().copied().filter(open) {
            let object = roots[root].object;
            match roots[root].kind {
                RootKind::SystemClass => walk.reached.push(object),
                _ => walk.reach(object, ROOT)?,
            }
        }
        ControlFlow::Continue(())
    }

    /// Reaches all else.
    fn go_on(&self, walk: &mut Walk<impl FnMut(ObjectIndex) -> bool>) -> ControlFlow<ObjectIndex> {
        let mut next = 0;
        while let Some(&object) = walk.reached.get(next) {
            for place in self.places(object) {
                walk.reach(self.graph.target(place), object.0)?;
            }
            next += 1;
        }
        ControlFlow::Continue(())
    }

    /// The path to an object, if it was reached.
    pub fn path(&self, to: ObjectIndex) -> Option<Path> {
        let mut steps = Vec::new();
        let mut first = to;
        loop {
            match self.parents.get(first) {
                UNSEEN => return None,
                ROOT => break,
                // As long as a path can be: there is no way round, but maybe in a forged index.
                _ if steps.len() >= self.graph.len() => return None,
                parent => {
                    steps.push((ObjectIndex(parent), self.reference(ObjectIndex(parent), first)?));
                    first = ObjectIndex(parent);
                }
            }
        }
        steps.reverse();
        let root = self.root_of(first, steps.first().map(|&(_, place)| place))?;
        Some(Path { root, steps: Steps::new(first, steps) })
    }

    /// The first reference between two objects; from a root a static field, if there is one.
    fn reference(&self, from: ObjectIndex, to: ObjectIndex) -> Option<usize> {
        let mut places = self.places(from).filter(|&place| self.graph.target(place) == to);
        let first = places.next()?;
        if self.parents.get(from) != ROOT || is_static(self.graph, first) {
            return Some(first);
        }
        Some(places.find(|&place| is_static(self.graph, place)).unwrap_or(first))
    }

    /// The root that a path begins with whose first object and reference are these.
    fn root_of(&self, first: ObjectIndex, reference: Option<usize>) -> Option<usize> {
        let by_static = reference.is_some_and(|place| is_static(self.graph, place));
        let holds =
            |&&root: &&usize| self.graph.roots()[root].object == first && !self.used.roots.contains(&root);
        let class = self.entrances.classes.iter().find(holds).filter(|_| by_static);
        class.or_else(|| self.entrances.all.iter().find(holds)).copied()
    }

    /// The references of an object that paths may take.
    fn places(&self, from: ObjectIndex) -> impl Iterator<Item = usize> {
        let statics = &self.used.statics;
        let fresh = |place: &usize| statics.is_empty() || !statics.contains(place);
        self.filter.places(self.graph, from).filter(fresh)
    }
}

/// The objects reached so far, in order.
struct Walk<Enough> {
    parents: Vec<u32>,
    reached: Vec<ObjectIndex>,
    enough: Enough,
}

impl<Enough: FnMut(ObjectIndex) -> bool> Walk<Enough> {
    /// Reaches an object, to be walked through later. Breaks if that is enough.
    fn reach(&mut self, object: ObjectIndex, from: u32) -> ControlFlow<ObjectIndex> {
        if self.parents[object.0 as usize] == UNSEEN {
            self.reached.push(object);
            return self.note(object, from);
        }
        ControlFlow::Continue(())
    }

    /// Notes from where an object is reached, if it was not yet.
    fn note(&mut self, object: ObjectIndex, from: u32) -> ControlFlow<ObjectIndex> {
        let parent = &mut self.parents[object.0 as usize];
        if *parent == UNSEEN {
            *parent = from;
            if (self.enough)(object) {
                return ControlFlow::Break(object);
            }
        }
        ControlFlow::Continue(())
    }
}

fn is_static(graph: &Graph, place: usize) -> bool {
    matches!(graph.name_at(place), EdgeName::Static { .. })
}
