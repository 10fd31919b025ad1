//! Mayfly's own heap dump: what a walk over the heap (JVMTI `FollowReferences`) tells, as compact bytes, and back.
//!
//! Written inside the target JVM, at a safepoint, or from an hprof file ([`crate::hprof::pack`]). So the [`Encoder`] does as little as
//! possible: it numbers, packs and checksums. Names, strengths and loaders are worked out by the reader ([`read`]). Not here: the walk
//! itself, and files.
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
mod write;

pub use crate::loading::DIRECT_BUFFER;
pub use encoder::{Encoder, TooManyObjects};
pub use facts::{ClassFacts, Facts, FieldFacts, FrameFacts, Number, Reference, RootReference};
pub use frame::FORMAT_VERSION;
pub use load::{read, read_while};
pub(crate) use texts::{histogram, is_packed, visit_texts};
pub(crate) use write::Writer;
pub use write::Written;

/// Of each text so many UTF-16 units are dumped at most: one never takes much of the writer's memory.
pub const TEXT_LIMIT: u32 = 16 << 10;
