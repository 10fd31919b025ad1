//! The shape of the JSON report: structs of its own, so that it stays as it is whatever becomes of the profile's.
//!
//! Keys may be added; none is renamed, removed or given another meaning. Not here: where the values come from (`json`).

use std::collections::BTreeMap;

use mayfly_profile::Rotation;
use serde::Serialize;

use super::live::LiveJson;

use super::scopes::ScopeJson;
use super::tally::TallyJson;

/// Name and version of the schema.
pub(super) const SCHEMA: &str = "mayfly-report/1";

/// The whole document.
#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    pub(super) schema: &'static str,
    pub(super) jvm: JvmJson<'a>,
    pub(super) engine: &'a str,
    /// What tells the recording from others: those given, and those that follow from the JVM; of several what all have alike.
    pub(super) labels: BTreeMap<String, String>,
    /// The recordings that were merged; absent of one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sources: Vec<SourceJson<'a>>,
    /// The agent's options as given.
    pub(super) options: &'a str,
    pub(super) started_unix_ms: u64,
    pub(super) duration_s: f64,
    /// That the program reported.
    pub(super) operations: Option<u64>,
    /// What the JVM published of itself, by name: as it was at the end.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) readings: BTreeMap<&'static str, u64>,
    pub(super) gcs: u32,
    /// The collection that `live` is as of, in the profiled time; null: there was none, or an earlier recording says no more than
    /// what was not seen dead.
    pub(super) live_as_of_s: Option<f64>,
    /// Until class loading ebbed; null where that can't be told.
    pub(super) start_up: Option<StartUpJson>,
    /// What collections left in use; null where that is not known.
    pub(super) live_after_gc: Option<LiveAfterGcJson>,
    /// What was outside of the heap over time; absent where nothing was read of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) off_heap: Option<super::off_heap::OffHeapJson<'a>>,
    /// How often counts were set to zero.
    pub(super) resets: u32,
    /// Whether the agent closed the recording.
    pub(super) complete: bool,
    pub(super) tracking: TrackingJson,
    /// Which part of the recording this is; `None`: all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) part: Option<PartJson>,
    /// In the order of their names; absent if none was entered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) scopes: Vec<ScopeJson<'a>>,
    /// Requests whose objects are still there; absent if no object was made where a request was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) traces: Option<super::traces::TracesJson<'a>>,
    pub(super) trust: TrustJson<'a>,
    /// What was read of young collections; absent without a census.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) census: Option<super::census::CensusJson<'a>>,
    /// Flags of the JVM that decide how it collects, by name.
    pub(super) jvm_flags: BTreeMap<&'a str, FlagJson>,
    /// The newest collections, the oldest of them first.
    pub(super) collections: Vec<CollectionJson<'a>>,
    pub(super) classes: Vec<ClassJson<'a>>,
    pub(super) sites: Vec<SiteJson<'a>>,
    /// What each pool of threads allocated; absent where stacks do not name them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) threads: Vec<super::groups::GroupJson>,
    /// What the code of each class loader allocated; absent where stacks do not name them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) loaders: Vec<super::groups::GroupJson>,
    /// Who calls: what was allocated through the program's own frames, as a tree; empty without stacks.
    pub(super) own_ways: Vec<super::ways::WayJson>,
    /// Collected objects of all selected classes, whatever the limit; empty when deaths were not followed.
    pub(super) buckets: Vec<BucketJson>,
}

/// A recording of several.
#[derive(Debug, Serialize)]
pub(super) struct SourceJson<'a> {
    pub(super) labels: &'a BTreeMap<String, String>,
    pub(super) started_unix_ms: u64,
    pub(super) duration_s: f64,
    pub(super) gcs: u32,
    pub(super) complete: bool,
    pub(super) allocated_objects: u64,
    pub(super) allocated_bytes: u64,
    /// Null: it is not known.
    pub(super) live_bytes: Option<u64>,
    pub(super) accounted_bytes: u64,
    pub(super) jvm_allocated_bytes: Option<u64>,
    pub(super) coverage: Option<f64>,
}

/// The start-up of the program.
#[derive(Debug, Serialize)]
pub(super) struct StartUpJson {
    pub(super) ends_s: f64,
    /// Counted until then.
    pub(super) allocated_bytes: u64,
    /// Of which objects were counted until then.
    pub(super) classes: u64,
}

/// Bytes of the heap in use after collections.
#[derive(Debug, Serialize)]
pub(super) struct LiveAfterGcJson {
    /// After the last one.
    pub(super) last_bytes: u64,
    pub(super) most_bytes: u64,
    /// They are of objects that were followed, and objects were dropped that matter beside these.
    pub(super) at_least: bool,
    /// What that collection did: after a young one, garbage of the old generation is in it.
    pub(super) last_kind: Option<&'static str>,
    pub(super) last_at_s: Option<f64>,
    /// After the last one of the whole heap.
    pub(super) full_bytes: Option<u64>,
    pub(super) full_at_s: Option<f64>,
}

/// What a flag is set to.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum FlagJson {
    Switch(bool),
    Number(u64),
}

/// A pause of the collector. Null is what the JVM does not publish.
#[derive(Debug, Serialize)]
pub(super) struct CollectionJson<'a> {
    pub(super) number: u32,
    /// Of the profiled time.
    pub(super) at_s: f64,
    pub(super) pause_ms: f64,
    /// Bytes allocated by its begin.
    pub(super) allocated_bytes: u64,
    /// `young`, `full`, `concurrent`, `mark-start`, `mark-end` or `unknown`.
    pub(super) kind: &'static str,
    pub(super) cause: &'a str,
    pub(super) heap: Option<UseJson>,
    pub(super) young: Option<UseJson>,
    pub(super) old: Option<UseJson>,
    pub(super) promoted_bytes: Option<u64>,
    pub(super) tenuring: Option<TenuringJson<'a>>,
}

/// A generation around a collection.
#[derive(Debug, Serialize)]
pub(super) struct UseJson {
    pub(super) before_bytes: Option<u64>,
    pub(super) after_bytes: u64,
    pub(super) capacity_bytes: Option<u64>,
}

/// How survivors are aged.
#[derive(Debug, Serialize)]
pub(super) struct TenuringJson<'a> {
    pub(super) threshold: u32,
    pub(super) desired_survivor_bytes: Option<u64>,
    /// Of age 1 first.
    pub(super) age_bytes: &'a [u64],
}

/// The target JVM.
#[derive(Debug, Serialize)]
pub(super) struct JvmJson<'a> {
    pub(super) pid: u32,
    pub(super) version: &'a str,
    /// Collector; empty if not known.
    pub(super) gc: &'static str,
    pub(super) command: &'a str,
}

/// Numbers of files.
#[derive(Debug, Serialize)]
pub(super) struct FilesJson {
    pub(super) first: u32,
    pub(super) last: u32,
    /// How many they are.
    pub(super) files: u32,
    /// Older ones that the agent had removed.
    pub(super) removed: u32,
}

impl FilesJson {
    pub(super) fn of(files: Rotation) -> Self {
        let Rotation { first, last, files, removed } = files;
        Self { first, last, files, removed }
    }
}

/// Which part of a recording.
#[derive(Debug, Serialize)]
pub(super) struct PartJson {
    /// Files of the run's recording, where the agent began a new one each so often; absent if it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) files: Option<FilesJson>,
    /// Range of the profiled time.
    pub(super) during_s: Option<(f64, f64)>,
    /// Band of lifetimes; no second end: any length.
    pub(super) lived_s: Option<(f64, Option<f64>)>,
    /// Between what `allocated` of all classes together lies, as no lifetime is known but an interval.
    pub(super) certain: Option<TallyJson>,
    pub(super) possible: Option<TallyJson>,
}

/// Which objects live, collected, lifetime and site numbers come from.
#[derive(Debug, Serialize)]
pub(super) struct TrackingJson {
    /// `off`, `every_object`, `every_nth` or `byte_sample`.
    pub(super) objects: &'static str,
    /// N of `every_nth`.
    pub(super) nth: Option<u64>,
    /// Mean bytes between two samples of `byte_sample`.
    pub(super) interval_bytes: Option<u64>,
    pub(super) lifetimes: bool,
    pub(super) stacks: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct TrustJson<'a> {
    pub(super) accounted_bytes: u64,
    pub(super) jvm_allocated_bytes: Option<u64>,
    pub(super) share: Option<f64>,
    /// Share that is counted, or in the remainder under a known cause.
    pub(super) named_share: Option<f64>,
    pub(super) remainder: Vec<RemainderJson<'a>>,
    /// Mean bytes between the samples that estimates rest on.
    pub(super) sample_interval_bytes: Option<u64>,
    /// What the hooks did not see, by class, largest first.
    pub(super) unseen_classes: Vec<UnseenJson<'a>>,
    /// What contradicts itself, a sentence each; empty: nothing does.
    pub(super) doubts: Vec<String>,
    pub(super) refusals: Vec<RefusalsJson<'a>>,
    pub(super) dropped: Vec<DroppedJson<'a>>,
    pub(super) following: FollowingJson,
    pub(super) cost: CostJson,
}

#[derive(Debug, Serialize)]
pub(super) struct RemainderJson<'a> {
    pub(super) cause: &'a str,
    pub(super) bytes: i64,
    pub(super) estimated: bool,
    /// Standard error; `None`: exact.
    pub(super) error_bytes: Option<u64>,
    /// Whether the cause is known.
    pub(super) named: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct UnseenJson<'a> {
    pub(super) name: &'a str,
    pub(super) bytes: u64,
    pub(super) error_bytes: u64,
}

/// Methods left as they were, for one reason.
#[derive(Debug, Serialize)]
pub(super) struct RefusalsJson<'a> {
    pub(super) reason: &'a str,
    pub(super) methods: u64,
}

/// Objects whose tracking was given up, for one reason.
#[derive(Debug, Serialize)]
pub(super) struct DroppedJson<'a> {
    pub(super) cause: &'a str,
    pub(super) objects: u64,
}

/// How closely tracked objects were followed.
#[derive(Debug, Serialize)]
pub(super) struct FollowingJson {
    pub(super) whole_collections: u32,
    pub(super) most_bytes_between: u64,
    pub(super) most_ms_between: u64,
    pub(super) thinned_to_one_in: u64,
    pub(super) sweeps: u32,
    pub(super) asked: u64,
    pub(super) sweep_ms: u64,
    pub(super) longest_sweep_ms: u64,
}

/// What profiling itself cost.
#[derive(Debug, Serialize)]
pub(super) struct CostJson {
    pub(super) cpu_ms: u64,
    pub(super) native_bytes: u64,
    pub(super) rewrite_ms: u64,
}

/// What the JVM allocated of a class, estimated.
#[derive(Debug, Serialize)]
pub(super) struct EstimateJson {
    pub(super) bytes: u64,
    pub(super) error_bytes: u64,
    /// More was executed than allocated, beyond the error: the JIT compiler removed allocations.
    pub(super) removed_by_jit: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct ClassJson<'a> {
    pub(super) name: &'a str,
    /// `name` as Java sources spell it.
    pub(super) readable_name: String,
    pub(super) allocated: TallyJson,
    /// Shallow size of the largest object, in bytes.
    pub(super) largest: u64,
    /// `None`: no sample says anything.
    pub(super) jvm_allocated: Option<EstimateJson>,
    /// Whether the JIT compiler optimised objects away, so that `allocated`, which counts what was executed, is more than was
    /// allocated.
    pub(super) optimised_away: bool,
    /// Bytes that classes are ranked by: `allocated`, or an estimate of what of it was allocated if `optimised_away`.
    pub(super) rank_bytes: u64,
    /// Bytes times seconds that objects were held; `None` if deaths were not followed.
    pub(super) byte_seconds: Option<ByteSecondsJson>,
    /// There after the collection at `live_as_of_s`; null where that is not known.
    pub(super) live: Option<LiveJson>,
    /// Born since that collection; null in a recording that does not tell them apart.
    pub(super) not_judged: Option<TallyJson>,
    pub(super) collected: Vec<BucketJson>,
    /// How many samples `live`, `collected` and `lifetime` rest on, about; `None`: they are no estimates, or there is none.
    pub(super) samples: Option<u64>,
    /// Objects followed one by one, of `allocated.objects`, which the lifetimes are of; null where it is no choice by class.
    pub(super) followed: Option<u64>,
    pub(super) lifetime: Option<LifetimeJson>,
    /// All measures by their keys; null where one is not known.
    pub(super) measures: BTreeMap<&'static str, Option<NumberJson>>,
}

#[derive(Debug, Serialize)]
pub(super) struct SiteJson<'a> {
    pub(super) class: &'a str,
    /// `class` as Java sources spell it.
    pub(super) readable_class: String,
    /// Innermost first, spelled like `StackTraceElement.toString()`.
    pub(super) stack: Vec<String>,
    pub(super) allocated: TallyJson,
    pub(super) live: Option<LiveJson>,
    /// As of classes.
    pub(super) not_judged: Option<TallyJson>,
    pub(super) collected: Vec<BucketJson>,
    /// Bytes that sites are ranked by: `allocated`, but no more than the `rank_bytes` of a class that was optimised away.
    pub(super) rank_bytes: u64,
    pub(super) byte_seconds: f64,
    /// Whether `allocated` is exact, not divided among stacks by a sample of them.
    pub(super) exact: bool,
    /// Relative standard error of `allocated` from sampling stacks; 0 where all were taken.
    pub(super) error: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct ByteSecondsJson {
    /// From birth to the middle of the interval in which they died.
    pub(super) dead: f64,
    /// From birth to when they were last known alive.
    pub(super) living: f64,
    pub(super) estimated: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct BucketJson {
    pub(super) from_s: u64,
    /// `None`: no upper end.
    pub(super) to_s: Option<u64>,
    pub(super) objects: u64,
    pub(super) bytes: u64,
    pub(super) estimated: bool,
}

/// A number that is whole, or not.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum NumberJson {
    Whole(u64),
    Real(f64),
}

#[derive(Debug, Serialize)]
pub(super) struct LifetimeJson {
    pub(super) p50_s: Option<f64>,
    pub(super) p50_s_band: Option<Band>,
    pub(super) p90_s: Option<f64>,
    pub(super) p90_s_band: Option<Band>,
    pub(super) p99_s: Option<f64>,
    pub(super) p99_s_band: Option<Band>,
    pub(super) p50_gcs: Option<f64>,
    pub(super) p50_gcs_band: Option<Band>,
    pub(super) p50_bytes: Option<f64>,
    pub(super) p50_bytes_band: Option<Band>,
    pub(super) died_before_first_gc_share: Option<f64>,
    /// With this collector points and upper ends of bands are at least the truth, and nothing is known from below.
    pub(super) upper_bound: bool,
    pub(super) estimated: bool,
}

/// The ends of a quantile's 95 % band; `None`: it has no upper end.
pub(super) type Band = (f64, Option<f64>);
