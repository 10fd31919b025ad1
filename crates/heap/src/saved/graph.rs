//! A graph as parts, and back.

use rustc_hash::FxHashMap;

use super::facts::{Bounds, Reader, Writer};
use super::file::{Damaged, Kind, Part, Saved};
use crate::builder::MOST_OBJECTS;
use crate::column::Column;
use crate::edge::EdgeName;
use crate::graph::{Class, Graph};
use crate::index::ObjectIndex;
use crate::root::Root;

impl Graph {
    /// The graph as parts of an index.
    pub fn parts(&self) -> Vec<Part> {
        let mut facts = Writer::default();
        facts.number(self.classes.len() as u64);
        self.classes.iter().for_each(|class| facts.class(class));
        facts.number(self.names.len() as u64);
        self.names.iter().for_each(|name| facts.name(name));
        facts.number(self.roots.len() as u64);
        self.roots.iter().for_each(|root| facts.root(root));
        facts.number(self.off_heap.len() as u64);
        for (object, bytes) in self.buffers() {
            facts.number(u64::from(object.0));
            facts.number(bytes);
        }
        vec![
            Part::column(Kind::Ids, &self.ids),
            Part::column(Kind::ClassOf, &self.class_of),
            Part::column(Kind::Sizes, &self.sizes),
            Part::column(Kind::Starts, &self.starts),
            Part::column(Kind::Labels, &self.labels),
            Part::column(Kind::Targets, &self.targets),
            Part::new(Kind::Facts, facts.0),
        ]
    }
}

impl Saved {
    /// The graph; none if it was not added.
    ///
    /// # Errors
    /// [`Damaged`]: the dump has to be read.
    pub fn graph(&self) -> Result<Option<Graph>, Damaged> {
        let Some(facts) = self.part(Kind::Facts)? else { return Ok(None) };
        let ids = self.column(Kind::Ids)?;
        let GraphFacts { classes, names, roots, off_heap } = read_facts(&facts, ids.len()).ok_or(Damaged)?;
        let mut graph = Graph {
            ids,
            class_of: self.column(Kind::ClassOf)?,
            sizes: self.column(Kind::Sizes)?,
            starts: self.column(Kind::Starts)?,
            labels: self.column(Kind::Labels)?,
            targets: self.column(Kind::Targets)?,
            classes,
            names,
            roots,
            mirrored: FxHashMap::default(),
            off_heap,
            threads: FxHashMap::default(),
        };
        if !holds(&graph) {
            return Err(Damaged);
        }
        graph.mirrored = graph.mirrors();
        Ok(Some(graph))
    }
}

/// What of a graph is no column.
struct GraphFacts {
    classes: Vec<Class>,
    names: Vec<EdgeName>,
    roots: Vec<Root>,
    off_heap: FxHashMap<ObjectIndex, u64>,
}

fn read_facts(facts: &[u8], objects: usize) -> Option<GraphFacts> {
    let mut facts = Reader(facts);
    let bounds = Bounds { objects, classes: facts.count()? };
    let classes = (0..bounds.classes).map(|_| facts.class(bounds)).collect::<Option<_>>()?;
    let names = facts.count()?;
    let names = (0..names).map(|_| facts.name(bounds)).collect::<Option<_>>()?;
    let roots = facts.count()?;
    let roots = (0..roots).map(|_| facts.root(bounds)).collect::<Option<_>>()?;
    let buffers = facts.count()?;
    let buffer = |facts: &mut Reader<'_>| Some((ObjectIndex(facts.below(objects)?), facts.number()?));
    let off_heap = (0..buffers).map(|_| buffer(&mut facts)).collect::<Option<_>>()?;
    facts.0.is_empty().then_some(GraphFacts { classes, names, roots, off_heap })
}

/// Whether no number leads out of the graph.
fn holds(graph: &Graph) -> bool {
    let (objects, references) = (graph.len(), graph.targets.len());
    let below = |column: &Column, bound: usize| column.len() == 0 || column.most() < bound as u64;
    objects <= MOST_OBJECTS as usize
        && references <= u32::MAX as usize
        && graph.class_of.len() == objects
        && graph.sizes.len() == objects
        && graph.starts.len() == objects + 1
        && graph.labels.len() == references
        && below(&graph.class_of, graph.classes.len())
        && below(&graph.starts, references + 1)
        && below(&graph.targets, objects)
        && below(&graph.labels, 1 << 32)
}
