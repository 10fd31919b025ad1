//! Pages of a heap for a browser: who retains what, by class, and bytes by class and package.
//!
//! Not here: what a page looks like (`mayfly-formats`).

use std::collections::BTreeMap;
use std::path::Path;

use mayfly_formats::{HeapPage, HeapPart, readable_class};
use mayfly_heap::dominators::Dominators;
use mayfly_heap::{ClassIndex, Graph, ObjectIndex};
use mayfly_profile::{HeapSummary, Total};
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::output;

/// Classes above each other at most: what is deeper is added to the deepest.
const DEEPEST: u16 = 100;
/// What retains less than one part in so many is added to what is above it.
const SMALLEST: u64 = 5_000;

/// What is shown as one: objects of a class, or the statics of one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Objects(ClassIndex),
    /// The `java.lang.Class` that stands for it.
    Class(ClassIndex),
}

impl Kind {
    fn of(graph: &Graph, object: ObjectIndex) -> Self {
        graph.mirrored(object).map_or_else(|| Self::Objects(graph.class_of(object)), Self::Class)
    }

    /// As paths spell it.
    fn name(self, graph: &Graph) -> String {
        let named = |class| readable_class(&graph.class(class).name);
        match self {
            Self::Objects(class) => named(class),
            Self::Class(class) => format!("class {}", named(class)),
        }
    }
}

/// Objects that are retained by the same classes above each other.
struct Node {
    above: u32,
    kind: Option<Kind>,
    depth: u16,
    retained_bytes: u64,
}

/// The tree of dominators, its objects put together by class.
struct Tree {
    /// Nodes stand behind those above them; the first is above all.
    nodes: Vec<Node>,
    /// Objects by node and class, themselves alone.
    own: FxHashMap<(u32, ClassIndex), Total>,
}

impl Tree {
    fn of(graph: &Graph, dominators: &Dominators) -> Self {
        let all = Node { above: 0, kind: None, depth: 0, retained_bytes: 0 };
        let mut tree = Self { nodes: vec![all], own: FxHashMap::default() };
        let (mut below, mut node_of) = (FxHashMap::default(), vec![0u32; graph.len()]);
        for object in dominators.reachable() {
            let above = dominators.immediate(object).map_or(0, |by| node_of[by.0 as usize]);
            let (class, kind) = (graph.class_of(object), Kind::of(graph, object));
            let node = *below.entry((above, kind)).or_insert_with(|| tree.below(above, kind));
            node_of[object.0 as usize] = node;
            let bytes = graph.size(object);
            tree.nodes[node as usize].retained_bytes += bytes;
            let own = tree.own.entry((node, class)).or_default();
            own.objects += 1;
            own.bytes += bytes;
        }
        for node in (1..tree.nodes.len()).rev() {
            let Node { above, retained_bytes, .. } = tree.nodes[node];
            tree.nodes[above as usize].retained_bytes += retained_bytes;
        }
        tree
    }

    /// Lists and trees of one class are one node.
    fn below(&mut self, above: u32, kind: Kind) -> u32 {
        let Node { kind: of_above, depth, .. } = self.nodes[above as usize];
        if of_above == Some(kind) || depth >= DEEPEST {
            return above;
        }
        self.nodes.push(Node { above, kind: Some(kind), depth: depth + 1, retained_bytes: 0 });
        self.nodes.len() as u32 - 1
    }

    /// Parts by path and class, what is small added to what is above it.
    fn parts(&self, graph: &Graph) -> Vec<HeapPart> {
        let least = self.nodes[0].retained_bytes / SMALLEST;
        let mut kept: Vec<u32> = (0..self.nodes.len() as u32).collect();
        for node in 1..self.nodes.len() {
            if self.nodes[node].retained_bytes < least {
                kept[node] = kept[self.nodes[node].above as usize];
            }
        }
        let mut parts: BTreeMap<(u32, &str), Total> = BTreeMap::new();
        for (&(node, class), held) in &self.own {
            parts.entry((kept[node as usize], &graph.class(class).name)).or_default().add(*held);
        }
        let part = |((node, class), held): ((u32, &str), Total)| HeapPart {
            path: self.path(graph, node),
            class: class.to_owned(),
            objects: held.objects,
            bytes: held.bytes,
        };
        parts.into_iter().map(part).collect()
    }

    fn path(&self, graph: &Graph, mut node: u32) -> Vec<String> {
        let mut path = Vec::new();
        while let Some(kind) = self.nodes[node as usize].kind {
            path.push(kind.name(graph));
            node = self.nodes[node as usize].above;
        }
        path.reverse();
        path
    }
}

/// Writes the page of who retains what.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn retained(
    file: &DumpFile,
    graph: &Graph,
    dominators: &Dominators,
    to: &Path,
) -> Result<(), Error> {
    let words = [
        "A frame is as wide as what its objects retain: themselves, and all that would be freed with them.",
        "The innermost frames are objects themselves.",
        "Strong and soft references count; what retains less than 0.02 % is added to what is above it.",
    ];
    let parts = Tree::of(graph, dominators).parts(graph);
    written(file, "Who retains what", &words, parts, to)
}

/// Writes the page of bytes by class and package.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn histogram(file: &DumpFile, summary: &HeapSummary, to: &Path) -> Result<(), Error> {
    let part = |(class, held): (&str, Total)| HeapPart {
        path: packages(class),
        class: class.to_owned(),
        objects: held.objects,
        bytes: held.bytes,
    };
    let words = ["Shallow sizes of all objects in the dump, reachable or not."];
    written(file, "Bytes by package and class", &words, summary.rows().map(part).collect(), to)
}

/// `java`, `java.util` of a class or of arrays of it.
fn packages(class: &str) -> Vec<String> {
    let element = readable_class(class).trim_end_matches("[]").to_owned();
    let outer = element.rfind('/').map_or(element.as_str(), |hidden| &element[..hidden]);
    if class.starts_with('[') && !outer.contains('.') {
        return vec!["arrays".to_owned()];
    }
    outer.match_indices('.').map(|(at, _)| outer[..at].to_owned()).collect()
}

fn written(
    file: &DumpFile,
    heading: &str,
    words: &[&str],
    parts: Vec<HeapPart>,
    to: &Path,
) -> Result<(), Error> {
    let page = HeapPage {
        title: file.name(),
        heading: heading.to_owned(),
        facts: file.facts(),
        words: words.iter().map(|&text| text.to_owned()).collect(),
        parts,
    };
    output::page(|out| page.write(out), Some(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_a_class_are_those_around_it() {
        assert_eq!(packages("java.util.HashMap$Node"), ["java", "java.util"]);
        assert_eq!(packages("[Ljava.util.HashMap;"), ["java", "java.util"]);
        assert_eq!(packages("a.B$$Lambda/0x1f.c"), ["a"]);
        assert_eq!((packages("[[J"), packages("Main")), (vec!["arrays".to_owned()], vec![]));
    }
}
