//! Dominators against their definition.

use proptest::prelude::*;

use super::*;
use crate::arbitrary::graphs;
use crate::edge::Strength;
use crate::fake::heap;
use crate::filter::Filter;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::reach;
use crate::set::ObjectSet;
use mayfly_counts::Total;

/// The example of the paper, figure 1 and 2: R is the root.
const PAPER: &str = "
    root jni -> 1:R
    1 -a-> a:N; 1 -b-> b:N; 1 -c-> c:N
    a -d-> d:N; b -a-> a; b -d-> d; b -e-> e:N
    c -f-> f:N; c -g-> 10:N; d -l-> 15:N; e -h-> 11:N
    f -i-> 12:N; 10 -i-> 12; 10 -j-> 13:N; 11 -e-> e; 11 -k-> 14:N
    12 -k-> 14; 13 -i-> 12; 14 -i-> 12; 14 -r-> 1; 15 -h-> 11";

fn of(graph: &Graph, weakest: Strength) -> Dominators {
    Dominators::new(graph, &Filter::new(graph, weakest))
}

#[test]
fn the_example_of_the_paper() {
    let graph = heap(PAPER);
    let dominators = of(&graph, Strength::Strong);
    let immediate = |id| dominators.immediate(graph.find(id).unwrap()).map(|object| graph.id(object));
    for child in [0xa, 0xb, 0xc, 0xd, 0xe, 0x11, 0x12, 0x14] {
        assert_eq!(immediate(child), Some(1), "{child:x}");
    }
    for (child, parent) in [(0xf, 0xc), (0x10, 0xc), (0x13, 0x10), (0x15, 0xd)] {
        assert_eq!(immediate(child), Some(parent), "{child:x}");
    }
    assert_eq!(immediate(1), None);
    assert_eq!(dominators.retained(graph.find(1).unwrap()), 13 * 16);
    assert_eq!(dominators.retained(graph.find(0xc).unwrap()), 4 * 16);
    assert_eq!(dominators.total(), 13 * 16);
}

/// Every question to a heap without objects, and to one without roots, has an answer.
#[test]
fn nothing_retains_nothing() {
    for text in ["", "1:A -x-> 2:B"] {
        let graph = heap(text);
        let dominators = of(&graph, Strength::Soft);
        assert_eq!(dominators.total(), 0);
        assert_eq!(dominators.reachable().len(), 0);
        assert!(dominators.by_class(&graph).is_empty() && dominators.by_loader(&graph).is_empty());
        let filter = Filter::new(&graph, Strength::Soft);
        assert_eq!(crate::paths::shortest(&graph, &ObjectSet::of(&graph, graph.objects()), &filter, 3), []);
        assert!(crate::growth::by_path((&graph, &dominators), (&graph, &dominators)).is_empty());
    }
}

#[test]
fn the_largest_come_first() {
    let graph = heap(PAPER);
    let dominators = of(&graph, Strength::Strong);
    let largest = dominators.largest(graph.objects(), 4);
    assert_eq!(largest, dominators.largest_of_all(4));
    let rows: Vec<_> = largest.iter().map(|&(object, bytes)| (graph.id(object), bytes / 16)).collect();
    assert_eq!(rows, [(1, 13), (0xc, 4), (0xd, 2), (0x10, 2)]);
    assert!(dominators.largest_of_all(0).is_empty());
}

/// A thread has a node of a list in hand, which is in a static field: the field holds it all the same. What only the thread has, it
/// holds; what waits for its finalizer, nobody else does.
#[test]
fn stacks_hold_only_what_nothing_lasting_does() {
    let graph = heap(
        "root static my.App.list -> 1:my.List[24] -first-> 2:my.Node[24] -next-> 3:my.Node[24]
         root local w my.App.run 1 -> 3; root local w my.App.run 2 -> 4:my.Own[40] -node-> 2
         class java.lang.ref.Finalizer extends java.lang.ref.FinalReference
         root jni -> 5:java.lang.ref.Finalizer[64] -referent-> 6:my.File[32] -list-> 1
         root jni -> 7:java.lang.ref.Finalizer[64] -referent-> 3",
    );
    let filter = Filter::new(&graph, Strength::Strong);
    let dominators = Dominators::staged(&graph, &filter, lasting_first(&graph));
    let object = |id| graph.find(id).unwrap();
    let immediate = |id| dominators.immediate(object(id)).map(|object| graph.id(object));
    assert_eq!([3, 2, 4, 6].map(immediate), [Some(2), Some(1), None, None]);
    assert_eq!([1, 4, 6].map(|id| dominators.retained(object(id))), [72, 40, 32]);
    assert_eq!(of(&graph, Strength::Strong).immediate(object(3)), None, "all roots alike");
}

/// Soft references hold, unless asked for strong ones only; weak ones do not.
#[test]
fn weak_references_retain_nothing() {
    let graph = heap(
        "root jni -> 1:java.lang.ref.SoftReference[48] -referent-> 2:A[24]
         1 -x-> 3:java.lang.ref.WeakReference[48] -referent-> 4:B[32]",
    );
    let retained = |weakest| {
        let dominators = of(&graph, weakest);
        [1, 2, 4].map(|id| dominators.retained(graph.find(id).unwrap()))
    };
    assert_eq!(retained(Strength::Strong), [96, 0, 0]);
    assert_eq!(retained(Strength::Soft), [120, 24, 0]);
    assert_eq!(retained(Strength::Weak), [152, 24, 32]);
}

/// A list as long as this would overflow the stack of anything recursive. Each element is also in an array, so
/// that ways through the forest are as long as they get.
#[test]
fn depth_does_not_matter() {
    let mut builder = crate::builder::GraphBuilder::default();
    let class = builder.class(crate::graph::Class::default());
    let next = builder.name(crate::edge::EdgeName::Internal("next".into()));
    let objects: Vec<_> = (0..300_000).map(|id| builder.object(id, class, 1)).collect();
    for pair in objects.windows(2) {
        builder.edge(pair[0], next, pair[1]);
    }
    let last = objects.len() - 1;
    for (index, &object) in objects.iter().enumerate().skip(2 * last / 3) {
        builder.element(objects[last], index as u32, object);
        builder.element(objects[last / 2], index as u32, object);
    }
    builder.root(objects[0], crate::root::RootKind::JniGlobal);
    let graph = builder.finish().unwrap();
    let dominators = of(&graph, Strength::Strong);
    assert_eq!(dominators.retained(objects[last / 3]), (last - last / 3 + 1) as u64);
    assert_eq!(dominators.immediate(objects[last]), Some(objects[last / 2]));
    assert_eq!(dominators.immediate(objects[last / 2]), Some(objects[last / 2 - 1]));
}

#[test]
fn classes_and_loaders_retain_together_what_their_objects_do() {
    let graph = heap(
        "class my.Node loader 7 mirror c; class my.Loader loader 8
         root static A.x -> 1:my.Node[10] -next-> 2:my.Node[10] -value-> 3:B[100]
         root static A.y -> 4:my.Node[10] -value-> 5:C[1000]
         root jni -> 5
         1 -<class>-> c -static CACHE-> 6:B[500]; c -<loader>-> 7:my.Loader[50]; 4 -<class>-> c
         root thread -> 8:App[1]; 9:B[7]",
    );
    let dominators = of(&graph, Strength::Soft);
    let classes = dominators.by_class(&graph);
    let row =
        |name: &str| classes.iter().find(|row| &*row.name == name).map(|row| (row.own.objects, row.retained));
    assert_eq!(row("my.Node"), Some((3, 130)), "1, 2 and 3 once, and 4; the class is held by both");
    assert_eq!(row("B"), Some((2, 600)), "9 is not reachable");
    assert!(classes.is_sorted_by(|a, b| a.retained >= b.retained));
    let loaders = dominators.by_loader(&graph);
    let row = |id| {
        let row = loaders.iter().find(|row| row.loader.map(|loader| graph.id(loader)) == id).unwrap();
        (row.classes, row.own, row.retained)
    };
    assert_eq!(
        row(Some(7)),
        (1, Total { objects: 5, bytes: 80 }, 680),
        "three nodes, class, loader; 3 and 6"
    );
    assert_eq!(row(Some(8)), (1, Total { objects: 1, bytes: 1 }, 1));
}

proptest! {
    /// `d` dominates `v` if `v` becomes unreachable without `d`; what `d` retains is all that does.
    #[test]
    fn dominators_are_what_their_definition_says(graph in graphs(40), soft: bool) {
        let weakest = if soft { Strength::Soft } else { Strength::Strong };
        let filter = Filter::new(&graph, weakest);
        let dominators = Dominators::new(&graph, &filter);
        let live = reach::live(&graph, &filter);
        prop_assert_eq!(dominators.total(), graph.total(live.iter()).bytes);
        let retained: Vec<_> = graph
            .objects()
            .map(|object| reach::retained(&graph, &ObjectSet::of(&graph, [object]), &filter))
            .collect();
        for object in graph.objects() {
            let set = &retained[object.0 as usize];
            prop_assert_eq!(dominators.is_reachable(object), live.contains(object));
            prop_assert_eq!(dominators.retained(object), graph.total(set.iter()).bytes);
            let mut above: Vec<_> = graph
                .objects()
                .filter(|&by| by != object && retained[by.0 as usize].contains(object))
                .collect();
            // The nearest dominator is dominated by all others: it retains least.
            above.sort_by_key(|&by| retained[by.0 as usize].len());
            prop_assert_eq!(dominators.immediate(object), above.first().copied());
        }
    }

    /// Of a class: its outermost objects, each with what it alone retains.
    #[test]
    fn classes_retain_what_their_outermost_objects_do(graph in graphs(40)) {
        let filter = Filter::new(&graph, Strength::Soft);
        let dominators = Dominators::new(&graph, &filter);
        for row in dominators.by_class(&graph) {
            let own = |&object: &ObjectIndex| {
                dominators.is_reachable(object) && graph.class(graph.class_of(object)).name == row.name
            };
            let nested = |object| std::iter::successors(dominators.immediate(object), |&object| dominators.immediate(object))
                .any(|above| own(&above));
            let objects: Vec<_> = graph.objects().filter(own).collect();
            let outermost = objects.iter().filter(|&&object| !nested(object));
            prop_assert_eq!(row.own, graph.total(objects.iter().copied()));
            prop_assert_eq!(row.retained, outermost.map(|&object| dominators.retained(object)).sum::<u64>());
            let together = reach::retained(&graph, &ObjectSet::of(&graph, objects), &filter);
            prop_assert!(row.retained <= graph.total(together.iter()).bytes);
        }
    }
}
