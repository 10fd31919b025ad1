//! Which files of a run's recording a profile is of, where the agent begins a new file each so often (`#loop`).
//!
//! Each file says what happened in its own time. Not here: when a new one begins (the agent's `output/rotation`), and how those of one
//! run become one profile (`derived/joined`).

use serde::{Deserialize, Serialize};

/// Files of one run, by their numbers from 1 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// Number of the first of them.
    pub first: u32,
    /// Number of the last of them.
    pub last: u32,
    /// How many they are: fewer than lie between the first and the last where one is missing.
    pub files: u32,
    /// Older files that the agent had removed when the last one began (`#keep`).
    pub removed: u32,
}

impl Rotation {
    /// One file.
    pub fn file(number: u32, removed: u32) -> Self {
        Self { first: number, last: number, files: 1, removed }
    }

    /// Whether it begins with the run.
    pub fn is_from_the_start(self) -> bool {
        self.first <= 1
    }

    /// Files between the first and the last that are not among them.
    pub fn missing(self) -> u32 {
        (self.last.saturating_sub(self.first)).saturating_add(1).saturating_sub(self.files)
    }

    /// These files and others of the same run.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            files: self.files.saturating_add(other.files),
            removed: self.removed.max(other.removed),
        }
    }
}
