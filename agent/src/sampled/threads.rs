//! What each thread of the program has while the sampled engine counts: its nursery, and its samples while it may turn out to
//! be brief.
//!
//! Kept by the engine, not by the threads: an engine that ends leaves nothing in them.

use std::cell::Cell;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::tracking::{Last, Shared, ThreadSamples, Tracker};

thread_local! {
    /// A number of this thread's own, from 1 up; 0: it has none yet.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// One thread's. All objects are counted, whoever makes them.
pub(super) struct OfThread {
    pub(super) tracker: Tracker,
    pub(super) samples: ThreadSamples<Infallible>,
    pub(super) last: Option<Last>,
}

/// All threads' that had a sample.
#[derive(Default)]
pub(super) struct Threads(Mutex<FxHashMap<u64, Box<OfThread>>>);

impl Threads {
    /// Does something with what this thread has. Unlocked meanwhile: the JVM may wait for other threads there.
    pub(super) fn with_this(&self, shared: &Shared, action: impl FnOnce(&mut OfThread)) {
        let number = number();
        let known = self.lock().remove(&number);
        let mut thread = known.unwrap_or_else(|| {
            let tracker = Tracker::open(shared);
            Box::new(OfThread { tracker, samples: ThreadSamples::NONE, last: None })
        });
        action(&mut thread);
        self.lock().insert(number, thread);
    }

    /// This thread ends: its samples.
    pub(super) fn forget_this(&self) -> ThreadSamples<Infallible> {
        let known = self.lock().remove(&number());
        known.map_or(ThreadSamples::NONE, |thread| thread.samples)
    }

    /// The samples so far are not those of threads that turn out to be brief, and nothing is known of what came after them.
    pub(super) fn forget_samples(&self) {
        for thread in self.lock().values_mut() {
            thread.samples = ThreadSamples::NONE;
            thread.last = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<u64, Box<OfThread>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    if NUMBER.get() == 0 {
        NUMBER.set(NEXT.fetch_add(1, Relaxed));
    }
    NUMBER.get()
}
