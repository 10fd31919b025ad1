//! hprof files: either width of ids, every form of heap, and damage told with its place. Files of real JVMs are read in the
//! workspace's end-to-end tests.

use mayfly_heap::{
    Dump, EdgeName, Format, Graph, HeapError, ObjectIndex, RootFrame, RootKind, Strength, Total,
};
use proptest::prelude::*;

use crate::hprofs::{
    A, APP, ARRAY, B, BYTES, CUSTOM, FORMS, Form, LONGS, MAIN, NAME, OBJECT, WEAK_A, flipped, small_hprof,
    with_array_without_elements, with_numbers_for_ids, with_split_record, with_unknown_record,
};

fn graph_of(bytes: &[u8]) -> Result<Graph, HeapError> {
    Dump::open(bytes)?.graph(&mut |_, _| {})
}

fn each_file(check: impl Fn(&[u8], &Graph)) {
    for wide in [false, true] {
        for form in FORMS {
            let bytes = small_hprof(wide, form);
            check(
                &bytes,
                &graph_of(&bytes).unwrap_or_else(|told| panic!("wide ids: {wide}, {form:?}: {told}")),
            );
        }
    }
}

fn object(graph: &Graph, id: u64) -> ObjectIndex {
    graph.objects().find(|object| graph.id(*object) == id).unwrap_or_else(|| panic!("no {id:#x}"))
}

fn references(graph: &Graph, from: u64) -> Vec<(String, u64)> {
    let describe = |name: &EdgeName| match name {
        EdgeName::Field { declaring, name, strength } => {
            let weak = if *strength == Strength::Weak { "weak " } else { "" };
            format!("{weak}{}.{name}", graph.class(*declaring).name)
        }
        EdgeName::Static { declaring, name, .. } => format!("static {}.{name}", graph.class(*declaring).name),
        EdgeName::Element => String::new(),
        EdgeName::Internal(name) => format!("<{name}>"),
    };
    let edges = graph.edges(object(graph, from));
    let element = |index: Option<u32>| index.map_or_else(String::new, |index| format!("[{index}]"));
    edges.map(|edge| (describe(edge.name) + &element(edge.index), graph.id(edge.to))).collect()
}

/// A field that is no reference, by its name.
#[test]
fn values_of_fields_are_told() {
    each_file(|bytes, _| {
        let values = Dump::open(bytes).expect("known").values(&[A, 0x77], &mut |_, _| {}).expect("whole");
        let values = values.expect("a JVM's dump has them");
        let names: Vec<_> = values[&A].iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["count"], "{values:?}");
        assert!(values[&A][0].1.parse::<i32>().is_ok(), "{values:?}");
        assert!(values[&0x77].is_empty());
    });
}

#[test]
fn objects_and_classes_are_all_there() {
    each_file(|bytes, graph| {
        assert_eq!(Dump::open(bytes).expect("known").format(), Format::Hprof);
        assert_eq!(graph.len(), 18, "nine classes, nine objects");
        let class = |id| &*graph.class(graph.class_of(object(graph, id))).name;
        let classes = [A, ARRAY, NAME, BYTES, LONGS, OBJECT].map(class);
        let names = ["plugin.App", "[Ljava.lang.Object;", "java.lang.String", "[B", "[J", "java.lang.Class"];
        assert_eq!(classes, names);
        let app = graph.class(graph.class_of(object(graph, A)));
        assert_eq!((app.mirror, app.loader), (Some(object(graph, APP)), Some(object(graph, CUSTOM))));
    });
}

#[test]
fn references_have_the_names_of_their_fields() {
    each_file(|_, graph| {
        assert_eq!(references(graph, A), [("plugin.App.next".into(), B), ("<class>".into(), APP)]);
        assert_eq!(
            references(graph, ARRAY),
            [("[1]".into(), A)],
            "null and what is not in the file are left out"
        );
        assert_eq!(references(graph, WEAK_A), [("weak java.lang.ref.Reference.referent".into(), A)]);
        let statics = [("static plugin.App.CACHE".into(), ARRAY), ("<resolved references>".into(), ARRAY)];
        let class = [("<superclass>".into(), OBJECT), ("<loader>".into(), CUSTOM)];
        assert_eq!(references(graph, APP), [statics, class].concat());
    });
}

#[test]
fn roots_are_named_with_thread_and_method() {
    each_file(|_, graph| {
        let system = graph.roots().iter().filter(|root| root.kind == RootKind::SystemClass).count();
        assert_eq!(system, 8, "all classes but plugin.App");
        let thread = Some("maïn".into());
        let run = RootFrame { thread: thread.clone(), method: Some("plugin.App.run".into()), slot: None };
        let unknown = RootFrame { method: Some("?".into()), ..run.clone() };
        let other = |name: &str| RootKind::Other(name.into());
        let expected = [
            (MAIN, RootKind::Thread),
            (A, RootKind::StackLocal(run)),
            (A, RootKind::JniLocal(unknown)),
            (ARRAY, RootKind::JniGlobal),
            (B, RootKind::JniLocal(RootFrame { thread, ..RootFrame::default() })),
            (APP, other("system class")),
            (B, other("thread block")),
            (B, RootKind::Monitor),
            (B, other("unknown")),
        ];
        let told = graph.roots().iter().filter(|root| root.kind != RootKind::SystemClass);
        let told: Vec<_> = told.map(|root| (graph.id(root.object), root.kind.clone())).collect();
        assert_eq!(told, expected);
    });
}

#[test]
fn texts_and_histogram_need_no_graph() {
    each_file(|bytes, graph| {
        let dump = Dump::open(bytes).expect("known");
        let mut texts = Vec::new();
        dump.strings(&mut |_, _| {}, &mut |text| texts.push((text.id, text.to_string()))).expect("whole");
        assert_eq!(texts, [(NAME, "maïn".into())]);
        let histogram = dump.histogram(&mut |_, _| {}).expect("whole");
        let sum = graph.objects().map(|object| graph.size(object)).sum();
        assert_eq!(histogram.total(), Total { objects: 18, bytes: sum });
        let row = |class| histogram.of(class);
        // A header, a reference, an int; ids of 4 bytes are those of a JVM of 32 bits.
        let size = if bytes[22] == 4 { 16 } else { 24 };
        assert_eq!(row("plugin.App"), Total { objects: 2, bytes: 2 * size });
        assert_eq!(row("java.lang.Class").objects, 9);
    });
}

#[test]
fn a_file_cut_off_anywhere_is_an_error_or_ends_between_records() {
    let bytes = small_hprof(true, Form::Segments);
    let mut whole = 0;
    for len in 0..bytes.len() {
        match graph_of(&bytes[..len]) {
            Ok(_) => whole += 1,
            Err(HeapError::Foreign) => assert!(len < 16),
            Err(HeapError::Truncated { offset, .. }) => assert!(offset <= len as u64),
            Err(other) => panic!("cut off at {len}: {other}"),
        }
    }
    // 19 names, 9 classes, a frame, a trace, 29 pieces of heap; the end is the file's.
    assert_eq!(whole, 60);
}

#[test]
fn damage_is_told_with_its_place() {
    let bytes = small_hprof(true, Form::OnePiece);
    let heap = bytes.windows(10).position(|bytes| bytes[0] == 0x0c && bytes[9] == 0x20).expect("a heap");
    let mut damaged = bytes.clone();
    damaged[heap + 9] = 0x42;
    let told = graph_of(&damaged).expect_err("nothing begins with 0x42");
    assert!(matches!(&told, HeapError::Corrupt { offset, .. } if *offset == heap as u64 + 9), "{told}");
    let mut damaged = bytes;
    damaged[22] = 5;
    let told = graph_of(&damaged).expect_err("ids of 5 bytes");
    assert!(told.to_string().contains("damaged at byte 19: ids of 5 bytes"), "{told}");
}

#[test]
fn a_record_of_an_unknown_kind_is_passed_over_and_remarked() {
    let (bytes, plain) = (with_unknown_record(), small_hprof(true, Form::Segments));
    let [dump, plain] = [&bytes, &plain].map(|bytes| Dump::open(bytes).expect("known"));
    let rows = |dump: &Dump<'_>| dump.histogram(&mut |_, _| {}).expect("whole");
    assert_eq!(rows(&dump), rows(&plain));
    assert_eq!(dump.graph(&mut |_, _| {}).expect("whole").len(), 18);
    assert_eq!(dump.remarks().expect("whole").unknown, [(0x77, 1)]);
    assert!(plain.remarks().expect("whole").unknown.is_empty());
    let mut cut = bytes;
    cut.truncate(40);
    let told = graph_of(&cut).expect_err("an unknown record that is not whole").to_string();
    assert!(told.contains("no record begins with 0x77"), "{told}");
}

#[test]
fn an_array_without_elements_has_its_size() {
    let bytes = with_array_without_elements();
    let graph = graph_of(&bytes).expect("Android's");
    let array = object(&graph, 0x3000);
    assert_eq!(&*graph.class(graph.class_of(array)).name, "[B");
    assert!((80..=104).contains(&graph.size(array)), "{}", graph.size(array));
    assert!(ends_well(&bytes));
}

#[test]
fn a_segment_that_ends_within_an_object_is_called_so() {
    let told = graph_of(&with_split_record()).expect_err("not read");
    assert!(matches!(told, HeapError::Split { .. }), "{told}");
}

#[test]
fn sizes_come_from_fields_where_ids_are_no_addresses() {
    let bytes = with_numbers_for_ids();
    let graph = graph_of(&bytes).expect("whole");
    assert_eq!([100, 1099, 1101].map(|id| graph.size(object(&graph, id))), [24, 24, 24]);
    assert_eq!(graph.size(object(&graph, 1100)), 100_016);
    let histogram = Dump::open(&bytes).expect("known").histogram(&mut |_, _| {}).expect("whole");
    let sum = graph.objects().map(|object| graph.size(object)).sum();
    assert_eq!(histogram.total(), Total { objects: 1002 + 9, bytes: sum });
}

/// The graph and the histogram of damaged bytes: whole or an error, and both the same of the two.
fn ends_well(bytes: &[u8]) -> bool {
    let Ok(dump) = Dump::open(bytes) else { return true };
    dump.graph(&mut |_, _| {}).is_ok() == dump.histogram(&mut |_, _| {}).is_ok()
}

#[test]
fn no_single_flipped_bit_does_harm() {
    let whole = small_hprof(false, FORMS[0]);
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(ends_well(&bytes), "bit {bit}");
    }
}

proptest! {
    #[test]
    fn flipped_bits_never_panic(wide: bool, form in 0..3usize, flips in prop::collection::vec(any::<prop::sample::Index>(), 1..4)) {
        let bytes = flipped(small_hprof(wide, FORMS[form]), &flips);
        let Ok(dump) = Dump::open(&bytes) else { return Ok(()) };
        prop_assert!(ends_well(&bytes));
        let _ = dump.strings(&mut |_, _| {}, &mut |text| { let _ = text.to_string(); });
    }

    #[test]
    fn arbitrary_bytes_never_panic(at in 0..2000usize, tail in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut bytes = small_hprof(true, Form::NoLength);
        bytes.truncate(at);
        bytes.extend(tail);
        if let Ok(dump) = Dump::open(&bytes) {
            let _ = dump.graph(&mut |_, _| {});
            let _ = dump.histogram(&mut |_, _| {});
        }
    }
}
