//! Heap dumps of the JVM itself: hprof files, as `jmap`, `jcmd GC.heap_dump` and `HeapDumpOnOutOfMemoryError` write them.
//!
//! The file is walked, never copied: what is kept is some four bytes per object and what a graph needs; of arrays of primitives
//! nothing. Not here: mapping the file.
//!
//! Records are those of the "HPROF binary format" of the JDK's `heapDumper.cpp` and of the manual that JDK 6 had beside it
//! (`manual.html` of `demo/jvmti/hprof`).

mod class_dump;
mod edges;
mod find;
mod layout;
mod listed;
mod load;
mod measure;
mod pack;
mod record;
mod remarks;
mod roots;
mod scan;
mod segment;
mod sizes;
mod sub_record;
mod texts;
mod value_type;
mod values;
mod virtual_threads;

pub use layout::SizesKnown;
pub use load::read;
pub use pack::pack;
pub use record::MAGIC;
pub use remarks::{Remarks, remarks};
pub use sizes::histogram;
pub(crate) use texts::visit_texts;
pub use values::{Values, values};
pub use virtual_threads::lacks_virtual_stacks;
