//! How closely tracked objects were followed: what bounds the error of death times, and what following them took.

use serde::{Deserialize, Serialize};

/// Since the agent started; all zero where deaths are not followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Following {
    /// Moments at which it was known of every tracked object whether it was alive: collections of the whole heap, or the
    /// begin of concurrent ones.
    pub whole_collections: u32,
    /// Most bytes allocated between two neighbouring ones of these, or since the last: each death is known to within so many.
    pub most_bytes_between: u64,
    /// Most milliseconds between them.
    pub most_ms_between: u64,
    /// At worst one object of so many was tracked, for want of room, and stands for the others; 1: each.
    pub thinned_to_one_in: u64,
    /// How often all objects that may have died were checked.
    pub sweeps: u32,
    /// Objects checked in all sweeps together.
    pub asked: u64,
    /// Milliseconds that all sweeps took together.
    pub sweep_ms: u64,
    /// The longest of them.
    pub longest_sweep_ms: u64,
}

impl Following {
    /// What was done since it was `before`; the worst is that of the whole time.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            whole_collections: self.whole_collections.saturating_sub(before.whole_collections),
            sweeps: self.sweeps.saturating_sub(before.sweeps),
            asked: self.asked.saturating_sub(before.asked),
            sweep_ms: self.sweep_ms.saturating_sub(before.sweep_ms),
            ..self
        }
    }
}
