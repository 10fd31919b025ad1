//! Large arrays that are followed where G1 frees them early: by their address, as a weak reference would keep each until its region is marked,
//! and so change what the program's collections do.
//!
//! A slot has an array's address until a collection freed it, then zero: as that of a weak reference does, and is read alike. Not here: how
//! an address is looked up (`census`).

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Arrays that are followed at once: each takes some microseconds of each pause. Of more, weak references are made.
const SLOTS: usize = 512;
/// In a slot that is not taken.
const FREE: u64 = u64::MAX;

/// The regions that large objects have of their own.
pub(crate) trait OwnRegions: Send + Sync {
    /// Objects of more bytes than this have some.
    fn more_than_bytes(&self) -> u64;
    /// Whether one begins at an address. Neither blocks nor allocates; if it can't be told, it does.
    fn is_there(&self, address: u64) -> bool;
}

/// Whether a class is of arrays of primitives: G1 frees no others early.
pub(super) fn is_primitive(class: &str) -> bool {
    class.len() == 2 && class.starts_with('[')
}

/// Those that are followed.
pub(super) struct LargeArrays {
    regions: Box<dyn OwnRegions>,
    slots: Box<[AtomicU64]>,
}

impl fmt::Debug for LargeArrays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LargeArrays").field("slots", &self.slots.len()).finish_non_exhaustive()
    }
}

impl LargeArrays {
    pub(super) fn new(regions: Box<dyn OwnRegions>) -> Self {
        Self { regions, slots: (0..SLOTS).map(|_| AtomicU64::new(FREE)).collect() }
    }

    /// Whether an array of so many bytes is one.
    pub(super) fn may_be_one(&self, bytes: u64) -> bool {
        bytes > self.regions.more_than_bytes()
    }

    /// Follows what is at an address: a number in place of a weak reference's. `None` if it is not where large objects are, or there is no room.
    pub(super) fn follow(&self, address: u64) -> Option<u64> {
        if !self.regions.is_there(address) {
            return None;
        }
        let is_free = |slot: &&AtomicU64| slot.compare_exchange(FREE, address, AcqRel, Relaxed).is_ok();
        self.slots.iter().find(is_free).map(|slot| slot.as_ptr().expose_provenance() as u64)
    }

    /// Gives a number back. Whether it is of here.
    pub(super) fn release(&self, number: u64) -> bool {
        let slot = self.slot(number);
        slot.inspect(|slot| slot.store(FREE, Release)).is_some()
    }

    /// Whether a number is of here.
    pub(super) fn has(&self, number: u64) -> bool {
        self.slot(number).is_some()
    }

    fn slot(&self, number: u64) -> Option<&AtomicU64> {
        let from = (number as usize).checked_sub(self.slots.as_ptr().addr())?;
        self.slots.get(from / size_of::<AtomicU64>())
    }

    /// A collection ended: looks which are gone. In its pause: neither blocks nor allocates.
    pub(super) fn look(&self) {
        for slot in &self.slots {
            let address = slot.load(Acquire);
            if address != FREE && address != 0 && !self.regions.is_there(address) {
                // Given back meanwhile, it is somebody else's.
                let _ = slot.compare_exchange(address, 0, AcqRel, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::Mutex;

    use super::*;

    /// Addresses of large objects.
    #[derive(Clone, Default)]
    struct Heap(Arc<Mutex<Vec<u64>>>);

    impl OwnRegions for Heap {
        fn more_than_bytes(&self) -> u64 {
            512 << 10
        }

        fn is_there(&self, address: u64) -> bool {
            self.0.lock().expect("no panic").contains(&address)
        }
    }

    fn read(arrays: &LargeArrays, number: u64) -> u64 {
        arrays.slot(number).expect("of here").load(Acquire)
    }

    #[test]
    fn what_a_collection_freed_is_cleared_and_its_number_can_be_given_back() {
        let heap = Heap::default();
        let arrays = LargeArrays::new(Box::new(heap.clone()));
        heap.0.lock().expect("no panic").extend([0x1000, 0x2000]);
        let [first, second] = [0x1000, 0x2000].map(|address| arrays.follow(address).expect("room"));
        assert_eq!(arrays.follow(0x3000), None, "nothing large is there");
        arrays.look();
        assert_eq!((read(&arrays, first), read(&arrays, second)), (0x1000, 0x2000));
        heap.0.lock().expect("no panic").retain(|&address| address == 0x2000);
        arrays.look();
        assert_eq!((read(&arrays, first), read(&arrays, second)), (0, 0x2000));
        assert!(arrays.release(first) && !arrays.release(first + (SLOTS as u64) * 8) && !arrays.has(8));
        assert_eq!(arrays.follow(0x2000), Some(first), "the first slot is free again");
    }

    #[test]
    fn only_large_arrays_of_primitives_are_followed_so_and_no_more_than_there_is_room_for() {
        let heap = Heap::default();
        let arrays = LargeArrays::new(Box::new(heap.clone()));
        assert!(arrays.may_be_one((512 << 10) + 8) && !arrays.may_be_one(512 << 10));
        assert!(is_primitive("[I") && !is_primitive("[Ljava.lang.Object;") && !is_primitive("[[I"));
        heap.0.lock().expect("no panic").push(0x1000);
        assert!((0..SLOTS).all(|_| arrays.follow(0x1000).is_some()));
        assert_eq!(arrays.follow(0x1000), None);
    }
}
