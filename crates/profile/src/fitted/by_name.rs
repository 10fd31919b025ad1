//! The profile that a stream makes: counts of ids that carry the same name are summed, and rows put in order.
//!
//! Not here: which counts are current, which is the builder's; several profiles as one (`merge`).

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::facts::census::{Census, ClassCensus};
use crate::facts::estimate::{ClassEstimate, joint_error};
use crate::facts::ids::FrameId;
use crate::facts::part::Part;
use crate::facts::share::Share;
use crate::facts::tally::Tally;
use crate::fitted::calibration;
use crate::fitted::living_sites;
use crate::lifetime::scope::ScopeProfile;
use crate::stream::builder::ProfileBuilder;
use crate::stream::order::{class_order, site_order};
use crate::stream::profile::{ClassProfile, LiveAsOf, Profile, SiteProfile};
use crate::stream::update::{ClassCounts, SiteCounts};
use crate::stream::versions::Versions;

impl ProfileBuilder {
    /// The profile as of the last update.
    pub fn profile(&self) -> Profile {
        let mut profile = Profile { sites: site_profiles(self), ..self.calibrated_classes() };
        // Each of several recordings was calibrated before it was merged.
        if !profile.is_merged() {
            calibration::sites(&mut profile);
            living_sites::fit(&mut profile);
        }
        profile.without_guesses().ranked()
    }

    /// The same with what happened when, which a profile that is read again no longer tells.
    pub fn profile_with_history(&self) -> Profile {
        // What happened when is of one JVM.
        let history = if self.sources.is_empty() { self.history.points().to_vec() } else { Vec::new() };
        Profile { history, ..self.profile() }
    }

    /// Like [`Self::profile`] with no sites: what a live display needs, at a cost that does not grow with stacks.
    pub fn profile_without_sites(&self) -> Profile {
        self.calibrated_classes().without_guesses().ranked()
    }

    fn calibrated_classes(&self) -> Profile {
        let mut profile = Profile {
            run: self.run.clone().unwrap_or_default(),
            duration_ms: self.duration_ms,
            gcs: self.gcs,
            resets: self.resets,
            operations: self.operations,
            classes: class_profiles(self),
            sites: Vec::new(),
            estimates: class_estimates(self),
            shares: class_shares(self),
            scopes: scope_profiles(self),
            trust: self.trust.clone(),
            complete: self.complete,
            part: Part::default(),
            collections: self.collections.to_vec(),
            flags: self.flags.clone(),
            history: Vec::new(),
            live_as_of: self.live_as_of,
            labels: self.labels.clone(),
            sources: self.sources.clone(),
            census: census(self),
        };
        if !profile.is_merged() {
            calibration::classes(&mut profile);
        }
        profile
    }
}

impl Profile {
    /// Where nothing was collected, it is not known what is live.
    pub(crate) fn without_guesses(mut self) -> Self {
        if self.live_as_of == LiveAsOf::NoCollection {
            self.classes.iter_mut().for_each(|class| class.live = None);
            self.sites.iter_mut().for_each(|site| site.live = None);
        }
        self
    }
}

/// One row per class name, largest allocated bytes first, ties by name.
fn class_profiles(builder: &ProfileBuilder) -> Vec<ClassProfile> {
    let mut rows: FxHashMap<usize, ClassProfile> = FxHashMap::default();
    for counts in builder.class_counts.values() {
        let Some(index) = builder.class_names.index(counts.id) else { continue };
        let Some(name) = builder.class_names.value(index) else { continue };
        let row =
            rows.entry(index).or_insert_with(|| ClassProfile { name: name.clone(), ..Default::default() });
        row.add(counts, builder.judged(&builder.class_live, counts.id), builder.bucket_count());
        if let Some(ages) = builder.class_ages.get(&counts.id) {
            row.byte_ages.get_or_insert_default().merge(ages);
        }
    }
    let mut rows: Vec<_> = rows.into_values().collect();
    rows.sort_by(class_order);
    rows
}

/// Estimates by class name.
fn class_estimates(builder: &ProfileBuilder) -> BTreeMap<String, ClassEstimate> {
    let mut by_name: BTreeMap<String, ClassEstimate> = BTreeMap::new();
    for (&id, &estimate) in builder.estimates.iter() {
        let name = builder.class_names.index(id).and_then(|index| builder.class_names.value(index));
        if let Some(name) = name {
            by_name.entry(name.clone()).or_default().add(estimate);
        }
    }
    by_name
}

/// Of how many objects the lifetimes of a class are, by name, where not each was followed.
fn class_shares(builder: &ProfileBuilder) -> BTreeMap<String, Share> {
    let mut by_name: BTreeMap<String, Share> = BTreeMap::new();
    if builder.shares.is_empty() {
        return by_name;
    }
    for (id, counts) in builder.class_counts.iter() {
        let name = builder.class_names.index(*id).and_then(|index| builder.class_names.value(index));
        let share = builder.shares.get(id).copied().unwrap_or_else(|| Share::whole(counts.allocated.objects));
        if let Some(name) = name {
            by_name.entry(name.clone()).or_default().add(share);
        }
    }
    by_name.retain(|_, share| !share.is_whole());
    by_name
}

/// What was read of young collections, by class name.
fn census(builder: &ProfileBuilder) -> Option<Census> {
    let mut classes: BTreeMap<String, ClassCensus> = BTreeMap::new();
    for (&id, counts) in builder.class_census.iter() {
        let name = builder.class_names.index(id).and_then(|index| builder.class_names.value(index));
        if let Some(name) = name {
            classes.entry(name.clone()).or_default().add(counts);
        }
    }
    Some(Census { reach: builder.census_reach.clone()?, classes })
}

fn scope_profiles(builder: &ProfileBuilder) -> Vec<ScopeProfile> {
    let name = |id| builder.class_names.index(id).and_then(|index| builder.class_names.value(index));
    builder.scopes.values().map(|counts| ScopeProfile::named(counts, name)).collect()
}

/// One row per class name and stack, largest allocated bytes first, ties by class and stack.
fn site_profiles(builder: &ProfileBuilder) -> Vec<SiteProfile> {
    let counts = builder.site_counts.values();
    let mut counts: Vec<_> =
        counts.filter_map(|counts| Some((builder.site_keys.index(counts.id)?, counts))).collect();
    counts.sort_by_key(|&(index, _)| index);
    let frame = |id: FrameId| builder.frames.value(id.row()).cloned().unwrap_or_default();
    let stacks = builder.stacks.named(frame);
    // Not in a table that grows: a program may have 100,000 sites.
    let mut rows = Vec::with_capacity(counts.len());
    for of_site in counts.chunk_by(|a, b| a.0 == b.0) {
        let Some(key) = builder.site_keys.value(of_site[0].0) else { continue };
        let class = builder.class_names.value(key.class).cloned().unwrap_or_default();
        let mut row = SiteProfile { class, stack: stacks.get(key.stack), ..SiteProfile::default() };
        for &(_, counts) in of_site {
            row.add(counts, builder.judged(&builder.site_live, counts.id), builder.bucket_count());
            if let Some((then, fates)) = builder.site_fates.get(&counts.id) {
                row.fates.get_or_insert_default().merge(&fates.as_of(*then, builder.stamp));
            }
        }
        rows.push(row);
    }
    rows.sort_by(site_order);
    rows
}

impl ProfileBuilder {
    /// What the last collection has left of a row; `None` where that is not told: then it is what was not seen dead.
    pub(crate) fn judged<I: Copy + Ord + Hash>(&self, live: &Versions<I, Tally>, id: I) -> Option<Tally> {
        let told = self.live_as_of != LiveAsOf::End;
        told.then(|| live.get(&id).copied().unwrap_or_default())
    }
}

/// What was not seen dead, as what is live and what was born since. Of the living none died since it was judged, but those that are
/// seen dead.
fn parted(not_seen_dead: Tally, judged: Option<Tally>) -> (Tally, Tally) {
    let Some(judged) = judged else { return (not_seen_dead, Tally::default()) };
    let live = Tally {
        objects: judged.objects.min(not_seen_dead.objects),
        bytes: judged.bytes.min(not_seen_dead.bytes),
        largest: not_seen_dead.largest,
    };
    (live, not_seen_dead.without(live))
}

impl ClassProfile {
    fn add(&mut self, counts: &ClassCounts, judged: Option<Tally>, buckets: usize) {
        self.allocated.add(counts.allocated);
        let Some(tracked) = &counts.lifetimes else { return };
        let (live, unjudged) = parted(tracked.live, judged);
        self.live.get_or_insert_default().add(live);
        self.unjudged.add(unjudged);
        add_buckets(&mut self.collected, &tracked.collected, buckets);
        if !tracked.lifetimes.is_empty() {
            self.lifetimes.get_or_insert_default().merge(&tracked.lifetimes);
        }
    }
}

impl SiteProfile {
    /// Adds what was counted under an id of this site, in a run of so many lifetime buckets; and how many of those that were not seen
    /// dead the last collection has left, if that is told.
    pub fn add(&mut self, counts: &SiteCounts, judged: Option<Tally>, buckets: usize) {
        self.error = joint_error((self.error, self.allocated), (counts.error, counts.allocated));
        self.allocated.add(counts.allocated);
        self.byte_seconds += counts.byte_seconds;
        let Some(not_seen_dead) = counts.live else { return };
        let (live, unjudged) = parted(not_seen_dead, judged);
        self.live.get_or_insert_default().add(live);
        self.unjudged.add(unjudged);
        add_buckets(&mut self.collected, &counts.collected, buckets);
    }
}

/// Adds bucket by bucket; `into` always has `buckets` entries, what lies beyond them is added to the last.
fn add_buckets(into: &mut Vec<Tally>, from: &[Tally], buckets: usize) {
    into.resize(buckets, Tally::default());
    for (index, &tally) in from.iter().enumerate() {
        into[index.min(buckets - 1)].add(tally);
    }
}
