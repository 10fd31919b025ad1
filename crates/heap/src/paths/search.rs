//! Several paths to an object that have nothing in common, and the path along the strongest references.

use super::path::Path;
use super::tree::{PathTree, ShortestPaths, Used};
use crate::edge::Strength;
use crate::filter::Filter;
use crate::graph::Graph;
use crate::root::RootKind;
use crate::set::ObjectSet;

/// Up to `most` shortest paths to any of some objects. Each next one avoids all objects in between of those before
/// (INSANE's `assertgc.paths`); after a path without any, the static field or root that it consists of.
pub fn shortest(graph: &Graph, targets: &ObjectSet, filter: &Filter, most: usize) -> Vec<Path> {
    let path = if most > 0 { first(graph, targets, filter, Used::default()) } else { None };
    and_others(graph, targets, filter, most, path)
}

/// A shortest path to any of some objects from what lasts: from a stack or a monitor only if there is no other.
pub fn lasting(graph: &Graph, targets: &ObjectSet, filter: &Filter) -> Option<Path> {
    let passing =
        |kind: &RootKind| matches!(kind, RootKind::StackLocal(_) | RootKind::JniLocal(_) | RootKind::Monitor);
    let roots = graph.roots().iter().enumerate();
    let roots = roots.filter(|(_, root)| passing(&root.kind)).map(|(number, _)| number).collect();
    let passing = Used { roots, ..Used::default() };
    first(graph, targets, filter, passing).or_else(|| first(graph, targets, filter, Used::default()))
}

/// The same along all strong references, where the first paths to all objects are known.
pub fn shortest_known(graph: &Graph, targets: &ObjectSet, known: &ShortestPaths, most: usize) -> Vec<Path> {
    let path = if most > 0 { known.first(graph, targets) } else { None };
    and_others(graph, targets, &Filter::new(graph, Strength::Strong), most, path)
}

/// The first path, and those that avoid it.
fn and_others(
    graph: &Graph,
    targets: &ObjectSet,
    filter: &Filter,
    most: usize,
    mut path: Option<Path>,
) -> Vec<Path> {
    let mut filter = filter.clone();
    let mut used = Used::default();
    let mut paths = Vec::new();
    while let Some(found) = path {
        let mut between = found.objects(graph);
        between.pop();
        if between.is_empty() {
            used.add(graph, &found);
        }
        for object in between {
            filter.skip_object(graph, object);
        }
        paths.push(found);
        path = if paths.len() < most { first(graph, targets, &filter, used.clone()) } else { None };
    }
    paths
}

/// A shortest path to any of some objects along references as strong as possible, but not weaker than the filter
/// allows: what really keeps it, and if nothing does, what could still be asked for it.
pub fn strongest(graph: &Graph, targets: &ObjectSet, filter: &Filter) -> Option<Path> {
    [Strength::Strong, Strength::Soft, Strength::Weak, Strength::Phantom]
        .into_iter()
        .find_map(|weakest| first(graph, targets, &filter.at_least(graph, weakest), Used::default()))
}

fn first(graph: &Graph, targets: &ObjectSet, filter: &Filter, used: Used) -> Option<Path> {
    let mut tree = PathTree::without(graph, filter, used);
    let found = tree.grow(|object| targets.contains(object))?;
    tree.path(found)
}

impl Used {
    /// How a path begins.
    fn add(&mut self, graph: &Graph, path: &Path) {
        match (path.static_field(graph), path.steps.steps.first()) {
            (Some(_), Some(&(_, place))) => self.statics.insert(place),
            _ => self.roots.insert(path.root),
        };
    }
}
