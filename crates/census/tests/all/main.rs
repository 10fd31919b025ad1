//! Tests of the census on heaps that are made up.

mod born_old;
mod damaged;
mod g1;
mod made;
mod spaces;
mod tables;
