//! A heap as a graph of objects, and what can be asked of it.
//!
//! Pure: bytes and numbers in, values out. Files are mapped and text is drawn by the callers.

mod builder;
pub mod dump;
mod edge;
mod error;
mod graph;
mod histogram;
mod loading;
mod offsets;
mod open;
mod referrers;
mod root;
mod text;

pub use builder::{GraphBuilder, TooLarge};
pub use edge::{Edge, EdgeName, Strength};
pub use error::HeapError;
pub use graph::{Class, ClassIndex, Graph, ObjectIndex};
pub use histogram::{Histogram, HistogramRow};
pub use open::{Dump, Format, Progress};
pub use referrers::Referrers;
pub use root::{Frame, Root, RootKind};
pub use text::{Text, TextEncoding};
