//! Several paths to an object that have nothing in common, and the path along the strongest references.

use super::path::Path;
use super::tree::{Entry, PathTree, ShortestPaths};
use crate::edge::Strength;
use crate::filter::{Filter, Skip};
use crate::graph::Graph;
use crate::root::RootKind;
use crate::set::ObjectSet;

/// Up to `most` shortest paths to any of some objects. Each next one avoids all objects in between of those before
/// (INSANE's `assertgc.paths`); after a path without any, the static field or root that it consists of.
pub fn shortest(graph: &Graph, targets: &ObjectSet, filter: &Filter, most: usize) -> Vec<Path> {
    let path = if most > 0 { first(graph, targets, filter, &[]) } else { None };
    and_others(graph, targets, filter, most, path)
}

/// A shortest path to any of some objects from what lasts: from a stack or a monitor only if there is no other.
pub fn lasting(graph: &Graph, targets: &ObjectSet, filter: &Filter) -> Option<Path> {
    let passing =
        |kind: &RootKind| matches!(kind, RootKind::StackLocal(_) | RootKind::JniLocal(_) | RootKind::Monitor);
    let roots = graph.roots().iter().enumerate();
    let used: Vec<_> =
        roots.filter(|(_, root)| passing(&root.kind)).map(|(number, _)| Entry::Root(number)).collect();
    first(graph, targets, filter, &used).or_else(|| first(graph, targets, filter, &[]))
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
    let mut used = Vec::new();
    let mut paths = Vec::new();
    while let Some(found) = path {
        let mut between = found.objects(graph);
        between.pop();
        if between.is_empty() {
            used.push(entry(graph, &found));
        }
        for object in between {
            filter.skip_object(graph, object, Skip::Object);
        }
        paths.push(found);
        path = if paths.len() < most { first(graph, targets, &filter, &used) } else { None };
    }
    paths
}

/// A shortest path to any of some objects along references as strong as possible, but not weaker than the filter
/// allows: what really keeps it, and if nothing does, what could still be asked for it.
pub fn strongest(graph: &Graph, targets: &ObjectSet, filter: &Filter) -> Option<Path> {
    [Strength::Strong, Strength::Soft, Strength::Weak, Strength::Phantom]
        .into_iter()
        .find_map(|weakest| first(graph, targets, &filter.at_least(graph, weakest), &[]))
}

fn first(graph: &Graph, targets: &ObjectSet, filter: &Filter, used: &[Entry]) -> Option<Path> {
    let mut tree = PathTree::without(graph, filter, used.to_vec());
    let found = tree.grow(|object| targets.contains(object))?;
    tree.path(found)
}

fn entry(graph: &Graph, path: &Path) -> Entry {
    match (path.static_field(graph), path.steps.steps.first()) {
        (Some(_), Some(&(_, place))) => Entry::Static(place),
        _ => Entry::Root(path.root),
    }
}
