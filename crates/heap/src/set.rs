//! Sets of objects of one graph, a bit each.

use crate::graph::Graph;
use crate::index::ObjectIndex;

/// A set of objects of a graph: a bit per object of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectSet {
    words: Vec<u64>,
    len: usize,
}

impl ObjectSet {
    /// No object of `graph`.
    pub fn none(graph: &Graph) -> Self {
        Self { words: vec![0; graph.len().div_ceil(64)], len: 0 }
    }

    /// Some objects of `graph`.
    pub fn of(graph: &Graph, objects: impl IntoIterator<Item = ObjectIndex>) -> Self {
        let mut set = Self::none(graph);
        objects.into_iter().for_each(|object| {
            set.insert(object);
        });
        set
    }

    /// Adds an object; whether it is new.
    pub fn insert(&mut self, object: ObjectIndex) -> bool {
        let (word, bit) = Self::place(object);
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += usize::from(new);
        new
    }

    /// Takes an object out; whether it was in.
    pub fn remove(&mut self, object: ObjectIndex) -> bool {
        let (word, bit) = Self::place(object);
        let was = self.words[word] & bit != 0;
        self.words[word] &= !bit;
        self.len -= usize::from(was);
        was
    }

    /// Whether an object is in.
    pub fn contains(&self, object: ObjectIndex) -> bool {
        let (word, bit) = Self::place(object);
        self.words[word] & bit != 0
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The objects, in order.
    pub fn iter(&self) -> impl Iterator<Item = ObjectIndex> {
        self.words.iter().enumerate().flat_map(|(word, &bits)| {
            let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
            let first = word as u32 * 64;
            rest.take_while(|&bits| bits != 0).map(move |bits| ObjectIndex(first + bits.trailing_zeros()))
        })
    }

    fn place(object: ObjectIndex) -> (usize, u64) {
        (object.0 as usize / 64, 1 << (object.0 % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::heap;

    #[test]
    fn objects_go_in_and_out() {
        let statements: String = (0..130).map(|id| format!("{id:x}:A;")).collect();
        let graph = heap(&statements);
        let mut set = ObjectSet::of(&graph, [0, 63, 64, 129, 64].map(ObjectIndex));
        assert_eq!(set.len(), 4);
        assert!(set.remove(ObjectIndex(64)) && !set.remove(ObjectIndex(65)));
        assert!(!set.contains(ObjectIndex(64)) && set.contains(ObjectIndex(63)));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 129].map(ObjectIndex));
    }
}
