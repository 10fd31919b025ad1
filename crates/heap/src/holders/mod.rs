//! Who holds an object, in the program's own terms: what refers to it, seen through the insides of collections.
//!
//! Not here: why it is alive (`paths`): a holder may be unreachable itself.

mod collections;
#[cfg(test)]
mod tests;

pub use collections::is_of_a_collection_library;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::filter::Filter;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::paths::Steps;
use crate::referrers::Referrers;
use collections::Insides;

/// Something that holds an object, directly or in a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// What it is.
    pub by: HeldBy,
    /// The references from it down to the object; from a root's object, if it is a root.
    pub steps: Steps,
}

/// What holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// An object that is no part of a collection; the `java.lang.Class` if it is a static field.
    Object(ObjectIndex),
    /// A root, by its number in `Graph::roots`, that holds the object or a collection with it.
    Root(usize),
}

/// Who holds objects of a heap.
///
/// Collections of `java.util` and `java.util.concurrent`, what they are made of, and strings are seen through; subclasses of
/// collections that are the program's own are holders.
#[derive(Debug)]
pub struct Holding<'graph> {
    graph: &'graph Graph,
    referrers: &'graph Referrers,
    filter: &'graph Filter,
    insides: Insides<'graph>,
    /// The objects that roots hold.
    roots: FxHashSet<ObjectIndex>,
    looked_at: u64,
}

impl<'graph> Holding<'graph> {
    /// Who holds objects of this graph, along the references that the filter follows.
    pub fn new(graph: &'graph Graph, referrers: &'graph Referrers, filter: &'graph Filter) -> Self {
        let roots = graph.roots().iter().map(|root| root.object).collect();
        Self { graph, referrers, filter, insides: Insides::of(graph, referrers), roots, looked_at: 0 }
    }

    /// References that were looked at so far: what it takes. Of a linked list each element is led to by all before it.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// The holders of an object, nearest first, at most so many: one for each root, field or element of an own array that holds it.
    pub fn of(&mut self, object: ObjectIndex, most: usize) -> Vec<Holder> {
        let (graph, filter) = (self.graph, self.filter);
        let mut search = Search {
            graph,
            roots: &self.roots,
            // The object itself is seen.
            down: FxHashMap::from_iter([(object, None)]),
            found: Vec::new(),
        };
        let mut through = vec![object];
        let mut next = 0;
        while let Some(&at) = through.get(next).filter(|_| search.found.len() < most) {
            search.roots_of(at);
            for (from, place) in self.referrers.places(graph, at) {
                self.looked_at += 1;
                let followed = filter.follows(graph.label(place)) && filter.enters(from);
                // What is seen through was met before, or is the object itself.
                if !followed || search.down.contains_key(&from) {
                    continue;
                }
                if self.insides.contains(from) {
                    search.down.insert(from, Some((place, at)));
                    through.push(from);
                } else {
                    search.found_object(from, place, at);
                }
            }
            next += 1;
        }
        search.found.truncate(most);
        search.found
    }
}

struct Search<'graph> {
    graph: &'graph Graph,
    roots: &'graph FxHashSet<ObjectIndex>,
    /// From each object seen through the reference that leads down, and where to.
    down: FxHashMap<ObjectIndex, Option<(usize, ObjectIndex)>>,
    found: Vec<Holder>,
}

impl Search<'_> {
    fn roots_of(&mut self, object: ObjectIndex) {
        if self.roots.contains(&object) {
            let roots = self.graph.roots().iter().enumerate();
            let by: Vec<_> =
                roots.filter(|(_, root)| root.object == object).map(|(number, _)| number).collect();
            by.into_iter().for_each(|number| self.found(HeldBy::Root(number), object, Vec::new(), object));
        }
    }

    /// An object that refers to `at` by the reference at `place`.
    fn found_object(&mut self, object: ObjectIndex, place: usize, at: ObjectIndex) {
        self.found(HeldBy::Object(object), object, vec![(object, place)], at);
    }

    /// Something that leads to `at` by some steps, the first from `first`.
    fn found(
        &mut self,
        by: HeldBy,
        first: ObjectIndex,
        mut steps: Vec<(ObjectIndex, usize)>,
        mut at: ObjectIndex,
    ) {
        while let Some(&Some((place, to))) = self.down.get(&at) {
            steps.push((at, place));
            at = to;
        }
        self.found.push(Holder { by, steps: Steps::new(first, steps) });
    }
}

impl Holder {
    /// The holder, and what leads from it to the object, a line each, as in the text of a path.
    pub fn text(&self, graph: &Graph) -> String {
        let root = match self.by {
            HeldBy::Root(number) => format!("{}->\n", graph.roots()[number].kind),
            HeldBy::Object(_) => String::new(),
        };
        root + &self.steps.text(graph)
    }
}
