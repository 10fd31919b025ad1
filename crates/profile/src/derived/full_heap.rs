//! A heap that what lives fills: the collector works on and on, and frees next to nothing.
//!
//! Not here: what grows in it (`growing`), and whether a larger one would do (`mayfly-verdicts`).

use crate::derived::quiet_end::LastPart;
use crate::facts::collection::{Collection, GcKind};
use crate::stream::profile::Profile;

/// A heap of which this share is in use after a collection of the whole is full.
const FULL: f64 = 0.9;
/// The same of its old generation, where it can't become larger: the young one has room for garbage only.
const OLD_FULL: f64 = 0.95;
/// Collections in a row that left it so: one may come at a bad moment.
const LEAST: usize = 3;
/// Nothing more has room once a collection has left this share of the most that any left.
const NO_MORE: f64 = 0.95;
/// A heap that is full of what the program works with stops it for less of the time.
const THRASHES: f64 = 0.1;

/// What collections of the whole heap left, at the end and ever since.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FullHeap {
    /// Bytes that the last of them left in use.
    pub left: u64,
    /// Bytes that the heap may have, `-Xmx`.
    pub limit: u64,
    /// When the first of them began, in milliseconds of the profiled time.
    pub since_ms: u64,
    /// How many there were since.
    pub collections: usize,
    /// For which share of the time since the program stood still for collections.
    pub pause_share: f64,
}

impl Profile {
    /// Whether the heap is full in the end. `None`: it is not, or its collector does not say.
    pub fn full_heap(&self) -> Option<FullHeap> {
        let limit = self.flag("MaxHeapSize").filter(|&limit| limit > 0)?;
        let left = |gc: &Collection| gc.used_after(self.run.jvm.gc);
        let is_full = |gc: &Collection| {
            let heap = gc.heap().and_then(|heap| heap.capacity).unwrap_or(0);
            let old =
                gc.old.and_then(|old| Some(old.after as f64 / old.capacity.filter(|&of| of > 0)? as f64));
            let is_old_full = heap as f64 >= FULL * limit as f64 && old.is_some_and(|old| old >= OLD_FULL);
            is_old_full || left(gc).is_some_and(|left| left as f64 >= FULL * limit as f64)
        };
        let whole = || self.own_collections().rev().filter(|gc| gc.kind == GcKind::Full);
        let full: Vec<_> = whole().take_while(|gc| is_full(gc)).collect();
        let (last, first) = (full.first()?, full.get(LEAST - 1).and(full.last())?);
        let since: Vec<_> = self.own_collections().filter(|gc| gc.at_ms >= first.at_ms).collect();
        // A young collection of G1 may have freed old regions.
        let least = since.iter().filter(|gc| gc.number > last.number).filter_map(|gc| left(gc)).min();
        if least.is_some_and(|least| (least as f64) < FULL * last.heap().map_or(0, |heap| heap.after) as f64)
        {
            return None;
        }
        let paused_ms = since.iter().map(|gc| gc.pause_us as f64 / 1000.0).sum::<f64>();
        let time_ms = self.duration_ms.saturating_sub(first.at_ms).max(1);
        Some(FullHeap {
            left: left(last)?,
            limit,
            since_ms: first.at_ms,
            collections: full.len(),
            pause_share: (paused_ms / time_ms as f64).min(1.0),
        })
    }

    /// The last part of the time, in which nothing more had room, and collections take the program's time for that.
    pub(crate) fn without_room(&self) -> Option<LastPart> {
        self.full_heap().filter(|full| full.pause_share >= THRASHES)?;
        let left =
            |gc: &Collection| gc.used_after(self.run.jvm.gc).filter(|_| gc.kind == GcKind::Full).unwrap_or(0);
        let most = self.own_collections().map(left).max()?;
        let first = self.own_collections().find(|gc| left(gc) as f64 >= NO_MORE * most as f64)?;
        Some(LastPart::of(&self.history, self.duration_ms.saturating_sub(first.at_ms)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::collection::{Flag, FlagValue, GenerationUse};
    use crate::facts::gc::Gc;

    /// Collections at each second, of which old and young generation are left so full, of 60 and 40 bytes.
    fn profile(left: &[(GcKind, u64, u64)]) -> Profile {
        let used = |after, capacity| Some(GenerationUse { before: None, after, capacity: Some(capacity) });
        let collections = left.iter().zip(0..).map(|(&(kind, old, young), number)| Collection {
            number,
            kind,
            at_ms: u64::from(number) * 1000,
            pause_us: 250_000,
            old: used(old, 60),
            young: used(young, 40),
            ..Collection::default()
        });
        let limit = Flag { name: "MaxHeapSize".to_owned(), value: FlagValue::Number(100) };
        let mut profile = Profile {
            collections: collections.collect(),
            duration_ms: left.len() as u64 * 1000,
            flags: vec![limit],
            ..Profile::default()
        };
        profile.run.jvm.gc = Gc::Parallel;
        profile
    }

    #[test]
    fn a_heap_is_full_if_whole_collections_leave_it_so() {
        use GcKind::{Full, Young};
        let full = profile(&[(Full, 30, 0), (Full, 59, 0), (Young, 59, 20), (Full, 60, 35), (Full, 58, 38)]);
        let expected = FullHeap { left: 96, limit: 100, since_ms: 1000, collections: 3, pause_share: 0.25 };
        assert_eq!(full.full_heap(), Some(expected));
        let freed = [(Full, 60, 35), (Full, 60, 35), (Full, 60, 35), (Young, 20, 5)];
        assert_eq!(profile(&freed).full_heap(), None, "since");
        assert_eq!(profile(&freed[1..3]).full_heap(), None, "twice");
        assert_eq!(
            profile(&[(Full, 30, 0), (Full, 40, 0), (Full, 50, 0)]).full_heap(),
            None,
            "there is room"
        );
        assert_eq!(Profile { flags: Vec::new(), ..full }.full_heap(), None, "of what size is not known");
    }
}
