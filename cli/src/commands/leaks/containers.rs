//! What grew, by the container that it grew in: one container is one leak, however many classes are in its entries.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use mayfly_heap::growth::{Outline, Spread, Sustained, spreads, together};
use mayfly_heap::paths::edge_text;
use mayfly_heap::{Edge, EdgeName, Graph, ObjectSet};
use mayfly_verdicts::leaks::{Suspicion, Weight};

use super::labels::{
    class_of, is_called_a_collection, is_inside, is_own, is_own_object, named, owner_above, owner_at, shown,
    static_field,
};
use super::threads;
use crate::heap::owning_field::owning_field;

/// What the JDK keeps of each object that it cleans up after.
const CLEANERS: [&str; 2] = ["jdk.internal.ref.Cleaner", "jdk.internal.ref.CleanerImpl$PhantomCleanableRef"];

/// Containers that took as much each, from which on a library's are taken for such as fill.
const MANY_EVENLY: f64 = 8.0;
/// Fields of an element that are named.
const FIELDS: usize = 4;

/// What grew in one place.
pub(super) struct Container {
    pub(super) suspicion: Suspicion,
    /// What says most: of the program's own, with most bytes.
    pub(super) row: Sustained,
    /// Bytes of all that grew there, in each dump, with those outside of the heap.
    pub(super) bytes: Vec<u64>,
    /// Of these, bytes outside of the heap.
    pub(super) off_heap: Vec<u64>,
    /// What else grew there: its class, and objects more.
    pub(super) also: Vec<(String, u64)>,
    /// What grew elsewhere, one with each of these.
    pub(super) together: Vec<Sustained>,
    /// Over how many of its kind the growth is spread.
    pub(super) spread: Spread,
}

/// Bytes of all that grew in each container, by row and dump.
pub(super) fn bytes(rows: &[Sustained]) -> Vec<Vec<u64>> {
    let mut sums: BTreeMap<Vec<Box<str>>, Vec<u64>> = BTreeMap::new();
    for row in rows {
        add(sums.entry(owner(row)).or_default(), &row.held());
    }
    rows.iter().map(|row| sums[&owner(row)].clone()).collect()
}

/// The rows by container, leaks first, then by how much their growth weighs. `graph` is of the last of the dumps, which were taken at these times;
/// the names of the program's own classes begin with `family`, if that is known.
pub(super) fn of(
    rows: Vec<(Suspicion, Sustained)>,
    graph: Option<&Graph>,
    (dumps, times): (&[Outline], &[f64]),
    family: Option<&str>,
) -> Vec<Container> {
    let mut groups: BTreeMap<Vec<Box<str>>, Vec<(Suspicion, Sustained)>> = BTreeMap::new();
    for (suspicion, row) in rows {
        groups.entry(owner(&row)).or_default().push((suspicion, row));
    }
    let mut containers: Vec<_> = groups.into_values().filter_map(|rows| container(rows, dumps)).collect();
    let others = containers.iter().filter(|of| !is_of_cleaning(&of.row)).map(|of| more(&of.row)).max();
    // A few of them more or less were there when a dump was taken.
    containers
        .retain(|of| !is_of_cleaning(&of.row) || others.is_none_or(|others| others < more(&of.row) / 2));
    if let Some((graph, last)) = graph.zip(dumps.last()) {
        containers = joined(containers, graph, last);
        let rows: Vec<_> = containers.iter().map(|container| &container.row).collect();
        let spread = spreads(&rows, graph, dumps);
        containers.iter_mut().zip(spread).for_each(|(container, spread)| container.spread = spread);
        containers.iter_mut().filter(|container| fill(container, family)).for_each(|container| {
            container.suspicion = Suspicion::Unsure(
                "each of many containers of a library takes as much: reservoirs and caches of it that fill do"
                    .to_owned(),
            );
        });
    }
    let weight = |container: &Container| {
        // What the program made itself is no cache of a library, however many have some.
        let is_own = family.is_some_and(|family| element(&container.row).starts_with(family));
        Weight::of(&container.bytes, times, if is_own { 1.0 } else { container.spread.evenly })
    };
    containers.sort_by(|one, other| {
        let rank = one.suspicion.rank().cmp(&other.suspicion.rank());
        rank.then_with(|| weight(one).heavier_first(&weight(other)))
    });
    containers
}

/// Whether it is called a leak, though many containers of a library's took it evenly, as the samples of histograms do. What the program's own
/// classes have, and threads, is theirs to empty.
fn fill(container: &Container, family: Option<&str>) -> bool {
    let is_of_library = |class: &str| family.is_some_and(|family| !class.starts_with(family));
    container.suspicion == Suspicion::Leak
        && container.spread.evenly >= MANY_EVENLY
        && owner_class(&container.row).is_some_and(is_of_library)
}

/// Containers whose contents grew together are one: the first of them is what says most.
fn joined(mut containers: Vec<Container>, graph: &Graph, last: &Outline) -> Vec<Container> {
    containers.sort_by_cached_key(|container| says_most(container.suspicion.rank(), &container.row));
    let first = together(&containers.iter().map(|container| &container.row).collect::<Vec<_>>(), graph, last);
    let mut joined: BTreeMap<usize, Container> = BTreeMap::new();
    for (container, first) in containers.into_iter().zip(first) {
        match joined.entry(first) {
            Entry::Vacant(none) => {
                none.insert(container);
            }
            Entry::Occupied(mut with) => with.get_mut().take(container),
        }
    }
    joined.into_values().collect()
}

/// The order in which rows of one growth say something: leaks, of classes that are no collection's own, with many bytes.
fn says_most(rank: u8, row: &Sustained) -> (u8, bool, std::cmp::Reverse<u64>) {
    (rank, !is_own(element(row)), std::cmp::Reverse(row.bytes()))
}

impl Container {
    /// What is in another one grew with what is in this. Of what nobody's object holds, as a name that many refer to, only what came is of this.
    fn take(&mut self, other: Self) {
        let is_shared = is_nobodys(&other.row);
        let of_this = |numbers: &[u64]| -> Vec<u64> {
            let before = numbers.first().copied().filter(|_| is_shared).unwrap_or(0);
            numbers.iter().map(|number| number.saturating_sub(before)).collect()
        };
        add(&mut self.bytes, &of_this(&other.bytes));
        add(&mut self.off_heap, &of_this(&other.off_heap));
        self.together.push(other.row);
        self.together.extend(other.together);
    }
}

fn container(mut rows: Vec<(Suspicion, Sustained)>, dumps: &[Outline]) -> Option<Container> {
    rows.sort_by_cached_key(|(suspicion, row)| says_most(suspicion.rank(), row));
    let (mut bytes, mut off_heap) = (Vec::new(), Vec::new());
    for (_, row) in &rows {
        add(&mut bytes, &row.held());
        add(&mut off_heap, &row.off_heap);
    }
    let mut rows = rows.into_iter();
    let (suspicion, row) = rows.next()?;
    // What it retains beside is held by what grew, though other things held that at first: what a cache has dropped since.
    let of_all: Vec<u64> = match collection(&row) {
        Some(collection) => dumps.iter().map(|dump| dump.retained_at(collection)).collect(),
        None => Vec::new(),
    };
    if difference(of_all.first(), of_all.last()) > difference(bytes.first(), bytes.last()) {
        bytes = of_all;
    }
    let also = rows.map(|(_, row)| (element(&row).to_owned(), more(&row))).collect();
    Some(Container { suspicion, row, bytes, off_heap, also, together: Vec::new(), spread: Spread::NONE })
}

/// Adds numbers of each dump.
fn add(sums: &mut Vec<u64>, more: &[u64]) {
    sums.resize(more.len(), 0);
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Whether it is the JDK's own list of what is to be done when something is gone: that grows with what is cleaned up later.
fn is_of_cleaning(row: &Sustained) -> bool {
    CLEANERS.contains(&element(row))
}

/// How many objects of the class that it is called by there were in each dump.
pub(super) fn objects(row: &Sustained) -> &[u64] {
    &row.objects[named(row)]
}

/// Objects more in the last dump than in the first.
pub(super) fn more(row: &Sustained) -> u64 {
    difference(objects(row).first(), objects(row).last())
}

/// By how much it became more.
pub(super) fn difference(first: Option<&u64>, last: Option<&u64>) -> u64 {
    last.zip(first).map_or(0, |(last, first)| last.saturating_sub(*first))
}

/// The path down to what owns the container: the last object of the program's own above what grew, or a static field. Where there
/// is none, down to the one collection that what grew is in, or down to that.
fn owner(row: &Sustained) -> Vec<Box<str>> {
    let owner = owner_at(row).map(|at| &row.path[..=at]);
    owner.or_else(|| collection(row)).unwrap_or(&row.path[..=row.element]).to_vec()
}

/// The path down to the one array or collection that what grew is in.
fn collection(row: &Sustained) -> Option<&[Box<str>]> {
    let at = row.element.checked_sub(1)?;
    let is_one = row.objects[at].iter().all(|&objects| objects == 1);
    let label = class_of(&row.path[at]);
    let is_collection = label.starts_with('[') || is_inside(label) || is_called_a_collection(label);
    (is_one && is_collection).then(|| &row.path[..=at])
}

/// The class of what owns the container, if that is of the program's own.
pub(super) fn owner_class(row: &Sustained) -> Option<&str> {
    owner_at(row).map(|at| &*row.path[at]).filter(|label| is_own_object(label)).map(class_of)
}

/// Whether it is of the JDK, and nothing of the program's own holds it alone.
pub(super) fn is_nobodys(row: &Sustained) -> bool {
    owner_at(row).is_none() && !is_own(element(row))
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
    let elsewhere = container.together.iter().map(element);
    std::iter::once(element(row)).chain(below).chain(others).chain(elsewhere).collect()
}

/// The field that holds the container: `a.B.field`. A list of the program's own is a container, too, and so is what extends one of the JDK's, if something
/// holds that. Below a thread alone it is no field.
pub(super) fn holder(row: &Sustained, graph: &Graph, outline: &Outline) -> Option<String> {
    if let Some(threads) = threads::holder(row, graph, outline) {
        return Some(threads);
    }
    let Some(mut at) = owner_at(row) else {
        // Something else holds it as well: a thread of a pool has its queue.
        let way = (0..row.element).map(|at| outline.objects(&row.path[..=at]));
        return owning_field(graph, way.filter(|objects| objects.len() == 1).flatten().collect());
    };
    loop {
        let (label, above) = (&row.path[at], owner_above(row, at));
        let field = field_below(row, at, graph, outline);
        let inherited = field.as_ref().is_some_and(|edge| is_inherited(edge, graph));
        let is_container = is_own_object(label) && (inherited || is_called_a_collection(label));
        if let Some(name) = static_field(label).filter(|_| is_container || !is_own(label)) {
            return Some(format!("{}.{name}", class_of(row.path.get(at.checked_sub(1)?)?)));
        }
        match above {
            Some(above) if is_container => at = above,
            None if inherited => return None,
            _ => {
                let class = class_of(label);
                return Some(
                    field.map_or_else(|| class.to_owned(), |edge| format!("{class}.{}", edge_text(&edge))),
                );
            }
        }
    }
}

/// A reference of what is at a place of the path to what is below: to that of it which holds most elements. Others of its class, a second map, may hold
/// none.
fn field_below<'g>(row: &Sustained, at: usize, graph: &'g Graph, outline: &Outline) -> Option<Edge<'g>> {
    let owners = outline.objects(&row.path[..=at]);
    let to_one_of = |below: &ObjectSet| {
        owners.iter().flat_map(|&owner| graph.edges(owner)).find(|edge| below.contains(edge.to))
    };
    let holders = outline.holders(&row.path[..=row.element.max(at + 1)], at + 2);
    let most = holders.first().map(|&(holder, _)| vec![holder]);
    let of_most = most.and_then(|most| to_one_of(&ObjectSet::of(graph, most)));
    of_most.or_else(|| to_one_of(&ObjectSet::of(graph, outline.objects(&row.path[..=at + 1]))))
}

/// Whether a field is of a class of the JDK: the program's extends that.
pub(super) fn is_inherited(edge: &Edge<'_>, graph: &Graph) -> bool {
    edge.name.field().is_some_and(|(declaring, _)| !is_own(&graph.class(declaring).name))
}

/// What one of the elements refers to: of a lambda, what it captured.
pub(super) fn fields(row: &Sustained, graph: &Graph, outline: &Outline) -> Vec<String> {
    let at = shown(row);
    let Some(&object) = outline.objects(&row.path[..=at]).last().filter(|_| is_own(&row.path[at])) else {
        return Vec::new();
    };
    let fields = graph.edges(object).filter(|edge| matches!(edge.name, EdgeName::Field { .. }));
    let text =
        |edge: Edge<'_>| format!("{}: {}", edge_text(&edge), graph.class(graph.class_of(edge.to)).name);
    fields.take(FIELDS).map(text).collect()
}

/// Of all classes on the path from what owns the container on, and of what else grew there, those of which most objects of the whole heap are there: whoever
/// makes such makes what is here.
pub(super) fn mostly_here<'c>(container: &'c Container, graph: &Graph, outline: &Outline) -> Vec<&'c str> {
    let mut everywhere: BTreeMap<&str, u64> = BTreeMap::new();
    let mut here: BTreeMap<&str, u64> = BTreeMap::new();
    for row in std::iter::once(&container.row).chain(&container.together) {
        for at in owner_at(row).map_or(row.element, |at| at + 1)..row.path.len() {
            *here.entry(class_of(&row.path[at])).or_default() += outline.objects_at(&row.path[..=at]);
        }
    }
    for object in graph.objects() {
        let class = &*graph.class(graph.class_of(object)).name;
        if here.contains_key(class) {
            *everywhere.entry(class).or_default() += 1;
        }
    }
    let is_most = |(class, objects): &(&str, u64)| {
        *objects > 0 && objects * 2 >= everywhere.get(class).copied().unwrap_or(0)
    };
    here.into_iter().filter(is_most).map(|(class, _)| class).collect()
}

#[cfg(test)]
mod tests {
    use mayfly_heap::dominators::Dominators;
    use mayfly_heap::fake::heap;
    use mayfly_heap::growth::sustained;
    use mayfly_heap::{Filter, Strength};

    use super::*;

    /// A list, and twenty histograms of which each takes one number for ten events in the list.
    fn metrics(number: u64) -> Graph {
        let mut text = String::from(
            "root static my.App.trail -> 1:my.Trail[16]
             root static my.App.metrics -> 2:my.Metrics[16]\n",
        );
        for event in 0..100 * (number + 1) {
            text += &format!("1 -[{event}]-> {:x}:my.Event[100]\n", 0x10000 + event);
        }
        for at in 0..20 {
            let sample = 0x100 + at;
            text += &format!("2 -[{at}]-> {sample:x}:my.Sample[16]\n");
            for value in 0..10 * (number + 1) {
                let id = 0x20000 + 0x100 * at + value;
                text += &format!("{sample:x} -[{value}]-> {id:x}:java.lang.Double[100]\n");
            }
        }
        heap(&text)
    }

    #[test]
    fn a_container_comes_before_reservoirs_that_grew_by_more_together() {
        let outline = |graph: &Graph| {
            Outline::identified(graph, &Dominators::new(graph, &Filter::new(graph, Strength::Strong)))
        };
        let graphs = [0, 1, 2, 3].map(metrics);
        let dumps = graphs.each_ref().map(outline);
        let rows = sustained(&dumps, 100, is_own);
        assert!(rows[0].bytes() > rows[1].bytes() && element(&rows[0]) == "java.lang.Double", "{rows:?}");
        let found = |family| {
            let rows = rows.iter().map(|row| (Suspicion::Leak, row.clone())).collect();
            of(rows, graphs.last(), (&dumps, &[]), family)
        };
        let (own, of_library) = (found(Some("my.")), found(Some("shop.")));
        let named = own.iter().map(|of| (element(&of.row), of.spread.containers));
        assert_eq!(named.collect::<Vec<_>>(), [("my.Event", 1), ("java.lang.Double", 20)]);
        // "2 leaks" of a broker of Kafka, whose histograms take samples.
        let are_leaks =
            |found: &[Container]| found.iter().map(|of| of.suspicion == Suspicion::Leak).collect::<Vec<_>>();
        assert_eq!((are_leaks(&own), are_leaks(&of_library)), (vec![true, true], vec![true, false]));
    }
}
