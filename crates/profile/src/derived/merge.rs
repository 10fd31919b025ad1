//! Several profiles as one: runs of one program, or the processes of one service.
//!
//! A merge says only what is known of each profile in it, so that no order and no grouping of merges matters:
//!
//! - Counts, times, collections, resets and operations add up, and so do the parts of trust; the longest gaps and the strongest thinning
//!   of all hold for all.
//! - Buckets are those whose bounds all have; what lies between other bounds goes together.
//! - What one of them did not follow (deaths, stacks) or count (the JVM's counter, samples) is not known of the merge. The same
//!   holds for deaths of a class or site which one of them did not follow.
//! - Single collections are not of a merge: each JVM has clocks of its own. What is live is what the last collection of each has left; of
//!   one without a collection all is not judged.
//! - Each recording that is in it stays a source with its labels and totals ([`crate::facts::source::Source`]). Lifetimes are mixtures of theirs.
//! - Mixed engines count as the less exact one, mixed tracking as the coarser one. Other facts of a run that differ are left
//!   out: a collector is unknown, a text empty, a view shows all.
//!
//! Errors are standard errors of independent estimates: their squares add up. Not here: ids of one stream that carry one
//! name (`by_name`).

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::derived::sources;
use crate::facts::buckets::BucketBounds;
use crate::facts::estimate::joint_error;
use crate::facts::following::Following;
use crate::facts::run::{EngineKind, JvmInfo, RunInfo, Tracking};
use crate::facts::share::Share;
use crate::facts::stack::Stack;
use crate::facts::tally::Tally;
use crate::facts::trust::{Dropped, OwnCost, Refusals, Remainder, Trust};
use crate::stream::kinds::Facts;
use crate::stream::order::{class_order, in_order, site_order};
use crate::stream::profile::{ClassProfile, LiveAsOf, Profile, SiteProfile};

impl Profile {
    /// This profile and another one as one. Commutative and associative, but for the rounding of numbers that are not whole.
    pub fn merge(self, other: Self) -> Self {
        self.unordered_with(other).ordered()
    }

    /// The same, with rows in no order yet.
    pub(super) fn unordered_with(self, other: Self) -> Self {
        let run = self.run.both(&other.run);
        let trust = self.trust.both(&other.trust);
        let sources = sources::joined(self.all_sources(), other.all_sources());
        let labels = sources::common(&self.labels, &other.labels);
        let live_as_of = live_as_of(self.live_as_of, other.live_as_of);
        let [mut into, mut other] =
            [self, other].map(|part| part.unjudged_if_uncollected().reduced(&run, &trust));
        into.resets = into.resets.saturating_add(other.resets);
        into.complete &= other.complete;
        Facts::default().all().into_iter().for_each(|kind| kind.merge(&mut into, &mut other));
        into.shares = shares(&run, [&into, &other]);
        into.classes = joined(into.classes, other.classes);
        into.sites = joined(into.sites, other.sites);
        into.part = same(&into.part, &other.part);
        into.flags = same(&into.flags, &other.flags);
        into.history.clear();
        Self { run, trust, live_as_of, labels, sources, ..into }.without_guesses()
    }

    pub(super) fn ordered(mut self) -> Self {
        self.classes = in_order(self.classes, class_order);
        self.sites = in_order(self.sites, site_order);
        self.ranked()
    }

    /// Where nothing was collected, what is tracked as what is not judged: so it is in a merge with others.
    fn unjudged_if_uncollected(mut self) -> Self {
        if self.live_as_of == LiveAsOf::NoCollection {
            let unjudged = |collected: &Vec<Tally>| (!collected.is_empty()).then_some(Tally::default());
            self.classes.iter_mut().for_each(|class| class.live = unjudged(&class.collected));
            self.sites.iter_mut().for_each(|site| site.live = unjudged(&site.collected));
        }
        self
    }

    /// What of this profile is left in a merge with such facts.
    pub(crate) fn reduced(mut self, run: &RunInfo, trust: &Trust) -> Self {
        let from = &self.run.buckets;
        let regrouped = |collected: &mut Vec<Tally>| match *from == run.buckets {
            true => std::mem::take(collected),
            false => from.regrouped(collected, &run.buckets),
        };
        for class in &mut self.classes {
            let known = class.live.filter(|_| run.lifetimes);
            class.live = known;
            class.unjudged = if run.lifetimes { class.unjudged } else { Tally::default() };
            class.collected = known.map_or_else(Vec::new, |_| regrouped(&mut class.collected));
            class.lifetimes = class.lifetimes.take().filter(|_| known.is_some());
            class.byte_ages = class.byte_ages.take().filter(|_| known.is_some());
        }
        if !run.stacks {
            self.sites.clear();
        }
        for site in &mut self.sites {
            let known = site.live.filter(|_| run.lifetimes);
            site.live = known;
            site.unjudged = if run.lifetimes { site.unjudged } else { Tally::default() };
            site.collected = known.map_or_else(Vec::new, |_| regrouped(&mut site.collected));
            site.byte_seconds = known.map_or(0.0, |_| site.byte_seconds);
            site.lifetimes = site.lifetimes.take().filter(|_| known.is_some());
        }
        if trust.sample_interval.is_none() {
            self.estimates.clear();
        }
        self
    }
}

/// Of how many objects the lifetimes of both are; of a class without an entry each was followed.
fn shares(run: &RunInfo, both: [&Profile; 2]) -> BTreeMap<String, Share> {
    let mut sums = BTreeMap::new();
    if run.tracking != Tracking::Balanced || !run.lifetimes {
        return sums;
    }
    for name in both.iter().flat_map(|profile| profile.shares.keys()) {
        let of = |profile: &&Profile| {
            let objects =
                || profile.classes.iter().find(|class| class.name == *name).map(|c| c.allocated.objects);
            profile.shares.get(name).copied().unwrap_or_else(|| Share::whole(objects().unwrap_or(0)))
        };
        let mut sum = Share::default();
        both.iter().map(of).for_each(|share| sum.add(share));
        sums.insert(name.clone(), sum);
    }
    sums
}

/// As of when it is known what of both is live.
fn live_as_of(ours: LiveAsOf, theirs: LiveAsOf) -> LiveAsOf {
    match (ours, theirs) {
        (LiveAsOf::NoCollection, LiveAsOf::NoCollection) => LiveAsOf::NoCollection,
        (LiveAsOf::End, LiveAsOf::End) => LiveAsOf::End,
        _ => LiveAsOf::Each,
    }
}

/// A row of a table in which each key is once.
trait Row {
    type Key<'a>: Hash + Eq
    where
        Self: 'a;

    fn key(&self) -> Self::Key<'_>;

    /// Adds another one of the same key.
    fn join(&mut self, other: Self);
}

/// The rows of both; rows of one key are joined.
fn joined<T: Row>(ours: Vec<T>, theirs: Vec<T>) -> Vec<T> {
    // Of thousands of recordings each stack is hashed as often.
    let known: FxHashMap<_, _> = ours.iter().enumerate().map(|(at, row)| (row.key(), at)).collect();
    let places: Vec<_> = theirs.iter().map(|row| known.get(&row.key()).copied()).collect();
    drop(known);
    let mut rows = ours;
    for (row, place) in theirs.into_iter().zip(places) {
        match place {
            Some(at) => rows[at].join(row),
            None => rows.push(row),
        }
    }
    rows
}

impl Row for ClassProfile {
    type Key<'a> = &'a str;

    fn key(&self) -> &str {
        &self.name
    }

    fn join(&mut self, other: Self) {
        self.allocated.add(other.allocated);
        self.live = join_live(self.live, &mut self.collected, other.live, &other.collected);
        self.unjudged.add(other.unjudged);
        self.between_samples = self.between_samples.max(other.between_samples);
        self.lifetimes = match (self.live, self.lifetimes.take(), other.lifetimes) {
            (None, ..) => None,
            (Some(_), Some(mut ours), Some(theirs)) => {
                ours.merge(&theirs);
                Some(ours)
            }
            (Some(_), ours, theirs) => ours.or(theirs),
        };
        self.byte_ages =
            both_known(self.byte_ages.take(), other.byte_ages, |ours, theirs| ours.merge(&theirs))
                .filter(|_| self.live.is_some());
    }
}

impl Row for SiteProfile {
    type Key<'a> = (&'a str, &'a Stack);

    fn key(&self) -> (&str, &Stack) {
        (&self.class, &self.stack)
    }

    fn join(&mut self, other: Self) {
        self.error = joint_error((self.error, self.allocated), (other.error, other.allocated));
        self.allocated.add(other.allocated);
        self.live = join_live(self.live, &mut self.collected, other.live, &other.collected);
        self.unjudged.add(other.unjudged);
        self.between_samples = self.between_samples.max(other.between_samples);
        self.byte_seconds = self.live.map_or(0.0, |_| self.byte_seconds + other.byte_seconds);
        self.lifetimes =
            both_known(self.lifetimes.take(), other.lifetimes, |ours, theirs| ours.merge(&theirs))
                .filter(|_| self.live.is_some());
    }
}

/// Both together; nothing if one is not known.
fn both_known<T>(ours: Option<T>, theirs: Option<T>, join: impl FnOnce(&mut T, T)) -> Option<T> {
    let (mut ours, theirs) = ours.zip(theirs)?;
    join(&mut ours, theirs);
    Some(ours)
}

/// The living of both; the dead are added to `dead`. Nothing of either if one is not known.
fn join_live(
    living: Option<Tally>,
    dead: &mut Vec<Tally>,
    others_living: Option<Tally>,
    others_dead: &[Tally],
) -> Option<Tally> {
    let (Some(mut living), Some(others_living)) = (living, others_living) else {
        dead.clear();
        return None;
    };
    living.add(others_living);
    dead.iter_mut().zip(others_dead).for_each(|(sum, &tally)| sum.add(tally));
    Some(living)
}

/// What both say; the default if they differ.
fn same<T: PartialEq + Clone + Default>(a: &T, b: &T) -> T {
    if a == b { a.clone() } else { T::default() }
}

impl RunInfo {
    /// The facts that hold for two runs together.
    pub(crate) fn both(&self, other: &Self) -> Self {
        let lifetimes = self.lifetimes && other.lifetimes;
        Self {
            jvm: JvmInfo {
                pid: same(&self.jvm.pid, &other.jvm.pid),
                version: same(&self.jvm.version, &other.jvm.version),
                gc: same(&self.jvm.gc, &other.jvm.gc),
                command: same(&self.jvm.command, &other.jvm.command),
            },
            engine: match (self.engine, other.engine) {
                (EngineKind::Exact, EngineKind::Exact) => EngineKind::Exact,
                _ => EngineKind::Sampled,
            },
            options: same(&self.options, &other.options),
            started_unix_ms: self.started_unix_ms.min(other.started_unix_ms),
            buckets: if lifetimes { self.buckets.common(&other.buckets) } else { BucketBounds::default() },
            tracking: coarser(self.tracking, other.tracking),
            lifetimes,
            stacks: self.stacks && other.stacks,
            view: same(&self.view, &other.view),
        }
    }
}

/// The one that says less of single objects.
fn coarser(a: Tracking, b: Tracking) -> Tracking {
    let coarseness = |tracking: &Tracking| match *tracking {
        Tracking::EveryObject => (0, 0),
        Tracking::Balanced => (1, 0),
        Tracking::EveryNth(n) => (2, n),
        Tracking::ByteSample(interval) => (3, interval),
        Tracking::Off => (4, 0),
    };
    std::cmp::max_by_key(a, b, coarseness)
}

impl Trust {
    /// How two profiles together stand to the counters of their JVMs.
    pub(crate) fn both(&self, other: &Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        let refusals = self.refusals.iter().chain(&other.refusals).map(|row| (&row.reason, row.methods));
        let dropped = self.dropped.iter().chain(&other.dropped).map(|row| (&row.cause, row.objects));
        Self {
            accounted_bytes: self.accounted_bytes.saturating_add(other.accounted_bytes),
            jvm_allocated_bytes: sum(self.jvm_allocated_bytes, other.jvm_allocated_bytes),
            remainder: remainders(self.remainder.iter().chain(&other.remainder)),
            refusals: summed(refusals).map(|(reason, methods)| Refusals { reason, methods }).collect(),
            dropped: summed(dropped).map(|(cause, objects)| Dropped { cause, objects }).collect(),
            sample_interval: self
                .sample_interval
                .zip(other.sample_interval)
                .map(|(ours, theirs)| ours.max(theirs)),
            following: self.following.both(other.following),
            cost: OwnCost {
                cpu_ms: self.cost.cpu_ms.saturating_add(other.cost.cpu_ms),
                native_bytes: self.cost.native_bytes.saturating_add(other.cost.native_bytes),
                rewrite_ms: self.cost.rewrite_ms.saturating_add(other.cost.rewrite_ms),
            },
        }
    }
}

/// Sums by name, largest first, ties by name.
fn summed<'a>(rows: impl Iterator<Item = (&'a String, u64)>) -> impl Iterator<Item = (String, u64)> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, count) in rows {
        let sum = sums.entry(name).or_default();
        *sum = sum.saturating_add(count);
    }
    let mut sums: Vec<_> = sums.into_iter().map(|(name, sum)| (name.to_owned(), sum)).collect();
    sums.sort_by_key(|&(_, sum)| std::cmp::Reverse(sum));
    sums.into_iter()
}

/// Parts by cause: known causes first, the largest of them first. A sum is exact if all of its parts are.
fn remainders<'a>(parts: impl Iterator<Item = &'a Remainder>) -> Vec<Remainder> {
    let mut sums: BTreeMap<(bool, &str), Remainder> = BTreeMap::new();
    for part in parts {
        match sums.get_mut(&(part.named, part.cause.as_str())) {
            Some(sum) => {
                sum.bytes = sum.bytes.saturating_add(part.bytes);
                sum.error_bytes = match (sum.error_bytes, part.error_bytes) {
                    (Some(a), Some(b)) => Some((a as f64).hypot(b as f64).round() as u64),
                    (a, b) => a.or(b),
                };
            }
            None => drop(sums.insert((part.named, &part.cause), part.clone())),
        }
    }
    let mut sums: Vec<_> = sums.into_values().collect();
    sums.sort_by_key(|part| (!part.named, std::cmp::Reverse(part.bytes)));
    sums
}

impl Following {
    fn both(self, other: Self) -> Self {
        Self {
            whole_collections: self.whole_collections.saturating_add(other.whole_collections),
            most_bytes_between: self.most_bytes_between.max(other.most_bytes_between),
            most_ms_between: self.most_ms_between.max(other.most_ms_between),
            thinned_to_one_in: self.thinned_to_one_in.max(other.thinned_to_one_in),
            sweeps: self.sweeps.saturating_add(other.sweeps),
            asked: self.asked.saturating_add(other.asked),
            sweep_ms: self.sweep_ms.saturating_add(other.sweep_ms),
            longest_sweep_ms: self.longest_sweep_ms.max(other.longest_sweep_ms),
        }
    }
}
