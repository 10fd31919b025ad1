//! A profile as JSON, schema `mayfly-report/1`. Described for users in `docs/guide/cli.md`.
//!
//! Not here: its keys (`schema`).

mod census;
mod groups;
mod live;
mod off_heap;
mod schema;
mod scopes;
mod tally;
mod traces;
mod ways;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use live::LiveJson;
use mayfly_profile::measures::{DIED_BEFORE_FIRST_GC_SHARE, P50_BYTES, P50_GCS, P50_S, P90_S, P99_S};
use mayfly_profile::{
    BucketBounds, ByteSeconds, ClassEstimate, ClassProfile, Collection, Dropped, Flag, FlagValue, Following,
    GenerationUse, Grouping, JvmInfo, LeftInUse, LiveAsOf, LivedPart, MEASURES, Measure, OwnCost, Part,
    Profile, Quantile, Refusals, Remainder, SiteProfile, Source, Tally, Tracking, Unit, Variances, View,
    readable_class,
};
use schema::{
    BucketJson, ByteSecondsJson, ClassJson, CollectionJson, CostJson, Document, DroppedJson, EstimateJson,
    FilesJson, FlagJson, FollowingJson, JvmJson, LifetimeJson, LiveAfterGcJson, NumberJson, PartJson,
    RefusalsJson, RemainderJson, SCHEMA, SiteJson, SourceJson, StartUpJson, TenuringJson, TrackingJson,
    TrustJson, UnseenJson, UseJson,
};
use tally::TallyJson;
use ways::{frame_text, ways};

/// The part of `profile` that is shown as pretty-printed JSON, ending in a newline. Says nothing of the rules of blame.
pub(super) fn write(profile: &Profile, view: &View, out: &mut dyn Write) -> io::Result<()> {
    // Whether counts contradict each other does not depend on which are shown.
    let doubts = mayfly_report::doubts(profile);
    serde_json::to_writer_pretty(&mut *out, &document(&view.of(profile), view.rows, doubts))?;
    out.write_all(b"\n")
}

/// The document of `profile`, with at most `limit` classes and as many sites of each. Totals are not limited.
fn document(profile: &Profile, limit: Option<usize>, doubts: Vec<String>) -> Document<'_> {
    let run = &profile.run;
    let numbers = Numbers::of(profile);
    let shown = &profile.classes[..limit.unwrap_or(usize::MAX).min(profile.classes.len())];
    Document {
        schema: SCHEMA,
        jvm: JvmJson::of(&run.jvm),
        engine: run.engine.name(),
        labels: profile.all_labels(),
        sources: profile.sources.iter().map(source).collect(),
        options: &run.options,
        started_unix_ms: run.started_unix_ms,
        duration_s: seconds(profile.duration_ms as f64),
        operations: (profile.operations > 0).then_some(profile.operations),
        readings: profile.readings.known().map(|(reading, value)| (reading.key, value)).collect(),
        gcs: profile.gcs,
        live_as_of_s: live_as_of_s(profile.live_as_of),
        start_up: profile.start_up().map(|start_up| StartUpJson {
            ends_s: seconds(start_up.ends_ms as f64),
            allocated_bytes: start_up.allocated,
            classes: start_up.classes,
        }),
        live_after_gc: live_after_gc(profile),
        off_heap: off_heap::off_heap(profile),
        resets: profile.resets,
        complete: profile.complete,
        tracking: TrackingJson::of(run.tracking, run.lifetimes, run.stacks),
        part: numbers.part(),
        scopes: scopes::scopes(profile, limit),
        traces: traces::traces(profile),
        trust: TrustJson { doubts, ..TrustJson::of(profile) },
        census: census::census(profile, limit),
        jvm_flags: profile.flags.iter().map(flag).collect(),
        collections: profile.collections.iter().map(CollectionJson::of).collect(),
        classes: shown.iter().map(|class| numbers.class(class)).collect(),
        sites: shown_sites(profile, shown, limit).map(|site| numbers.site(site)).collect(),
        threads: groups::groups(profile, Grouping::Pool),
        loaders: groups::groups(profile, Grouping::Loader),
        own_ways: ways(profile),
        buckets: if run.lifetimes {
            numbers.buckets(&collected_in_all(profile), numbers.tracked_estimated)
        } else {
            Vec::new()
        },
    }
}

fn source(source: &Source) -> SourceJson<'_> {
    SourceJson {
        labels: &source.labels,
        started_unix_ms: source.started_unix_ms,
        duration_s: seconds(source.duration_ms as f64),
        gcs: source.gcs,
        complete: source.complete,
        allocated_objects: source.allocated.objects,
        allocated_bytes: source.allocated.bytes,
        live_bytes: source.live.map(|live| live.bytes),
        accounted_bytes: source.accounted_bytes,
        jvm_allocated_bytes: source.jvm_allocated_bytes,
        coverage: source.coverage(),
    }
}

fn live_as_of_s(as_of: LiveAsOf) -> Option<f64> {
    match as_of {
        LiveAsOf::Ms(ms) => Some(seconds(ms as f64)),
        LiveAsOf::End | LiveAsOf::NoCollection | LiveAsOf::Each => None,
    }
}

fn live_after_gc(profile: &Profile) -> Option<LiveAfterGcJson> {
    let known = || profile.history.iter().filter_map(|point| point.live);
    let (last, full) = (profile.last_left(), profile.last_left_in_full());
    let at_s = |left: LeftInUse| seconds(left.at_ms as f64);
    Some(LiveAfterGcJson {
        last_bytes: known().next_back()?,
        most_bytes: known().max()?,
        at_least: profile.dropped_beside_curve().is_some(),
        last_kind: last.map(|left| left.kind.name()),
        last_at_s: last.map(at_s),
        full_bytes: full.map(|left| left.bytes),
        full_at_s: full.map(at_s),
    })
}

/// Classes beside whose living objects those matter that were dropped.
fn classes_at_least(profile: &Profile) -> impl Iterator<Item = &str> {
    let at_least =
        |class: &&ClassProfile| profile.dropped_beside(class, class.live.unwrap_or_default()).is_some();
    profile.classes.iter().filter(at_least).map(|class| class.name.as_str())
}

/// How this profile's numbers are to be written.
struct Numbers<'a> {
    profile: &'a Profile,
    variances: Variances<'a>,
    site_bounds: HashMap<&'a str, u64>,
    bounds: &'a BucketBounds,
    /// Classes of which at least so much is live as is said.
    at_least: HashSet<&'a str>,
    /// Whether at most so much is live as is said.
    at_most: bool,
    estimates: &'a BTreeMap<String, ClassEstimate>,
    /// Whether only a sample was tracked, so that allocation counts of sites are estimates.
    sampled: bool,
    /// Whether each class was followed by a share of its own, which may be all of it.
    balanced: bool,
    /// Whether numbers of the living and the dead are estimates.
    tracked_estimated: bool,
    /// Whether lifetimes are upper bounds.
    upper_bounds: bool,
}

impl<'a> Numbers<'a> {
    fn of(profile: &'a Profile) -> Self {
        let run = &profile.run;
        let balanced = run.tracking == Tracking::Balanced;
        let sampled = run.tracking.follows_a_part();
        let thinned = profile.trust.following.thinned_to_one_in > 1;
        Self {
            profile,
            variances: Variances::of(profile),
            site_bounds: profile.site_bounds(),
            bounds: &run.buckets,
            at_least: classes_at_least(profile).collect(),
            at_most: profile.live_is_at_most(),
            estimates: &profile.estimates,
            sampled,
            balanced,
            tracked_estimated: if balanced { !profile.shares.is_empty() } else { sampled } || thinned,
            upper_bounds: run.jvm.lifetimes_are_upper_bounds(),
        }
    }

    fn part(&self) -> Option<PartJson> {
        let Part { lived, during_ms } = self.profile.part;
        let in_seconds = |ms: u64| seconds(ms as f64);
        let doubt =
            |of: fn(LivedPart) -> Tally| lived.map(|lived| TallyJson::of(of(lived), self.tracked_estimated));
        let files = self.profile.rotation.map(FilesJson::of);
        (lived.is_some() || during_ms.is_some() || files.is_some()).then(|| PartJson {
            files,
            during_s: during_ms.map(|(from, to)| (in_seconds(from), in_seconds(to))),
            lived_s: lived
                .map(|lived| lived.band.ends_ms())
                .map(|(from, to)| (in_seconds(from), to.map(in_seconds))),
            certain: doubt(|lived| lived.doubt.certain),
            possible: doubt(|lived| lived.doubt.possible),
        })
    }

    fn estimate(&self, class: &ClassProfile) -> Option<EstimateJson> {
        let estimate = self.estimates.get(&class.name).copied();
        let removed_by_jit = self.profile.is_optimised_away(class);
        let ClassEstimate { allocated, .. } = estimate.or(removed_by_jit.then(ClassEstimate::default))?;
        Some(EstimateJson { bytes: allocated.bytes(), error_bytes: allocated.error_bytes(), removed_by_jit })
    }

    fn class<'p>(&self, class: &'p ClassProfile) -> ClassJson<'p> {
        let share = self.profile.share_of(class);
        let readings = Readings::of(self.profile, class);
        let tracked_estimated = share.map_or(self.tracked_estimated, |share| !share.follows_each());
        ClassJson {
            name: &class.name,
            readable_name: readable_class(&class.name),
            allocated: TallyJson::of(class.allocated, !self.profile.counts_exactly(class)),
            largest: class.allocated.largest,
            jvm_allocated: self.estimate(class),
            optimised_away: self.profile.is_optimised_away(class),
            rank_bytes: self.profile.allocated_bytes(class),
            byte_seconds: self.byte_seconds(class),
            live: self.live(class).map(|live| {
                let variance = self.variances.of_live(class);
                LiveJson::of(live, tracked_estimated, variance, self.bounds_of_live(&class.name))
            }),
            not_judged: self.not_judged(class.unjudged, tracked_estimated),
            collected: self.buckets(&class.collected, tracked_estimated),
            samples: self.profile.samples_of(class),
            followed: share.map(|share| share.followed),
            lifetime: class
                .lifetimes
                .as_ref()
                .map(|_| LifetimeJson::of(&readings, self.upper_bounds, tracked_estimated)),
            measures: readings.keyed(),
        }
    }

    /// Whether at least, and at most, so much of a class is live.
    fn bounds_of_live(&self, class: &str) -> (bool, bool) {
        (self.at_least.contains(class), self.at_most)
    }

    fn live(&self, class: &ClassProfile) -> Option<Tally> {
        class.live.filter(|_| self.profile.knows_live_of(class))
    }

    fn not_judged(&self, unjudged: Tally, estimated: bool) -> Option<TallyJson> {
        let told = self.profile.live_as_of != LiveAsOf::End;
        told.then(|| TallyJson::of(unjudged, estimated))
    }

    fn byte_seconds(&self, class: &ClassProfile) -> Option<ByteSecondsJson> {
        let ByteSeconds { dead, living } = class.byte_seconds(self.bounds)?;
        Some(ByteSecondsJson { dead, living, estimated: self.tracked_estimated })
    }

    fn site<'p>(&self, site: &'p SiteProfile) -> SiteJson<'p> {
        let whole = self.balanced && !self.profile.shares.contains_key(&site.class);
        let exact = (whole || !self.sampled) && site.error == 0.0 && self.profile.is_exact_part();
        let lifetimes_estimated = !exact || (self.tracked_estimated && !whole);
        SiteJson {
            class: &site.class,
            readable_class: readable_class(&site.class),
            stack: site.stack.iter().map(frame_text).collect(),
            allocated: TallyJson::of(site.allocated, !exact),
            live: site.live.map(|live| {
                let variance = self.variances.of_live_sites([site]);
                LiveJson::of(live, lifetimes_estimated, variance, self.bounds_of_live(&site.class))
            }),
            not_judged: self.not_judged(site.unjudged, lifetimes_estimated),
            collected: self.buckets(&site.collected, lifetimes_estimated),
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

impl<'a> JvmJson<'a> {
    fn of(jvm: &'a JvmInfo) -> Self {
        Self { pid: jvm.pid, version: &jvm.version, gc: jvm.gc.name(), command: &jvm.command }
    }
}

fn flag(flag: &Flag) -> (&str, FlagJson) {
    let value = match flag.value {
        FlagValue::Switch(on) => FlagJson::Switch(on),
        FlagValue::Number(number) => FlagJson::Number(number),
    };
    (&flag.name, value)
}

impl<'a> CollectionJson<'a> {
    fn of(collection: &'a Collection) -> Self {
        Self {
            number: collection.number,
            at_s: seconds(collection.at_ms as f64),
            pause_ms: collection.pause_us as f64 / 1000.0,
            allocated_bytes: collection.bytes,
            kind: collection.kind.name(),
            cause: &collection.cause,
            heap: collection.heap().map(UseJson::of),
            young: collection.young.map(UseJson::of),
            old: collection.old.map(UseJson::of),
            promoted_bytes: collection.promoted(),
            tenuring: collection.tenuring.as_ref().map(|tenuring| TenuringJson {
                threshold: tenuring.threshold,
                desired_survivor_bytes: tenuring.desired_survivor_bytes,
                age_bytes: &tenuring.age_bytes,
            }),
        }
    }
}

impl UseJson {
    fn of(used: GenerationUse) -> Self {
        Self { before_bytes: used.before, after_bytes: used.after, capacity_bytes: used.capacity }
    }
}

impl TrackingJson {
    fn of(tracking: Tracking, lifetimes: bool, stacks: bool) -> Self {
        let (objects, nth, interval_bytes) = match tracking {
            Tracking::Off => ("off", None, None),
            Tracking::EveryObject => ("every_object", None, None),
            Tracking::EveryNth(nth) => ("every_nth", Some(nth), None),
            Tracking::ByteSample(interval) => ("byte_sample", None, Some(interval)),
            Tracking::Balanced => ("balanced", None, None),
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
            doubts: Vec::new(),
            refusals: trust.refusals.iter().map(RefusalsJson::of).collect(),
            dropped: trust.dropped.iter().map(DroppedJson::of).collect(),
            following: FollowingJson::of(trust.following),
            cost: CostJson::of(&trust.cost),
        }
    }
}

/// The measures of a class, in their order.
struct Readings([Option<Quantile>; MEASURES.len()]);

impl Readings {
    fn of(profile: &Profile, class: &ClassProfile) -> Self {
        Self(MEASURES.map(|measure| measure.of(profile, class)))
    }

    fn get(&self, wanted: &Measure) -> Option<Quantile> {
        let at = MEASURES.iter().position(|&measure| measure == wanted)?;
        self.0[at]
    }

    /// Each by its key.
    fn keyed(&self) -> BTreeMap<&'static str, Option<NumberJson>> {
        let number = |measure: &Measure, of: &Option<Quantile>| {
            let point = (*of)?.point?;
            // A median of sizes may lie between two of them.
            let counts = matches!(measure.unit, Unit::Bytes | Unit::Objects);
            let is_whole = counts && (measure.adds_up || point.fract() == 0.0);
            Some(if is_whole { NumberJson::Whole(point.round() as u64) } else { NumberJson::Real(point) })
        };
        MEASURES.iter().zip(&self.0).map(|(measure, of)| (measure.key, number(measure, of))).collect()
    }
}

impl LifetimeJson {
    fn of(known: &Readings, upper_bound: bool, estimated: bool) -> Self {
        let point = |measure: &Measure| known.get(measure)?.point;
        let band = |measure: &Measure| known.get(measure).map(|of| (of.low, of.high));
        Self {
            p50_s: point(&P50_S),
            p50_s_band: band(&P50_S),
            p90_s: point(&P90_S),
            p90_s_band: band(&P90_S),
            p99_s: point(&P99_S),
            p99_s_band: band(&P99_S),
            p50_gcs: point(&P50_GCS),
            p50_gcs_band: band(&P50_GCS),
            p50_bytes: point(&P50_BYTES),
            p50_bytes_band: band(&P50_BYTES),
            died_before_first_gc_share: point(&DIED_BEFORE_FIRST_GC_SHARE),
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

impl<'a> RefusalsJson<'a> {
    fn of(refusals: &'a Refusals) -> Self {
        Self { reason: &refusals.reason, methods: refusals.methods }
    }
}

impl<'a> DroppedJson<'a> {
    fn of(dropped: &'a Dropped) -> Self {
        Self { cause: &dropped.cause, objects: dropped.objects }
    }
}

impl FollowingJson {
    fn of(following: Following) -> Self {
        Self {
            whole_collections: following.whole_collections,
            most_bytes_between: following.most_bytes_between,
            most_ms_between: following.most_ms_between,
            thinned_to_one_in: following.thinned_to_one_in,
            sweeps: following.sweeps,
            asked: following.asked,
            sweep_ms: following.sweep_ms,
            longest_sweep_ms: following.longest_sweep_ms,
        }
    }
}

impl CostJson {
    fn of(cost: &OwnCost) -> Self {
        Self { cpu_ms: cost.cpu_ms, native_bytes: cost.native_bytes, rewrite_ms: cost.rewrite_ms }
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
