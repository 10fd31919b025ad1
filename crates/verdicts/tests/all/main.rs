//! Verdicts from outside, a file per subject.

mod advise;
mod advise_flags;
mod baseline;
mod budget;
mod check;
mod diff;
mod intervals;
mod leaks;
mod leaks_recorded;
mod places;
mod shares;
