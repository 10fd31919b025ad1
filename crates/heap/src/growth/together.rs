//! What grew together: each object of one kind refers to one of another, and there are as many more of both. That is one growth, though
//! nothing holds both alone, as where a listener is in the list of a bus and its registration in a list of what is to be closed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::outline::Outline;
use super::sustained::Sustained;
use super::tree::NodeIndex;
use crate::graph::Graph;
use crate::index::ObjectIndex;

/// The share of the objects that refer to one of the others.
const NEARLY_ALL: f64 = 0.8;
/// How much more may come of one than of the other between two dumps, as a share; and so many, as a dump is taken at some moment.
const AS_MANY: f64 = 0.1;
const FEW: u64 = 2;

/// For each row the number of the first that it grew together with, directly or by others; its own if there is none. `graph` is of `last`,
/// the last of the dumps.
pub fn together(rows: &[&Sustained], graph: &Graph, last: &Outline) -> Vec<usize> {
    let mut first: Vec<usize> = (0..rows.len()).collect();
    for (from, to) in linked(rows, graph, last) {
        if first[from] != first[to] && are_as_many(rows[from], rows[to]) {
            let (one, other) = (first[from].min(first[to]), first[from].max(first[to]));
            first.iter_mut().filter(|of| **of == other).for_each(|of| *of = one);
        }
    }
    first
}

/// Rows of which nearly each object refers to one of the other.
fn linked(rows: &[&Sustained], graph: &Graph, last: &Outline) -> Vec<(usize, usize)> {
    let node = |row: &Sustained| last.node(&row.path[..=row.element]);
    let by_node: FxHashMap<NodeIndex, usize> =
        rows.iter().enumerate().filter_map(|(at, row)| Some((node(row)?, at))).collect();
    let row_of = |object: ObjectIndex| by_node.get(&last.tree.node_of[object.0 as usize]).copied();
    let (mut objects, mut links) = (vec![0u64; rows.len()], FxHashMap::<_, u64>::default());
    let mut seen = FxHashSet::default();
    for object in graph.objects() {
        let Some(from) = row_of(object) else { continue };
        objects[from] += 1;
        seen.extend(graph.edges(object).filter_map(|edge| row_of(edge.to)).filter(|&to| to != from));
        seen.drain().for_each(|to| *links.entry((from, to)).or_default() += 1);
    }
    let is_of_all =
        |&((from, _), links): &((usize, usize), u64)| links as f64 >= NEARLY_ALL * objects[from] as f64;
    let mut linked: Vec<_> = links.into_iter().filter(is_of_all).map(|(rows, _)| rows).collect();
    linked.sort_unstable();
    linked
}

/// Whether as many of both came between each two dumps.
fn are_as_many(one: &Sustained, other: &Sustained) -> bool {
    let came = |row: &Sustained| -> Vec<u64> {
        row.own.windows(2).map(|pair| pair[1].objects.saturating_sub(pair[0].objects)).collect()
    };
    came(one)
        .into_iter()
        .zip(came(other))
        .all(|(one, other)| one.abs_diff(other) <= FEW.max((AS_MANY * one.max(other) as f64) as u64))
}
