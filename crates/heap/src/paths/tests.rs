//! Paths against the original's text, and against exhaustive search.

use proptest::prelude::*;

use super::*;
use crate::arbitrary::graphs;
use crate::edge::{EdgeName, Strength};
use crate::fake::heap;
use crate::filter::Filter;
use crate::graph::Class;
use crate::graph::Graph;
use crate::root::RootKind;
use crate::set::ObjectSet;

fn texts(graph: &Graph, to: u64, filter: &Filter, most: usize) -> Vec<String> {
    let targets = ObjectSet::of(graph, graph.find(to));
    shortest(graph, &targets, filter, most).iter().map(|path| path.text(graph)).collect()
}

fn strong(graph: &Graph) -> Filter {
    Filter::new(graph, Strength::Strong)
}

/// A stack has it in hand, and a static field holds it: the field is what lasts.
#[test]
fn what_lasts_is_named_before_what_passes() {
    let graph = heap(
        "root local w my.App.run 1 -> 3:my.Node; root monitor -> 3; root local w my.App.run 2 -> 4:my.Own
         root static my.App.list -> 1:my.List -first-> 2:my.Node -next-> 3",
    );
    let to = |id| {
        let targets = ObjectSet::of(&graph, graph.find(id));
        lasting(&graph, &targets, &strong(&graph)).map(|path| path.text(&graph))
    };
    assert!(to(3).is_some_and(|path| path.starts_with("static my.App.list->")), "{:?}", to(3));
    assert!(to(4).is_some_and(|path| path.starts_with("local variable 2")), "{:?}", to(4));
}

/// Each stack of a virtual thread that is parked holds some objects: a walk that leaves out all of these takes no longer than one that does not.
#[test]
#[expect(clippy::disallowed_methods, reason = "how long it takes is what it is about")]
fn a_path_is_found_as_fast_beside_thousands_of_stacks() {
    const OBJECTS: u64 = 20_000;
    let mut text = String::from("root static my.App.first -> 1:my.Node\n");
    for at in 1..=OBJECTS {
        text += &format!("root local w my.App.run 1 -> {at:x}\n{:x}:my.Node\n", at + 1);
        for field in 0..5 {
            text += &format!("{at:x} -[{field}]-> {:x}\n", at + 1);
        }
    }
    let graph = heap(&text);
    let targets = ObjectSet::of(&graph, graph.find(OBJECTS + 1));
    let filter = strong(&graph);
    let time_of = |walk: &dyn Fn() -> usize| {
        let begin = std::time::Instant::now();
        assert!(walk() > 0, "there is one");
        begin.elapsed()
    };
    let all = time_of(&|| shortest(&graph, &targets, &filter, 1).len());
    let lasts = time_of(&|| lasting(&graph, &targets, &filter).map_or(0, |path| path.objects(&graph).len()));
    assert!(lasts < 30 * all, "{lasts:?}, with the stacks {all:?}");
}

/// The path that the original printed in a real failure.
#[test]
fn a_path_reads_as_insane_prints_it() {
    let graph = heap(
        "root static java.lang.Object Ins2.REF_O -> 2a40cd94:java.util.HashMap -table-> 436813f3:java.util.HashMap$Node[]
         436813f3 -[3]-> b0:java.util.HashMap$Node
         436813f3 -[11]-> b86de0d:java.util.HashMap$Node -value-> 7dda48d9:java.lang.Object[] -[1]-> 3d9f6567:Ins2$Node
         3d9f6567 -next-> 2f2c9b19:java.lang.Object",
    );
    let text = "static java.lang.Object Ins2.REF_O->
java.util.HashMap@2a40cd94-table->
[Ljava.util.HashMap$Node;@436813f3-[11]->
java.util.HashMap$Node@b86de0d-value->
[Ljava.lang.Object;@7dda48d9-[1]->
Ins2$Node@3d9f6567-next->
java.lang.Object@2f2c9b19";
    assert_eq!(texts(&graph, 0x2f2c9b19, &strong(&graph), 1), [text]);
}

#[test]
fn every_kind_of_root_is_named() {
    for (root, words) in [
        ("static A.x", "static A.x"),
        ("local main A.run 3", "local variable 3 of A.run, thread \"main\""),
        ("local main A.run -1", "local variable of A.run, thread \"main\""),
        ("jni-local main A.run", "JNI local of A.run, thread \"main\""),
        ("jni", "JNI global"),
        ("monitor", "monitor"),
        ("thread", "thread"),
        ("other finalizer queue", "finalizer queue"),
    ] {
        let graph = heap(&format!("root {root} -> 1:A -next-> 2:B"));
        let [first, second] = [1, 2].map(|id| texts(&graph, id, &strong(&graph), 1));
        assert_eq!(first, [format!("{words}->\nA@1")]);
        assert_eq!(second, [format!("{words}->\nA@1-next->\nB@2")]);
    }
}

/// A class loader that leaks is held by an instance, through its class; classes are named as what they stand for.
#[test]
fn classes_and_loaders_are_on_paths() {
    let graph = heap(
        "class my.Plugin mirror c loader 7
         root local main A.run 1 -> 1:my.Plugin
         1 -<class>-> c -<loader>-> 7:my.Loader
         c -static CACHE-> 8:B",
    );
    assert_eq!(
        texts(&graph, 7, &strong(&graph), 1),
        [
            "local variable 1 of A.run, thread \"main\"->\nmy.Plugin@1-<class>->\nclass my.Plugin@c-<loader>->\nmy.Loader@7"
        ]
    );
    assert!(texts(&graph, 8, &strong(&graph), 1)[0].ends_with("class my.Plugin@c-CACHE->\nB@8"));
}

#[test]
fn a_root_class_itself_is_a_system_class() {
    let graph = heap("class A mirror c; root static A.x -> 1:B; c -<signers>-> 2:C");
    assert_eq!(texts(&graph, 0xc, &strong(&graph), 1), ["system class->\nclass A@c"]);
    assert_eq!(texts(&graph, 2, &strong(&graph), 1), ["system class->\nclass A@c-<signers>->\nC@2"]);
}

/// Of equally short paths statics come first, an application's before the boot loader's, then by the alphabet.
#[test]
fn ties_are_broken_by_rule() {
    let mut told = [
        "root jni -> 1:A",
        "root local main A.run 3 -> 1",
        "root thread -> 1",
        "root static java.B.x -> 1",
        "root static my.D.x -> 1",
        "root static my.C.y -> 1",
        "root static my.C$$Lambda/0x7f.z -> 1",
        "class my.C loader 9; class my.D loader 9; class my.C$$Lambda/0x7f loader 9; 9:L",
    ];
    let expected = [
        "static my.C.y->\nA@1",
        "static my.D.x->\nA@1",
        "static java.B.x->\nA@1",
        "static my.C$$Lambda/0x7f.z->\nA@1",
        "thread->\nA@1",
        "local variable 3 of A.run, thread \"main\"->\nA@1",
        "JNI global->\nA@1",
    ];
    for _ in 0..2 {
        let graph = heap(&told.join("\n"));
        assert_eq!(texts(&graph, 1, &strong(&graph), 9), expected);
        told.reverse();
    }
}

/// Each further path avoids what is between in earlier ones.
#[test]
fn several_paths_have_nothing_in_common() {
    let graph = heap(
        "root static A.a -> 1:A -x-> 2:B -x-> 9:T
         root static A.b -> 3:C -x-> 2
         root static A.c -> 3 -x-> 4:D -x-> 5:E -x-> 9",
    );
    assert_eq!(
        texts(&graph, 9, &strong(&graph), 9),
        ["static A.a->\nA@1-x->\nB@2-x->\nT@9", "static A.b->\nC@3-x->\nD@4-x->\nE@5-x->\nT@9"]
    );
    assert_eq!(texts(&graph, 9, &strong(&graph), 1).len(), 1);
    assert_eq!(texts(&graph, 9, &strong(&graph), 0).len(), 0);
}

#[test]
fn excluded_fields_and_objects_are_avoided() {
    let graph = heap(
        "root static A.a -> 9:T
         root static A.b -> 1:B -x-> 9
         root jni -> 2:C -y-> 3:D -x-> 9",
    );
    let mut filter = strong(&graph);
    let excluding = |class: &Class, field: &str| (&*class.name, field) == ("A", "a");
    assert_eq!(filter.skip_fields(&graph, excluding), 1);
    assert_eq!(texts(&graph, 9, &filter, 1), ["static A.b->\nB@1-x->\nT@9"]);
    filter.skip_object(&graph, graph.find(1).unwrap());
    assert_eq!(texts(&graph, 9, &filter, 1), ["JNI global->\nC@2-y->\nD@3-x->\nT@9"]);
    filter.skip_object(&graph, graph.find(2).unwrap());
    assert_eq!(texts(&graph, 9, &filter, 1), [""; 0], "a root that is excluded");
}

/// INSANE's `findRoots` with and without weak references.
#[test]
fn strength_decides_which_references_count() {
    let graph = heap(
        "root static A.weak -> 1:java.lang.ref.WeakReference -referent-> 9:T
         root static A.map -> 2:B -x-> 3:java.lang.ref.SoftReference -referent-> 9",
    );
    let with = |weakest| texts(&graph, 9, &Filter::new(&graph, weakest), 1);
    assert_eq!(with(Strength::Strong), [""; 0]);
    let soft = "static A.map->\nB@2-x->\njava.lang.ref.SoftReference@3-referent->\nT@9";
    assert_eq!(with(Strength::Soft), [soft]);
    assert_eq!(with(Strength::Weak), ["static A.weak->\njava.lang.ref.WeakReference@1-referent->\nT@9"]);
    let targets = ObjectSet::of(&graph, graph.find(9));
    let path = strongest(&graph, &targets, &Filter::new(&graph, Strength::Phantom)).unwrap();
    assert_eq!(path.text(&graph), soft);
    assert_eq!(path.strength(&graph), Strength::Soft);
    assert_eq!(strongest(&graph, &targets, &strong(&graph)), None);
}

/// INSANE's `fromRoots`: several objects in one walk; those that are not reachable have no path.
#[test]
fn one_tree_has_the_paths_to_all() {
    let graph = heap("root static A.a -> 1:A -x-> 2:B; 3:C -x-> 2; 4:D");
    let filter = strong(&graph);
    let tree =
        PathTree::to(&graph, &filter, &ObjectSet::of(&graph, [2, 4].iter().filter_map(|&id| graph.find(id))));
    let path = |id| tree.path(graph.find(id).unwrap()).map(|path| path.text(&graph));
    assert_eq!(path(2).as_deref(), Some("static A.a->\nA@1-x->\nB@2"));
    assert_eq!(path(4), None);
}

proptest! {
    /// Against all paths, by relaxation: the fewest objects, the class of a static not counted.
    #[test]
    fn paths_are_shortest(graph in graphs(24), soft: bool) {
        let weakest = if soft { Strength::Soft } else { Strength::Strong };
        let filter = Filter::new(&graph, weakest);
        let tree = PathTree::to(&graph, &filter, &ObjectSet::of(&graph, graph.objects()));
        let fewest = fewest_objects(&graph, weakest);
        for object in graph.objects() {
            let path = tree.path(object);
            prop_assert_eq!(path.as_ref().map(|path| path.objects(&graph).len()), fewest[object.0 as usize]);
            let Some(path) = path else { continue };
            prop_assert_eq!(path.target(&graph), object);
            prop_assert!(path.strength(&graph) <= weakest);
            let mut at = path.root(&graph).object;
            for edge in path.edges(&graph) {
                prop_assert_eq!(at, edge.from);
                at = edge.to;
            }
            prop_assert_eq!(at, object);
            let found = shortest(&graph, &ObjectSet::of(&graph, [object]), &filter, 5);
            prop_assert_eq!(&found[0], &path);
            for (earlier, path) in found.iter().enumerate() {
                let between = path.objects(&graph);
                for other in &found[..earlier] {
                    prop_assert_ne!(other, path);
                    let between = &between[..between.len() - 1];
                    prop_assert!(other.objects(&graph).iter().all(|object| !between.contains(object)));
                }
            }
        }
    }
}

fn fewest_objects(graph: &Graph, weakest: Strength) -> Vec<Option<usize>> {
    let mut fewest = vec![None; graph.len()];
    let is_class =
        |object| graph.roots().iter().any(|root| root.object == object && root.kind == RootKind::SystemClass);
    for root in graph.roots() {
        fewest[root.object.0 as usize] = Some(1);
    }
    for _ in graph.objects() {
        for edge in graph.objects().flat_map(|object| graph.edges(object)) {
            let Some(before) = fewest[edge.from.0 as usize] else { continue };
            let is_static = matches!(edge.name, EdgeName::Static { .. }) && is_class(edge.from);
            let here = if is_static { 1 } else { before + 1 };
            let best = &mut fewest[edge.to.0 as usize];
            if edge.name.strength() <= weakest && best.is_none_or(|best| here < best) {
                *best = Some(here);
            }
        }
    }
    fewest
}
