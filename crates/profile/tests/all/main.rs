//! The profile from outside, a file per subject.

mod ages;
mod balanced;
mod blame;
mod buckets;
mod builder;
mod calibration;
mod filter;
mod laws;
mod merge;
mod rotation;
