//! What grows, by who makes it, and what is outside of the heap: tables below what was found.
//!
//! Not here: what grows (`mayfly-profile`, `growing`), and its words (`mayfly-report`).

use mayfly_profile::Profile;
use mayfly_report::{GrowerWords, HoldersTable, holders};

/// Rows of a table.
const ROWS: usize = 8;

/// What becomes more and more.
#[derive(Default)]
pub(super) struct Growing {
    pub(super) rows: Vec<GrowerWords>,
    /// How many more there are.
    pub(super) more: usize,
    /// Who made what is outside of the heap.
    pub(super) outside: Option<HoldersTable>,
}

impl Growing {
    pub(super) fn of(profile: &Profile, mut rows: Vec<GrowerWords>) -> Self {
        let more = rows.len().saturating_sub(ROWS);
        rows.truncate(ROWS);
        Self { rows, more, outside: holders(profile, ROWS) }
    }
}
