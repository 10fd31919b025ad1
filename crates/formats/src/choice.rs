//! What of a profile is wanted in a file.

use mayfly_profile::{Profile, Value};

/// What of a profile is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The number that is shown, or shown first.
    pub value: Value,
    /// Whether frames are told apart by line.
    pub lines: bool,
}

/// The values that a file with several of them has.
pub(crate) fn values(profile: &Profile) -> impl Iterator<Item = Value> {
    Value::ALL.into_iter().filter(|&value| profile.knows(value))
}

/// Columns of tables with a number each.
pub(crate) const COLUMNS: [(&str, Value); 8] = [
    ("objects", Value::Objects),
    ("bytes", Value::Bytes),
    ("live_objects", Value::LiveObjects),
    ("live_bytes", Value::Live),
    ("byte_seconds", Value::ByteSeconds),
    ("died_young_bytes", Value::DiedYoung),
    ("survived_bytes", Value::Survived),
    ("optimised_away_bytes", Value::OptimisedAway),
];
