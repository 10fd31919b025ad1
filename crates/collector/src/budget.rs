//! How many tracked objects fit into the memory limit.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::Tracked;

/// Native bytes per tracked object: our record, and the JVM's weak handle (8 bytes and its share of a block).
pub(crate) const BYTES_PER_OBJECT: u64 = size_of::<Tracked>() as u64 + 9;

/// Room for tracked objects, shared by all threads.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    used: AtomicU64,
}

impl Budget {
    /// Room within `bytes` of native memory.
    pub fn new(bytes: u64) -> Self {
        Self { limit: bytes / BYTES_PER_OBJECT, used: AtomicU64::new(0) }
    }

    /// Takes room for `objects`, or nothing.
    pub(crate) fn reserve(&self, objects: usize) -> bool {
        let objects = objects as u64;
        let fits = |used: u64| used.checked_add(objects).filter(|&sum| sum <= self.limit);
        self.used.fetch_update(Relaxed, Relaxed, fits).is_ok()
    }

    /// Takes room for `objects` that move from room about to be released.
    pub(crate) fn reserve_moved(&self, objects: usize) {
        self.used.fetch_add(objects as u64, Relaxed);
    }

    pub(crate) fn release(&self, objects: usize) {
        self.used.fetch_sub(objects as u64, Relaxed);
    }

    /// Native bytes held now.
    pub fn bytes(&self) -> u64 {
        self.used.load(Relaxed) * BYTES_PER_OBJECT
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
}
