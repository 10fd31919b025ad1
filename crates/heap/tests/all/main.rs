//! The heap graph and its formats from outside, a file per subject.

mod dump;
mod dumps;
mod hprof;
mod hprofs;
mod pack;
mod xml;
