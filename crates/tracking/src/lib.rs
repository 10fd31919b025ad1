//! The hot path's data: per-thread counters, tracked objects, sites and clocks, and the ledger they are added up in.
//!
//! Knows neither the JVM nor files: an object is a number that somebody else can ask after. What threads touch at
//! each allocation is in [`Slabs`] and [`Nursery`]; everything else belongs to the one thread that owns the [`Ledger`].

mod budget;
mod census;
mod classes;
mod clock;
mod cpu_budget;
mod gathered;
mod history;
mod ledger;
mod lifetime_book;
mod mapped;
mod nursery;
mod outside_book;
mod places;
mod rows;
mod sampling;
mod scope_book;
mod scopes;
mod shares;
mod sites;
mod slab_layout;
mod slabs;
mod survivors;
mod sync;
mod timeline;
mod trace_book;
mod tracked;
mod weights;

pub use budget::Budget;
pub use classes::{ClassTable, Registered, Shape};
pub use clock::Clock;
pub use cpu_budget::CpuBudget;
pub use history::GcFamily;
pub use ledger::{Ledger, References};
pub use nursery::{Newborn, Nurseries, Nursery, StandsFor};
pub use places::{Kind, Numbering, PlaceFacts, PlaceTable, is_unplaced};
pub use rows::{SiteRows, Tables};
pub use sampling::{Draw, Due, budget_of_stacks};
pub use scope_book::{EntryEvent, ScopeOutcomes};
pub use scopes::{EntryId, NodeId, Scopes};
pub use shares::{Progression, Shares, Turn};
pub use sites::{RawStack, SiteTable};
pub use slabs::{ClassTotal, ScopeTotal, Slabs, Words};
pub use tracked::{MOST_SITES, Tracked};
