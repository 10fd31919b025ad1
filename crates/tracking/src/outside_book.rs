//! Which followed objects stand for memory outside of the heap, and for how much: the JDK makes one for each direct buffer, mapping and segment, which
//! lives until that memory is freed.
//!
//! Not here: which classes these are (`HOLDERS` of `mayfly-profile`), and how a size is read (the agent).

use std::cmp::Reverse;
use std::collections::hash_map::Entry;

use mayfly_profile::{ClassId, HolderCount, HolderCounts, MOST_HOLDER_ROWS, SiteId};
use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::tracked::Tracked;

/// Objects that are kept at once: a table of 2^18 slots, of which it fills seven in eight.
const MOST_OBJECTS: usize = 7 << 15;
/// An object whose size can't be read so often is of a class that has none.
const MOST_TRIES: u8 = 8;
/// Room of an object with its size, in tracked objects.
const OBJECTS_PER_ROW: usize = 4;

/// The book.
#[derive(Debug, Default)]
pub(crate) struct OutsideBook {
    /// The class of each site that such objects are made at, with the number of its row in `HOLDERS`; `None` of other sites that were
    /// asked for.
    sites: FxHashMap<SiteId, Option<(ClassId, usize)>>,
    /// By reference.
    objects: FxHashMap<u64, Holder>,
    /// Objects for which there was no room.
    unknown: u64,
    changed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Holder {
    class: ClassId,
    kind: usize,
    site: SiteId,
    /// Objects that it stands for.
    number: u64,
    birth_ms: u64,
    /// `None` until it was read; and how often that was tried.
    bytes: Option<u64>,
    tries: u8,
}

impl OutsideBook {
    /// Whether objects of that site are such; `kind_of` is asked once for each site.
    pub(crate) fn has(&mut self, site: SiteId, kind_of: impl FnOnce() -> Option<(ClassId, usize)>) -> bool {
        self.sites.entry(site).or_insert_with(kind_of).is_some()
    }

    /// An object is followed from now on, which stands for so many; it is left out if its site is none of these.
    pub(crate) fn born(&mut self, object: &Tracked, number: u64, budget: &Budget) {
        let Some(&Some((class, kind))) = self.sites.get(&object.site()) else { return };
        self.changed = true;
        if self.objects.len() >= MOST_OBJECTS || !budget.reserve(OBJECTS_PER_ROW) {
            self.unknown = self.unknown.saturating_add(number);
            return;
        }
        let (site, birth_ms) = (object.site(), object.birth_ms());
        let holder = Holder { class, kind, site, number, birth_ms, bytes: None, tries: 0 };
        if self.objects.insert(object.reference(), holder).is_some() {
            budget.release(OBJECTS_PER_ROW);
        }
    }

    /// It was found dead, or taken back by its thread.
    pub(crate) fn forget(&mut self, object: &Tracked, budget: &Budget) {
        if self.objects.is_empty() {
            return;
        }
        if let Entry::Occupied(known) = self.objects.entry(object.reference()) {
            known.remove();
            budget.release(OBJECTS_PER_ROW);
            self.changed = true;
        }
    }

    /// Reads the sizes that are not known yet.
    pub(crate) fn measure(&mut self, mut bytes_of: impl FnMut(u64, usize) -> Option<u64>) {
        let is_open = |holder: &Holder| holder.bytes.is_none() && holder.tries < MOST_TRIES;
        for (&reference, holder) in self.objects.iter_mut().filter(|(_, holder)| is_open(holder)) {
            holder.tries += 1;
            // Zero: it is being made.
            holder.bytes = bytes_of(reference, holder.kind).filter(|&bytes| bytes > 0);
            self.changed |= holder.bytes.is_some();
        }
    }

    /// What there is, if it is something else than last time: rows of the first `classes` classes and `sites` sites.
    pub(crate) fn take(&mut self, classes: usize, sites: usize) -> Option<HolderCounts> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        let mut rows: FxHashMap<_, HolderCount> = FxHashMap::default();
        let mut counts = HolderCounts { unknown: self.unknown, ..HolderCounts::default() };
        for holder in self.objects.values().filter(|holder| holder.class.row() < classes) {
            let Holder { class, site, number, birth_ms, .. } = *holder;
            let Some(bytes) = holder.bytes else {
                counts.unknown = counts.unknown.saturating_add(number);
                continue;
            };
            let site = (site.row() < sites).then_some(site);
            let new = HolderCount { class, site, born_ms: birth_ms, ..HolderCount::default() };
            let row = rows.entry((class, site)).or_insert(new);
            row.held.add(number, bytes.saturating_mul(number));
            row.born_ms = row.born_ms.min(birth_ms);
        }
        counts.rows = rows.into_values().collect();
        counts.rows.sort_unstable_by_key(|row| (Reverse(row.held.bytes), row.born_ms, row.class, row.site));
        for row in counts.rows.drain(MOST_HOLDER_ROWS.min(counts.rows.len())..) {
            counts.others.add(row.held.number, row.held.bytes);
        }
        Some(counts)
    }

    /// Forgets all objects.
    pub(crate) fn reset(&mut self, budget: &Budget) {
        budget.release(self.objects.len() * OBJECTS_PER_ROW);
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::BYTES_PER_OBJECT;

    const CLASS: ClassId = ClassId(3);

    fn object(reference: u64, site: u32) -> Tracked {
        Tracked::new(reference, SiteId(site), 4, 10 * reference)
    }

    #[test]
    fn memory_is_added_up_by_site_and_what_was_not_read_is_not_known() {
        let room = Budget::new(1000 * BYTES_PER_OBJECT);
        let mut book = OutsideBook::default();
        assert_eq!(book.take(9, 9), None);
        assert!(book.has(SiteId(0), || Some((CLASS, 1))) && book.has(SiteId(1), || Some((CLASS, 1))));
        assert!(!book.has(SiteId(2), || None));
        for (reference, site) in [(1, 0), (2, 0), (3, 1), (4, 2), (5, 0)] {
            book.born(&object(reference, site), 2, &room);
        }
        let mut sizes: FxHashMap<u64, u64> = [(1, 100), (2, 50), (3, 700), (5, 0)].into_iter().collect();
        book.measure(|reference, kind| sizes.get(&reference).copied().filter(|_| kind == 1));
        let counts = book.take(9, 9).expect("changed");
        let rows: Vec<_> = counts.rows.iter().map(|row| (row.site, row.held, row.born_ms)).collect();
        let held = |number, bytes| mayfly_profile::Held { number, bytes };
        assert_eq!(
            rows,
            [(Some(SiteId(1)), held(2, 1_400), 30), (Some(SiteId(0)), held(4, 300), 10)],
            "each stands for two"
        );
        assert_eq!((counts.unknown, book.take(9, 9)), (2, None), "of the fifth no size is known yet");
        sizes.insert(5, 1);
        book.measure(|reference, _| sizes.get(&reference).copied());
        book.forget(&object(1, 0), &room);
        let counts = book.take(9, 1).expect("changed");
        assert_eq!((counts.rows[0].site, counts.unknown), (None, 0), "a stack without names");
        book.reset(&room);
        assert_eq!((book.take(9, 9), room.bytes()), (None, 0));
    }

    #[test]
    fn without_room_it_is_not_known_and_that_is_counted() {
        let room = Budget::new(4 * BYTES_PER_OBJECT);
        let mut book = OutsideBook::default();
        book.has(SiteId(0), || Some((CLASS, 1)));
        (1..=3).for_each(|reference| book.born(&object(reference, 0), 1, &room));
        book.measure(|_, _| Some(8));
        let counts = book.take(9, 9).expect("changed");
        assert_eq!((counts.rows[0].held.number, counts.unknown), (1, 2));
    }
}
