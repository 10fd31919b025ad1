//! The profile that a stream makes: counts of ids that carry the same name are summed, and rows put in order.
//!
//! Not here: which counts are current, which is the builder's; several profiles as one (`merge`).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::facts::estimate::joint_error;
use crate::facts::ids::FrameId;
use crate::facts::share::Share;
use crate::facts::stack::SharedStacks;
use crate::facts::tally::Tally;
use crate::fitted::calibration;
use crate::fitted::{living_sites, scopes};
use crate::stream::builder::ProfileBuilder;
use crate::stream::order::{class_order, in_order, site_order};
use crate::stream::profile::{ClassProfile, LiveAsOf, Profile, SiteProfile};
use crate::stream::update::{ClassCounts, SiteCounts};

impl ProfileBuilder {
    /// The profile as of the last update.
    pub fn profile(&self) -> Profile {
        self.of_stacks(None)
    }

    /// The same, with stacks that are shared with those of other profiles.
    pub fn profile_sharing(&self, stacks: &SharedStacks) -> Profile {
        self.of_stacks(Some(stacks))
    }

    fn of_stacks(&self, shared: Option<&SharedStacks>) -> Profile {
        let mut profile = Profile { sites: site_profiles(self, shared), ..self.calibrated_classes() };
        // Each of several recordings was calibrated before it was merged.
        if !profile.is_merged() {
            calibration::sites(&mut profile);
            living_sites::fit(&mut profile);
        }
        self.of_this_file(profile.without_guesses().ranked())
    }

    /// What of the run happened in the time of this file, if it is one of several.
    fn of_this_file(&self, whole: Profile) -> Profile {
        match &self.base {
            Some(base) => whole.since_base(base),
            None => whole,
        }
    }

    /// The same with what happened when, which a profile that is read again no longer tells.
    pub fn profile_with_history(&self) -> Profile {
        // What happened when is of one JVM.
        let history = if self.facts.sources.is_empty() { self.history.points().to_vec() } else { Vec::new() };
        Profile { history, ..self.profile() }
    }

    /// Like [`Self::profile`] with no sites: what a live display needs, at a cost that does not grow with stacks.
    pub fn profile_without_sites(&self) -> Profile {
        self.of_this_file(self.calibrated_classes().without_guesses().ranked())
    }

    fn calibrated_classes(&self) -> Profile {
        let mut profile = Profile {
            run: self.run.clone().unwrap_or_default(),
            resets: self.resets,
            classes: class_profiles(self),
            shares: class_shares(self),
            complete: self.complete,
            ..Profile::default()
        };
        self.facts.all().into_iter().for_each(|kind| kind.write_into(&self.names, &mut profile));
        if !profile.is_merged() {
            calibration::classes(&mut profile);
            scopes::fit(&mut profile);
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
    for counts in builder.facts.counts.classes.values() {
        let Some(index) = builder.names.classes.index(counts.id) else { continue };
        let Some(name) = builder.names.classes.value(index) else { continue };
        let row =
            rows.entry(index).or_insert_with(|| ClassProfile { name: name.clone(), ..Default::default() });
        row.add(counts, builder.facts.live.of_class(counts.id), builder.bucket_count());
        let between = builder.facts.between_samples.classes.get(&counts.id).copied();
        row.between_samples = row.between_samples.max(between);
        if let Some(ages) = builder.facts.lifetimes.classes.get(&counts.id) {
            row.byte_ages.get_or_insert_default().merge(ages);
        }
    }
    in_order(rows.into_values().collect(), class_order)
}

/// Of how many objects the lifetimes of a class are, by name, where not each was followed.
fn class_shares(builder: &ProfileBuilder) -> BTreeMap<String, Share> {
    let mut by_name: BTreeMap<String, Share> = BTreeMap::new();
    if builder.facts.shares.is_empty() {
        return by_name;
    }
    for (id, counts) in builder.facts.counts.classes.iter() {
        let name = builder.names.class(*id);
        let share =
            builder.facts.shares.get(id).copied().unwrap_or_else(|| Share::whole(counts.allocated.objects));
        if let Some(name) = name {
            by_name.entry(name.clone()).or_default().add(share);
        }
    }
    by_name.retain(|_, share| !share.is_whole());
    by_name
}

/// One row per class name and stack, largest allocated bytes first, ties by class and stack.
fn site_profiles(builder: &ProfileBuilder, shared: Option<&SharedStacks>) -> Vec<SiteProfile> {
    let counts = builder.facts.counts.sites.values();
    let mut counts: Vec<_> =
        counts.filter_map(|counts| Some((builder.names.sites.index(counts.id)?, counts))).collect();
    counts.sort_by_key(|&(index, _)| index);
    let sites = || {
        let of_each = counts.chunk_by(|a, b| a.0 == b.0);
        of_each.filter_map(|of_site| Some((builder.names.sites.value(of_site[0].0)?, of_site)))
    };
    let frame = |id: FrameId| builder.names.frames.value(id.row()).cloned().unwrap_or_default();
    let stacks = builder.names.stacks.named(sites().map(|(key, _)| key.stack), frame, shared);
    // Not in a table that grows: a program may have 100,000 sites.
    let mut rows = Vec::with_capacity(stacks.len());
    for ((key, of_site), stack) in sites().zip(stacks) {
        let class = builder.names.classes.value(key.class).cloned().unwrap_or_default();
        let mut row = SiteProfile { class, stack, ..SiteProfile::default() };
        for &(_, counts) in of_site {
            row.add(counts, builder.facts.live.of_site(counts.id), builder.bucket_count());
            let between = builder.facts.between_samples.sites.get(&counts.id).copied();
            row.between_samples = row.between_samples.max(between);
            if let Some((then, lifetimes)) = builder.facts.lifetimes.sites.get(&counts.id) {
                row.lifetimes
                    .get_or_insert_default()
                    .merge(&lifetimes.as_of(*then, builder.facts.lifetimes.stamp));
            }
        }
        rows.push(row);
    }
    in_order(rows, site_order)
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
