//! What grew, by the container that it grew in: one container is one leak, however many classes are in its entries.

use std::collections::BTreeMap;

use mayfly_heap::growth::{Outline, Sustained};
use mayfly_heap::paths::edge_text;
use mayfly_heap::{EdgeName, Graph};
use mayfly_verdicts::leaks::Suspicion;

use super::labels::{class_of, is_own, named, shown, static_field};

/// Fields of an element that are named.
const FIELDS: usize = 4;

/// What grew in one place.
pub(super) struct Container {
    pub(super) suspicion: Suspicion,
    /// What says most: of the program's own, with most bytes.
    pub(super) row: Sustained,
    /// Bytes of all that grew there, in each dump.
    pub(super) bytes: Vec<u64>,
    /// What else grew there: its class, and objects more.
    pub(super) also: Vec<(String, u64)>,
}

/// Bytes of all that grew in each container, by row and dump.
pub(super) fn bytes(rows: &[Sustained]) -> Vec<Vec<u64>> {
    let mut sums: BTreeMap<Vec<Box<str>>, Vec<u64>> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(owner(row)).or_insert_with(|| vec![0; row.retained.len()]);
        sum.iter_mut().zip(&row.retained).for_each(|(sum, total)| *sum += total.bytes);
    }
    rows.iter().map(|row| sums[&owner(row)].clone()).collect()
}

/// The rows by container, leaks first, those that grew most first.
pub(super) fn of(rows: Vec<(Suspicion, Sustained)>) -> Vec<Container> {
    let mut groups: BTreeMap<Vec<Box<str>>, Vec<(Suspicion, Sustained)>> = BTreeMap::new();
    for (suspicion, row) in rows {
        groups.entry(owner(&row)).or_default().push((suspicion, row));
    }
    let mut containers: Vec<_> = groups.into_values().filter_map(container).collect();
    let grown = |bytes: &[u64]| difference(bytes.first(), bytes.last());
    containers
        .sort_by_key(|container| (container.suspicion.rank(), std::cmp::Reverse(grown(&container.bytes))));
    containers
}

fn container(mut rows: Vec<(Suspicion, Sustained)>) -> Option<Container> {
    rows.sort_by_key(|(suspicion, row)| {
        (suspicion.rank(), !is_own(element(row)), std::cmp::Reverse(row.bytes()))
    });
    let mut bytes: Vec<u64> = Vec::new();
    for (_, row) in &rows {
        bytes.resize(row.retained.len(), 0);
        bytes.iter_mut().zip(&row.retained).for_each(|(sum, total)| *sum += total.bytes);
    }
    let mut rows = rows.into_iter();
    let (suspicion, row) = rows.next()?;
    let also = rows.map(|(_, row)| (element(&row).to_owned(), more(&row))).collect();
    Some(Container { suspicion, row, bytes, also })
}

fn more(row: &Sustained) -> u64 {
    let objects: Vec<_> = row.own.iter().map(|total| total.objects).collect();
    difference(objects.first(), objects.last())
}

/// By how much it became more.
pub(super) fn difference(first: Option<&u64>, last: Option<&u64>) -> u64 {
    last.zip(first).map_or(0, |(last, first)| last.saturating_sub(*first))
}

/// The path down to what owns the container: the last object of the program's own above what grew, or a static field. Where there
/// is none, down to what grew.
fn owner(row: &Sustained) -> Vec<Box<str>> {
    row.path[..owner_at(row).unwrap_or(row.element) + 1].to_vec()
}

fn owner_at(row: &Sustained) -> Option<usize> {
    row.path[..row.element]
        .iter()
        .rposition(|label| static_field(label).is_some() || is_own(label) && !label.starts_with("class "))
}

/// The class of what becomes more, as people call it: not the entry of a map, but what is in it.
pub(super) fn element(row: &Sustained) -> &str {
    class_of(&row.path[named(row)])
}

/// The classes that its makers are looked for by: the element's first, then what is in it, then what else grew there.
pub(super) fn classes(container: &Container) -> Vec<&str> {
    let row = &container.row;
    let below = row.path[row.element..].iter().map(|label| class_of(label));
    let others = container.also.iter().map(|(class, _)| &**class);
    std::iter::once(element(row)).chain(below).chain(others).collect()
}

/// The field that holds the container: `a.B.field`.
pub(super) fn holder(row: &Sustained, graph: &Graph, outline: &Outline) -> Option<String> {
    let at = owner_at(row)?;
    let label = &row.path[at];
    if let Some(field) = static_field(label).filter(|_| !is_own(label)) {
        return Some(format!("{}.{field}", class_of(row.path.get(at.checked_sub(1)?)?)));
    }
    let below = outline.objects(&row.path[..=at + 1]);
    let owners = outline.objects(&row.path[..=at]);
    let mut edges = owners.iter().flat_map(|&owner| graph.edges(owner));
    let field = edges.find(|edge| below.contains(&edge.to)).map(|edge| edge_text(&edge));
    Some(field.map_or_else(|| class_of(label).to_owned(), |field| format!("{}.{field}", class_of(label))))
}

/// What one of the elements refers to: of a lambda, what it captured.
pub(super) fn fields(row: &Sustained, graph: &Graph, outline: &Outline) -> Vec<String> {
    let at = shown(row);
    let Some(&object) = outline.objects(&row.path[..=at]).last().filter(|_| is_own(&row.path[at])) else {
        return Vec::new();
    };
    let fields = graph.edges(object).filter(|edge| matches!(edge.name, EdgeName::Field { .. }));
    let text = |edge: mayfly_heap::Edge<'_>| {
        format!("{}: {}", edge_text(&edge), graph.class(graph.class_of(edge.to)).name)
    };
    fields.take(FIELDS).map(text).collect()
}
