//! The heap as JVMTI shows it: the environment of one walk, classes and threads as it sees them, the walks, and what they meet.

mod classes;
mod environment;
mod met;
mod threads;
mod walks;

pub use classes::FieldFacts;
pub use environment::{HeapWalk, KeptTags};
pub use met::{HeapObject, Reference, ReferenceKind, StackSlot, StringText, Visit};
pub use threads::ThreadFacts;
pub use walks::{Follow, HeapVisitor};
