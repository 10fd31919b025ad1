//! The census in this JVM: young collections are read inside of their pause, by `mayfly-census`.
//!
//! What runs in a pause allocates nothing, calls nothing of the JVM, and waits for nobody but a thread of ours in native code, which no
//! pause stops. Not here: what is read and how it is checked.

mod counts;
mod large;
mod layout;
mod memory;
mod pauses;
mod reader;

pub(crate) use large::LargeOfJvm;
pub(crate) use layout::HeapLayout;
pub(crate) use reader::CensusSlot;
