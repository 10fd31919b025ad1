//! What of a profile is wanted in a file.

use mayfly_profile::{MEASURES, Profile, Value};

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

/// Columns of tables of cells, a number each.
pub(crate) fn columns() -> impl Iterator<Item = (&'static str, Value)> {
    MEASURES.into_iter().filter_map(|measure| Some((measure.key, measure.value?)))
}
