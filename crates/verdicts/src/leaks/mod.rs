//! Whether something leaks: memory that is held ever longer and becomes ever more.
//!
//! Growth alone is no leak: caches fill, programs warm up. Two witnesses are heard, each as far as it is there: growth from dump
//! to dump (`growth`), and in a recording growth by what survived and a curve of survival that no longer falls (`recorded`).
//! Not here: dumps and paths (`mayfly-heap`), and what is shown.

mod changed;
mod growth;
mod outside;
mod recorded;
mod suspicion;
mod turnover;
mod weight;

pub(crate) use changed::changed;
pub use changed::{LeakRow, LeakSide, LeaksChanged, Rate};
pub use growth::{Bound, Growth, Starting, Watched, growing, is_unsteady, least_growth};
pub use outside::grows_outside;
pub use recorded::{Keeper, Kept, Recorded, recorded};
pub use suspicion::Suspicion;
pub use turnover::Turnover;
pub use weight::Weight;
