//! What threads hold: a leak below a thread local has no field, so it is named by thread local and threads; what a virtual thread that waits for ever
//! is at work with by that.

use mayfly_heap::growth::{Outline, Sustained};
use mayfly_heap::{EdgeName, Graph, ObjectIndex};

use super::labels::{class_of, is_own, owner_at, shown};

const MAP: &str = "java.lang.ThreadLocal$ThreadLocalMap";
const ENTRY: &str = "java.lang.ThreadLocal$ThreadLocalMap$Entry";
const VIRTUAL: [&str; 2] = ["java.lang.VirtualThread", "java.lang.ThreadBuilders$BoundVirtualThread"];

/// Threads that are named.
const NAMED: usize = 2;

/// What holds it, in words, if nothing of the program's is below the thread.
pub(super) fn holder(row: &Sustained, graph: &Graph, outline: &Outline) -> Option<String> {
    let below = |at: usize| owner_at(row).is_none_or(|owner| owner <= at);
    let last = |end: usize, is: &dyn Fn(&str) -> bool| {
        row.path[..end].iter().rposition(|label| is(class_of(label))).filter(|&at| below(at))
    };
    if let Some(map) = last(row.element, &|class| class == MAP) {
        return Some(of_thread_local(row, map, graph, outline));
    }
    // The JDK's own list of them is what becomes more then.
    let shown = shown(row);
    let at = last(shown, &|class| VIRTUAL.contains(&class))?;
    let threads = outline.holders(&row.path[..=shown], at + 1).len();
    Some(format!("virtual threads that have not ended ({threads})"))
}

fn of_thread_local(row: &Sustained, map: usize, graph: &Graph, outline: &Outline) -> String {
    let element = &row.path[..=row.element];
    let entry = row.path.iter().position(|label| class_of(label) == ENTRY);
    let entries = entry.map(|at| outline.holders(element, at + 1)).unwrap_or_default();
    let field = entries.first().and_then(|&(entry, _)| field_of(local_of(graph, entry)?, graph));
    let local = field.map_or_else(|| "a thread local".to_owned(), |field| format!("thread local {field}"));
    // The map hangs below its thread, or below what that has for it.
    let threads = outline.holders(element, map);
    let names: Vec<_> = threads.iter().filter_map(|&(thread, _)| graph.thread_name(thread)).collect();
    local + &threads_text(&names, threads.len())
}

/// ` of thread a`, ` of threads a, b and 3 more`.
fn threads_text(names: &[&str], threads: usize) -> String {
    let shown = &names[..names.len().min(NAMED)];
    match (shown, threads) {
        ([], 0) => String::new(),
        ([], threads) => format!(" of {threads} thread{}", if threads == 1 { "" } else { "s" }),
        ([one], 1) => format!(" of thread {one}"),
        (shown, threads) if threads > shown.len() => {
            format!(" of threads {} and {} more", shown.join(", "), threads - shown.len())
        }
        (shown, _) => format!(" of threads {}", shown.join(" and ")),
    }
}

/// The thread local that an entry of a thread's map is of.
fn local_of(graph: &Graph, entry: ObjectIndex) -> Option<ObjectIndex> {
    let is_key = |name: &EdgeName| matches!(name, EdgeName::Field { name, .. } if &**name == "referent");
    graph.edges(entry).find(|edge| is_key(edge.name)).map(|edge| edge.to)
}

/// The field that refers to a thread local: a static one first, of the program's own before others. Looks at all references.
fn field_of(local: ObjectIndex, graph: &Graph) -> Option<String> {
    let edges = graph.objects().flat_map(|object| graph.edges(object)).filter(|edge| edge.to == local);
    let named = edges.filter_map(|edge| {
        let (declaring, name) = edge.name.field().filter(|&(_, name)| name != "referent")?;
        let class = &graph.class(declaring).name;
        Some((!is_own(class), !matches!(edge.name, EdgeName::Static { .. }), format!("{class}.{name}")))
    });
    named.min().map(|(_, _, field)| field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_named_as_far_as_names_are_known() {
        let of = |names: &[&str], threads| threads_text(names, threads);
        assert_eq!(of(&["a"], 1), " of thread a");
        assert_eq!(of(&["a", "b"], 2), " of threads a and b");
        assert_eq!(of(&["a", "b", "c"], 3), " of threads a, b and 1 more");
        assert_eq!(of(&["a"], 3), " of threads a and 2 more");
        assert_eq!(of(&[], 1), " of 1 thread");
        assert_eq!(of(&[], 3), " of 3 threads");
        assert_eq!(of(&[], 0), "");
    }
}
