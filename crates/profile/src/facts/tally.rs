//! How many objects, how many bytes, and how large the largest one was.

use mayfly_counts::Total;
use serde::{Deserialize, Serialize};

/// A number of objects and their shallow sizes. With a sampled source both are estimates, already scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of objects.
    pub objects: u64,
    /// Sum of shallow sizes, in bytes, header and padding included.
    pub bytes: u64,
    /// Largest shallow size seen, in bytes. Never lowered by subtraction.
    pub largest: u64,
}

impl Tally {
    /// `objects` objects of `size` bytes each.
    pub fn of(objects: u64, size: u64) -> Self {
        Self { objects, bytes: objects.saturating_mul(size), largest: if objects == 0 { 0 } else { size } }
    }

    /// Adds `other`, stopping at the largest number; `largest` is the larger of both.
    pub fn add(&mut self, other: Self) {
        self.objects = self.objects.saturating_add(other.objects);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.largest = self.largest.max(other.largest);
    }

    /// What remains of `self` without `other`. Never below zero; `largest` is kept.
    pub fn without(self, other: Self) -> Self {
        Self {
            objects: self.objects.saturating_sub(other.objects),
            bytes: self.bytes.saturating_sub(other.bytes),
            largest: self.largest,
        }
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.objects == 0 && self.bytes == 0
    }

    /// Whether all objects have the size of the largest one.
    pub fn is_uniform(self) -> bool {
        u128::from(self.objects) * u128::from(self.largest) == u128::from(self.bytes)
    }
}

impl From<Tally> for Total {
    fn from(Tally { objects, bytes, .. }: Tally) -> Self {
        Self { objects, bytes }
    }
}
