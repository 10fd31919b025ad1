//! Some objects.

use serde::{Deserialize, Serialize};

/// So many objects, with so many bytes together. Sums stop at the largest number: sizes of a damaged file may be too large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Total {
    /// How many.
    pub objects: u64,
    /// Their shallow sizes together, in bytes, headers and padding included.
    pub bytes: u64,
}

impl Total {
    /// One object.
    #[inline]
    pub fn one(bytes: u64) -> Self {
        Self { objects: 1, bytes }
    }

    /// Both together.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self {
            objects: self.objects.saturating_add(other.objects),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// Adds `other`.
    #[inline]
    pub fn add(&mut self, other: Self) {
        *self = self.and(other);
    }
}

impl std::iter::Sum for Total {
    fn sum<I: Iterator<Item = Self>>(totals: I) -> Self {
        totals.fold(Self::default(), Self::and)
    }
}
