//! Roots in the order in which they say who keeps what: what a running method has in hand, most often has another holder.

use crate::edge::EdgeName;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::root::RootKind;

/// The class of the references that objects with a `finalize` method wait in.
const FINAL_REFERENCE: &str = "java.lang.ref.FinalReference";

/// What stages begin at, for [`super::Dominators::staged`]: classes and threads; JNI global references; stacks and monitors; what waits
/// for its finalizer and nothing else holds.
pub fn lasting_first(graph: &Graph) -> [Vec<ObjectIndex>; 4] {
    let mut stages = [Vec::new(), Vec::new(), Vec::new(), finalizable(graph)];
    for root in graph.roots() {
        let stage = match root.kind {
            RootKind::SystemClass | RootKind::Thread | RootKind::Other(_) => 0,
            RootKind::JniGlobal => 1,
            RootKind::StackLocal(_) | RootKind::JniLocal(_) | RootKind::Monitor => 2,
        };
        stages[stage].push(root.object);
    }
    stages
}

/// The referents of all finalizers.
fn finalizable(graph: &Graph) -> Vec<ObjectIndex> {
    let Some((finals, _)) = graph.classes().find(|(_, class)| &*class.name == FINAL_REFERENCE) else {
        return Vec::new();
    };
    let classes = graph.with_subclasses(&[finals]);
    let finalizers = graph.objects().filter(|&object| classes.contains(&graph.class_of(object)));
    let edges = finalizers.flat_map(|finalizer| graph.edges(finalizer));
    let is_referent = |name: &EdgeName| matches!(name, EdgeName::Field { name, .. } if &**name == "referent");
    edges.filter(|edge| is_referent(edge.name)).map(|edge| edge.to).collect()
}
