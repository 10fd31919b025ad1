//! What was measured of a JVM, and how.

use mayfly_profile::Profile;

use crate::session::gc_threads::Seen;

/// Samples, their lives, and the lines that make them. No class is rewritten.
pub(super) const OPTIONS: &str = "#sample-64k#sample-rate-500#detailedtrace";

/// What was measured, or read.
pub(super) struct Measured {
    /// Who it is, as the command line names it.
    pub(super) name: String,
    pub(super) profile: Profile,
    /// `None`: nobody looked while it ran.
    pub(super) seen: Option<Seen>,
}
