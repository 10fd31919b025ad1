//! The field of the program's own that has what its code calls by another name: the queue of an executor is held by the executor's threads.

use mayfly_heap::holders::is_of_a_collection_library;
use mayfly_heap::paths::edge_text;
use mayfly_heap::{ClassIndex, Edge, EdgeName, Graph, ObjectIndex, ObjectSet, Strength};
use mayfly_profile::{is_of_lambda, is_of_the_jdk};

/// So far above it is looked: a timer has its queue.
const STEPS_UP: usize = 2;
/// What refers to anything, whoever holds it.
const NEVER_UP: [&str; 3] =
    ["java.lang.Thread", "java.lang.Thread$FieldHolder", "java.lang.ThreadLocal$ThreadLocalMap$Entry"];

/// A field of a class of the program's that refers to one of these objects, the last of them best, or to what refers to one: `a.B.field`. Goes through all
/// objects, once or twice.
pub(crate) fn owning_field(graph: &Graph, mut held: Vec<ObjectIndex>) -> Option<String> {
    for _ in 0..STEPS_UP {
        let all = ObjectSet::of(graph, held.iter().copied());
        let mut found: Option<(usize, String)> = None;
        let mut above = Vec::new();
        for object in graph.objects() {
            let held_by = |edge: &Edge<'_>| all.contains(edge.to) && edge.name.strength() == Strength::Strong;
            for edge in graph.edges(object).filter(held_by) {
                match field_of(graph, &edge) {
                    Some(field) => {
                        let at = held.iter().position(|&of| of == edge.to).unwrap_or(0);
                        if found.as_ref().is_none_or(|(before, _)| at > *before) {
                            found = Some((at, field));
                        }
                    }
                    None if leads_up(graph, &edge) => above.push(object),
                    None => {}
                }
            }
        }
        if let Some((_, field)) = found {
            return Some(field);
        }
        held = above;
    }
    None
}

/// The field, if the program's own class declares it.
fn field_of(graph: &Graph, edge: &Edge<'_>) -> Option<String> {
    let (declaring, _) = edge.name.field()?;
    let (declaring, holder) = (&graph.class(declaring).name, &graph.class(holding_class(graph, edge)?).name);
    let is_own = |class: &str| is_own_class(class) && !is_of_lambda(class);
    (is_own(declaring) && is_own(holder)).then(|| format!("{holder}.{}", edge_text(edge)))
}

/// The class whose field it is: of a static one that which declares it, else that of the object. `None`: it is no field.
pub(crate) fn holding_class(graph: &Graph, edge: &Edge<'_>) -> Option<ClassIndex> {
    match edge.name {
        EdgeName::Static { declaring, .. } => Some(*declaring),
        EdgeName::Field { .. } => Some(graph.class_of(edge.from)),
        EdgeName::Element | EdgeName::Internal(_) => None,
    }
}

/// Whether a class, no array, is neither the JDK's nor of a library of collections.
pub(crate) fn is_own_class(class: &str) -> bool {
    !is_of_the_jdk(class) && !is_of_a_collection_library(class)
}

fn leads_up(graph: &Graph, edge: &Edge<'_>) -> bool {
    let class = &*graph.class(graph.class_of(edge.from)).name;
    matches!(edge.name, EdgeName::Field { .. }) && is_of_the_jdk(class) && !NEVER_UP.contains(&class)
}

#[cfg(test)]
mod tests {
    use mayfly_heap::fake::heap;

    use super::*;

    /// "Held by java.util.concurrent.ScheduledThreadPoolExecutor", of which nobody has written a line.
    #[test]
    fn a_queue_that_threads_have_is_called_by_the_field_of_its_executor() {
        let graph = heap(
            "root thread -> 1:java.lang.Thread -task-> 2:java.util.concurrent.Worker -pool-> 3:java.util.concurrent.Pool
             3 -queue-> 4:java.util.concurrent.Queue
             root static my.App.timers -> 5:my.Timers -timers-> 3
             root thread -> 6:java.util.TimerThread -queue-> 7:java.util.TaskQueue
             root static my.App.TIMER -> 8:java.util.Timer -queue-> 7
             root thread -> 9:java.util.Alone\n",
        );
        let named = |class: &str| {
            let objects = graph.objects().filter(|&at| &*graph.class(graph.class_of(at)).name == class);
            owning_field(&graph, objects.collect())
        };
        assert_eq!(named("java.util.concurrent.Queue").as_deref(), Some("my.Timers.timers"));
        assert_eq!(named("java.util.TaskQueue").as_deref(), Some("my.App.TIMER"));
        assert_eq!(named("java.util.Alone"), None);
    }
}
