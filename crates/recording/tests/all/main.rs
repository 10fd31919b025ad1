//! Recordings and the protocol from outside, a file per subject, in one program: building and linking many takes longer than most of the tests.

mod control;
mod damage;
mod golden;
mod streams;
