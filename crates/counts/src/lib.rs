//! So many objects, and so many bytes: in all, and by class.
//!
//! Not here: how they were counted; estimates, and what lives how long (`mayfly-profile`).

mod by_class;
mod total;

pub use by_class::{HeapGrowth, HeapOrder, HeapSummary, heap_growth};
pub use total::Total;
