//! An index beside a dump: the graph, and what was found of it, as bytes that are used where they lie.
//!
//! A file is a head that says of which dump it is, and parts, each with its checksum; parts are added as questions make them. Numbers
//! are little-endian on every machine. Nothing in it is believed: a part whose checksum or bounds do not hold is damage, and the
//! dump is read again. Not here: the file itself, and which questions add what.

mod answers;
mod facts;
mod file;
mod graph;
#[cfg(test)]
mod tests;

pub use answers::{classes_part, histogram_part, loaders_part};
pub use file::{Damaged, Part, Saved, Stamp, head, write};
