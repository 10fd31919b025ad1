//! Names by stream id: equal names behind different ids (class loaders) share one index.
//!
//! Not here: counts, which are the builder's.

use std::hash::Hash;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::stream::id_map::IdMap;

/// Values named by ids of a stream. An id named twice keeps its newest value.
#[derive(Clone, Debug)]
pub(crate) struct Names<I, T> {
    index_of_id: IdMap<I, usize>,
    values: IndexSet<T, FxBuildHasher>,
}

impl<I, T> Default for Names<I, T> {
    fn default() -> Self {
        Self { index_of_id: IdMap::default(), values: IndexSet::default() }
    }
}

impl<I: Copy + Ord + Hash, T: Hash + Eq> Names<I, T> {
    /// Gives `id` the value `value`.
    pub(crate) fn set(&mut self, id: I, value: T) {
        let (index, _) = self.values.insert_full(value);
        self.index_of_id.insert(id, index);
    }

    /// Lets ids stand for the values that they had when [`Self::ids`] gave these.
    pub(crate) fn set_ids(&mut self, ids: Vec<(I, usize)>) {
        self.index_of_id = ids.into_iter().collect();
    }

    /// Index of the value of `id`: the same for all ids of equal values.
    pub(crate) fn index(&self, id: I) -> Option<usize> {
        self.index_of_id.get(&id).copied()
    }

    /// Every id with the index of its value, in the order of ids.
    pub(crate) fn ids(&self) -> Vec<(I, usize)> {
        let mut ids: Vec<_> = self.index_of_id.iter().map(|(&id, &index)| (id, index)).collect();
        ids.sort_unstable();
        ids
    }

    /// The value at an index that [`Self::index`] gave.
    pub(crate) fn value(&self, index: usize) -> Option<&T> {
        self.values.get_index(index)
    }
}
