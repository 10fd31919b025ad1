//! The nouns of a profile (tallies, classes, sites, lifetimes, trust) and their arithmetic.
//!
//! Pure: no I/O, no clock, no JVM types. Bytes on disk are `mayfly-recording`'s, text is `mayfly-report`'s.

mod ages;
mod blame;
mod buckets;
mod builder;
mod by_name;
mod byte_seconds;
mod calibration;
mod diff;
mod division;
mod estimate;
mod filter;
mod following;
mod gc;
mod grid;
mod heap_summary;
mod lifetimes;
mod merge;
mod methods;
mod names;
mod optimised_away;
pub mod option_value;
mod profile;
mod replay;
mod retelling;
mod run;
mod survival;
mod tally;
mod trust;
mod update;
mod view;

pub use ages::Ages;
pub use blame::{BlameRules, BlamedClass, BlamedMethod, blame};
pub use buckets::BucketBounds;
pub use builder::{ApplyError, ProfileBuilder};
pub use byte_seconds::ByteSeconds;
pub use diff::{Change, ClassDiff, ProfileDiff, RowChange, SiteDiff};
pub use division::divide;
pub use estimate::{ClassEstimate, Estimate};
pub use filter::ClassFilter;
pub use following::Following;
pub use gc::Gc;
pub use heap_summary::{HeapGrowth, HeapOrder, HeapSummary, Held, heap_growth};
pub use lifetimes::{Cohorts, Lifetimes};
pub use methods::MethodProfile;
pub use profile::{ClassProfile, Frame, Profile, SiteProfile};
pub use run::{EngineKind, JvmInfo, RunInfo, Tracking};
pub use survival::{Quantile, Survival};
pub use tally::Tally;
pub use trust::{Dropped, OwnCost, Refusals, Remainder, Trust};
pub use update::{ClassCounts, ClassId, FrameId, LifetimeCounts, Progress, SiteCounts, SiteId, Update};
pub use view::View;
