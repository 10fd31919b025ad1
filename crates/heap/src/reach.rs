//! What can be reached: from objects, from the roots, and from the roots only through certain objects.

use crate::filter::Filter;
use crate::graph::{Class, Graph};
use crate::index::ObjectIndex;
use crate::set::ObjectSet;

/// Everything reachable from some objects, these included: the filter is not asked about them.
pub fn from(graph: &Graph, start: impl IntoIterator<Item = ObjectIndex>, filter: &Filter) -> ObjectSet {
    walk(graph, start, filter, ObjectSet::none(graph))
}

/// Everything reachable from the roots. Objects that the filter passes over are not roots either.
pub fn live(graph: &Graph, filter: &Filter) -> ObjectSet {
    from(graph, roots(graph, filter), filter)
}

fn roots(graph: &Graph, filter: &Filter) -> impl Iterator<Item = ObjectIndex> {
    graph.roots().iter().map(|root| root.object).filter(|&object| filter.enters(object))
}

/// What is reachable from some objects through instances of certain classes only: of those that `entered` takes. The
/// objects to start from are included, whatever their class.
pub fn limited(
    graph: &Graph,
    start: impl IntoIterator<Item = ObjectIndex>,
    filter: &Filter,
    entered: impl Fn(&Class) -> bool,
) -> ObjectSet {
    let by_class: Vec<_> = graph.classes().map(|(_, class)| entered(class)).collect();
    let closed = graph.objects().filter(|&object| !by_class[graph.class_of(object).0 as usize]);
    let closed = ObjectSet::of(graph, closed);
    let start: Vec<_> = start.into_iter().collect();
    let mut reached = walk(graph, start.iter().copied(), filter, closed.clone());
    closed.iter().for_each(|object| {
        reached.remove(object);
    });
    start.into_iter().for_each(|object| {
        reached.insert(object);
    });
    reached
}

/// What would become unreachable, as far as the filter follows, if some objects were gone: these, if they are
/// reachable, and all that every path from a root to it leads through one of them. Their retained set.
pub fn retained(graph: &Graph, by: &ObjectSet, filter: &Filter) -> ObjectSet {
    freed(graph, by, filter, live(graph, filter))
}

/// The same where these objects count as reachable, whether or not a root leads to them: what is free once whoever asks lets
/// go of them.
pub fn retained_if_held(graph: &Graph, by: &ObjectSet, filter: &Filter) -> ObjectSet {
    let held = roots(graph, filter).chain(by.iter());
    freed(graph, by, filter, from(graph, held, filter))
}

/// What of `live` is not reachable once these objects are gone.
fn freed(graph: &Graph, by: &ObjectSet, filter: &Filter, live: ObjectSet) -> ObjectSet {
    let roots = roots(graph, filter).filter(|&object| !by.contains(object));
    let without = walk(graph, roots, filter, by.clone());
    let mut retained = live;
    without.iter().filter(|&object| !by.contains(object)).for_each(|object| {
        retained.remove(object);
    });
    retained
}

/// Adds to `seen` all that is reachable through what is not in it yet.
fn walk(
    graph: &Graph,
    start: impl IntoIterator<Item = ObjectIndex>,
    filter: &Filter,
    mut seen: ObjectSet,
) -> ObjectSet {
    let mut open = Vec::new();
    for object in start {
        seen.insert(object);
        open.push(object);
        while let Some(object) = open.pop() {
            open.extend(filter.targets(graph, object).filter(|&target| seen.insert(target)));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::Strength;
    use crate::fake::heap;

    const HEAP: &str = "
        root static A.x -> 1
        root jni -> 5
        1:A -l-> 2:B -l-> 3:C -l-> 4:D
        1 -r-> 3
        5:E -l-> 4
        6:F -l-> 2";

    fn ids(graph: &Graph, set: &ObjectSet) -> Vec<u64> {
        set.iter().map(|object| graph.id(object)).filter(|&id| id < 10).collect()
    }

    /// INSANE's `reachableFrom`.
    #[test]
    fn reachable_is_what_references_lead_to() {
        let graph = heap(HEAP);
        let filter = Filter::new(&graph, Strength::Strong);
        assert_eq!(ids(&graph, &from(&graph, graph.find(2), &filter)), [2, 3, 4]);
        assert_eq!(ids(&graph, &from(&graph, [], &filter)), []);
        assert_eq!(ids(&graph, &live(&graph, &filter)), [1, 2, 3, 4, 5]);
    }

    /// INSANE's `limitedReachableFrom`: only through some types, or not through some.
    #[test]
    fn reachable_can_be_limited_to_classes() {
        let graph = heap(HEAP);
        let filter = Filter::new(&graph, Strength::Strong);
        let limited = |entered: &dyn Fn(&str) -> bool| {
            ids(&graph, &limited(&graph, graph.find(1), &filter, |class| entered(&class.name)))
        };
        assert_eq!(limited(&|name| ["B", "D"].contains(&name)), [1, 2]);
        assert_eq!(limited(&|name| !["C"].contains(&name)), [1, 2]);
        assert_eq!(limited(&|name| !["B"].contains(&name)), [1, 3, 4]);
    }

    #[test]
    fn retained_is_what_nothing_else_holds() {
        let graph = heap(HEAP);
        let filter = Filter::new(&graph, Strength::Strong);
        let retained = |by: &[u64]| {
            let by = ObjectSet::of(&graph, by.iter().filter_map(|&id| graph.find(id)));
            ids(&graph, &super::retained(&graph, &by, &filter))
        };
        assert_eq!(retained(&[1]), [1, 2, 3]);
        assert_eq!(retained(&[2]), [2]);
        assert_eq!(retained(&[1, 5]), [1, 2, 3, 4, 5]);
        assert_eq!(retained(&[3, 5]), [3, 4, 5]);
        assert_eq!(retained(&[6]), [], "unreachable objects retain nothing");
    }

    /// What a caller has in hand alone is measured, less what others hold.
    #[test]
    fn an_unreachable_object_retains_what_only_it_leads_to() {
        let graph = heap("root jni -> 5; 5:E -l-> 4:D; 6:F -l-> 2:B -l-> 3:C -l-> 4");
        let filter = Filter::new(&graph, Strength::Strong);
        let retained = |id| {
            let by = ObjectSet::of(&graph, graph.find(id));
            ids(&graph, &retained_if_held(&graph, &by, &filter))
        };
        assert_eq!(retained(6), [2, 3, 6]);
        assert_eq!(retained(3), [3], "and not what holds it");
        assert_eq!(retained(5), [4, 5]);
    }
}
