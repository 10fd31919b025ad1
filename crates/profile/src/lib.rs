//! The nouns of a profile (tallies, classes, sites, lifetimes, trust) and their arithmetic.
//!
//! Pure: no I/O, no clock, no JVM types. Bytes on disk are `mayfly-recording`'s, text is `mayfly-report`'s.

mod ages;
mod amounts;
mod band;
mod blame;
mod buckets;
mod builder;
mod by_name;
mod byte_seconds;
mod calibration;
mod cohorts;
mod diff;
mod division;
mod estimate;
mod fates;
mod filter;
mod following;
mod frame;
mod gc;
mod grid;
mod heap_summary;
mod lifetimes;
mod lives;
mod merge;
mod methods;
mod names;
mod optimised_away;
pub mod option_value;
mod order;
mod part;
mod profile;
mod replay;
mod retelling;
mod run;
mod shown;
mod since;
mod site_rows;
mod survival;
mod tally;
mod trust;
mod update;
mod view;
mod window;

pub use ages::Ages;
pub use amounts::{Amounts, Cell, Value};
pub use blame::{BlameRules, BlamedClass, BlamedMethod, blame};
pub use buckets::BucketBounds;
pub use builder::{ApplyError, ProfileBuilder};
pub use byte_seconds::ByteSeconds;
pub use cohorts::Cohorts;
pub use diff::{Change, ClassDiff, ProfileDiff, RowChange, SiteDiff};
pub use division::divide;
pub use estimate::{ClassEstimate, Estimate};
pub use fates::{Fates, Load, Spread, Stamp};
pub use filter::ClassFilter;
pub use following::Following;
pub use frame::Frame;
pub use gc::Gc;
pub use heap_summary::{HeapGrowth, HeapOrder, HeapSummary, Held, heap_growth};
pub use lifetimes::{ByteAges, Lifetimes};
pub use lives::{LifePart, LifeSpan};
pub use methods::MethodProfile;
pub use part::{Doubt, LifeBand, LivedPart, Part};
pub use profile::{ClassProfile, Profile, SiteProfile};
pub use run::{EngineKind, JvmInfo, RunInfo, Tracking};
pub use survival::{Quantile, Survival};
pub use tally::Tally;
pub use trust::{Dropped, OwnCost, Refusals, Remainder, Trust};
pub use update::{
    ClassCounts, ClassId, FateCounts, FrameId, LifetimeCounts, Progress, SiteCounts, SiteId, Update,
};
pub use view::View;
pub use window::{TimeRange, Window, WindowError};
