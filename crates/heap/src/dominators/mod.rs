//! Which object alone keeps which alive, and so how much memory each one retains.
//!
//! An object *dominates* another if every path from the roots to that one leads through it; the nearest one that does
//! is its *immediate dominator*. By these all reachable objects form a tree, and what an object retains, what would
//! be freed if it were gone, is what is below it. Weak references do not hold anything: by default follow strong and soft
//! ones (`Filter::new(graph, Strength::Soft)`), as the JVM does unless memory is short.

mod groups;
mod lengauer_tarjan;
mod stages;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

pub use groups::{ClassRetained, LoaderRetained};
pub use stages::lasting_first;
pub use tree::Dominators;
