//! INSANE's heap dumps (`SimpleXmlVisitor`, `parseSimpleXMLDump`, `HeapModel`, `Item`): its own files are read, ours are what it would have
//! written, and damage is told with its place.

use mayfly_heap::{Dump, EdgeName, Format, Graph, HeapError, ObjectIndex, RootKind, Strength, Total};
use proptest::prelude::*;

use crate::hprofs::{Form, small_hprof};

/// As INSANE 1.38 writes it.
const SAMPLE: &str = "<insane>
<object id='54361a9' type='Ins2$Node' size='32'/>
<object id='2416a51' type='[C' size='40' value='it\"s _a> _ ..'/>
<object id='6e9319f' type='[Ljava.lang.Object;' size='16'/>
<object id='1' type='java.lang.ref.WeakReference' size='24'/>
<object id='2' type='java.lang.ref.SoftReference' size='24'/>
<ref from='54361a9' name='Ins2$Node.next' to='6e9319f'/>
<ref from='6e9319f' name='0' to='54361a9'/>
<ref from='6e9319f' name='17' to='2416a51'/>
<ref from='1' name='java.lang.ref.Reference.referent' to='54361a9'/>
<ref from='2' name='java.lang.ref.Reference.referent' to='54361a9'/>
<ref name='java.util.OptionalInt.EMPTY' to='54361a9'/>
</insane>
";

fn graph_of(text: &[u8]) -> Result<Graph, HeapError> {
    Dump::open(text)?.graph(&mut |_, _| {})
}

fn object(graph: &Graph, id: u64) -> ObjectIndex {
    graph.objects().find(|object| graph.id(*object) == id).expect("an object")
}

fn xml_of(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    let dump = Dump::open(bytes).expect("a dump");
    dump.write_xml(&mut |_, _| {}, &mut |piece: &[u8]| {
        out.extend_from_slice(piece);
        Ok::<_, HeapError>(())
    })
    .expect("whole");
    String::from_utf8(out).expect("UTF-8")
}

/// INSANE's `HeapModel` and `Item`: objects by class and id, with size, value, and references either way; static fields.
#[test]
fn insane_files_are_read() {
    assert_eq!(Dump::open(SAMPLE.as_bytes()).expect("known").format(), Format::Insane);
    let graph = graph_of(SAMPLE.as_bytes()).expect("whole");
    let node = object(&graph, 0x54361a9);
    assert_eq!((&*graph.class(graph.class_of(node)).name, graph.size(node)), ("Ins2$Node", 32));
    let next = graph.edges(node).next().expect("a reference");
    assert!(matches!(next.name, EdgeName::Field { name, .. } if &**name == "next"));
    let elements: Vec<_> = graph.edges(next.to).map(|edge| (edge.index, graph.id(edge.to))).collect();
    assert_eq!(elements, [(Some(0), 0x54361a9), (Some(17), 0x2416a51)]);
    let strength = |id| match graph.edges(object(&graph, id)).next().expect("a referent").name {
        EdgeName::Field { strength, .. } => *strength,
        other => panic!("{other:?}"),
    };
    assert_eq!([strength(1), strength(2)], [Strength::Weak, Strength::Soft]);
    let system =
        graph.roots().iter().find(|root| root.kind == RootKind::SystemClass).expect("a class with statics");
    let empty = graph.edges(system.object).next().expect("a static");
    assert!(matches!(empty.name, EdgeName::Static { name, .. } if &**name == "EMPTY"));
    assert_eq!(empty.to, node);
}

#[test]
fn histogram_and_texts_need_no_graph() {
    let dump = Dump::open(SAMPLE.as_bytes()).expect("known");
    let histogram = dump.histogram(&mut |_, _| {}).expect("whole");
    assert_eq!(histogram.total(), Total { objects: 5, bytes: 136 });
    let mut texts = Vec::new();
    dump.strings(&mut |_, _| {}, &mut |text| texts.push((text.id, text.to_string()))).expect("whole");
    assert_eq!(texts, [(0x2416a51, "it\"s _a> _ ..".into())]);
}

/// What is written, byte by byte.
#[test]
fn a_heap_is_written_as_insane_does() {
    let expected = "<insane>
<object id='2000' type='PluginLoader' size='16'/>
<object id='2010' type='[Ljava.lang.Object;' size='32'/>
<object id='2020' type='plugin.App' size='24'/>
<object id='2038' type='plugin.App' size='24'/>
<object id='2050' type='java.lang.ref.WeakReference' size='16'/>
<object id='2068' type='java.lang.Thread' size='16'/>
<object id='2080' type='java.lang.String' size='24'/>
<object id='2098' type='[B' size='24' value='ma.n' as='[C'/>
<object id='20b0' type='[J' size='24'/>
<ref name='plugin.App.CACHE' to='2010'/>
<ref from='2010' name='1' to='2020'/>
<ref from='2020' name='plugin.App.next' to='2038'/>
<ref from='2050' name='java.lang.ref.Reference.referent' to='2020'/>
<ref from='2068' name='java.lang.Thread.name' to='2080'/>
<ref from='2080' name='java.lang.String.value' to='2098'/>
</insane>
";
    assert_eq!(xml_of(&small_hprof(true, Form::Segments)), expected);
}

/// The recipe `grep '\[C' FILE | cut -d\' -f8` finds the texts, also where strings are arrays of bytes.
#[test]
fn texts_are_found_by_grep_and_cut() {
    let recipe = |xml: &str| {
        let found = xml.lines().filter(|line| line.contains("[C"));
        found.map(|line| line.split('\'').nth(7).expect("eight fields").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(recipe(&xml_of(&small_hprof(true, Form::Segments))), ["ma.n"]);
    assert_eq!(recipe(SAMPLE), ["it\"s _a> _ .."]);
}

#[test]
fn what_is_written_is_read_again() {
    let written = xml_of(&small_hprof(true, Form::OnePiece));
    // Which of the references are static is known at the end only.
    let sorted = |xml: &str| {
        let mut lines: Vec<_> = xml.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&xml_of(written.as_bytes())), sorted(&written));
    assert_eq!(xml_of(SAMPLE.as_bytes()).lines().count(), SAMPLE.lines().count());
}

/// INSANE's own reader needed more than four minutes for an array of 500,000 elements: its time went with the square.
#[test]
fn an_array_of_half_a_million_elements_is_read_in_linear_time() {
    use std::fmt::Write;
    let mut text = "<insane>\n<object id='0' type='[Ljava.lang.Object;' size='2000016'/>\n".to_owned();
    (1..=500_000).for_each(|id| writeln!(text, "<object id='{id:x}' type='Leaf' size='16'/>").expect("text"));
    (1..=500_000)
        .for_each(|id| writeln!(text, "<ref from='0' name='{}' to='{id:x}'/>", id - 1).expect("text"));
    (1..=500_000).for_each(|id| writeln!(text, "<ref from='{id:x}' name='Leaf.up' to='0'/>").expect("text"));
    text.push_str("</insane>\n");
    let graph = graph_of(text.as_bytes()).expect("whole");
    assert_eq!((graph.len(), graph.edge_count()), (500_001, 1_000_000));
    assert_eq!(graph.edges(object(&graph, 0)).nth(499_999).map(|edge| graph.id(edge.to)), Some(500_000));
}

#[test]
fn damage_is_told_with_its_place() {
    let told = |text: &str| graph_of(text.as_bytes()).expect_err("damaged").to_string();
    let cut = &SAMPLE[..300];
    assert!(told(cut).contains("cut off"), "{}", told(cut));
    let undeclared = "<insane>\n<ref name='A.b' to='5'/>\n</insane>\n";
    assert!(told(undeclared).contains("byte 9: a reference names an object before it is written"));
    let twice = SAMPLE.replace("id='1'", "id='2'");
    assert!(told(&twice).contains("an object has the id of another one"));
    assert!(told("<insane>\n<object id='x' type='A' size='1'/></insane>").contains("byte 9"));
    assert!(told("<insane></insane> <insane>").contains("byte 18: more follows"));
    assert_eq!(graph_of(b"<html></html>").map(|_| ()), Err(HeapError::Foreign));
    assert_eq!(graph_of(b"<insane></insane>").map(|graph| graph.len()), Ok(0));
}

proptest! {
    #[test]
    fn cut_off_files_are_errors(len in 0..SAMPLE.len() - 1) {
        prop_assert!(graph_of(&SAMPLE.as_bytes()[..len]).is_err());
    }

    #[test]
    fn changed_bytes_never_panic(changes in prop::collection::vec((0..SAMPLE.len(), any::<u8>()), 1..4)) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        changes.into_iter().for_each(|(at, byte)| bytes[at] = byte);
        if let Ok(dump) = Dump::open(&bytes) {
            let _ = dump.graph(&mut |_, _| {});
            let _ = dump.histogram(&mut |_, _| {});
        }
    }
}
