//! The census: what a young collection leaves behind, read inside of its pause. A copying collection destroys nothing: of each object
//! that was there its class and its size are known, and whether it was copied or died.
//!
//! Bytes in, rows out: memory comes by [`Memory`], where things are by [`Tables`]. Nothing is allocated while a collection is read. Not
//! here: reading a process's memory (`mayfly-jvmti`), when collections begin and end (the agent).

mod buffers;
mod census;
mod classes;
mod doubt;
mod header;
mod known;
mod large;
mod layout;
mod memory;
mod old;
mod parts;
mod regions;
mod row;
mod walk;

pub use census::{Census, Pause, Totals};
pub use classes::ClassRow;
pub use doubt::Doubt;
pub use known::Known;
pub use large::LargeObjects;
pub use layout::{Collector, Layout, Missing, Tables};
pub use memory::Memory;
pub use row::{AGES, Row, UNKNOWN_AGE};
