//! `#gc-every-BYTES`: a collection each time so many bytes were allocated. When that is; who collects is in `collecting`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Where on the byte clock the next collection is due.
#[derive(Debug)]
pub(super) struct Precision {
    /// Bytes between two collections; `None`: none is forced.
    every: Option<u64>,
    line: AtomicU64,
    collecting: AtomicBool,
}

impl Precision {
    /// A collection each `every` bytes.
    pub(super) fn new(every: Option<u64>) -> Self {
        Self { every, line: AtomicU64::new(0), collecting: AtomicBool::new(false) }
    }

    /// The next one is due an interval from here on the byte clock.
    pub(super) fn count_from(&self, bytes: u64) {
        if let Some(every) = self.every {
            self.line.store(bytes + every, Relaxed);
        }
    }

    /// Whether a collection is due at this point of the byte clock.
    pub(super) fn is_due(&self, bytes: impl FnOnce() -> u64) -> bool {
        self.every.is_some() && bytes() >= self.line.load(Relaxed)
    }

    /// Does it, unless another thread does.
    pub(super) fn alone(&self, collect: impl FnOnce()) {
        if !self.collecting.swap(true, Relaxed) {
            collect();
            self.collecting.store(false, Relaxed);
        }
    }
}
