//! Recordings and the protocol from outside, a file per subject.

mod control;
mod damage;
mod golden;
mod streams;
mod totals;
