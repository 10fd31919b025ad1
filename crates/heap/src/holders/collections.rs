//! Which objects are the insides of collections, the JDK's and those of libraries, or these themselves.

use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::referrers::Referrers;

/// Classes that are seen through, with all classes nested in them.
const COLLECTIONS: &[&str] = &[
    "java.lang.String",
    "java.util.AbstractMap",
    "java.util.ArrayDeque",
    "java.util.ArrayList",
    "java.util.Arrays",
    "java.util.Collections",
    "java.util.EnumMap",
    "java.util.HashMap",
    "java.util.HashSet",
    "java.util.Hashtable",
    "java.util.IdentityHashMap",
    "java.util.ImmutableCollections",
    "java.util.KeyValueHolder",
    "java.util.LinkedHashMap",
    "java.util.LinkedHashSet",
    "java.util.LinkedList",
    "java.util.PriorityQueue",
    "java.util.Properties",
    "java.util.Stack",
    "java.util.TreeMap",
    "java.util.TreeSet",
    "java.util.Vector",
    "java.util.WeakHashMap",
    "java.util.concurrent.ArrayBlockingQueue",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentLinkedDeque",
    "java.util.concurrent.ConcurrentLinkedQueue",
    "java.util.concurrent.ConcurrentSkipListMap",
    "java.util.concurrent.ConcurrentSkipListSet",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.concurrent.CopyOnWriteArraySet",
    "java.util.concurrent.DelayQueue",
    "java.util.concurrent.LinkedBlockingDeque",
    "java.util.concurrent.LinkedBlockingQueue",
    "java.util.concurrent.PriorityBlockingQueue",
];

/// Packages of libraries of collections and caches, wherever they were relocated to: all of their classes are seen through.
const LIBRARIES: &[&str] = &[
    "cache2k.",
    "caffeine.cache.",
    "com.carrotsearch.hppc.",
    "ehcache.",
    "gnu.trove.",
    "google.common.cache.",
    "google.common.collect.",
    "infinispan.container.",
    "io.netty.util.collection.",
    "io.vavr.collection.",
    "it.unimi.dsi.fastutil.",
    "kotlin.collections.",
    "org.agrona.collections.",
    "org.apache.commons.collections.",
    "org.apache.commons.collections4.",
    "org.eclipse.collections.",
    "org.jctools.",
    "scala.collection.",
];

/// Whether a class is of a library of collections or caches, by its name as `Class.getName()` gives it: one that is no array.
pub fn is_of_a_collection_library(class: &str) -> bool {
    let follows_a_dot = |at: usize| at == 0 || class.as_bytes()[at - 1] == b'.';
    LIBRARIES.iter().any(|package| class.match_indices(package).any(|(at, _)| follows_a_dot(at)))
}

/// Tells the insides of collections, by class; arrays of just any objects by who refers to them.
#[derive(Debug)]
pub(super) struct Insides<'graph> {
    graph: &'graph Graph,
    referrers: &'graph Referrers,
    by_class: Vec<Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Inside,
    /// An `Object[]`: inside if a collection refers to it.
    Objects,
    Outside,
}

impl<'graph> Insides<'graph> {
    pub(super) fn of(graph: &'graph Graph, referrers: &'graph Referrers) -> Self {
        let by_class = graph.classes().map(|(_, class)| kind(&class.name)).collect();
        Self { graph, referrers, by_class }
    }

    pub(super) fn contains(&self, object: ObjectIndex) -> bool {
        let kind = |object| self.by_class[self.graph.class_of(object).0 as usize];
        match kind(object) {
            Kind::Inside => true,
            Kind::Outside => false,
            Kind::Objects => self.referrers.sources(object).any(|by| kind(by) == Kind::Inside),
        }
    }
}

fn kind(class: &str) -> Kind {
    let element = class.trim_start_matches('[');
    let is_array = element.len() < class.len();
    let name =
        element.strip_prefix('L').filter(|_| is_array).map_or(class, |name| name.trim_end_matches(';'));
    let outer = name.split('$').next().unwrap_or(name);
    let is_nested = outer.len() < name.len();
    match COLLECTIONS.contains(&outer) {
        // A `String[]` is no part of a string; a `HashMap$Node[]` is one of a map.
        true if !is_array || is_nested => Kind::Inside,
        _ if is_array && name == "java.lang.Object" => Kind::Objects,
        _ if is_of_a_collection_library(name) => Kind::Inside,
        _ => Kind::Outside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_are_sorted_and_known_by_name() {
        assert!(COLLECTIONS.is_sorted() && LIBRARIES.is_sorted());
        for (class, expected) in [
            ("java.util.HashMap", Kind::Inside),
            ("java.util.HashMap$Node", Kind::Inside),
            ("[Ljava.util.HashMap$Node;", Kind::Inside),
            ("[Ljava.util.HashMap;", Kind::Outside),
            ("[Ljava.lang.String;", Kind::Outside),
            ("[Ljava.lang.Object;", Kind::Objects),
            ("java.util.HashMapper", Kind::Outside),
            ("my.HashMap", Kind::Outside),
            ("[B", Kind::Outside),
            ("com.github.benmanes.caffeine.cache.PSMS", Kind::Inside),
            ("[Lit.unimi.dsi.fastutil.longs.LongArrays;", Kind::Inside),
            ("my.shaded.com.google.common.collect.HashBiMap$BiEntry", Kind::Inside),
            ("my.caffeine.Cup", Kind::Outside),
            ("my.xehcache.Cup", Kind::Outside),
        ] {
            assert_eq!(kind(class), expected, "{class}");
        }
    }
}
