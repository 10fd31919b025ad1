//! Which leaks a recording would not have shown, in the same words wherever that is stated.

use crate::units;

/// What the bound of [`leak_below`] holds for.
pub const OF_ADDED_OBJECTS: &str =
    "this is of objects that are added: one array that is enlarged is not judged";

/// The slowest leak that would have been seen.
pub fn leak_below(bytes_per_s: f64) -> String {
    format!("leak below {}/s would not have been seen", units::bytes(bytes_per_s.ceil() as u64))
}
