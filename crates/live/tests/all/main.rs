//! The live view from outside, a file per subject, in one program: building and linking many takes longer than most of the tests.

mod frames;
mod steering;
mod streams;
