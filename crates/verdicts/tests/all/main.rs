//! Verdicts from outside, a file per subject, in one program: building and linking many takes longer than most of the tests.

mod advise;
mod baseline;
mod budget;
mod check;
mod diff;
mod leaks;
