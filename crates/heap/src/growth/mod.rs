//! What grew between two dumps of one program, or all along some. Objects are told apart by class, or by the classes that they hang
//! below; where ids are the same in all dumps, also by which of them are still there.
//!
//! Not here: how summaries without a graph are compared.

mod loaded;
mod one_each;
mod outline;
mod paths;
mod spread;
mod stay;
mod sustained;
#[cfg(test)]
mod tests;
mod together;
mod tree;

pub use loaded::LoadedClasses;
pub use one_each::{OneEach, in_fixed_arrays, one_each};
pub use outline::Outline;
pub use paths::{PathGrowth, by_path};
pub use spread::{Spread, spreads};
pub use stay::Stay;
pub use sustained::{Sustained, sustained};
pub use together::together;
