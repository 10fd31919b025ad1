//! Frames seen in stacks, so that each is named once: stacks have most of them in common.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_profile::FrameId;
use rustc_hash::FxHashMap;

/// Frames by method and location, until the methods' classes are unloaded.
#[derive(Debug, Default)]
pub(crate) struct KnownFrames {
    by_raw: Mutex<FxHashMap<(u64, i64), FrameId>>,
}

impl KnownFrames {
    /// The frames' ids; those of new ones are asked for.
    pub(super) fn ids(
        &self,
        raw: impl Iterator<Item = (u64, i64)>,
        mut name: impl FnMut(u64, i64) -> FrameId,
    ) -> Vec<FrameId> {
        let mut known = self.lock();
        raw.map(|(method, location)| {
            *known.entry((method, location)).or_insert_with(|| name(method, location))
        })
        .collect()
    }

    /// Forgets the frames of methods that are gone.
    pub(super) fn forget(&self, mut is_there: impl FnMut(u64) -> bool) {
        let mut by_raw = self.lock();
        by_raw.retain(|&(method, _), _| is_there(method));
        by_raw.shrink_to_fit();
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<(u64, i64), FrameId>> {
        self.by_raw.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
