//! Holders of objects in all sorts of collections.

use super::*;
use crate::edge::Strength;
use crate::fake::heap;

fn texts(graph: &Graph, of: u64, most: usize) -> Vec<String> {
    let filter = Filter::new(graph, Strength::Strong);
    let object = graph.find(of).unwrap();
    let found = Holding::new(graph, &Referrers::new(graph), &filter).of(object, most);
    found.iter().map(|holder| holder.text(graph)).collect()
}

/// INSANE's `reachableBy`: maps, lists and strings are seen through, an array of the program's own and its fields are not.
#[test]
fn collections_are_seen_through() {
    let graph = heap(
        "1:my.Cache -entries-> 2:java.util.HashMap -table-> 3:java.util.HashMap$Node[] -[5]-> 4:java.util.HashMap$Node
         4 -value-> 9:T
         5:my.List -items-> 6:java.util.ArrayList -elementData-> 7:java.lang.Object[] -[0]-> 9
         8:my.Own -array-> a:java.lang.Object[] -[1]-> 9
         b:my.Set -set-> c:java.util.HashSet -map-> 2",
    );
    assert_eq!(
        texts(&graph, 9, 9),
        [
            "[Ljava.lang.Object;@a-[1]->\nT@9",
            "my.List@5-items->\njava.util.ArrayList@6-elementData->\n[Ljava.lang.Object;@7-[0]->\nT@9",
            "my.Cache@1-entries->\njava.util.HashMap@2-table->\n[Ljava.util.HashMap$Node;@3-[5]->\n\
             java.util.HashMap$Node@4-value->\nT@9",
            "my.Set@b-set->\njava.util.HashSet@c-map->\njava.util.HashMap@2-table->\n\
             [Ljava.util.HashMap$Node;@3-[5]->\njava.util.HashMap$Node@4-value->\nT@9",
        ]
    );
    assert_eq!(texts(&graph, 9, 2).len(), 2);
}

#[test]
fn statics_and_roots_hold() {
    let graph = heap(
        "class A mirror c; root static A.x -> 1:java.util.ArrayList -elementData-> 2:java.lang.Object[] -[0]-> 3:T
         root local main A.run 2 -> 1; root jni -> 3",
    );
    assert_eq!(
        texts(&graph, 3, 9),
        [
            "JNI global->\nT@3",
            "local variable 2 of A.run, thread \"main\"->\njava.util.ArrayList@1-elementData->\n\
             [Ljava.lang.Object;@2-[0]->\nT@3",
            "class A@c-x->\njava.util.ArrayList@1-elementData->\n[Ljava.lang.Object;@2-[0]->\nT@3",
        ]
    );
}

#[test]
fn weak_and_skipped_references_do_not_hold() {
    let graph = heap("1:java.lang.ref.WeakReference -referent-> 9:T; 2:A -x-> 9; 3:B -x-> 9");
    let referrers = Referrers::new(&graph);
    let mut filter = Filter::new(&graph, Strength::Strong);
    filter.skip_object(&graph, graph.find(3).unwrap());
    let found = Holding::new(&graph, &referrers, &filter).of(graph.find(9).unwrap(), 9);
    assert_eq!(
        found.iter().map(|holder| holder.by).collect::<Vec<_>>(),
        [HeldBy::Object(graph.find(2).unwrap())]
    );
}

/// A holder with several fields, several statics of a class, several elements: each is told.
#[test]
fn every_field_that_holds_is_told() {
    let graph = heap(
        "class A mirror c; root static A.x -> 9:T; root static A.y -> 9; root static A.list -> 1:java.util.ArrayList
         1 -elementData-> 2:java.lang.Object[] -[0]-> 9; 2 -[1]-> 9
         3:B -one-> 9; 3 -two-> 9; 3 -map-> 1; 4:B[] -[3]-> 9; 4 -[5]-> 9; 9 -self-> 9",
    );
    let firsts: Vec<_> = texts(&graph, 9, 99)
        .iter()
        .map(|text| text.split("->").next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        firsts,
        [
            "B@3-one",
            "B@3-two",
            "[LB;@4-[3]",
            "[LB;@4-[5]",
            "class A@c-x",
            "class A@c-y",
            "B@3-map",
            "class A@c-list"
        ]
    );
}

/// Insides that refer to each other in a circle end the search.
#[test]
fn circles_end() {
    let graph =
        heap("1:java.util.LinkedList$Node -next-> 2:java.util.LinkedList$Node -next-> 1; 2 -item-> 9:T");
    assert_eq!(texts(&graph, 9, 9), [""; 0]);
}
