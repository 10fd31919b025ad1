//! Why an object is alive: shortest ways to it from what the collector starts from.
//!
//! Not here: what is reachable from an object (`reach`), and what an object alone holds (`dominators`).

mod entrances;
mod path;
mod search;
#[cfg(test)]
mod tests;
mod text;
mod tree;

pub use path::{Path, Steps};
pub use search::{lasting, shortest, shortest_known, strongest};
pub use text::{edge_text, object_text};
pub use tree::{PathTree, ShortestPaths};
