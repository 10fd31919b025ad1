//! What grew between two dumps of one program. Objects have no identity across dumps, so they are told apart by class, or by
//! the classes that they hang below.
//!
//! Not here: how summaries without a graph are compared.

mod classes;
mod paths;
#[cfg(test)]
mod tests;
mod tree;

pub use classes::{ClassGrowth, by_class};
pub use paths::{PathGrowth, by_path};
