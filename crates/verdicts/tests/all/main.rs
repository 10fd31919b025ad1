//! Verdicts from outside, a file per subject.

mod advise;
mod baseline;
mod budget;
mod check;
mod diff;
mod intervals;
mod leaks;
