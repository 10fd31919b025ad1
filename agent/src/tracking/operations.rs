//! How many operations the program says it did.
//!
//! Not here: when they are told (`session`), and what is divided by them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Added to by the program's threads at any time; nobody waits. Beyond `u64::MAX` it begins again from zero.
#[derive(Debug, Default)]
pub(crate) struct Operations(AtomicU64);

impl Operations {
    /// So many more.
    pub(crate) fn add(&self, operations: u64) {
        self.0.fetch_add(operations, Relaxed);
    }

    /// Since the start or the last reset.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Begins again from zero.
    pub(crate) fn reset(&self) {
        self.0.store(0, Relaxed);
    }
}
