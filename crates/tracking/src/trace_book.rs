//! Which objects that were made in spans are still there: each keeps its ids as long as it is followed and not seen dead.
//!
//! Not here: where ids come from (the agent), and what collections prove (`history`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use mayfly_profile::{ClassId, MOST_TRACE_ROWS, SiteId, Tally, TraceContext, TraceCount, TraceCounts};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::Budget;
use crate::tracked::Tracked;

/// Objects that keep their ids at once: a table of 2^20 slots, of which it fills seven in eight.
const MOST_OBJECTS: usize = 7 << 17;
/// Room of an object with its ids, in tracked objects.
const OBJECTS_PER_ROW: usize = 4;

/// The book.
#[derive(Debug, Default)]
pub(crate) struct TraceBook {
    /// By reference.
    objects: FxHashMap<u64, Traced>,
    unknown: Tally,
    /// Whether any object was made in a span.
    used: bool,
}

#[derive(Clone, Copy, Debug)]
struct Traced {
    context: TraceContext,
    class: ClassId,
    site: SiteId,
    tally: Tally,
    birth_ms: u64,
}

impl TraceBook {
    /// A tracked object was made in a span; it stands for so many of its class.
    pub(crate) fn born(
        &mut self,
        object: &Tracked,
        context: TraceContext,
        class: ClassId,
        tally: Tally,
        budget: &Budget,
    ) {
        self.used = true;
        if self.objects.len() >= MOST_OBJECTS || !budget.reserve(OBJECTS_PER_ROW) {
            self.unknown.add(tally);
            return;
        }
        let traced = Traced { context, class, site: object.site(), tally, birth_ms: object.birth_ms() };
        if self.objects.insert(object.reference(), traced).is_some() {
            budget.release(OBJECTS_PER_ROW);
        }
    }

    /// It was found dead, or taken back by its thread.
    pub(crate) fn forget(&mut self, object: &Tracked, budget: &Budget) {
        if self.objects.remove(&object.reference()).is_some() {
            budget.release(OBJECTS_PER_ROW);
        }
    }

    /// What is there of those born by `by_ms`, which are judged by a collection: rows of the first `sites` sites. `None`: no object was
    /// made in a span.
    pub(crate) fn counts(&self, by_ms: u64, classes: usize, sites: usize) -> Option<TraceCounts> {
        if !self.used {
            return None;
        }
        let mut rows: HashMap<_, TraceCount, rustc_hash::FxBuildHasher> = HashMap::default();
        let judged = self.objects.values().filter(|object| object.birth_ms <= by_ms);
        for object in judged.filter(|object| object.class.row() < classes) {
            let Traced { context, class, tally, birth_ms, .. } = *object;
            let site = (object.site.row() < sites).then_some(object.site);
            match rows.entry((context, class, site)) {
                Entry::Occupied(mut row) => {
                    row.get_mut().live.add(tally);
                    row.get_mut().born_ms = row.get().born_ms.min(birth_ms);
                }
                Entry::Vacant(row) => {
                    row.insert(TraceCount { context, class, site, live: tally, born_ms: birth_ms });
                }
            }
        }
        let traces: FxHashSet<_> = rows.values().map(|row| row.context.trace()).collect();
        let mut rows: Vec<_> = rows.into_values().collect();
        rows.sort_unstable_by_key(|row| {
            (std::cmp::Reverse(row.live.bytes), row.born_ms, row.context, row.class, row.site)
        });
        let mut others = Tally::default();
        rows.drain(MOST_TRACE_ROWS.min(rows.len())..).for_each(|row| others.add(row.live));
        Some(TraceCounts { rows, others, traces: traces.len() as u64, unknown: self.unknown, forgotten: 0 })
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

    fn context(trace: u8) -> TraceContext {
        TraceContext::new([trace; 16], [1; 8]).expect("ids")
    }

    fn object(reference: u64, site: u32, birth_ms: u64) -> Tracked {
        Tracked::new(reference, SiteId(site), 2, birth_ms)
    }

    fn born(book: &mut TraceBook, object: Tracked, trace: u8, budget: &Budget) {
        book.born(&object, context(trace), CLASS, Tally::of(2, 16), budget);
    }

    #[test]
    fn what_is_there_is_added_up_by_span_and_site() {
        let room = Budget::new(1000 * BYTES_PER_OBJECT);
        let mut book = TraceBook::default();
        assert_eq!(book.counts(99, 9, 9), None);
        for (reference, site, birth_ms, trace) in
            [(1, 0, 10, 7), (2, 0, 8, 7), (3, 1, 10, 7), (4, 0, 10, 9), (5, 0, 50, 9)]
        {
            born(&mut book, object(reference, site, birth_ms), trace, &room);
        }
        book.forget(&object(3, 1, 10), &room);
        let counts = book.counts(40, 9, 9).expect("used");
        let rows: Vec<_> =
            counts.rows.iter().map(|row| (row.context, row.live.objects, row.born_ms)).collect();
        assert_eq!(rows, [(context(7), 4, 8), (context(9), 2, 10)], "the fifth is not judged");
        assert_eq!((counts.traces, counts.unknown), (2, Tally::default()));
        assert_eq!(book.counts(40, 9, 0).expect("used").rows[0].site, None, "stacks without names");
        book.reset(&room);
        assert_eq!((book.counts(99, 9, 9), room.bytes()), (None, 0));
    }

    #[test]
    fn without_room_it_is_not_known_and_that_is_counted() {
        let room = Budget::new(4 * BYTES_PER_OBJECT);
        let mut book = TraceBook::default();
        (1..=3).for_each(|reference| born(&mut book, object(reference, 0, 1), 7, &room));
        let counts = book.counts(9, 9, 9).expect("used");
        assert_eq!((counts.rows[0].live.objects, counts.unknown.objects), (2, 4));
    }

    #[test]
    fn rows_beyond_the_largest_are_summed() {
        let room = Budget::new(100_000 * BYTES_PER_OBJECT);
        let mut book = TraceBook::default();
        let all = MOST_TRACE_ROWS as u32 + 10;
        (0..all).for_each(|at| born(&mut book, object(u64::from(at) + 1, at, 1), 7, &room));
        let counts = book.counts(9, 9, all as usize).expect("used");
        assert_eq!((counts.rows.len(), counts.others.objects), (MOST_TRACE_ROWS, 20));
    }
}
