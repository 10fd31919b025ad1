//! A heap as a graph of objects, and what can be asked of it.
//!
//! Pure: bytes and numbers in, values out. Files are mapped and text is drawn by the callers.

#[cfg(test)]
mod arbitrary;
mod builder;
mod column;
pub mod compat;
pub mod dominators;
pub mod dump;
mod edge;
mod error;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
mod filter;
mod graph;
pub mod growth;
pub mod holders;
pub mod hprof;
mod index;
mod loading;
mod offsets;
mod open;
pub mod paths;
mod progress;
pub mod reach;
mod referrers;
mod root;
pub mod saved;
mod set;
mod symbols;
mod text;

pub use builder::{GraphBuilder, TooLarge};
pub use edge::{Edge, EdgeName, Strength};
pub use error::HeapError;
pub use filter::Filter;
pub use graph::{Class, Graph};
pub use index::{ClassIndex, ObjectIndex};
pub use mayfly_counts::{HeapSummary, Total};
pub use open::{Dump, Format};
pub use progress::Progress;
pub use referrers::Referrers;
pub use root::{Root, RootFrame, RootKind};
pub use set::ObjectSet;
pub use symbols::jvm_text;
pub use text::{Text, TextEncoding};
