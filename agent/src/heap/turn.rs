//! What comes before a walk: its turn, and collections.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_jvmti::HeapWalk;

use super::error::HeapError;
use crate::steering::{self, Profiler};

/// Whether the heap is collected before a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Twice, in full: what the first one made unreachable, by finalizers and references, goes with the second.
    CollectTwice,
    /// No.
    Nothing,
}

impl Before {
    pub(crate) fn collecting(collect: bool) -> Self {
        if collect { Self::CollectTwice } else { Self::Nothing }
    }
}

/// Walks go one at a time: tags take native memory, and the pauses would only queue.
pub(super) fn in_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The collections that were asked for, known as forced to the session that profiles.
pub(super) fn prepare(walk: &HeapWalk<'_>, before: Before) -> Result<(), HeapError> {
    if before == Before::CollectTwice {
        for _ in 0..2 {
            match Profiler::get().filter(|profiler| !profiler.is_finished()) {
                Some(profiler) => steering::force_gc(&profiler),
                None => walk.collect()?,
            }
        }
    }
    Ok(())
}
