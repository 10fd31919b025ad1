//! Which leaks a recording would not have shown, in the same words wherever that is stated.

use mayfly_profile::HeapRise;

use crate::units;

/// What the bound of [`leak_below`] holds for.
pub const OF_ADDED_OBJECTS: &str =
    "this is of objects that are added: one array that is enlarged is not judged";

/// The slowest leak that would have been seen; where others are named, which may be slower, it is the slowest that surely would. Of what kind, if
/// each object of the program's own classes is known.
pub fn leak_below(bytes_per_s: f64, others_are_named: bool, own_are_known: bool) -> String {
    let how = if others_are_named { "may have been missed" } else { "would not have been seen" };
    let of = if own_are_known { " of the JDK's objects and arrays alone" } else { "" };
    format!("leak{of} below {}/s {how}", units::bytes(bytes_per_s.ceil() as u64))
}

/// That a heap becomes fuller, and by how much in each second.
pub fn heap_rises(rise: HeapRise) -> [String; 2] {
    let (from, to) = (units::bytes(rise.from_bytes), units::bytes(rise.to_bytes));
    let (from_at, to_at) = (units::clock(rise.from_ms), units::clock(rise.to_ms));
    [
        format!("the heap in use after GCs rises: {from} at {from_at}, {to} at {to_at}"),
        format!("by {}/s", units::bytes(rise.bytes_per_s().round() as u64)),
    ]
}
