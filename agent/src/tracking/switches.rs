//! Whether anything is counted and tracked, now and ever again.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Set by who steers, read by engines at any time.
#[derive(Debug, Default)]
pub(crate) struct Switches {
    active: AtomicBool,
    finished: AtomicBool,
    failed: AtomicBool,
}

impl Switches {
    /// Whether allocations are counted now.
    pub(crate) fn is_active(&self) -> bool {
        self.active.load(Relaxed)
    }

    /// Switches counting; whether it was on.
    pub(crate) fn set_active(&self, on: bool) -> bool {
        self.active.swap(on, Relaxed)
    }

    /// Whether nothing is counted or tracked any more: the JVM ends, or the agent failed.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished.load(Relaxed)
    }

    /// Nothing is counted or tracked any more.
    pub(crate) fn finish(&self) {
        self.finished.store(true, Relaxed);
    }

    /// Whether a panic ended profiling.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Relaxed)
    }

    /// A panic ends profiling. Safe on any thread, in a collection's callback too.
    pub(crate) fn fail(&self) {
        self.failed.store(true, Relaxed);
        self.finish();
    }
}
