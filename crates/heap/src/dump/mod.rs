//! Mayfly's own heap dump: what a walk over the heap (JVMTI `FollowReferences`) tells, as compact bytes, and back.
//!
//! Written inside the target JVM, at a safepoint, so the [`Encoder`] does as little as possible: it numbers, packs and
//! checksums. Names, strengths and loaders are worked out by the reader ([`read`]). Not here: the walk itself, and files.
//! Layout of the file: [`frame`]; of the records in it: [`record`].

mod class_table;
mod decoder;
mod encoder;
mod facts;
pub mod frame;
mod load;
pub mod record;
mod texts;
pub(crate) mod varint;

pub use encoder::{Encoder, TooManyObjects};
pub use facts::{ClassFacts, Facts, FieldFacts, FrameFacts, Number, Reference, RootReference};
pub use frame::FORMAT_VERSION;
pub use load::{read, read_while};
pub(crate) use texts::{histogram, visit_texts};
