//! How many tracked objects fit: into the memory limit, and into the heap where tracking keeps them from being collected.
//!
//! As room gets short, fewer objects are tracked, each standing for more, so that none of the program's phases is missing.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::tracked::MOST_LOG2;
use crate::tracked::Tracked;

/// Native bytes of the JVM's weak handle: 8, and its share of a block.
const BYTES_PER_HANDLE: u64 = 9;
/// Native bytes per tracked object: our record, and its handle.
pub(crate) const BYTES_PER_OBJECT: u64 = size_of::<Tracked>() as u64 + BYTES_PER_HANDLE;

/// Room for tracked objects, shared by all threads.
#[derive(Debug)]
pub struct Budget {
    objects: Room,
    /// Heap bytes of tracked objects, where a collector keeps what is tracked.
    held: Room,
    /// As of the last change of room: read at every allocation.
    thinning: AtomicU32,
    /// The most so far.
    thinnest: AtomicU32,
}

#[derive(Debug)]
struct Room {
    limit: AtomicU64,
    used: AtomicU64,
}

impl Room {
    fn new(limit: u64) -> Self {
        Self { limit: AtomicU64::new(limit), used: AtomicU64::new(0) }
    }

    fn take(&self, amount: u64) -> bool {
        let limit = self.limit.load(Relaxed);
        let fits = |used: u64| used.checked_add(amount).filter(|&sum| sum <= limit);
        self.used.fetch_update(Relaxed, Relaxed, fits).is_ok()
    }

    fn give_back(&self, amount: u64) {
        self.used.fetch_sub(amount, Relaxed);
    }

    /// How often the room has been halved down to what is left.
    fn halvings(&self) -> u32 {
        let limit = self.limit.load(Relaxed);
        let left = limit.saturating_sub(self.used.load(Relaxed)).max(1);
        (limit / left).checked_ilog2().unwrap_or(0)
    }
}

impl Budget {
    /// Room within `bytes` of native memory.
    pub fn new(bytes: u64) -> Self {
        Self {
            objects: Room::new(bytes / BYTES_PER_OBJECT),
            held: Room::new(u64::MAX),
            thinning: AtomicU32::new(0),
            thinnest: AtomicU32::new(0),
        }
    }

    /// For a collector that keeps tracked objects: no more than so many of them, of so many bytes.
    pub fn bound_held(&self, objects: u64, bytes: u64) {
        self.objects.limit.fetch_min(objects, Relaxed);
        self.held.limit.store(bytes, Relaxed);
        self.adjust();
    }

    /// Log2 of how many objects the next tracked one should stand for: 0 while more than half of the room is left, 2 while
    /// more than a quarter is, and so on: each step covers twice the objects of the one before with half the room.
    pub(crate) fn thinning(&self) -> u32 {
        self.thinning.load(Relaxed)
    }

    fn adjust(&self) {
        let thinning = (2 * self.objects.halvings().max(self.held.halvings())).min(MOST_LOG2);
        if thinning != self.thinning() {
            self.thinning.store(thinning, Relaxed);
        }
    }

    /// Notes that an object was tracked which stands for 2^`log2`.
    pub(crate) fn note_thinning(&self, log2: u32) {
        if log2 > self.thinnest.load(Relaxed) {
            self.thinnest.fetch_max(log2, Relaxed);
        }
    }

    /// The most objects that one tracked object stands for.
    pub fn thinned_to_one_in(&self) -> u64 {
        1 << self.thinnest.load(Relaxed)
    }

    /// Takes room for `objects`, or nothing.
    pub(crate) fn reserve(&self, objects: usize) -> bool {
        let fits = self.objects.take(objects as u64);
        self.adjust();
        fits
    }

    /// Takes room for `objects` that move from room about to be released.
    pub(crate) fn reserve_moved(&self, objects: usize) {
        self.objects.used.fetch_add(objects as u64, Relaxed);
        self.adjust();
    }

    pub(crate) fn release(&self, objects: usize) {
        self.objects.give_back(objects as u64);
        self.adjust();
    }

    /// Whether what is tracked is kept by the collector, so that its bytes are limited.
    pub fn bounds_held(&self) -> bool {
        self.held.limit.load(Relaxed) != u64::MAX
    }

    /// Takes room for an object of so many heap bytes, or nothing.
    pub(crate) fn hold(&self, bytes: u64) -> bool {
        if !self.bounds_held() {
            return true;
        }
        let fits = self.held.take(bytes);
        self.adjust();
        fits
    }

    /// Gives back heap bytes that were held. Where none are bounded, nothing was taken.
    pub(crate) fn let_go(&self, bytes: u64) {
        if self.bounds_held() && bytes > 0 {
            self.held.give_back(bytes);
            self.adjust();
        }
    }

    /// How many tracked objects there is room for in all.
    pub(crate) fn objects(&self) -> u64 {
        self.objects.limit.load(Relaxed)
    }

    /// Native bytes of tracked objects' records and handles now.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> u64 {
        self.objects.used.load(Relaxed) * BYTES_PER_OBJECT
    }

    /// Native bytes that the JVM holds for tracked objects now, at most.
    pub fn handle_bytes(&self) -> u64 {
        self.objects.used.load(Relaxed) * BYTES_PER_HANDLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserves_up_to_the_limit_and_no_further() {
        let budget = Budget::new(10 * BYTES_PER_OBJECT);
        assert!(budget.reserve(8));
        assert!(!budget.reserve(3));
        assert!(budget.reserve(2));
        budget.release(5);
        assert!(budget.reserve(5));
        assert_eq!(budget.bytes(), 10 * BYTES_PER_OBJECT);
    }

    #[test]
    fn thins_as_room_gets_short_and_no_longer_when_there_is_room_again() {
        let budget = Budget::new(1024 * BYTES_PER_OBJECT);
        let mut levels = Vec::new();
        for step in [0, 511, 1, 256, 128, 127] {
            assert!(budget.reserve(step));
            levels.push(budget.thinning());
        }
        assert_eq!(levels, [0, 0, 2, 4, 6, 20]);
        budget.release(1000);
        assert_eq!(budget.thinning(), 0);
    }

    #[test]
    fn heap_bytes_count_only_where_they_are_bounded() {
        let budget = Budget::new(1 << 20);
        assert!(budget.hold(1 << 40) && !budget.bounds_held());
        budget.bound_held(1000, 100);
        assert!(budget.hold(60));
        assert_eq!((budget.thinning(), budget.hold(41)), (2, false));
        budget.let_go(60);
        assert_eq!(budget.thinning(), 0);
    }
}
