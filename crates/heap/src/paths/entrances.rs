//! The roots in the order in which paths prefer them, so that the same heap gives the same paths.
//!
//! Of two paths with equally many objects the one wins that begins with: a static field of a class of the application,
//! one of a class of the boot loader, one of a hidden class (which may be unloaded after all), a thread, a local variable, a JNI local, a JNI global, a monitor, a class as such,
//! anything else; then the one whose class or words come first in the alphabet; then the one that the graph tells first.

use crate::graph::Graph;
use crate::root::RootKind;

/// Numbers of roots.
#[derive(Debug)]
pub(super) struct Entrances {
    /// Those whose statics count as roots.
    pub(super) classes: Vec<usize>,
    /// All, in order.
    pub(super) all: Vec<usize>,
}

impl Entrances {
    pub(super) fn of(graph: &Graph) -> Self {
        let roots = graph.roots();
        let mut all: Vec<_> = (0..roots.len()).collect();
        all.sort_by_cached_key(|&root| (rank(&roots[root].kind), words(graph, root)));
        let system = |&root: &usize| roots[root].kind == RootKind::SystemClass;
        let mut classes: Vec<_> = all.iter().copied().filter(system).collect();
        classes.sort_by_key(|&root| class_rank(graph, root));
        Self { classes, all }
    }
}

fn rank(kind: &RootKind) -> u8 {
    match kind {
        RootKind::Thread => 0,
        RootKind::StackLocal(_) => 1,
        RootKind::JniLocal(_) => 2,
        RootKind::JniGlobal => 3,
        RootKind::Monitor => 4,
        RootKind::SystemClass => 5,
        RootKind::Other(_) => 6,
    }
}

fn words(graph: &Graph, root: usize) -> Box<str> {
    let root = &graph.roots()[root];
    match graph.mirrored(root.object) {
        Some(class) if root.kind == RootKind::SystemClass => graph.class(class).name.clone(),
        _ => root.kind.to_string().into(),
    }
}

fn class_rank(graph: &Graph, root: usize) -> u8 {
    let class = graph.mirrored(graph.roots()[root].object).map(|class| graph.class(class));
    match class {
        // `Class.getName` of hidden classes is the only one with a slash.
        Some(class) if class.name.contains('/') => 2,
        Some(class) if class.loader.is_some() => 0,
        _ => 1,
    }
}
