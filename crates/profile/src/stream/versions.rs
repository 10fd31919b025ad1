//! Values by id, and those that were replaced since a moment, if they are wanted again.
//!
//! Not here: moments of a whole stream (`earlier`).

use std::hash::Hash;
use std::ops::Deref;

use crate::stream::id_map::IdMap;

/// The newest value of each id. Reads as a map.
#[derive(Clone, Debug)]
pub(crate) struct Versions<K, V> {
    newest: IdMap<K, V>,
    /// What ids had, of those that got a value since; `None` in it: nothing. `None`: that is not wanted.
    replaced: Option<IdMap<K, Option<V>>>,
}

/// What ids had at a moment, of those that got a value since; `None`: nothing. In the order of ids.
#[derive(Debug)]
pub(crate) struct Replaced<K, V>(Vec<(K, Option<V>)>);

impl<K, V> Default for Versions<K, V> {
    fn default() -> Self {
        Self { newest: IdMap::default(), replaced: None }
    }
}

impl<K, V> Deref for Versions<K, V> {
    type Target = IdMap<K, V>;

    fn deref(&self) -> &Self::Target {
        &self.newest
    }
}

impl<K: Copy + Ord + Hash, V> Versions<K, V> {
    /// Keeps what is replaced from now on.
    pub(crate) fn keep_replaced(&mut self) {
        self.replaced = Some(IdMap::default());
    }

    /// Gives these ids their values.
    pub(crate) fn extend(&mut self, values: impl IntoIterator<Item = (K, V)>) {
        let Some(replaced) = &mut self.replaced else { return self.newest.extend(values) };
        for (id, value) in values {
            let before = self.newest.insert(id, value);
            replaced.entry(id).or_insert(before);
        }
    }

    /// All values, in the order of ids; none are left.
    pub(crate) fn take(&mut self) -> Vec<(K, V)> {
        let mut newest: Vec<_> = self.newest.drain().collect();
        newest.sort_unstable_by_key(|&(id, _)| id);
        newest
    }

    /// Forgets all values, also those that were replaced.
    pub(crate) fn clear(&mut self) {
        self.newest.clear();
        self.replaced.iter_mut().for_each(IdMap::clear);
    }

    /// What was replaced since the last time.
    pub(crate) fn take_replaced(&mut self) -> Replaced<K, V> {
        let mut replaced: Vec<_> = self.replaced.iter_mut().flat_map(IdMap::drain).collect();
        replaced.sort_unstable_by_key(|&(id, _)| id);
        Replaced(replaced)
    }

    /// Gives ids what they had, and keeps in its place what they have now: done again, it takes that back.
    pub(crate) fn exchange(&mut self, replaced: &mut Replaced<K, V>) {
        for (id, value) in &mut replaced.0 {
            *value = match value.take() {
                Some(value) => self.newest.insert(*id, value),
                None => self.newest.remove(id),
            };
        }
    }
}

impl<K: Copy + Ord, V> Replaced<K, V> {
    /// The same moment, after what was replaced since a later one was added.
    pub(crate) fn absorb(&mut self, later: Self) {
        self.0.extend(later.0);
        // Stable: of an id the older value is the first.
        self.0.sort_by_key(|&(id, _)| id);
        self.0.dedup_by_key(|&mut (id, _)| id);
        self.0.shrink_to_fit();
    }

    /// How much memory it takes, with so much more for each value.
    pub(crate) fn bytes(&self, more: impl Fn(&V) -> usize) -> usize {
        let values = self.0.iter().filter_map(|(_, value)| value.as_ref());
        self.0.len() * size_of::<(K, Option<V>)>() + values.map(more).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_moment_come_back() {
        let mut versions = Versions::default();
        versions.extend([(1, 'a'), (2, 'b')]);
        versions.keep_replaced();
        let then = versions.newest.clone();
        versions.extend([(1, 'c'), (3, 'd')]);
        versions.extend([(1, 'e'), (3, 'f')]);
        assert_eq!((versions[&1], versions[&3]), ('e', 'f'));
        let mut replaced = versions.take_replaced();
        assert_eq!(replaced.0, [(1, Some('a')), (3, None)], "of each id the oldest");
        let now = versions.newest.clone();
        versions.exchange(&mut replaced);
        assert_eq!(versions.newest, then);
        versions.exchange(&mut replaced);
        assert_eq!(versions.newest, now);
    }

    #[test]
    fn nothing_is_kept_that_is_not_wanted() {
        let mut versions = Versions::default();
        versions.extend([(1, 'a')]);
        versions.extend([(1, 'b')]);
        assert!(versions.take_replaced().0.is_empty());
        versions.keep_replaced();
        versions.extend([(1, 'c')]);
        versions.clear();
        assert!(versions.is_empty() && versions.take_replaced().0.is_empty());
    }

    #[test]
    fn moments_are_joined_into_the_older_one() {
        let mut versions = Versions::default();
        versions.extend([(1, 'a'), (2, 'b')]);
        versions.keep_replaced();
        let then = versions.newest.clone();
        versions.extend([(1, 'c')]);
        let mut older = versions.take_replaced();
        versions.extend([(1, 'd'), (2, 'e'), (3, 'f')]);
        older.absorb(versions.take_replaced());
        assert_eq!(older.0, [(1, Some('a')), (2, Some('b')), (3, None)]);
        versions.exchange(&mut older);
        assert_eq!(versions.newest, then);
    }
}
