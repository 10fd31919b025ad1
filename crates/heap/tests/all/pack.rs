//! hprof files as dumps of ours: what is read of both is the same heap.

use std::collections::BTreeMap;

use mayfly_heap::dump::{Facts, Written};
use mayfly_heap::{
    Dump, Edge, EdgeName, Format, Graph, HeapError, HeapSummary, ObjectIndex, RootFrame, RootKind,
};
use proptest::prelude::*;

use crate::hprofs::{FORMS, flipped, small_hprof};

/// Classes that the small file names without a record of their own: `[B` and `[J`. They get a `java.lang.Class` of no bytes.
const ADDED: usize = 2;
const ADDED_CLASS: &str = "java.lang.Class[0]";
/// The one text in it.
const TEXT: &str = "maïn";

fn pack(bytes: &[u8], facts: &Facts) -> Result<(Vec<u8>, Written), HeapError> {
    let mut packed = Vec::new();
    let written = mayfly_heap::hprof::pack(bytes, facts, &mut |_, _| {}, &mut |piece| {
        packed.extend_from_slice(piece);
        Ok::<(), HeapError>(())
    })?;
    Ok((packed, written))
}

fn graph(bytes: &[u8]) -> Graph {
    Dump::open(bytes).and_then(|dump| dump.graph(&mut |_, _| {})).expect("a whole dump")
}

/// What an object is, without its number: of which class, how large, and which class it stands for.
fn described(graph: &Graph, object: ObjectIndex) -> String {
    let stands_for = graph.mirrored(object).map_or("", |class| &*graph.class(class).name);
    format!("{}[{}]{stands_for}", graph.class(graph.class_of(object)).name, graph.size(object))
}

fn edge(graph: &Graph, edge: &Edge<'_>) -> String {
    let name = match edge.name {
        // The one name that a dump of ours has for all that a class holds besides.
        EdgeName::Internal(name) if &**name == "resolved references" => "constant".to_owned(),
        EdgeName::Internal(name) => name.to_string(),
        name => {
            let field = name.field().map(|(class, field)| format!("{}.{field}", graph.class(class).name));
            format!("{field:?} {:?} {:?}", edge.index, name.strength())
        }
    };
    format!("{} -{name}-> {}", described(graph, edge.from), described(graph, edge.to))
}

fn root(graph: &Graph, object: ObjectIndex, kind: &RootKind) -> String {
    let frame = |frame: &RootFrame| RootFrame { slot: None, ..frame.clone() };
    let kind = match kind {
        RootKind::StackLocal(at) => RootKind::StackLocal(frame(at)),
        RootKind::Other(words) if &**words != "system class" => RootKind::Other("JVM".into()),
        kind => kind.clone(),
    };
    format!("{kind:?} {}", described(graph, object))
}

/// How many there are of each reference, root and class.
fn told(graph: &Graph) -> BTreeMap<String, usize> {
    let edges =
        graph.objects().flat_map(|object| graph.edges(object)).map(|reference| edge(graph, &reference));
    let roots = graph.roots().iter().filter(|root| !described(graph, root.object).starts_with(ADDED_CLASS));
    let roots = roots.map(|told| root(graph, told.object, &told.kind));
    let classes = graph.classes().map(|(_, class)| {
        let loader = class.loader.map(|loader| described(graph, loader));
        let superclass = class.superclass.map(|superclass| &graph.class(superclass).name);
        format!("class {} {loader:?} {superclass:?}", class.name)
    });
    let mut told = BTreeMap::new();
    edges.chain(roots).chain(classes).for_each(|what| *told.entry(what).or_default() += 1);
    told
}

#[test]
fn the_heap_is_the_same() {
    for (wide, form) in [false, true].into_iter().flat_map(|wide| FORMS.map(|form| (wide, form))) {
        let hprof = small_hprof(wide, form);
        let (packed, written) = pack(&hprof, &Facts::default()).expect("it can be read");
        let (theirs, ours) = (graph(&hprof), graph(&packed));
        let dump = Dump::open(&packed).expect("known");
        assert_eq!((dump.format(), dump.is_of_hprof()), (Format::Mayfly, true));
        assert_eq!(told(&ours), told(&theirs), "wide ids: {wide}, {form:?}");
        let (rows, told) = (ours.summary(ours.objects()), theirs.summary(theirs.objects()));
        let rows = rows.rows().map(|(name, mut total)| {
            total.objects -= if name == "java.lang.Class" { ADDED as u64 } else { 0 };
            (name, total)
        });
        let rows: HeapSummary = rows.collect();
        assert_eq!(rows, told);
        assert_eq!((ours.len(), ours.edge_count()), (theirs.len() + ADDED, theirs.edge_count()));
        // The class and the loader of what can be unloaded are not written, but follow.
        let edges = written.references as usize;
        assert!(written.objects as usize == ours.len() && edges < ours.edge_count(), "{written:?}");
    }
}

#[test]
fn texts_come_as_far_as_they_are_wanted() {
    let hprof = small_hprof(true, FORMS[0]);
    let texts = |limit| {
        let facts = Facts { pid: 4711, text_limit: limit, ..Facts::default() };
        let (packed, _) = pack(&hprof, &facts).expect("it can be read");
        let graph = graph(&packed);
        let mut texts = Vec::new();
        let string = |id| described(&graph, graph.find(id).expect("an object"));
        let dump = Dump::open(&packed).expect("known");
        dump.strings(&mut |_, _| {}, &mut |text| {
            texts.push((string(text.id), text.length, text.to_string()))
        })
        .expect("whole");
        texts
    };
    let [(string, length, whole)] = &texts(Some(100))[..] else {
        panic!("one string: {:?}", texts(Some(100)))
    };
    assert!(string.starts_with("java.lang.String["), "{string}");
    assert_eq!((*length, &**whole), (4, TEXT));
    assert_eq!((texts(Some(2))[0].1, &*texts(Some(2))[0].2), (4, "ma"));
    assert_eq!(texts(None), []);
}

/// When it was taken is the file's, what wrote it is the asker's.
#[test]
fn facts_are_kept() {
    let facts = Facts { pid: 4711, taken_at_ms: 1, jvm_version: "17".into(), ..Facts::default() };
    let mut hprof = small_hprof(true, FORMS[0]);
    let time = hprof.iter().position(|byte| *byte == 0).expect("the end of the name") + 5;
    hprof[time..time + 8].copy_from_slice(&1_700_000_000_123_u64.to_be_bytes());
    let (packed, _) = pack(&hprof, &facts).expect("it can be read");
    let (read, _) = mayfly_heap::dump::read(&packed, &mut |_, _| {}).expect("whole");
    assert_eq!((read.pid, read.taken_at_ms, &*read.jvm_version), (4711, 1_700_000_000_123, ""));
}

/// The sink's error ends it; so does a file that is cut off.
#[test]
fn what_fails_is_told() {
    let hprof = small_hprof(true, FORMS[0]);
    let full = HeapError::Unfit;
    let refused =
        mayfly_heap::hprof::pack(&hprof, &Facts::default(), &mut |_, _| {}, &mut |_| Err(full.clone()));
    assert_eq!(refused, Err(full));
    let cut = pack(&hprof[..hprof.len() / 2], &Facts::default()).map(|(_, written)| written);
    assert!(matches!(cut, Err(HeapError::Truncated { .. })), "{cut:?}");
}

proptest! {
    /// Whatever the file is, what is written of it can be read.
    #[test]
    fn damaged_files_never_panic(wide: bool, form in 0..3usize, flips in prop::collection::vec(any::<prop::sample::Index>(), 1..6)) {
        let bytes = flipped(small_hprof(wide, FORMS[form]), &flips);
        if let Ok((packed, written)) = pack(&bytes, &Facts { text_limit: Some(10), ..Facts::default() }) {
            prop_assert_eq!(graph(&packed).len() as u64, written.objects);
        }
    }
}
