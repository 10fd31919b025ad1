//! The nouns of a profile (tallies, classes, sites, lifetimes, trust) and their arithmetic.
//!
//! Pure: no I/O, no clock, no JVM types. Bytes on disk are `mayfly-recording`'s, text is `mayfly-report`'s.

mod derived;
mod facts;
mod fitted;
mod lifetime;
mod stream;

pub use derived::amounts::{Amounts, Cell, Value};
pub use derived::bursts::{Bursts, bursts};
pub use derived::byte_seconds::ByteSeconds;
pub use derived::cell_lives::CellLives;
pub use derived::doubts::Contradiction;
pub use derived::full_heap::FullHeap;
pub use derived::gc_work::{GcCause, GcWork, Left, LongestPause};
pub use derived::groups::GroupProfile;
pub use derived::growing::{Births, Grower, Growing, Growth, Holder, Kept, LEAST_SAMPLES, Maker};
pub use derived::heap_rises::HeapRise;
pub use derived::histogram::{LifeRange, LifeRow};
pub use derived::left_in_use::LeftInUse;
pub use derived::littles_law::LittlesLaw;
pub use derived::lives::{LifePart, LifeSpan};
pub use derived::measures;
pub use derived::measures::{MEASURES, Measure, Needs, Sureness, Unit};
pub use derived::merging::Merging;
pub use derived::methods::MethodProfile;
pub use derived::off_heap::OffHeapGrowth;
pub use derived::old::{OLD_PART, Old, OldAge, OldRow};
pub use derived::old_generation::OldGeneration;
pub use derived::own_code::{OwnCode, is_foreign};
pub use derived::own_tree::OwnWay;
pub use derived::phases::StartUp;
pub use derived::places::Places;
pub use derived::program::{OwnLine, Through, holders_that_drop};
pub use derived::slices::{Happened, Slice, Slices};
pub use derived::slicing::Slicing;
pub use facts::blame::{BlameRules, BlamedClass, BlamedMethod, blame};
pub use facts::buckets::BucketBounds;
pub use facts::census::{Census, CensusCounts, CensusReach, ClassCensus, FILLERS};
pub use facts::class_name::{PRIMITIVES, jvm_class, readable_class, readable_classes};
pub use facts::collection::{Collection, Flag, FlagValue, GcKind, GenerationUse, Tenuring};
pub use facts::division::divide;
pub use facts::estimate::{ClassEstimate, Estimate};
pub use facts::expiry::is_of_expiry;
pub use facts::filter::ClassFilter;
pub use facts::following::Following;
pub use facts::frame::Frame;
pub use facts::gc::Gc;
pub use facts::grouping::Grouping;
pub use facts::ids::{ClassId, FrameId, SiteId};
pub use facts::in_source::is_of_lambda;
pub use facts::jdk::{JDK_PACKAGES, is_of_the_jdk, is_of_the_program};
pub use facts::off_heap::{
    HOLDERS, Held, HolderCount, HolderCounts, HolderRow, Holders, Holding, MOST_HOLDER_ROWS, OffHeap,
};
pub use facts::option_value;
pub use facts::part::{Doubt, LifeBand, LivedPart, Part};
pub use facts::pool::{VIRTUAL_THREADS, pool_of};
pub use facts::readings::{
    BYTES_BETWEEN_SAMPLES, DIRECT_BUFFERS, DIRECT_BYTES, MAPPED_BUFFERS, MAPPED_BYTES, MEMORY_LIMIT_BYTES,
    READINGS, RESIDENT_BYTES, Reading, Readings, UPTIME_MS,
};
pub use facts::retention::{AT_WORK, Link, LinkKind, MOST_LINKS, RetentionCount, RetentionRow, Room};
pub use facts::rotation::Rotation;
pub use facts::run::{EngineKind, JvmInfo, RunInfo, Tracking};
pub use facts::share::{Share, surplus};
pub use facts::source::{LABEL_ATTRIBUTES, Labels, Source};
pub use facts::stack::{Frames, SharedStacks, Stack, StackIndex, StackTree};
pub use facts::tally::Tally;
pub use facts::trace::{MOST_TRACE_ROWS, TraceContext, TraceCount, TraceCounts, TracedObjects, Traces};
pub use facts::trust::{AT_START_UP, Dropped, OwnCost, Refusals, Remainder, Trust};
pub use facts::view::View;
pub use fitted::variance::{TallyVariance, Variances};
pub use lifetime::ages::Ages;
pub use lifetime::cohorts::Cohorts;
pub use lifetime::lifetimes::{ByteAges, Lifetimes};
pub use lifetime::scope::{
    LaterEntries, Outcome, ScopeClass, ScopeClassDetail, ScopeCounts, ScopeDetail, ScopeOutcomeCounts,
    ScopeProfile,
};
pub use lifetime::site_lifetimes::{Load, SiteLifetimes, Spread, Stamp};
pub use lifetime::survival::{Quantile, Scores, Survival};
pub use mayfly_counts::{HeapGrowth, HeapOrder, HeapSummary, Total, heap_growth};
pub use stream::builder::ProfileBuilder;
pub use stream::course::Course;
pub use stream::dictionary::ApplyError;
pub use stream::held::Held as HeldSteps;
pub use stream::history::History;
pub use stream::point::{Point, by_time, per_second};
pub use stream::profile::{ClassProfile, LiveAsOf, Profile, SiteProfile};
pub use stream::remembered::Remembered;
pub use stream::update::{
    BetweenSamples, ClassCounts, LifetimeCounts, LifetimeHistograms, LiveCounts, Progress, SECTION_KINDS,
    Section, SiteCounts, Update,
};
pub use stream::window::{TimeRange, Window, WindowError};
