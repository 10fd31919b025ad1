//! Mayfly's heap dumps: what is told is what is read, and damage is told with its place.
//!
//! `MAYFLY_BLESS=1 cargo test -p mayfly-heap` writes the golden file of the current version, which is only right before that
//! version was released: afterwards a difference needs a new version.
#![allow(clippy::disallowed_methods, reason = "blessing writes the golden file")]

use mayfly_heap::dump::{ClassFacts, Encoder, Facts, FieldFacts, Number, Reference, RootReference};
use mayfly_heap::{Dump, EdgeName, Graph, HeapError, ObjectIndex, RootFrame, RootKind, Strength};
use proptest::prelude::*;

use crate::dumps::{CUSTOM, LOADER, facts, small_dump};

/// Reads without looking at the progress.
fn read(bytes: &[u8]) -> Result<(Facts, Graph), HeapError> {
    mayfly_heap::dump::read(bytes, &mut |_, _| {})
}

fn graph() -> Graph {
    read(&small_dump()).expect("a whole dump").1
}

fn object(number: u32) -> ObjectIndex {
    ObjectIndex(number - 1)
}

/// The references of an object: name, whether strong, and number of the object referred to.
fn references(graph: &Graph, from: u32) -> Vec<(String, Strength, u32)> {
    let describe = |name: &EdgeName, index: Option<u32>| match name {
        EdgeName::Field { declaring, name, strength } => {
            (format!("{}.{name}", graph.class(*declaring).name), *strength)
        }
        EdgeName::Static { declaring, name, type_name } => {
            let class = &graph.class(*declaring).name;
            (format!("static {} {class}.{name}", type_name.as_deref().unwrap_or("?")), Strength::Strong)
        }
        EdgeName::Element => (format!("[{}]", index.expect("elements have an index")), Strength::Strong),
        EdgeName::Internal(name) => (format!("<{name}>"), Strength::Strong),
    };
    let edges = graph.edges(object(from));
    edges
        .map(|edge| {
            let (name, strength) = describe(edge.name, edge.index);
            (name, strength, edge.to.0 + 1)
        })
        .collect()
}

#[test]
fn the_encoder_still_writes_version_1_as_it_did() {
    let bytes = small_dump();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v1.mayheap");
    if std::env::var_os("MAYFLY_BLESS").is_some() {
        std::fs::write(path, &bytes).expect("the golden file can be written");
    }
    let golden = std::fs::read(path).expect("the golden file is there");
    let first_difference = golden.iter().zip(&bytes).position(|(a, b)| a != b);
    assert_eq!((first_difference, bytes.len()), (None, golden.len()), "bytes of the format changed");
}

#[test]
fn version_1_is_read_in_full() {
    let (read_facts, graph) = read(include_bytes!("../golden/v1.mayheap")).expect("version 1 is supported");
    assert_eq!(read_facts, facts());
    assert_eq!((graph.len(), graph.classes().count()), (18, 12), "one class is not known");
    assert_eq!(graph.size(object(14)), 5 << 30);
    assert_eq!(graph.size(object(15)), 17);
    assert_eq!(&*graph.class(graph.class_of(object(15))).name, "App");
    assert_eq!(&*graph.class(graph.class_of(object(7))).name, "java.lang.Class");
    assert_eq!(graph.id(object(15)), 15);
}

#[test]
fn references_get_the_names_of_their_fields() {
    let graph = graph();
    let app = references(&graph, 15);
    assert_eq!(app[0], ("java.lang.ref.Reference.referent".into(), Strength::Weak, 16));
    assert_eq!(app[1], ("App.größe".into(), Strength::Strong, 15));
    assert_eq!(app[2], ("<field 99>".into(), Strength::Strong, 15));
    let statics = references(&graph, 7);
    assert_eq!(statics[0], ("static java.lang.Object[] App.CACHE".into(), Strength::Strong, 14));
    let elements: Vec<_> = references(&graph, 14).into_iter().map(|(name, _, to)| (name, to)).collect();
    assert_eq!(elements, [("[2]".into(), 15), ("[3]".into(), LOADER.0), ("[300]".into(), 15)]);
}

/// The loader rule: what hangs on a loader of an application refers to its class, which refers to its loader; the JVM's own
/// classes are roots.
#[test]
fn only_classes_that_can_be_unloaded_are_held_by_their_instances() {
    let graph = graph();
    assert_eq!(references(&graph, 16).last(), Some(&("<class>".into(), Strength::Strong, 10)));
    assert_eq!(references(&graph, 10), [("<loader>".into(), Strength::Strong, CUSTOM.0)]);
    let held_by_class = references(&graph, 15).iter().any(|(name, ..)| name == "<class>");
    assert!(!held_by_class, "the loader of App is one of the JVM's own");
    let system: Vec<_> = graph.roots().iter().filter(|root| root.kind == RootKind::SystemClass).collect();
    assert_eq!(system.len(), 10, "all classes but plugin.Plugin, each once");
    assert!(!system.iter().any(|root| root.object == object(10)));
}

#[test]
fn roots_are_named() {
    let graph = graph();
    let kinds: Vec<_> =
        graph.roots().iter().map(|root| &root.kind).filter(|&kind| *kind != RootKind::SystemClass).collect();
    let frame = RootFrame { thread: Some("main".into()), method: Some("App.run".into()), slot: Some(-1) };
    let expected = [
        RootKind::StackLocal(frame),
        RootKind::JniLocal(RootFrame::default()),
        RootKind::JniGlobal,
        RootKind::Other("system class".into()),
        RootKind::Monitor,
        RootKind::Thread,
        RootKind::Other("JVM".into()),
    ];
    assert_eq!(kinds, expected.iter().collect::<Vec<_>>());
}

#[test]
fn texts_and_histogram_need_no_graph() {
    let bytes = small_dump();
    let dump = Dump::open(&bytes).expect("a dump");
    assert!(!dump.is_of_hprof());
    let mut texts = Vec::new();
    let mut last = 0;
    dump.strings(&mut |done, of| last = done * 100 / of, &mut |text| {
        texts.push((text.id, text.length, text.to_string(), text.is_whole()));
    })
    .expect("a whole dump");
    assert_eq!(last, 100);
    assert_eq!(texts, [(17, 6, "größ".into(), false), (17, 1, "→".into(), true)]);
    let histogram = dump.histogram(&mut |_, _| {}).expect("a whole dump");
    let graph = graph();
    assert_eq!(histogram.total().objects, 18);
    assert_eq!(histogram, graph.summary(graph.objects()));
}

#[test]
fn frames_can_be_taken_as_they_come() {
    let mut encoder = Encoder::new(&Facts::default());
    let mut written = Vec::new();
    let class = encoder.class(&ClassFacts { name: "Node", mirror_size: 96, ..ClassFacts::default() });
    let mut last = class;
    let mut pieces = 0;
    for _ in 0..100_000 {
        let node = encoder.object(class, 24);
        encoder.edge(node, Reference::Element(0), last);
        last = node;
        if !encoder.closed().is_empty() {
            assert!(encoder.closed().len() < 70_000, "{} bytes at once", encoder.closed().len());
            written.extend_from_slice(encoder.closed());
            encoder.clear_closed();
            pieces += 1;
        }
    }
    written.extend(encoder.finish().expect("few objects"));
    assert!(pieces > 5);
    let graph = read(&written).expect("a whole dump").1;
    assert_eq!((graph.len(), graph.edge_count()), (100_001, 100_000));
    assert_eq!(graph.edges(ObjectIndex(100_000)).next().map(|edge| edge.to), Some(ObjectIndex(99_999)));
    assert!(written.len() < 100_000 * 8, "{} bytes", written.len());
}

/// Classes are told first; threads of the program go on until the walk, and load more.
#[test]
fn an_object_of_a_class_that_was_loaded_meanwhile_is_of_none_that_is_known() {
    let mut encoder = Encoder::new(&facts());
    let class = encoder.class(&ClassFacts { name: "java.lang.Class", ..ClassFacts::default() });
    let loaded_meanwhile = encoder.object(class, 112);
    let instance = encoder.object(loaded_meanwhile, 16);
    encoder.root(RootReference::Other, instance);
    let bytes = encoder.finish().expect("few objects");
    let graph = read(&bytes).expect("a whole dump").1;
    let of = |number: Number| graph.class(graph.class_of(ObjectIndex(number.0 - 1))).name.clone();
    assert_eq!(&*of(loaded_meanwhile), "java.lang.Class");
    assert_eq!(&*of(instance), "(class not known)");
}

#[test]
fn foreign_and_newer_bytes_are_named_so() {
    assert_eq!(read(b"\x89PNG\r\n\x1a\n").map(|_| ()), Err(HeapError::Foreign));
    let mut bytes = small_dump();
    bytes[8] = 9;
    assert_eq!(read(&bytes).map(|_| ()), Err(HeapError::Version { version: 9, newest: 1 }));
}

#[test]
fn a_dump_cut_off_anywhere_is_an_error_with_its_place() {
    let bytes = small_dump();
    for len in 8..bytes.len() {
        match read(&bytes[..len]) {
            Err(HeapError::Truncated { offset, .. }) => assert!(offset <= len as u64),
            other => panic!("cut off at {len}: {other:?}"),
        }
    }
}

#[test]
fn any_flipped_bit_is_found() {
    let bytes = small_dump();
    for at in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        let in_reserved = (80..96).contains(&at);
        assert_eq!(read(&damaged).is_ok(), in_reserved, "bit {at}");
    }
}

/// A record frame of these bytes, with good checksums: so that what is behind the checksums is tried, too.
fn with_records(payload: &[u8]) -> Vec<u8> {
    let mut encoder = Encoder::new(&facts());
    encoder.class(&ClassFacts { name: "A", superclass: Number(1), ..ClassFacts::default() });
    let mut bytes = encoder.finish().expect("one class");
    let totals = 13 + 5;
    bytes.truncate(bytes.len() - totals);
    let mut head = vec![2u8];
    head.extend((payload.len() as u32).to_le_bytes());
    head.extend(crc32fast::hash(&head.clone()).to_le_bytes());
    head.extend(crc32fast::hash(payload).to_le_bytes());
    bytes.extend(head);
    bytes.extend(payload);
    bytes
}

proptest! {
    #[test]
    fn arbitrary_records_never_panic(payload in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&with_records(&payload)).is_err(), "there are no totals");
    }

    #[test]
    fn arbitrary_bytes_never_panic(tail in prop::collection::vec(any::<u8>(), 0..300), at in 0..200usize) {
        let mut bytes = small_dump();
        bytes.truncate(at);
        bytes.extend(tail);
        let _ = read(&bytes);
    }
}

/// A buffer, a view of it, and a part of the file that a later Mayfly writes.
#[test]
fn buffers_have_bytes_outside_of_the_heap_and_views_have_none() {
    let field = |name, descriptor| FieldFacts { name, descriptor, is_static: false };
    let class = |name, superclass, fields| ClassFacts { name, superclass, fields, ..ClassFacts::default() };
    let mut encoder = Encoder::new(&facts());
    encoder.class(&class("java.lang.Object", Number::NONE, &[]));
    let buffer = [field("mark", "I"), field("capacity", "I"), field("segment", "LS;")];
    let buffer = encoder.class(&class("java.nio.Buffer", Number(1), &buffer));
    let direct = encoder.class(&class("java.nio.DirectByteBuffer", buffer, &[field("att", "LObject;")]));
    let [own, view, of_segment, empty] = [0; 4].map(|_| encoder.object(direct, 64));
    encoder.edge(view, Reference::Field(3), own);
    encoder.edge(of_segment, Reference::Field(2), own);
    for (of, capacity) in [(own, 4096), (view, 4096), (of_segment, 4096), (empty, 0)] {
        encoder.value(of, 0, -1);
        encoder.value(of, 1, capacity);
        // No class has such a field.
        encoder.value(of, 77, 5);
    }
    let mut bytes = encoder.finish().expect("few objects");
    let off_heap = |bytes: &[u8]| {
        let (_, graph) = read(bytes).expect("whole");
        [own, view, of_segment, empty].map(|of| graph.off_heap(object(of.0)))
    };
    assert_eq!(off_heap(&bytes), [4096, 0, 0, 0]);
    let mut later = vec![200, 3, 0, 0, 0];
    later.extend(crc32fast::hash(&later).to_le_bytes());
    later.extend(crc32fast::hash(b"new").to_le_bytes());
    later.extend(b"new");
    let at =
        bytes.windows(5).position(|head| head[0] == 4 && head[2..] == [0, 0, 0]).expect("a frame of values");
    bytes.splice(at..at, later);
    assert_eq!(off_heap(&bytes), [4096, 0, 0, 0], "what is not known is passed over");
}
