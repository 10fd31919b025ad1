//! What grew between two dumps of one program, or all along some. Objects have no identity across dumps, so they are told apart by class, or by
//! the classes that they hang below.
//!
//! Not here: how summaries without a graph are compared.

mod classes;
mod outline;
mod paths;
mod sustained;
#[cfg(test)]
mod tests;
mod tree;

pub use classes::{ClassGrowth, by_class};
pub use outline::Outline;
pub use paths::{PathGrowth, by_path};
pub use sustained::{Sustained, sustained};
