//! Scopes by name and by how they are nested, and what tells one entry of a scope from another.
//!
//! Not here: what is counted in them (`slabs`), and what became of the objects made in them (`scope_book`).

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::slab_layout::MOST_SCOPE_NAMES;

/// Scopes whose names, or whose nestings, no longer fit.
const OTHER: &str = "(other scopes)";
/// Nestings: a node's number has so many values.
pub(crate) const MOST_NODES: usize = 1 << NODE_BITS;

/// The node of all others.
const OTHERS: (Option<NodeId>, u32) = (None, 0);

const NODE_BITS: u32 = 8;
const OPENED_BITS: u32 = 19;
/// Number of an entry among those of its slab, and below it the flag.
const NUMBER_BITS: u32 = 63 - NODE_BITS - OPENED_BITS;

/// A scope inside of others: a name, and the nesting in which it was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u8);

impl NodeId {
    /// Its index.
    pub fn row(self) -> usize {
        usize::from(self.0)
    }
}

/// An entry of a scope, as Java hands it around: node, slab and number, and in the lowest bit whether native code has to be told of
/// its end. 0: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryId(pub u64);

impl EntryId {
    /// What a slab of that scope begins with, if it is the one of this number.
    pub(crate) fn before_first(node: NodeId, opened: u64) -> u64 {
        let opened = opened & ((1 << OPENED_BITS) - 1);
        u64::from(node.0) << (OPENED_BITS + NUMBER_BITS) | opened << NUMBER_BITS
    }

    /// The entry, if Java names one: without the flag.
    pub fn of_java(entry: u64) -> Option<Self> {
        (entry != 0).then_some(Self(entry & !1))
    }

    /// The scope that was entered.
    pub fn node(self) -> NodeId {
        NodeId((self.0 >> (OPENED_BITS + NUMBER_BITS)) as u8)
    }

    /// Which of the entries counted in its slab it is; the first is 1.
    pub(crate) fn number(self) -> u64 {
        (self.0 & ((1 << NUMBER_BITS) - 1)) >> 1
    }
}

/// All scopes ever named.
#[derive(Debug)]
pub struct Scopes {
    state: Mutex<State>,
    /// Whether any was named: asked of each object that is followed.
    used: AtomicBool,
}

#[derive(Debug)]
struct State {
    /// By number; none has the number 0.
    names: Vec<Box<str>>,
    /// By node: the one that it is inside of, and the number of its name.
    nodes: Vec<(Option<NodeId>, u32)>,
}

impl Default for Scopes {
    fn default() -> Self {
        let state = State { names: vec![OTHER.into()], nodes: Vec::new() };
        Self { state: Mutex::new(state), used: AtomicBool::new(false) }
    }
}

impl Scopes {
    /// The number of a name, from 1 on. Where there are too many, of one for all others.
    pub fn name(&self, name: &str) -> u32 {
        let mut state = self.state();
        if let Some(at) = state.names.iter().skip(1).position(|known| **known == *name) {
            return at as u32 + 1;
        }
        self.used.store(true, Relaxed);
        let last = state.names.len() >= MOST_SCOPE_NAMES - 1;
        if state.names.len() < MOST_SCOPE_NAMES {
            state.names.push(if last { OTHER } else { name }.into());
        }
        state.names.len() as u32 - 1
    }

    /// Whether any was named.
    pub fn are_used(&self) -> bool {
        self.used.load(Relaxed)
    }

    /// The scope of that name inside of another one, or of none; where there are too many, one for all others. `None`: no such name.
    pub(crate) fn inside(&self, outer: Option<NodeId>, name: u32) -> Option<NodeId> {
        let mut state = self.state();
        if name == 0 || name as usize >= state.names.len() {
            return None;
        }
        // One row for all others, whether their names or their nestings no longer fit.
        let name = if state.names.get(name as usize).is_some_and(|name| **name == *OTHER) { 0 } else { name };
        let node = (outer, name);
        let find = |nodes: &[_], node| nodes.iter().position(|known| *known == node);
        let known = find(&state.nodes, node).or_else(|| {
            let is_full = state.nodes.len() >= MOST_NODES - 1;
            if is_full { find(&state.nodes, OTHERS) } else { None }
        });
        let at = known.unwrap_or_else(|| {
            let is_last = state.nodes.len() == MOST_NODES - 1;
            state.nodes.push(if is_last { OTHERS } else { node });
            state.nodes.len() - 1
        });
        Some(NodeId(at as u8))
    }

    /// The names of a scope and of those that it is inside of, outermost first.
    pub fn path(&self, node: NodeId) -> Option<Vec<String>> {
        let state = self.state();
        let mut path = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next {
            let &(outer, name) = state.nodes.get(node.row())?;
            path.push(state.names.get(name as usize)?.to_string());
            next = outer;
        }
        path.reverse();
        Some(path)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_is_several_scopes_by_where_it_is_entered() {
        let scopes = Scopes::default();
        let (request, query) = (scopes.name("request"), scopes.name("query"));
        assert_eq!((request, query, scopes.name("request")), (1, 2, 1));
        let outer = scopes.inside(None, request).expect("a name");
        let inner = scopes.inside(Some(outer), query).expect("a name");
        let alone = scopes.inside(None, query).expect("a name");
        assert_eq!(scopes.inside(Some(outer), query), Some(inner));
        assert_eq!([outer, inner, alone].map(NodeId::row), [0, 1, 2]);
        assert_eq!(scopes.path(inner).expect("known"), ["request", "query"]);
        assert_eq!(
            (scopes.inside(None, 0), scopes.inside(None, 3), scopes.path(NodeId(3))),
            (None, None, None)
        );
    }

    #[test]
    fn too_many_are_one() {
        let scopes = Scopes::default();
        let numbers: Vec<u32> = (0..300).map(|at| scopes.name(&format!("s{at}"))).collect();
        assert_eq!((numbers[253], numbers[254], numbers[299]), (254, 255, 255));
        let nodes: Vec<_> =
            (0..300).map(|at| scopes.inside(Some(NodeId(at as u8 / 2)), 1 + at % 9)).collect();
        assert!(nodes.iter().all(Option::is_some));
        assert_eq!(scopes.path(NodeId(255)).expect("known"), [OTHER]);
    }

    /// Rows of scopes are told apart by their paths.
    #[test]
    fn no_two_nodes_have_the_same_path() {
        for named_so in [false, true] {
            let scopes = Scopes::default();
            if named_so {
                scopes.name(OTHER);
            }
            let names: Vec<u32> = (0..300).map(|at| scopes.name(&format!("s{at}"))).collect();
            for name in names {
                let outer = scopes.inside(None, name).expect("a name");
                scopes.inside(Some(outer), 1 + name % 9).expect("a name");
            }
            scopes.inside(None, 255).expect("a name");
            let paths: Vec<_> = (0..=255).filter_map(|node| scopes.path(NodeId(node))).collect();
            let distinct: std::collections::BTreeSet<_> = paths.iter().collect();
            assert_eq!(distinct.len(), paths.len(), "{paths:?}");
            assert!(paths.contains(&vec![OTHER.to_owned()]), "{paths:?}");
        }
    }

    #[test]
    fn an_entry_tells_its_scope_and_its_number() {
        for node in [0, 7, 255] {
            let word = EntryId::before_first(NodeId(node), (1 << OPENED_BITS) + 5);
            assert!(word >> 63 == 0, "no sign in Java");
            let third = EntryId::of_java(word + 6 + 1).expect("an entry");
            assert_eq!((third.node(), third.number(), third.0 & 1), (NodeId(node), 3, 0));
        }
        assert_eq!(EntryId::of_java(0), None);
    }
}
