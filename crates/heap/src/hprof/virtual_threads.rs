//! Virtual threads whose stacks a JVM left out of its file: before JDK 23 HotSpot writes only those that are on a
//! carrier, later ones not each either.

use crate::graph::Graph;
use crate::root::RootKind;

const VIRTUAL_THREAD: &str = "java.lang.VirtualThread";

/// Whether there are virtual threads, and no stack of any: what only their local variables hold looks unreachable.
pub fn lacks_virtual_stacks(graph: &Graph) -> bool {
    let Some((class, _)) = graph.classes().find(|(_, class)| &*class.name == VIRTUAL_THREAD) else {
        return false;
    };
    let of_virtual = |object| graph.class_of(object) == class;
    let told = graph.roots().iter().any(|root| root.kind == RootKind::Thread && of_virtual(root.object));
    !told && graph.objects().any(of_virtual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::heap;

    #[test]
    fn virtual_threads_are_roots_where_their_stacks_are_told() {
        assert!(lacks_virtual_stacks(&heap("1:java.lang.VirtualThread; root thread -> 2:java.lang.Thread")));
        assert!(!lacks_virtual_stacks(&heap("root thread -> 1:java.lang.VirtualThread")));
        assert!(!lacks_virtual_stacks(&heap(
            "class java.lang.VirtualThread extends java.lang.BaseVirtualThread; 1:A"
        )));
    }
}
