//! What is written comes back; what is damaged is noticed, or at least harms nobody.

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::arbitrary::graphs;
use crate::dominators::Dominators;
use crate::edge::Strength;
use crate::fake::heap;
use crate::filter::Filter;
use crate::graph::Graph;
use crate::paths::{self, ShortestPaths};
use crate::reach;
use crate::referrers::Referrers;
use crate::set::ObjectSet;

const HEAP: &str = "
    class my.Node extends B mirror c
    root static my.Node.all -> 1:my.Node[24] -next-> 2:my.Node[24] -value-> 3:B[100]
    root jni -> 5:java.lang.ref.SoftReference[48] -referent-> 6:C[1000]
    1 -items-> 4:B[][64] -[3]-> 3; 4 -[7]-> 6
    2 off-heap 5000000000; 3 off-heap 7";

fn stamp() -> Stamp {
    Stamp::of(b"a dump", 7)
}

/// All that can be kept of a graph.
fn parts(graph: &Graph) -> Vec<Part> {
    let dominators = Dominators::new(graph, &Filter::new(graph, Strength::Soft));
    let mut parts = graph.parts();
    parts.extend(dominators.parts());
    parts.extend(Referrers::new(graph).parts());
    parts.extend(ShortestPaths::new(graph).parts());
    parts.push(histogram_part(&graph.summary(graph.objects())));
    parts.push(classes_part(&dominators.by_class(graph)));
    parts.push(loaders_part(&dominators.by_loader(graph)));
    parts
}

fn file(parts: &[Part]) -> Vec<u8> {
    let mut bytes = head(&stamp());
    let written: Result<(), ()> = write(parts, &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    });
    written.expect("memory takes all");
    bytes
}

/// All of a graph that can be seen.
fn seen(graph: &Graph) -> String {
    let objects = graph.objects().map(|object| {
        let edges: Vec<_> = graph.edges(object).collect();
        let sizes = (graph.size(object), graph.off_heap(object));
        format!("{:x} {:?} {sizes:?} {edges:?}\n", graph.id(object), graph.class_of(object))
    });
    let objects: String = objects.collect();
    let mirrors: Vec<_> = graph.objects().filter_map(|object| graph.mirrored(object)).collect();
    format!("{objects}{:?}{:?}{mirrors:?}", graph.classes().collect::<Vec<_>>(), graph.roots())
}

/// All that an index answers, as far as it is there; none if it is noticed that something is not as it was written.
fn answers(bytes: Vec<u8>) -> Option<Vec<String>> {
    let saved = Saved::open(&Bytes::from(bytes), &stamp())?;
    let ask = || {
        let Some(graph) = saved.graph()? else { return Ok::<_, Damaged>(Vec::new()) };
        let mut answers = vec![seen(&graph)];
        if let Some(dominators) = saved.dominators(&graph)? {
            answers.push(format!("{:?}", dominators.largest_of_all(5)));
            answers.push(format!("{:?}", dominators.by_class(&graph)));
            answers.push(format!("{:?}", dominators.by_loader(&graph)));
            let above = graph.objects().map(|object| dominators.immediate(object));
            answers.push(format!("{:?}", above.collect::<Vec<_>>()));
        }
        if let Some(referrers) = saved.referrers(&graph)? {
            let edges = |object| referrers.edges(&graph, object).map(|edge| edge.from).collect::<Vec<_>>();
            answers.push(format!("{:?}", graph.objects().map(edges).collect::<Vec<_>>()));
        }
        if let Some(known) = saved.paths(&graph)? {
            let paths = graph.objects().map(|object| {
                let targets = ObjectSet::of(&graph, [object]);
                let paths = paths::shortest_known(&graph, &targets, &known, 3);
                paths.iter().map(|path| path.text(&graph)).collect::<Vec<_>>().join("\n\n")
            });
            answers.push(paths.collect::<Vec<_>>().join("\n\n\n"));
        }
        answers.push(format!("{:?}", saved.histogram()?));
        answers.push(format!("{:?}", saved.retained_by_class()?));
        answers.push(format!("{:?}", saved.retained_by_loader(&graph)?));
        Ok(answers)
    };
    ask().ok()
}

proptest! {
    #[test]
    fn what_is_written_is_what_is_read(graph in graphs(100)) {
        let bytes = Bytes::from(file(&parts(&graph)));
        let saved = Saved::open(&bytes, &stamp()).expect("its own");
        prop_assert_eq!(saved.length(), bytes.len() as u64);
        let read = saved.graph().expect("whole").expect("there");
        prop_assert_eq!(seen(&read), seen(&graph));
        let dominators = Dominators::new(&graph, &Filter::new(&graph, Strength::Soft));
        let kept = saved.dominators(&read).expect("whole").expect("there");
        for object in graph.objects() {
            prop_assert_eq!(kept.retained(object), dominators.retained(object));
            prop_assert_eq!(kept.immediate(object), dominators.immediate(object));
        }
        prop_assert_eq!(saved.retained_by_class().expect("whole"), Some(dominators.by_class(&graph)));
        prop_assert_eq!(saved.retained_by_loader(&read).expect("whole"), Some(dominators.by_loader(&graph)));
        prop_assert_eq!(saved.histogram().expect("whole"), Some(graph.summary(graph.objects())));
        let (referrers, read_referrers) =
            (Referrers::new(&graph), saved.referrers(&read).expect("whole").expect("there"));
        for object in graph.objects() {
            let all = |referrers: &Referrers| referrers.sources(object).collect::<Vec<_>>();
            prop_assert_eq!(all(&read_referrers), all(&referrers));
        }
    }

    /// Known paths are those that a walk finds, to one object and to several.
    #[test]
    fn known_paths_are_those_that_are_found(graph in graphs(60), every in 1..7_usize) {
        let known = ShortestPaths::new(&graph);
        let strong = Filter::new(&graph, Strength::Strong);
        let one = graph.objects().map(|object| ObjectSet::of(&graph, [object]));
        let several = ObjectSet::of(&graph, graph.objects().step_by(every));
        for targets in one.chain([several]) {
            for most in [0, 1, 3] {
                let found = paths::shortest(&graph, &targets, &strong, most);
                prop_assert_eq!(paths::shortest_known(&graph, &targets, &known, most), found);
            }
        }
    }

    /// Checksums that fit prove nothing: what is not what it should be leads nowhere outside, nor round for ever.
    #[test]
    fn a_forged_index_harms_nobody(
        graph in graphs(30),
        part: prop::sample::Index,
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut parts = parts(&graph);
        let forged = part.get_mut(&mut parts);
        let mut bytes = forged.bytes();
        let length = bytes.len();
        for (place, byte) in places.iter().filter(|_| length > 0) {
            bytes[place.index(length)] = *byte;
        }
        forged.forge(bytes);
        answers(file(&parts));
        // What is computed on the graph, if it is taken for one.
        let saved = Saved::open(&Bytes::from(file(&parts)), &stamp()).expect("the head is as it was");
        if let Ok(Some(graph)) = saved.graph() {
            let filter = Filter::new(&graph, Strength::Soft);
            reach::live(&graph, &filter);
            Dominators::new(&graph, &filter).by_class(&graph);
            Referrers::new(&graph);
            ShortestPaths::new(&graph);
        }
    }
}

/// A byte that is not what it was is noticed, wherever it is, and a file that ends anywhere is one with fewer parts.
#[test]
fn damage_is_noticed() {
    let whole = file(&parts(&heap(HEAP)));
    let expected = answers(whole.clone()).expect("whole");
    assert_eq!(expected.len(), 10);
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        let asked = answers(damaged);
        let fewer =
            |asked: &Vec<String>| asked.iter().all(|answer| answer == "None" || expected.contains(answer));
        assert!(asked.as_ref().is_none_or(fewer), "byte {at}: {asked:?}");
        let cut = answers(whole[..at].to_vec());
        assert!(cut.as_ref().is_none_or(fewer), "cut off at byte {at}: {cut:?}");
    }
}

#[test]
fn another_dump_has_another_stamp() {
    let dump = vec![1; 300_000];
    let stamp = Stamp::of(&dump, 7);
    let bytes = Bytes::from(head(&stamp));
    assert!(Saved::open(&bytes, &stamp).is_some());
    let with = |at: usize| {
        let mut other = dump.clone();
        other[at] = 2;
        Stamp::of(&other, 7)
    };
    for other in [with(0), with(299_999), Stamp::of(&dump[..299_999], 7), Stamp::of(&dump, 8)] {
        assert!(Saved::open(&bytes, &other).is_none());
    }
    assert!(Saved::open(&Bytes::new(), &stamp).is_none());
}

/// What was not written to its end does not hide what comes to lie there.
#[test]
fn parts_are_added_where_the_last_whole_one_ends() {
    let graph = heap(HEAP);
    let (first, rest) = (file(&graph.parts()), file(&parts(&graph)));
    let torn = [&first[..], &[1; 50]].concat();
    let saved = Saved::open(&Bytes::from(torn), &stamp()).expect("its own");
    assert_eq!(saved.length(), first.len() as u64);
    assert!(parts(&graph)[..7].iter().all(|part| !saved.lacks(part)));
    assert!(parts(&graph)[7..].iter().all(|part| saved.lacks(part)));
    assert_eq!(saved.dominators(&graph).map(|none| none.is_none()), Ok(true));
    let whole = [&first[..], &rest[first.len()..]].concat();
    assert_eq!(answers(whole), answers(rest));
}
