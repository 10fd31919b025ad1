//! The live view from outside, a file per subject.

mod frames;
mod steering;
mod streams;
