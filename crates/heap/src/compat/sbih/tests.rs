//! Bytes as INSANE laid them out, round trips, and damage.

use proptest::prelude::*;

use super::*;
use crate::builder::GraphBuilder;
use crate::compat::xml;
use crate::edge::{EdgeName, Strength};
use crate::error::HeapError;
use crate::graph::{Class, Graph};
use crate::index::ObjectIndex;
use crate::open::{Dump, Format};
use crate::paths::edge_text;

const SAMPLE: &str = "<insane>
<object id='54361a9' type='A$Node' size='32'/>
<object id='2416a51' type='[LA;' size='40'/>
<object id='7' type='A$Node' size='16'/>
<ref name='A.top' to='2416a51'/>
<ref from='54361a9' name='A$Node.next' to='2416a51'/>
<ref from='2416a51' name='3' to='54361a9'/>
</insane>
";

fn bytes_of(graph: &Graph) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(graph, &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok::<_, HeapError>(())
    })
    .expect("small");
    bytes
}

fn graph_of(bytes: &[u8]) -> Result<Graph, HeapError> {
    Dump::open(bytes)?.graph(&mut |_, _| {})
}

/// The sample, number by number.
fn sample() -> Vec<u8> {
    let int = |number: i32| number.to_be_bytes().to_vec();
    let string = |text: &str| [int(text.len() as i32), text.as_bytes().to_vec()].concat();
    [
        [b"SBIH".to_vec(), int(50), int(91)].concat(),
        // 12 and 34: classes, and where their objects are.
        [string("A$Node"), int(2), int(91), int(163)].concat(),
        [string("[LA;"), int(1), int(123)].concat(),
        // 50, 63 and 82: names.
        [string("A.top"), int(123)].concat(),
        [string("A$Node.next"), int(-1)].concat(),
        [string("3"), int(-1)].concat(),
        // 91, 123 and 163: objects.
        [int(12), int(32), int(1), int(1), int(63), int(123), int(82), int(123)].concat(),
        [int(34), int(40), int(1), int(2), int(82), int(91), int(50), int(0), int(63), int(91)].concat(),
        [int(12), int(16), int(0), int(0)].concat(),
    ]
    .concat()
}

/// Graphs of some objects of two classes and one of arrays, with fields, elements and static fields.
fn graphs() -> impl Strategy<Value = Graph> {
    (1..20_u32).prop_flat_map(|objects| {
        let edges = prop::collection::vec((0..objects, 0..objects, 0..4_usize), 0..2 * objects as usize);
        (prop::collection::vec((0..3_usize, 0..i32::MAX), objects as usize), edges)
            .prop_map(|(objects, edges)| graph(&objects, &edges))
    })
}

fn graph(objects: &[(usize, i32)], edges: &[(u32, u32, usize)]) -> Graph {
    let mut builder = GraphBuilder::default();
    let classes = ["a.A", "a.\u{e9}&amp;B", "[La.A;"]
        .map(|name| builder.class(Class { name: name.into(), ..Class::default() }));
    for (id, &(class, size)) in objects.iter().enumerate() {
        builder.object(id as u64, classes[class], size as u64);
    }
    let fields = ["f", "g", "h"].map(|name| {
        builder.name(EdgeName::Field { declaring: classes[1], name: name.into(), strength: Strength::Strong })
    });
    let top = EdgeName::Static { declaring: classes[0], name: "top".into(), type_name: None };
    let top = builder.name(top);
    for (place, &(from, to, kind)) in edges.iter().enumerate() {
        let is_array = objects[from as usize].0 == 2;
        let (from, to) = (ObjectIndex(from), ObjectIndex(to));
        match kind {
            3 => builder.edge(from, top, to),
            _ if is_array => builder.element(from, place as u32, to),
            _ => builder.edge(from, fields[kind], to),
        }
    }
    builder.finish().expect("small")
}

/// Classes, sizes and references of the objects, and static fields; ids are each format's own.
fn facts(graph: &Graph) -> (Vec<String>, Vec<String>) {
    let mirrors = xml::Mirrors::new(graph);
    let shown =
        |object: ObjectIndex| format!("{} {}", graph.class(graph.class_of(object)).name, graph.size(object));
    let numbered: Vec<_> = graph.objects().filter(|&object| !mirrors.has(object)).collect();
    let number = |object| numbered.iter().position(|&other| other == object);
    let mut statics = Vec::new();
    let mut objects: Vec<_> = numbered.iter().map(|&object| shown(object)).collect();
    for object in graph.objects() {
        for edge in graph.edges(object) {
            let name = xml::field_text(graph, edge.name, edge.index);
            let (Some(to), Some(name)) = (number(edge.to), name) else { continue };
            match (edge.name, number(object)) {
                (EdgeName::Static { .. }, _) => statics.push(format!("{name} {to}")),
                (_, Some(from)) => objects[from] += &format!("; {} {to}", edge_text(&edge)),
                _ => {}
            }
        }
    }
    statics.sort();
    // Told twice, it is one field still.
    statics.dedup();
    (objects, statics)
}

#[test]
fn a_heap_is_written_number_by_number() {
    let graph = graph_of(SAMPLE.as_bytes()).expect("whole");
    assert_eq!(bytes_of(&graph), sample());
}

#[test]
fn what_insane_wrote_is_read() {
    let bytes = sample();
    let dump = Dump::open(&bytes).expect("known");
    assert_eq!(dump.format(), Format::InsaneBinary);
    let graph = graph_of(&bytes).expect("whole");
    let (objects, statics) = facts(&graph);
    assert_eq!(objects, ["A$Node 32; next 1", "[LA; 40; [3] 0", "A$Node 16"]);
    assert_eq!(statics, ["A.top 1"]);
    assert_eq!(graph.ids.iter().take(3).collect::<Vec<_>>(), [91, 123, 163], "ids are offsets");
    let histogram = dump.histogram(&mut |_, _| {}).expect("whole");
    let rows: Vec<_> = histogram.rows().map(|(name, total)| (name, total.objects, total.bytes)).collect();
    assert_eq!(rows, [("A$Node", 2, 48), ("[LA;", 1, 40)]);
}

/// A converter of INSANE's lists the objects of a class in the order of its hash table; a static field may be null.
#[test]
fn the_order_of_instances_is_free() {
    let mut bytes = sample();
    bytes[26..34].rotate_left(4);
    assert_eq!(facts(&graph_of(&bytes).expect("whole")), facts(&graph_of(&sample()).expect("whole")));
}

/// Whatever number is not what it should be: an error at an offset, or a heap that is as possible.
#[test]
fn every_damaged_number_is_told_with_its_place() {
    let told = |at: usize, number: i32| {
        let mut bytes = sample();
        bytes[at..at + 4].copy_from_slice(&number.to_be_bytes());
        graph_of(&bytes).map(|_| ()).expect_err("damaged").to_string()
    };
    for (at, number, words) in [
        (4, 11, "byte 4: classes, references and objects"),
        (8, -5, "byte 8: an offset is negative"),
        (8, 1 << 30, "byte 179 is not there"),
        (12, 1 << 30, "byte 12: a name does not end"),
        (12, -1, "byte 12: a number is negative"),
        (22, 3, "byte 38: a name"),
        (22, 99, "byte 12: the objects of a class do not end"),
        (26, 92, "byte 91: its class does not know"),
        (50, 77, "byte 50: a name"),
        (59, 124, "byte 59"),
        (91, 13, "byte 91: no class is where"),
        (95, -1, "byte 95: a number is negative"),
        (99, 9, "byte 91 is not there"),
        (107, 51, "byte 107: no name is where"),
        (111, 92, "byte 107: a reference names an object"),
        (115, 1, "byte 115: no name"),
        (119, 124, "byte 115: a reference comes from"),
    ] {
        let said = told(at, number);
        assert!(said.contains(words), "{at}: {said}");
    }
    let fewer = told(103, 0);
    assert!(fewer.contains("byte "), "{fewer}");
}

#[test]
fn what_is_too_large_is_not_written() {
    let graph = graph_of(b"<insane><object id='1' type='[J' size='2147483648'/></insane>").expect("whole");
    let refused = write(&graph, &mut |_| Ok::<_, HeapError>(()));
    assert_eq!(refused, Err(HeapError::Unfit));
}

proptest! {
    #[test]
    fn heaps_go_there_and_back(graph in graphs()) {
        let bytes = bytes_of(&graph);
        let again = graph_of(&bytes).expect("what was written is whole");
        prop_assert_eq!(facts(&again), facts(&graph));
        // A static field with several objects is that of several classes of one name; they become one.
        let third = bytes_of(&again);
        prop_assert_eq!(bytes_of(&graph_of(&third).expect("whole")), third);
    }

    #[test]
    fn by_way_of_xml_it_is_the_same(graph in graphs()) {
        let mut text = Vec::new();
        let sink = &mut |piece: &[u8]| { text.extend_from_slice(piece); Ok::<_, HeapError>(()) };
        xml::write(&graph, &[], sink).expect("small");
        let from_xml = graph_of(&text).expect("whole");
        let from_bytes = graph_of(&bytes_of(&graph)).expect("whole");
        prop_assert_eq!(facts(&from_xml), facts(&from_bytes));
    }

    #[test]
    fn cut_off_files_are_errors(length in 0..179_usize) {
        let cut = &sample()[..length];
        prop_assert!(graph_of(cut).is_err());
        let counted = Dump::open(cut).and_then(|dump| dump.histogram(&mut |_, _| {}));
        prop_assert!(counted.is_err());
    }

    #[test]
    fn changed_bytes_never_panic(changes in prop::collection::vec((0..179_usize, any::<u8>()), 1..5)) {
        let mut bytes = sample();
        changes.into_iter().for_each(|(at, byte)| bytes[at] = byte);
        if let Ok(dump) = Dump::open(&bytes) {
            let _ = dump.graph(&mut |_, _| {});
            let _ = dump.histogram(&mut |_, _| {});
        }
    }
}
