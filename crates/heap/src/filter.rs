//! Which references and objects a walk through a graph takes part of.
//!
//! One filter serves all walks: paths, dominators, sizes. Not here: where walks begin; that is never filtered.

use crate::edge::{EdgeName, Strength};
use crate::graph::ELEMENT;
use crate::graph::{Class, Graph};
use crate::index::ObjectIndex;
use crate::set::ObjectSet;

/// References to follow.
#[derive(Clone, Debug)]
pub struct Filter {
    /// By number of name.
    skipped_names: Vec<bool>,
    not_entered: Option<ObjectSet>,
}

impl Filter {
    /// Follows references that are at least as strong as `weakest`: `Strength::Strong` only strong ones,
    /// `Strength::Phantom` all.
    pub fn new(graph: &Graph, weakest: Strength) -> Self {
        let weaker = |name: &EdgeName| name.strength() > weakest;
        Self { skipped_names: graph.names.iter().map(weaker).collect(), not_entered: None }
    }

    /// The same, but of references only those at least as strong as `weakest`.
    pub fn at_least(&self, graph: &Graph, weakest: Strength) -> Self {
        let mut filter = self.clone();
        for (name, skip) in graph.names.iter().zip(&mut filter.skipped_names) {
            *skip |= name.strength() > weakest;
        }
        filter
    }

    /// Passes over fields, static or not, for which `skipped` says so by declaring class and name. How many there are.
    pub fn skip_fields(&mut self, graph: &Graph, skipped: impl Fn(&Class, &str) -> bool) -> usize {
        let mut found = 0;
        for (name, skip) in graph.names.iter().zip(&mut self.skipped_names) {
            if name.field().is_some_and(|(declaring, field)| skipped(graph.class(declaring), field)) {
                *skip = true;
                found += 1;
            }
        }
        found
    }

    /// Passes over the static fields of classes for which `skipped` says so.
    pub fn skip_statics(&mut self, graph: &Graph, skipped: impl Fn(&Class) -> bool) {
        for (name, skip) in graph.names.iter().zip(&mut self.skipped_names) {
            if let EdgeName::Static { declaring, .. } = name {
                *skip |= skipped(graph.class(*declaring));
            }
        }
    }

    /// Passes over an object, and so over all that it refers to.
    pub fn skip_object(&mut self, graph: &Graph, object: ObjectIndex) {
        self.skipped(graph).insert(object);
    }

    /// Passes over the instances of all classes for which `skipped` says so. How many instances there are.
    pub fn skip_instances(&mut self, graph: &Graph, skipped: impl Fn(&Class) -> bool) -> usize {
        let by_class: Vec<_> = graph.classes().map(|(_, class)| skipped(class)).collect();
        if !by_class.contains(&true) {
            return 0;
        }
        let set = self.skipped(graph);
        let skipped = graph.objects().filter(|&object| by_class[graph.class_of(object).0 as usize]);
        skipped.map(|object| set.insert(object)).count()
    }

    /// Stays among objects: passes over the `java.lang.Class` of every class, and with it over statics and loaders.
    /// INSANE's sizes are taken so.
    pub fn skip_classes(&mut self, graph: &Graph) {
        let set = self.skipped(graph);
        for mirror in graph.classes().filter_map(|(_, class)| class.mirror) {
            set.insert(mirror);
        }
    }

    fn skipped(&mut self, graph: &Graph) -> &mut ObjectSet {
        self.not_entered.get_or_insert_with(|| ObjectSet::none(graph))
    }

    /// The objects that a walk goes on to from an object; one referred to twice is there twice.
    pub fn targets(&self, graph: &Graph, from: ObjectIndex) -> impl Iterator<Item = ObjectIndex> {
        self.places(graph, from).map(|place| graph.target(place))
    }

    /// Places of the references that are followed.
    pub(crate) fn places(&self, graph: &Graph, from: ObjectIndex) -> impl Iterator<Item = usize> {
        graph
            .edge_places(from)
            .filter(|&place| self.follows(graph.label(place)) && self.enters(graph.target(place)))
    }

    /// Whether references of a label are followed.
    pub(crate) fn follows(&self, label: u32) -> bool {
        label & ELEMENT != 0 || self.skipped_names.get(label as usize) != Some(&true)
    }

    /// Whether references to an object are followed.
    pub(crate) fn enters(&self, object: ObjectIndex) -> bool {
        self.not_entered.as_ref().is_none_or(|set| !set.contains(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::heap;
    use crate::reach;
    use mayfly_counts::Total;

    const HEAP: &str = "
        1:A -next-> 2:B -items-> 3:java.lang.Object[][32] -[0]-> 4:C
        2 -soft-> 5:java.lang.ref.SoftReference -referent-> 6:D
        2 -weak-> 7:my.Weak -referent-> 8:E
        class my.Weak extends java.lang.ref.WeakReference
        1 -type-> c:java.lang.Class
        class C mirror c
        c -static x-> d:F";

    fn reached(graph: &Graph, filter: &Filter) -> Vec<u64> {
        let from = graph.find(1).unwrap();
        reach::from(graph, [from], filter).iter().map(|object| graph.id(object)).collect()
    }

    /// INSANE's `noFilter` and `skipNonStrongReferencesFilter`.
    #[test]
    fn references_are_told_apart_by_strength() {
        let graph = heap(HEAP);
        let at_least = |weakest| {
            let reached = reached(&graph, &Filter::new(&graph, weakest));
            [6, 8].map(|id| reached.contains(&id))
        };
        assert_eq!(at_least(Strength::Strong), [false, false]);
        assert_eq!(at_least(Strength::Soft), [true, false]);
        assert_eq!(at_least(Strength::Weak), [true, true]);
        assert_eq!(at_least(Strength::Phantom), [true, true]);
    }

    /// INSANE's `skipObjectsFilter`.
    #[test]
    fn objects_are_skipped_with_all_that_they_refer_to() {
        let graph = heap(HEAP);
        let mut filter = Filter::new(&graph, Strength::Strong);
        filter.skip_object(&graph, graph.find(2).unwrap());
        assert_eq!(reached(&graph, &filter), [1, 0xc, 0xd]);
    }

    /// INSANE's `skipReferencesFilter`: instance and static fields.
    #[test]
    fn fields_are_skipped_by_declaring_class_and_name() {
        let graph = heap(HEAP);
        let mut filter = Filter::new(&graph, Strength::Strong);
        let fields = [("B", "items"), ("C", "x"), ("A", "items")];
        let skipped = |class: &Class, name: &str| fields.contains(&(&*class.name, name));
        assert_eq!(filter.skip_fields(&graph, skipped), 2);
        assert_eq!(reached(&graph, &filter), [1, 2, 5, 7, 0xc]);
    }

    #[test]
    fn instances_and_classes_are_skipped() {
        let graph = heap(HEAP);
        let mut filter = Filter::new(&graph, Strength::Strong);
        assert_eq!(filter.skip_instances(&graph, |class| &*class.name == "B"), 1);
        assert_eq!(filter.skip_instances(&graph, |class| &*class.name == "Z"), 0);
        filter.skip_classes(&graph);
        assert_eq!(reached(&graph, &filter), [1]);
        let set = reach::from(&graph, [graph.find(1).unwrap()], &filter);
        assert_eq!(graph.total(set.iter()), Total { objects: 1, bytes: 16 });
    }
}
