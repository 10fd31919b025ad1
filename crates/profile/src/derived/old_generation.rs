//! The old generation over all collections: what came into it, how, and what of that is gone.
//!
//! By the numbers that the JVM publishes. Not here: which objects these were, of which it says nothing.

use crate::facts::collection::{Collection, GenerationUse};
use crate::facts::gc::Gc;

/// What came into the old generation, and went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OldGeneration {
    /// Bytes that young collections moved into it. Of G1 to about a region each.
    pub promoted: u64,
    /// Bytes by which it grew between collections: of G1 humongous objects, of others what did not fit the young one.
    pub made_there: u64,
    /// Bytes of these that were freed in it, at least: what was there before may all have been freed first.
    pub freed: u64,
    /// Bytes that were there before.
    pub before: u64,
    /// Whether more may have been promoted: collections freed large objects meanwhile, nobody saw how many.
    pub promoted_at_least: bool,
}

impl OldGeneration {
    /// All that came into it.
    pub fn came(&self) -> u64 {
        self.promoted.saturating_add(self.made_there)
    }

    /// Over these collections, in the order of time; `None` where a JVM does not publish both sides of them.
    pub fn over(collections: &[Collection], gc: Gc) -> Option<Self> {
        if !matches!(gc, Gc::Serial | Gc::Parallel | Gc::G1) {
            return None;
        }
        let mut earlier = collections.first()?.old?.before?;
        let mut sum = Self { before: earlier, ..Self::default() };
        let mut left: Option<u64> = None;
        for collection in collections {
            let GenerationUse { before, after, .. } = collection.old?;
            let before = before?;
            if let Some(left) = left {
                sum.made_there = sum.made_there.saturating_add(before.saturating_sub(left));
                sum.free(&mut earlier, left.saturating_sub(before));
            }
            // A full collection moves the young into the old and frees both at once: what of it came is not known.
            let promoted = collection.promoted().unwrap_or(0);
            sum.promoted = sum.promoted.saturating_add(promoted);
            sum.promoted_at_least |= gc == Gc::G1 && sum.made_there > 0 && collection.large_freed.is_none();
            sum.free(&mut earlier, before.saturating_add(promoted).saturating_sub(after));
            left = Some(after);
        }
        left.map(|_| sum)
    }

    /// So many bytes were freed: first of those that were there before, then of those that came by now.
    fn free(&mut self, earlier: &mut u64, bytes: u64) {
        let of_earlier = bytes.min(*earlier);
        *earlier -= of_earlier;
        self.freed = self.freed.saturating_add(bytes - of_earlier).min(self.came());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::collection::GcKind;

    fn pause(kind: GcKind, before: u64, after: u64) -> Collection {
        let used = |before, after| Some(GenerationUse { before: Some(before), after, capacity: None });
        Collection { kind, young: used(100, 1), old: used(before, after), ..Collection::default() }
    }

    #[test]
    fn what_came_by_promotion_is_told_from_what_was_made_there() {
        let collections = [
            pause(GcKind::Young, 0, 10),
            pause(GcKind::Young, 30, 35),
            // Freed beside the program.
            pause(GcKind::Young, 33, 33),
            pause(GcKind::Full, 40, 12),
        ];
        let found = OldGeneration::over(&collections, Gc::G1).expect("published");
        assert_eq!(
            found,
            OldGeneration {
                promoted: 15,
                made_there: 20 + 7,
                freed: 2 + 28,
                before: 0,
                promoted_at_least: true
            }
        );
        assert_eq!(found.came() - found.freed, 12, "what is there");
    }

    /// A young collection promotes as much as it frees of large objects: the old generation does not grow.
    #[test]
    fn large_objects_that_a_young_collection_frees_hide_nothing_that_it_promotes() {
        let freeing = |before, after, freed| Collection {
            large_freed: Some(freed),
            ..pause(GcKind::Young, before, after)
        };
        let collections = [freeing(0, 0, 0), freeing(20, 20, 15), freeing(40, 30, 20), freeing(30, 30, 0)];
        let found = OldGeneration::over(&collections, Gc::G1).expect("published");
        assert_eq!(
            found,
            OldGeneration {
                promoted: 15 + 10,
                made_there: 20 + 20,
                freed: 15 + 20,
                before: 0,
                promoted_at_least: false
            }
        );
    }

    /// Attached to a program with garbage of before, of which a mixed collection frees much; then only young collections, that promote.
    #[test]
    fn old_garbage_is_not_taken_for_what_came_since() {
        let mixed = [pause(GcKind::Young, 133, 133), pause(GcKind::Young, 133, 76)];
        let promoted = [pause(GcKind::Young, 76, 80), pause(GcKind::Young, 80, 83)];
        let all = [mixed.clone(), promoted.clone()].concat();
        let found = OldGeneration::over(&all, Gc::G1).expect("published");
        assert_eq!(
            found,
            OldGeneration { promoted: 7, made_there: 0, freed: 0, before: 133, promoted_at_least: false }
        );
        // What is freed before it comes is not of it.
        let full = |before, after| [pause(GcKind::Full, before, after)];
        let all =
            [&pause(GcKind::Young, 5, 10), &full(10, 0)[0], &pause(GcKind::Young, 0, 50)].map(Clone::clone);
        let found = OldGeneration::over(&all, Gc::G1).expect("published");
        assert_eq!(
            found,
            OldGeneration { promoted: 55, made_there: 0, freed: 5, before: 5, promoted_at_least: false }
        );
    }

    #[test]
    fn what_is_not_published_is_not_known() {
        assert_eq!(OldGeneration::over(&[], Gc::G1), None);
        assert_eq!(OldGeneration::over(&[Collection::default()], Gc::G1), None);
        assert_eq!(OldGeneration::over(&[pause(GcKind::Young, 0, 10)], Gc::Zgc), None);
    }
}
