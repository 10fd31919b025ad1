//! A profile as JSON, schema `mayfly-report/1`. Keys may be added to it; none is renamed, removed or given another
//! meaning. Described for users in `docs/guide/cli.md`.

use std::collections::{BTreeMap, HashMap};

use mayfly_profile::{
    BucketBounds, ByteSeconds, ClassEstimate, ClassProfile, Dropped, EngineKind, Following, Frame, JvmInfo,
    Lifetimes, OwnCost, Profile, Quantile, Refusals, Remainder, SiteProfile, Tally, Tracking,
};
use serde::Serialize;

/// Name and version of the schema.
const SCHEMA: &str = "mayfly-report/1";

/// The whole document.
#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    jvm: &'a JvmInfo,
    engine: &'a str,
    /// The agent's options as given.
    options: &'a str,
    started_unix_ms: u64,
    duration_s: f64,
    gcs: u32,
    /// How often counts were set to zero.
    resets: u32,
    /// Whether the agent closed the recording.
    complete: bool,
    tracking: TrackingJson,
    trust: TrustJson<'a>,
    classes: Vec<ClassJson<'a>>,
    sites: Vec<SiteJson<'a>>,
    /// Collected objects of all selected classes, whatever the limit; empty when deaths were not followed.
    buckets: Vec<BucketJson>,
}

/// Which objects live, collected, lifetime and site numbers come from.
#[derive(Debug, Serialize)]
struct TrackingJson {
    /// `off`, `every_object`, `every_nth` or `byte_sample`.
    objects: &'static str,
    /// N of `every_nth`.
    nth: Option<u64>,
    /// Mean bytes between two samples of `byte_sample`.
    interval_bytes: Option<u64>,
    lifetimes: bool,
    stacks: bool,
}

#[derive(Debug, Serialize)]
struct TrustJson<'a> {
    accounted_bytes: u64,
    jvm_allocated_bytes: Option<u64>,
    share: Option<f64>,
    /// Share that is counted, or in the remainder under a known cause.
    named_share: Option<f64>,
    remainder: Vec<RemainderJson<'a>>,
    /// Mean bytes between the samples that estimates rest on.
    sample_interval_bytes: Option<u64>,
    /// What the hooks did not see, by class, largest first.
    unseen_classes: Vec<UnseenJson<'a>>,
    refusals: &'a [Refusals],
    dropped: &'a [Dropped],
    following: &'a Following,
    cost: &'a OwnCost,
}

#[derive(Debug, Serialize)]
struct RemainderJson<'a> {
    cause: &'a str,
    bytes: i64,
    estimated: bool,
    /// Standard error; `None`: exact.
    error_bytes: Option<u64>,
    /// Whether the cause is known.
    named: bool,
}

#[derive(Debug, Serialize)]
struct UnseenJson<'a> {
    name: &'a str,
    bytes: u64,
    error_bytes: u64,
}

/// What the JVM allocated of a class, estimated.
#[derive(Debug, Serialize)]
struct EstimateJson {
    bytes: u64,
    error_bytes: u64,
    /// More was executed than allocated, beyond the error: the JIT compiler removed allocations.
    removed_by_jit: bool,
}

#[derive(Debug, Serialize)]
struct ClassJson<'a> {
    name: &'a str,
    allocated: TallyJson,
    /// Shallow size of the largest object, in bytes.
    largest: u64,
    /// `None`: no sample says anything.
    jvm_allocated: Option<EstimateJson>,
    /// Whether the JIT compiler optimised objects away, so that `allocated`, which counts what was executed, is more than was
    /// allocated.
    optimised_away: bool,
    /// Bytes that classes are ranked by: `allocated`, or an estimate of what of it was allocated if `optimised_away`.
    rank_bytes: u64,
    /// Bytes times seconds that objects were held; `None` if deaths were not followed.
    byte_seconds: Option<ByteSecondsJson>,
    live: Option<TallyJson>,
    collected: Vec<BucketJson>,
    /// How many samples `live`, `collected` and `lifetime` rest on, about; `None`: they are no estimates, or there is none.
    samples: Option<u64>,
    lifetime: Option<LifetimeJson>,
}

#[derive(Debug, Serialize)]
struct SiteJson<'a> {
    class: &'a str,
    /// Innermost first, spelled like `StackTraceElement.toString()`.
    stack: Vec<String>,
    allocated: TallyJson,
    live: Option<TallyJson>,
    collected: Vec<BucketJson>,
    /// Bytes that sites are ranked by: `allocated`, but no more than the `rank_bytes` of a class that was optimised away.
    rank_bytes: u64,
    byte_seconds: f64,
    /// Whether `allocated` is exact, not divided among stacks by a sample of them.
    exact: bool,
    /// Relative standard error of `allocated` from sampling stacks; 0 where all were taken.
    error: f64,
}

#[derive(Debug, Serialize)]
struct ByteSecondsJson {
    /// From birth to the middle of the interval in which they died.
    dead: f64,
    /// From birth to when they were last known alive.
    living: f64,
    estimated: bool,
}

#[derive(Debug, Serialize)]
struct TallyJson {
    objects: u64,
    bytes: u64,
    /// Scaled up from a sample; exact otherwise.
    estimated: bool,
}

#[derive(Debug, Serialize)]
struct BucketJson {
    from_s: u64,
    /// `None`: no upper end.
    to_s: Option<u64>,
    objects: u64,
    bytes: u64,
    estimated: bool,
}

#[derive(Debug, Serialize)]
struct LifetimeJson {
    p50_s: Option<f64>,
    p50_s_band: Option<Band>,
    p90_s: Option<f64>,
    p90_s_band: Option<Band>,
    p99_s: Option<f64>,
    p99_s_band: Option<Band>,
    p50_gcs: Option<f64>,
    p50_gcs_band: Option<Band>,
    p50_bytes: Option<f64>,
    p50_bytes_band: Option<Band>,
    died_before_first_gc_share: Option<f64>,
    /// With this collector points and upper ends of bands are at least the truth, and nothing is known from below.
    upper_bound: bool,
    estimated: bool,
}

/// The ends of a quantile's 95 % band; `None`: it has no upper end.
type Band = (f64, Option<f64>);

/// `profile` as pretty-printed JSON, ending in a newline.
pub(crate) fn render(profile: &Profile, limit: Option<usize>) -> String {
    // Structs with string keys: nothing in them that JSON has no form for.
    let mut json = serde_json::to_string_pretty(&document(profile, limit)).expect("plain structs serialize");
    json.push('\n');
    json
}

/// The document of `profile`, with at most `limit` classes and as many sites of each. Totals are not limited.
fn document(profile: &Profile, limit: Option<usize>) -> Document<'_> {
    let run = &profile.run;
    let numbers = Numbers::of(profile);
    let shown = &profile.classes[..limit.unwrap_or(usize::MAX).min(profile.classes.len())];
    Document {
        schema: SCHEMA,
        jvm: &run.jvm,
        engine: run.engine.name(),
        options: &run.options,
        started_unix_ms: run.started_unix_ms,
        duration_s: seconds(profile.duration_ms as f64),
        gcs: profile.gcs,
        resets: profile.resets,
        complete: profile.complete,
        tracking: TrackingJson::of(run.tracking, run.lifetimes, run.stacks),
        trust: TrustJson::of(profile),
        classes: shown.iter().map(|class| numbers.class(class)).collect(),
        sites: shown_sites(profile, shown, limit).map(|site| numbers.site(site)).collect(),
        buckets: if run.lifetimes {
            numbers.buckets(&collected_in_all(profile), numbers.tracked_estimated)
        } else {
            Vec::new()
        },
    }
}

/// How this profile's numbers are to be written.
struct Numbers<'a> {
    profile: &'a Profile,
    site_bounds: HashMap<&'a str, u64>,
    bounds: &'a BucketBounds,
    estimates: &'a BTreeMap<String, ClassEstimate>,
    sample_interval: Option<u64>,
    /// Whether allocation counts of classes are estimates.
    counts_estimated: bool,
    /// Whether only a sample was tracked, so that allocation counts of sites are estimates.
    sampled: bool,
    /// Whether numbers of the living and the dead are estimates.
    tracked_estimated: bool,
    /// Whether lifetimes are upper bounds.
    upper_bounds: bool,
}

impl<'a> Numbers<'a> {
    fn of(profile: &'a Profile) -> Self {
        let run = &profile.run;
        let sampled = matches!(run.tracking, Tracking::EveryNth(_) | Tracking::ByteSample(_));
        let thinned = profile.trust.following.thinned_to_one_in > 1;
        Self {
            profile,
            site_bounds: profile.site_bounds(),
            bounds: &run.buckets,
            estimates: &profile.estimates,
            sample_interval: profile.trust.sample_interval,
            counts_estimated: run.engine == EngineKind::Sampled,
            sampled,
            tracked_estimated: sampled || thinned,
            upper_bounds: run.jvm.lifetimes_are_upper_bounds(),
        }
    }

    fn estimate(&self, class: &ClassProfile) -> Option<EstimateJson> {
        let interval = self.sample_interval?;
        let estimate = self.estimates.get(&class.name).copied();
        let removed_by_jit = estimate.unwrap_or_default().removed(class.allocated.bytes, interval);
        let ClassEstimate { allocated, .. } = estimate.or(removed_by_jit.then(ClassEstimate::default))?;
        Some(EstimateJson { bytes: allocated.bytes(), error_bytes: allocated.error_bytes(), removed_by_jit })
    }

    fn class<'p>(&self, class: &'p ClassProfile) -> ClassJson<'p> {
        ClassJson {
            name: &class.name,
            allocated: TallyJson::of(class.allocated, self.counts_estimated),
            largest: class.allocated.largest,
            jvm_allocated: self.estimate(class),
            optimised_away: self.profile.is_optimised_away(class),
            rank_bytes: self.profile.allocated_bytes(class),
            byte_seconds: self.byte_seconds(class),
            live: class.live.map(|live| TallyJson::of(live, self.tracked_estimated)),
            collected: self.buckets(&class.collected, self.tracked_estimated),
            samples: self.samples(class),
            lifetime: class
                .lifetimes
                .as_ref()
                .map(|known| LifetimeJson::of(known, self.upper_bounds, self.tracked_estimated)),
        }
    }

    fn byte_seconds(&self, class: &ClassProfile) -> Option<ByteSecondsJson> {
        let ByteSeconds { dead, living } = class.byte_seconds(self.bounds)?;
        Some(ByteSecondsJson { dead, living, estimated: self.tracked_estimated })
    }

    fn samples(&self, class: &ClassProfile) -> Option<u64> {
        let mut tracked = class.live?;
        class.collected.iter().for_each(|&dead| tracked.add(dead));
        let samples = self.profile.samples_behind(class, tracked)?;
        samples.is_finite().then(|| samples.round().max(1.0) as u64)
    }

    fn site<'p>(&self, site: &'p SiteProfile) -> SiteJson<'p> {
        let exact = !self.sampled && site.error == 0.0;
        let fates_estimated = !exact || self.tracked_estimated;
        SiteJson {
            class: &site.class,
            stack: site.stack.iter().map(frame_text).collect(),
            allocated: TallyJson::of(site.allocated, !exact),
            live: site.live.map(|live| TallyJson::of(live, fates_estimated)),
            collected: self.buckets(&site.collected, fates_estimated),
            rank_bytes: site.allocated_at_most(&self.site_bounds),
            byte_seconds: site.byte_seconds,
            exact,
            error: site.error,
        }
    }

    fn buckets(&self, tallies: &[Tally], estimated: bool) -> Vec<BucketJson> {
        let bucket = |((from_s, to_s), tally): ((u64, Option<u64>), &Tally)| BucketJson {
            from_s,
            to_s,
            objects: tally.objects,
            bytes: tally.bytes,
            estimated,
        };
        self.bounds.ranges().zip(tallies).map(bucket).collect()
    }
}

impl TrackingJson {
    fn of(tracking: Tracking, lifetimes: bool, stacks: bool) -> Self {
        let (objects, nth, interval_bytes) = match tracking {
            Tracking::Off => ("off", None, None),
            Tracking::EveryObject => ("every_object", None, None),
            Tracking::EveryNth(nth) => ("every_nth", Some(nth), None),
            Tracking::ByteSample(interval) => ("byte_sample", None, Some(interval)),
        };
        Self { objects, nth, interval_bytes, lifetimes, stacks }
    }
}

impl<'a> TrustJson<'a> {
    fn of(profile: &'a Profile) -> Self {
        let trust = &profile.trust;
        Self {
            accounted_bytes: trust.accounted_bytes,
            jvm_allocated_bytes: trust.jvm_allocated_bytes,
            share: trust.share(),
            named_share: trust.named_share(),
            remainder: trust.remainder.iter().map(RemainderJson::of).collect(),
            sample_interval_bytes: trust.sample_interval,
            unseen_classes: unseen_classes(profile),
            refusals: &trust.refusals,
            dropped: &trust.dropped,
            following: &trust.following,
            cost: &trust.cost,
        }
    }
}

impl TallyJson {
    fn of(tally: Tally, estimated: bool) -> Self {
        Self { objects: tally.objects, bytes: tally.bytes, estimated }
    }
}

impl LifetimeJson {
    fn of(known: &Lifetimes, upper_bound: bool, estimated: bool) -> Self {
        let time = known.in_time();
        let bounded = |quantile: Quantile| if upper_bound { quantile.from_above() } else { quantile };
        let [p50, p90, p99] = [0.5, 0.9, 0.99].map(|q| time.as_ref().map(|time| bounded(time.quantile(q))));
        let [p50_gcs, p50_bytes] =
            [known.gcs_survived(0.5), known.in_bytes().map(|bytes| bytes.quantile(0.5))]
                .map(|quantile| quantile.map(bounded));
        let point = |quantile: Option<Quantile>| quantile.and_then(|quantile| quantile.point);
        let band = |quantile: Option<Quantile>| quantile.map(|quantile| (quantile.low, quantile.high));
        let in_seconds = |(low, high): Band| (seconds(low), high.map(seconds));
        Self {
            p50_s: point(p50).map(seconds),
            p50_s_band: band(p50).map(in_seconds),
            p90_s: point(p90).map(seconds),
            p90_s_band: band(p90).map(in_seconds),
            p99_s: point(p99).map(seconds),
            p99_s_band: band(p99).map(in_seconds),
            p50_gcs: point(p50_gcs),
            p50_gcs_band: band(p50_gcs),
            p50_bytes: point(p50_bytes),
            p50_bytes_band: band(p50_bytes),
            died_before_first_gc_share: known.died_before_first_gc_share(),
            upper_bound,
            estimated,
        }
    }
}

impl<'a> RemainderJson<'a> {
    fn of(part: &'a Remainder) -> Self {
        Self {
            cause: &part.cause,
            bytes: part.bytes,
            estimated: part.error_bytes.is_some(),
            error_bytes: part.error_bytes,
            named: part.named,
        }
    }
}

fn unseen_classes(profile: &Profile) -> Vec<UnseenJson<'_>> {
    let mut rows: Vec<_> = profile
        .estimates
        .iter()
        .map(|(name, estimate)| UnseenJson {
            name,
            bytes: estimate.unseen.bytes(),
            error_bytes: estimate.unseen.error_bytes(),
        })
        .filter(|row| row.bytes > 0)
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.bytes));
    rows
}

/// The sites of the classes shown, at most `limit` of each.
fn shown_sites<'p>(
    profile: &'p Profile,
    shown: &'p [ClassProfile],
    limit: Option<usize>,
) -> impl Iterator<Item = &'p SiteProfile> {
    let mut left: HashMap<&str, usize> =
        shown.iter().map(|class| (class.name.as_str(), limit.unwrap_or(usize::MAX))).collect();
    profile.sites.iter().filter(move |site| match left.get_mut(site.class.as_str()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        // A site whose class has no row of its own is shown, unless a limit says which classes are.
        None => limit.is_none(),
        Some(_) => false,
    })
}

/// As `StackTraceElement.toString()` spells it, without loader and module.
fn frame_text(frame: &Frame) -> String {
    let Frame { class, method, file, line } = frame;
    match (file, line) {
        (Some(file), Some(line)) => format!("{class}.{method}({file}:{line})"),
        (Some(file), None) => format!("{class}.{method}({file})"),
        (None, _) => format!("{class}.{method}(Unknown Source)"),
    }
}

fn collected_in_all(profile: &Profile) -> Vec<Tally> {
    let mut all = vec![Tally::default(); profile.run.buckets.len()];
    for class in &profile.classes {
        for (sum, &tally) in all.iter_mut().zip(&class.collected) {
            sum.add(tally);
        }
    }
    all
}

fn seconds(milliseconds: f64) -> f64 {
    milliseconds / 1000.0
}
