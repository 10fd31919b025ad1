//! References the other way round: which objects refer to an object. Made on demand, for questions that go upwards.

use crate::column::Column;
use crate::edge::Edge;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::offsets::Offsets;

/// The objects that refer to each object, packed: some byte per object and 3 per reference; 4 of each while it is made.
#[derive(Debug)]
pub struct Referrers {
    /// Where the list of each object begins, and where the last one ends.
    starts: Column,
    sources: Column,
}

impl Referrers {
    /// Of all references of a graph, whatever their strength.
    pub fn new(graph: &Graph) -> Self {
        Self::of(graph, |_, _, _| true)
    }

    /// Of the references that `taken` wants, which is asked twice for each: by referring object, label and object
    /// referred to.
    pub(crate) fn of(graph: &Graph, taken: impl Fn(ObjectIndex, u32, ObjectIndex) -> bool) -> Self {
        let mut counts = vec![0; graph.len()];
        for (_, _, to) in graph.references().filter(|&(from, label, to)| taken(from, label, to)) {
            counts[to.0 as usize] += 1;
        }
        let total = counts.iter().map(|&count| count as usize).sum();
        let mut starts = Offsets::from_lengths(counts);
        let mut sources = vec![0; total];
        for (from, _, to) in graph.references().filter(|&(from, label, to)| taken(from, label, to)) {
            sources[starts.take(to.0, 1)] = from.0;
        }
        starts.settle();
        let starts = starts.into_iter().map(u64::from).collect();
        Self { starts, sources: sources.into_iter().map(u64::from).collect() }
    }

    /// From columns that were written; none if they are of no graph like this one.
    pub(crate) fn of_columns(graph: &Graph, starts: Column, sources: Column) -> Option<Self> {
        let fits = starts.len() == graph.len() + 1
            && starts.most() <= sources.len() as u64
            && (sources.len() == 0 || sources.most() < graph.len() as u64);
        fits.then_some(Self { starts, sources })
    }

    /// Where lists begin, and what is in them.
    pub(crate) fn columns(&self) -> (&Column, &Column) {
        (&self.starts, &self.sources)
    }

    /// The objects that refer to `to`, in order of their numbers; one that does so twice is there twice.
    pub fn sources(&self, to: ObjectIndex) -> impl Iterator<Item = ObjectIndex> {
        let (begin, end) = self.starts.pair(to.0 as usize);
        (begin as usize..end as usize).map(|place| ObjectIndex(self.sources.get(place) as u32))
    }

    /// The references to `to`. Takes a look at all references of all objects that have one.
    pub fn edges<'a>(&'a self, graph: &'a Graph, to: ObjectIndex) -> impl Iterator<Item = Edge<'a>> {
        self.places(graph, to).map(|(from, place)| graph.edge_at(from, place))
    }

    /// The objects that refer to `to`, and where their references to it are.
    pub(crate) fn places(
        &self,
        graph: &Graph,
        to: ObjectIndex,
    ) -> impl Iterator<Item = (ObjectIndex, usize)> {
        let mut sources: Vec<_> = self.sources(to).collect();
        sources.dedup();
        sources.into_iter().flat_map(move |from| {
            let places = graph.edge_places(from).filter(move |&place| graph.target(place) == to);
            places.map(move |place| (from, place))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::GraphBuilder;
    use crate::graph::Class;

    #[test]
    fn every_reference_is_found_from_its_end() {
        let mut builder = GraphBuilder::default();
        let class = builder.class(Class::default());
        let [a, b, c] = [1, 2, 3].map(|id| builder.object(id, class, 16));
        for (from, index, to) in [(c, 0, b), (a, 0, b), (a, 1, b), (b, 0, b)] {
            builder.element(from, index, to);
        }
        let graph = builder.finish().unwrap();
        let referrers = Referrers::new(&graph);
        let sources = |to| referrers.sources(to).collect::<Vec<_>>();
        assert_eq!(sources(b), [a, a, b, c]);
        assert_eq!(sources(a), []);
        let edges: Vec<_> = referrers.edges(&graph, b).map(|edge| (edge.from, edge.index)).collect();
        assert_eq!(edges, [(a, Some(0)), (a, Some(1)), (b, Some(0)), (c, Some(0))]);
    }
}
