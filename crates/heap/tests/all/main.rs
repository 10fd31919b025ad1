//! The heap graph and its formats from outside, a file per subject, in one program: building and linking many takes longer than most of the tests. What counts memory has a process of its own (`memory`).

mod dump;
mod dumps;
mod hprof;
mod hprofs;
mod pack;
mod xml;
