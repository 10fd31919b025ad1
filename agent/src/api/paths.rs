//! Paths to objects, and what an object alone holds, as Java takes them.

use std::collections::HashMap;

use mayfly_heap::paths::{Path, PathTree, edge_text, shortest};
use mayfly_heap::reach::retained_if_held;
use mayfly_heap::{Filter, ObjectIndex, ObjectSet, RootKind, Strength};
use mayfly_jvmti::{Jni, Object, ObjectArray};

use super::error::ApiError;
use super::rows::array_of;
use super::snapshot::Snapshot;
use super::steps::Steps;
use crate::heap::Targets;

/// Classes of this package are ours: what their objects hold is no leak of the program's.
const OURS: &str = "io.mayfly.";

/// Which paths are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Search {
    /// The weakest references to follow where stronger ones lead nowhere, as `io.mayfly.Strength` numbers them.
    pub(crate) strength: i32,
    /// Paths for each object.
    pub(crate) most: usize,
}

/// `Object[][][]`: for each object its paths, for each path the root's text and then objects and references by turns. None if
/// it was called off.
pub(crate) fn paths<'call>(
    jni: Jni<'call>,
    targets: &Targets<'_>,
    search: Search,
    steps: &Steps<'_>,
) -> Result<Option<ObjectArray<'call>>, ApiError> {
    let Some(snapshot) = Snapshot::take(jni, targets, steps)? else { return Ok(None) };
    let Some(found) = find(&snapshot, search, steps) else { return Ok(None) };
    let nodes = found.iter().flatten().flat_map(|path| path.nodes.iter().map(|(node, _)| *node)).collect();
    let answer = Answer { jni, objects: snapshot.objects(&nodes)? };
    let targets = found.iter().map(|paths| answer.target(paths)).collect::<Result<Vec<_>, _>>()?;
    array_of(jni, c"[[Ljava/lang/Object;", targets).map(Some)
}

/// Bytes that would be free without an object. One that only the caller holds is measured as if a root did.
pub(crate) fn retained<'a>(
    jni: Jni<'_>,
    get: &'a dyn Fn(usize) -> Option<Object<'a>>,
) -> Result<i64, ApiError> {
    let targets = Targets { count: 1, get, in_hand: true, hints: &[] };
    // Never called off, as nothing is told.
    let Some(snapshot) = Snapshot::take(jni, &targets, &Steps::new(None))? else { return Ok(0) };
    let graph = &snapshot.graph;
    let by = ObjectSet::of(graph, snapshot.targets.iter().copied().flatten());
    let freed = retained_if_held(graph, &by, &Filter::new(graph, Strength::Strong));
    Ok(i64::try_from(graph.total(freed.iter()).bytes).unwrap_or(i64::MAX))
}

/// A path with nothing left to look up but objects.
struct Found {
    /// Nothing for what counts as a root only because the caller says so.
    root: Option<String>,
    /// Objects, and how each refers to the next.
    nodes: Vec<(ObjectIndex, String)>,
}

/// None if it was called off.
fn find(snapshot: &Snapshot<'_>, search: Search, steps: &Steps<'_>) -> Option<Vec<Vec<Found>>> {
    let graph = &snapshot.graph;
    let mut found: Vec<Vec<Found>> = snapshot.targets.iter().map(|_| Vec::new()).collect();
    let order = [Strength::Strong, Strength::Soft, Strength::Weak, Strength::Phantom];
    let order = &order[..=search.strength.clamp(0, 3) as usize];
    for (done, weakest) in order.iter().enumerate() {
        if !steps.searched(done, order.len()) {
            return None;
        }
        let open = snapshot.targets.iter().zip(&found).filter(|(_, found)| found.is_empty());
        let open = ObjectSet::of(graph, open.filter_map(|(target, _)| *target));
        let mut filter = Filter::new(graph, *weakest);
        filter.skip_instances(graph, |class| class.name.starts_with(OURS));
        // One walk for many, if one path of each is enough.
        let tree = (search.most == 1 && !open.is_empty()).then(|| PathTree::to(graph, &filter, &open));
        for (target, found) in snapshot.targets.iter().zip(&mut found) {
            let Some(target) = target.filter(|&target| open.contains(target)) else { continue };
            let paths = match &tree {
                Some(tree) => tree.path(target).into_iter().collect(),
                None => shortest(graph, &ObjectSet::of(graph, [target]), &filter, search.most),
            };
            found.extend(paths.iter().map(|path| self::found(snapshot, path)));
        }
    }
    let in_hand = snapshot.targets.iter().zip(&snapshot.locals).zip(&mut found);
    for ((target, local), found) in in_hand.filter(|(_, found)| found.is_empty()) {
        found.extend(target.zip(local.as_deref()).map(|(target, local)| self::in_hand(local, target)));
    }
    steps.searched(order.len(), order.len()).then_some(found)
}

fn in_hand(local: &str, target: ObjectIndex) -> Found {
    Found { root: Some(local.to_owned()), nodes: vec![(target, String::new())] }
}

fn found(snapshot: &Snapshot<'_>, path: &Path) -> Found {
    let graph = &snapshot.graph;
    let of_static = path.static_field(graph).is_some();
    let edges: Vec<_> = path.edges(graph).skip(usize::from(of_static)).collect();
    let mut nodes: Vec<_> = edges.iter().map(|edge| (edge.from, edge_text(edge))).collect();
    nodes.push((path.target(graph), String::new()));
    // The caller has hints in local variables, too.
    let hinted = snapshot.hints.contains(&nodes[0].0)
        && matches!(path.root(graph).kind, RootKind::Other(_) | RootKind::StackLocal(_));
    Found { root: (!hinted).then(|| path.root_text(graph)), nodes }
}

/// Turns what was found into Java objects.
struct Answer<'call> {
    jni: Jni<'call>,
    objects: HashMap<ObjectIndex, Object<'call>>,
}

impl<'call> Answer<'call> {
    fn target(&self, paths: &[Found]) -> Result<Object<'call>, ApiError> {
        let paths = paths.iter().map(|path| self.path(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(array_of(self.jni, c"[Ljava/lang/Object;", paths)?.as_object())
    }

    fn path(&self, path: &Found) -> Result<Object<'call>, ApiError> {
        let class = self.jni.find_class(c"java/lang/Object").ok_or(ApiError::NoMemory)?;
        let steps = self.jni.new_array(class, 2 * path.nodes.len()).ok_or(ApiError::NoMemory)?;
        if let Some(text) = &path.root {
            self.text(steps, 0, text)?;
        }
        for (index, (node, reference)) in path.nodes.iter().enumerate() {
            steps.set(self.jni, 2 * index + 1, self.objects.get(node).copied());
            if index + 1 < path.nodes.len() {
                self.text(steps, 2 * index + 2, reference)?;
            }
        }
        Ok(steps.as_object())
    }

    fn text(&self, steps: ObjectArray<'_>, index: usize, text: &str) -> Result<(), ApiError> {
        let string = self.jni.new_string(text).ok_or(ApiError::NoMemory)?;
        steps.set(self.jni, index, Some(string));
        self.jni.forget(string);
        Ok(())
    }
}
