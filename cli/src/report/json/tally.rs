//! Objects and bytes, in the JSON report.

use mayfly_profile::Tally;
use serde::Serialize;

/// Objects and bytes.
#[derive(Debug, Serialize)]
pub(super) struct TallyJson {
    pub(super) objects: u64,
    pub(super) bytes: u64,
    /// Scaled up from a sample; exact otherwise.
    pub(super) estimated: bool,
}

impl TallyJson {
    /// Of this tally.
    pub(super) fn of(tally: Tally, estimated: bool) -> Self {
        Self { objects: tally.objects, bytes: tally.bytes, estimated }
    }
}
