//! The profile from outside, a file per subject, in one program: building and linking many takes longer than most of the tests.

mod ages;
mod balanced;
mod blame;
mod buckets;
mod builder;
mod calibration;
mod filter;
mod laws;
mod merge;
