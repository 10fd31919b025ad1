//! What follows from a profile: parts of it, amounts, rates, growth, comparison.

pub(crate) mod amounts;
pub(crate) mod band;
pub(crate) mod bursts;
pub(crate) mod byte_seconds;
pub(crate) mod cell_lives;
pub(crate) mod diff;
pub(crate) mod doubts;
pub(crate) mod gc_work;
pub(crate) mod growing;
pub(crate) mod heap_summary;
pub(crate) mod histogram;
pub(crate) mod littles_law;
pub(crate) mod lives;
pub mod measures;
pub(crate) mod merge;
pub(crate) mod methods;
pub(crate) mod old;
pub(crate) mod old_generation;
pub(crate) mod optimised_away;
pub(crate) mod own_code;
pub(crate) mod own_tree;
pub(crate) mod phases;
pub(crate) mod shown;
pub(crate) mod since;
pub(crate) mod slices;
pub(crate) mod slicing;
