//! A heap as a graph of objects, and what can be asked of it.
//!
//! Pure: bytes and numbers in, values out. Files are mapped and text is drawn by the callers.

mod builder;
pub mod dump;
mod edge;
mod error;
mod graph;
mod loading;
mod offsets;
mod referrers;
mod root;

pub use builder::{GraphBuilder, TooLarge};
pub use edge::{Edge, EdgeName, Strength};
pub use error::HeapError;
pub use graph::{Class, ClassIndex, Graph, ObjectIndex};
pub use referrers::Referrers;
pub use root::{Frame, Root, RootKind};
