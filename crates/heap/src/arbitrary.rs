//! Random graphs, to compare what is computed on them with slow definitions of it.

use proptest::prelude::*;

use crate::builder::GraphBuilder;
use crate::edge::{EdgeName, Strength};
use crate::graph::{Class, Graph};
use crate::index::ObjectIndex;
use crate::root::RootKind;

/// Graphs of up to `most` objects of three classes, with some two references each of all strengths, elements and statics,
/// and a few roots of two kinds.
pub(crate) fn graphs(most: u32) -> impl Strategy<Value = Graph> {
    (1..=most).prop_flat_map(|objects| {
        let edges = prop::collection::vec((0..objects, 0..objects, 0..8_u32), 0..=2 * objects as usize);
        let roots = prop::collection::vec((0..objects, any::<bool>()), 0..4);
        let classes = prop::collection::vec(0..3_usize, objects as usize);
        (classes, edges, roots).prop_map(|(classes, edges, roots)| graph(&classes, &edges, &roots))
    })
}

fn graph(classes: &[usize], edges: &[(u32, u32, u32)], roots: &[(u32, bool)]) -> Graph {
    let mut builder = GraphBuilder::default();
    let names = ["A", "B", "C"].map(|name| builder.class(Class { name: name.into(), ..Class::default() }));
    for (id, &class) in classes.iter().enumerate() {
        builder.object(id as u64, names[class], 8 << (id % 40));
    }
    let strengths = [Strength::Strong, Strength::Soft, Strength::Weak, Strength::Phantom];
    let fields = strengths
        .map(|strength| builder.name(EdgeName::Field { declaring: names[0], name: "f".into(), strength }));
    let statics = builder.name(EdgeName::Static { declaring: names[1], name: "s".into(), type_name: None });
    for (place, &(from, to, kind)) in edges.iter().enumerate() {
        let (from, to) = (ObjectIndex(from), ObjectIndex(to));
        match kind {
            0..4 => builder.edge(from, fields[kind as usize], to),
            4 => builder.edge(from, statics, to),
            _ => builder.element(from, place as u32, to),
        }
    }
    for &(object, system) in roots {
        let kind = if system { RootKind::SystemClass } else { RootKind::JniGlobal };
        builder.root(ObjectIndex(object), kind);
    }
    builder.finish().expect("a small graph")
}
