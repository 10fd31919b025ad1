//! Memory outside of the heap over the time of a profile: how much there was, and whether it grew all along.
//!
//! Judged is what the JVM counts itself: direct buffers and arenas. Address space of mapped files is not memory, and what is resident grows with the
//! heap, too. Not here: how it is said.

use crate::derived::rising::{PARTS, known, rises};
use crate::facts::collection::GcKind;
use crate::facts::off_heap::OffHeap;
use crate::stream::point::Point;
use crate::stream::profile::Profile;

/// Too short a time to tell growth from a start.
const LEAST_MS: u64 = 4_000;
/// Growth that is too little to speak of, and the share of what there is that is.
const LEAST_BYTES: u64 = 1 << 20;
const LEAST_SHARE: f64 = 0.05;
/// A smaller part of the most there was, at the end: it waited for a collection.
const KEPT: f64 = 0.5;
/// A heap that grew by at most this share of it is flat beside it.
const FLAT: f64 = 0.25;

/// Pauses of a collection of the whole heap beside the program, of which the first may have been before, and the last may be yet to come.
const MOST_PAUSES: usize = 4;

/// Direct buffers that became more all along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffHeapGrowth {
    /// By how much, in bytes a second.
    pub bytes_per_s: f64,
    /// From when on, in milliseconds of the profiled time: a quarter of it is left to the start.
    pub since_ms: u64,
    /// Bytes then, and at the end.
    pub bytes: [u64; 2],
    /// What collections had left of the heap then, and at the end; `None` where that is not known.
    pub heap: Option<[u64; 2]>,
    /// Whether the whole heap was collected meanwhile: the memory of buffers that nobody holds is freed only then.
    pub collected: bool,
}

impl OffHeapGrowth {
    /// Whether the heap hardly grew meanwhile; `None` where that is not known.
    pub fn is_heap_flat(&self) -> Option<bool> {
        let [before, after] = self.heap?;
        let grown = (self.bytes[1] - self.bytes[0]) as f64;
        Some(after.saturating_sub(before) as f64 <= FLAT * grown)
    }
}

impl Profile {
    /// What was outside of the heap at the end; `None` where nothing was read of it: in recordings of an earlier Mayfly, and of several
    /// JVMs.
    pub fn off_heap(&self) -> Option<OffHeap> {
        OffHeap::of(&self.readings)
    }

    /// Growth of direct buffers over all of the time; `None` where they did not grow, or it can't be told.
    pub fn off_heap_growth(&self) -> Option<OffHeapGrowth> {
        let all: u64 = self.history.iter().map(|point| point.span_ms).sum();
        if all < LEAST_MS {
            return None;
        }
        let from = all / 4;
        let marks = std::array::from_fn(|part| from + (all - from) * part as u64 / (PARTS - 1) as u64);
        let bytes = known(marks.map(|mark| at(&self.history, mark).and_then(Point::direct_bytes)))?;
        let (first, last) = (bytes[0], bytes[PARTS - 1]);
        let most = self.history.iter().filter_map(Point::direct_bytes).max()?;
        let was_freed = (last as f64) < KEPT * most as f64;
        if was_freed || !rises(bytes, (LEAST_BYTES as f64).max(last as f64 * LEAST_SHARE)) {
            return None;
        }
        let begun_ms = self.part.during_ms.map_or(0, |(from_ms, _)| from_ms);
        let since_ms = begun_ms + from;
        Some(OffHeapGrowth {
            bytes_per_s: (last - first) as f64 * 1_000.0 / (all - from) as f64,
            since_ms,
            bytes: [first, last],
            heap: heap(&self.history, all),
            collected: self.collected_all_since(begun_ms + all / 2),
        })
    }

    /// Whether the whole heap was collected after a time. Of collectors that do all beside the program the pauses of one such collection have one
    /// kind: with so many of them one has begun and ended since.
    fn collected_all_since(&self, since_ms: u64) -> bool {
        let number = |is: fn(GcKind) -> bool| {
            self.collections.iter().filter(|gc| gc.at_ms >= since_ms && is(gc.kind)).count()
        };
        number(|kind| matches!(kind, GcKind::Full | GcKind::MarkEnd)) > 0
            || (self.run.jvm.gc.pauses_are_parts()
                && number(|kind| kind == GcKind::ConcurrentPause) > MOST_PAUSES)
    }
}

/// What collections had left after a quarter of the time, or first, and at the end; `None` if that was not known by half of it.
fn heap(history: &[Point], all: u64) -> Option<[u64; 2]> {
    let ends = history.iter().scan(0, |end, point| {
        *end += point.span_ms;
        Some((*end, point.live))
    });
    let (at, before) = ends.filter(|&(end, _)| end >= all / 4).find_map(|(end, live)| Some((end, live?)))?;
    let after = history.iter().rev().find_map(|point| point.live)?;
    (at <= all / 2).then_some([before, after])
}

/// The last point that ends by that time.
fn at(history: &[Point], ms: u64) -> Option<&Point> {
    let ends = history.iter().scan(0, |end, point| {
        *end += point.span_ms;
        Some((*end, point))
    });
    ends.take_while(|&(end, _)| end <= ms).last().map(|(_, point)| point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::collection::Collection;
    use crate::facts::gc::Gc;
    use crate::facts::off_heap::Held;

    const MIB: u64 = 1 << 20;

    /// A second each, with so many MiB of direct buffers, and what the last collection left of the heap.
    fn profile(seconds: impl Iterator<Item = (Option<u64>, Option<u64>)>) -> Profile {
        let point = |(direct, live): (Option<u64>, Option<u64>)| {
            let direct = direct.map(|mib| Held { number: mib, bytes: mib * MIB });
            let off_heap = Some(OffHeap { direct, resident: Some(1), ..OffHeap::default() });
            Point { span_ms: 1_000, live: live.map(|mib| mib * MIB), off_heap, ..Point::default() }
        };
        Profile { history: seconds.map(point).collect(), ..Profile::default() }
    }

    #[test]
    fn buffers_that_grow_all_along_beside_a_flat_heap_are_named_with_both() {
        let mut leak = profile((1..=20).map(|s| (Some(3 * s), Some(40 + s % 2))));
        let growth = leak.off_heap_growth().expect("it grows");
        assert_eq!((growth.since_ms, growth.bytes), (5_000, [15 * MIB, 60 * MIB]));
        assert!((growth.bytes_per_s - 3.0 * MIB as f64).abs() < 1.0, "{growth:?}");
        assert_eq!((growth.is_heap_flat(), growth.collected), (Some(true), false));
        let full = |at_ms| vec![Collection { kind: GcKind::Full, at_ms, ..Collection::default() }];
        for early_ms in [1_000, 9_000] {
            leak.collections = full(early_ms);
            assert!(
                !leak.off_heap_growth().expect("it grows").collected,
                "most of it came after {early_ms} ms"
            );
        }
        leak.collections = full(11_000);
        assert!(leak.off_heap_growth().expect("it grows").collected);
        // Of ZGC each pause of a major collection is one.
        let paused = |at_ms| Collection { kind: GcKind::ConcurrentPause, at_ms, ..Collection::default() };
        leak.collections = (0..6).map(|at| paused(11_000 + 100 * at)).collect();
        assert!(!leak.off_heap_growth().expect("it grows").collected, "of G1 it says nothing");
        leak.run.jvm.gc = Gc::GenerationalZgc;
        assert!(leak.off_heap_growth().expect("it grows").collected);
        leak.collections.truncate(3);
        assert!(!leak.off_heap_growth().expect("it grows").collected, "it may have begun before");
        let with_heap = profile((1..=20).map(|s| (Some(3 * s), Some(40 + 3 * s))));
        assert_eq!(with_heap.off_heap_growth().expect("it grows").is_heap_flat(), Some(false));
        let unknown = profile((1..=20).map(|s| (Some(3 * s), None)));
        assert_eq!(unknown.off_heap_growth().expect("it grows").is_heap_flat(), None);
        let from = |first: u64| profile((1..=20).map(|s| (Some(3 * s), (s >= first).then_some(40))));
        let flat = [9, 12].map(|first| from(first).off_heap_growth().expect("it grows").is_heap_flat());
        assert_eq!(flat, [Some(true), None], "first known before half of the time, and after it");
    }

    #[test]
    fn what_is_full_or_comes_and_goes_or_is_not_known_does_not_grow() {
        let of = |direct: fn(u64) -> Option<u64>| {
            profile((1..=20).map(|s| (direct(s), Some(40)))).off_heap_growth()
        };
        assert_eq!(of(|s| Some((20 * s).min(100))), None, "a pool that is full");
        let filling = |s: u64| Some((400.0 * (1.0 - (-(s as f64) / 5.0).exp())) as u64);
        assert_eq!(of(filling), None, "one that fills ever more slowly");
        assert_eq!(of(|s| Some(40 + 20 * (s % 3))), None, "as many come as go");
        assert_eq!(of(|s| Some(if s > 15 { 5 } else { s })), None, "freed in the end");
        assert_eq!(of(|s| Some(if s > 18 { 6 } else { 1 + 7 * s })), None, "garbage until a full collection");
        assert_eq!(of(|_| Some(700)), None, "constant");
        assert_eq!(of(|_| None), None, "not counted by this JVM");
        assert_eq!(of(|s| (s > 6).then_some(s)), None, "not known at first");
        let short = profile((1..=3).map(|s| (Some(100 * s), Some(40))));
        assert_eq!(short.off_heap_growth(), None, "a start");
    }
}
