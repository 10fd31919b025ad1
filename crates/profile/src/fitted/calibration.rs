//! Makes what a sample tells of a class agree with the exact count of it: the living and the dead together are as many as
//! were allocated, and all its sites together, too.
//!
//! This is post-stratification by class. A difference is put down to the parts in proportion to their variance, which is the
//! adjustment of least variance (J.-C. Deville and C.-E. Särndal, Calibration estimators in survey sampling, 1992): parts of
//! large objects, of which nearly every one is picked, keep their numbers; parts of objects of one size keep their shares.
//! Not here: weights of single samples, which are the agent's.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::facts::division::divide;
use crate::facts::estimate::{ClassEstimate, Estimate};
use crate::facts::readings::BYTES_BETWEEN_SAMPLES;
use crate::facts::run::{EngineKind, Tracking};
use crate::facts::share::Share;
use crate::facts::tally::Tally;
use crate::fitted::joint::Joint;
use crate::fitted::removed::{LARGE, is_removed};
use crate::stream::order::site_order;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// Parts of one that are told apart before the parts of a sum are rounded to whole numbers.
const FINENESS: f64 = 256.0;
/// No hook saw so much for what was counted: the count says little of all then.
const MOST_UNSEEN: f64 = 0.1;
/// The variance of a share of which nothing is known: it is any between none and all.
pub(super) const OF_ANY_SHARE: f64 = 1.0 / 12.0;
/// A part keeps at least this share of what it would have if all shrank alike.
const LEAST_LEFT: f64 = 0.25;

/// Calibrates the living and the dead of each class whose exact count says how many there are of both.
pub(crate) fn classes(profile: &mut Profile) {
    let Some(sample) = Sample::of(profile) else { return };
    let view = &profile.run.view;
    for class in &mut profile.classes {
        let estimate = profile.estimates.get(&class.name).copied().unwrap_or_default();
        let sample = sample.of_class(class, &profile.shares, estimate);
        if let Some((live, all)) = class.live.zip(sample.all_of(class, estimate)) {
            let mut parts: Vec<_> =
                [live, class.unjudged].into_iter().chain(class.collected.iter().copied()).collect();
            let nobody = parts.iter().all(Tally::is_empty);
            let wanted = view.classes.admits(&class.name) && class.allocated.largest >= view.min_bytes;
            if nobody && wanted && sample.tracking == Tracking::Balanced {
                // None was due yet: nothing is known, but that none was seen dead.
                parts[1] = class.allocated;
            }
            sample.settle(all, class.allocated, &mut parts);
            class.live = Some(parts.remove(0));
            class.unjudged = parts.remove(0);
            class.collected = parts;
        }
    }
}

/// Makes the living and the dead of sampled sites add up to those of their class, and states the errors of sites.
pub(crate) fn sites(profile: &mut Profile) {
    let Some(sample) = Sample::of(profile).filter(|sample| sample.draws_sites()) else { return };
    let classes: HashMap<&str, &ClassProfile> =
        profile.classes.iter().map(|class| (class.name.as_str(), class)).collect();
    for (name, mut sites) in by_class(&mut profile.sites) {
        if let Some(class) = classes.get(name.as_str()) {
            let sample = sample.of_class(class, &profile.shares, ClassEstimate::default());
            sample.settle_sites(class, &mut sites);
        }
    }
    profile.sites.sort_by(site_order);
    for (name, mut sites) in by_class(&mut profile.sites) {
        if let Some(class) = classes.get(name.as_str()) {
            let estimate = profile.estimates.get(&name).copied().unwrap_or_default();
            let sample = sample.of_class(class, &profile.shares, estimate);
            sample.state_errors(class, sample.expansion(class, estimate), &mut sites);
        }
    }
}

/// What was counted, and what no hook saw: by the JVM's samples alone, so of no use where that is most. One stray sample shows nothing.
fn with_unseen(counted: Tally, unseen: Estimate) -> Option<Tally> {
    if unseen.bytes() <= 3 * unseen.error_bytes() {
        return Some(counted);
    }
    let share = unseen.unrounded_bytes() / (counted.bytes as f64).max(1.0);
    let more = |count: u64| count.saturating_add((count as f64 * share).round() as u64);
    (share <= MOST_UNSEEN).then(|| Tally {
        objects: more(counted.objects),
        bytes: more(counted.bytes),
        ..counted
    })
}

/// Sites by the name of their class.
pub(crate) fn by_class(sites: &mut [SiteProfile]) -> HashMap<String, Vec<&mut SiteProfile>> {
    let mut by_class: HashMap<String, Vec<&mut SiteProfile>> = HashMap::new();
    for site in sites {
        by_class.entry(site.class.clone()).or_default().push(site);
    }
    by_class
}

impl Profile {
    /// Mean bytes between the samples by which objects were followed, as they were drawn: they may have been further apart than was
    /// asked for, to be fewer. `None`: it was no byte sample.
    pub fn bytes_between_samples(&self) -> Option<f64> {
        self.apart.or_made(|| {
            let Tracking::ByteSample(asked) = self.run.tracking else { return None };
            let worst = self.trust.sample_interval.unwrap_or(asked);
            match self.run.engine {
                EngineKind::Sampled => Some(worst as f64),
                _ => Some(match self.readings.0.get(&BYTES_BETWEEN_SAMPLES) {
                    Some(&mean) => mean.max(asked) as f64,
                    None => self.mean_between_samples(asked as f64, worst as f64),
                }),
            }
        })
    }

    /// Where that was not recorded: by what the samples say of all classes, between what was asked for and the worst.
    fn mean_between_samples(&self, asked: f64, worst: f64) -> f64 {
        let all = || self.estimates.values().map(|estimate| estimate.allocated);
        let bytes: f64 = all().map(|estimate| estimate.bytes() as f64).sum();
        let variance: f64 = all().map(|estimate| (estimate.error_bytes() as f64).powi(2)).sum();
        if worst <= asked || bytes <= 0.0 { asked } else { (variance / bytes).clamp(asked, worst) }
    }

    /// Whether the JVM's sampler errs beside large objects.
    pub(crate) fn samples_may_be_biased(&self) -> bool {
        self.run.jvm.release().is_some_and(|release| release < BIASED_BEFORE)
    }

    /// Whether what is live of a class is known: something of it was followed, and something was collected.
    pub fn knows_live_of(&self, class: &ClassProfile) -> bool {
        let Some(live) = class.live else { return false };
        let drawn = self.run.tracking.follows_a_part() && !class.allocated.is_empty();
        if !drawn || !live.is_empty() || !class.dead().is_empty() {
            return true;
        }
        class.lifetimes.as_ref().is_some_and(|lifetimes| !lifetimes.is_empty())
    }

    /// How many samples a part of a class rests on, about; `None` where no sample was drawn, or the part is empty.
    pub fn samples_behind(&self, class: &ClassProfile, part: Tally) -> Option<f64> {
        let sample = Sample::of(self).filter(|sample| sample.draws_sites() && part.objects > 0)?;
        let estimate = self.estimates.get(&class.name).copied().unwrap_or_default();
        let sample = sample.of_class(class, &self.shares, estimate);
        if sample.tracking == Tracking::Balanced {
            let share = self.shares.get(&class.name).filter(|share| !share.follows_each())?;
            let of_class = part.objects as f64 / (class.allocated.objects as f64).max(1.0);
            return Some(share.followed as f64 * of_class);
        }
        Some(sample.samples(sample.expansion(class, estimate), part))
    }
}

/// How the numbers of tracked objects were estimated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    tracking: Tracking,
    /// Mean bytes between samples of the JVM's, which [`ClassEstimate`]s rest on.
    interval: Option<u64>,
    /// Mean bytes between the samples of a byte sample, as they were drawn.
    apart: f64,
    /// Bytes that the JIT can have removed in all, if that is known.
    most_removed: Option<u64>,
    /// Whether classes are known by the sample alone, too.
    counts_estimated: bool,
    /// Whether nothing that should have been tracked was given up.
    complete: bool,
    /// What each object of the class at hand adds to the variance of a number of them, where a share was followed; and by the
    /// stacks taken.
    of_one: (f64, f64),
    /// Mean bytes between the objects followed of the class at hand, and between their stacks, where a share was drawn by bytes.
    share_apart: [Option<f64>; 2],
    /// How many times as large variances of the class at hand are as those of independent samples.
    times: f64,
    /// Whether the JVM's sampler errs beside large objects ([`BIASED_BEFORE`]), and the sample at hand is its.
    is_old: bool,
    is_biased: bool,
}

/// The first release whose sampler is right (JDK-8356372). Those before lose count where an object is allocated outside of its thread's
/// buffer: it, or what comes after it, is picked too rarely or too often.
const BIASED_BEFORE: u32 = 25;
/// Variances are so many times as large then, and large objects are off by so much, as was seen of samples that were set right otherwise.
const BIASED_TIMES: f64 = 2.25;
const BIAS: f64 = 0.3;

impl Sample {
    /// `None` where every object was tracked, or none.
    pub(crate) fn of(profile: &Profile) -> Option<Self> {
        let thinned = profile.trust.following.thinned_to_one_in > 1;
        let tracking = profile.run.tracking;
        let estimated = tracking.follows_a_part() || (thinned && tracking != Tracking::Off);
        estimated.then_some(Self {
            tracking,
            interval: profile.trust.sample_interval,
            apart: profile.bytes_between_samples().unwrap_or_default(),
            most_removed: profile.trust.most_removed_bytes(),
            counts_estimated: profile.run.engine == EngineKind::Sampled,
            complete: profile.trust.dropped.is_empty(),
            of_one: (0.0, 0.0),
            share_apart: [None; 2],
            times: 1.0,
            // The sampled engine states its own doubt.
            is_old: profile.samples_may_be_biased(),
            is_biased: profile.run.engine == EngineKind::Exact
                && matches!(tracking, Tracking::ByteSample(_))
                && profile.samples_may_be_biased(),
        })
    }

    /// For numbers of a class, of which the JVM's sampler says so much.
    pub(crate) fn of_class(
        self,
        class: &ClassProfile,
        shares: &BTreeMap<String, Share>,
        estimate: ClassEstimate,
    ) -> Self {
        let share = shares.get(&class.name).copied().unwrap_or_default();
        let objects = class.allocated.objects;
        let of_one = (share.variance_of_one(objects), share.stack_variance_of_one(objects));
        let apart = self.drawn(class.between_samples).apart;
        let times = match (self.tracking, self.interval) {
            // A balanced share is drawn by the agent, and by the sampler only where threads do not come and go.
            (Tracking::ByteSample(_), Some(interval)) => {
                let apart = if apart > 0.0 { apart as u64 } else { interval };
                let times = estimate.allocated.times_independent(mean_size(class.allocated), apart);
                times.max(if self.is_biased && class.allocated.largest >= LARGE { BIASED_TIMES } else { 1.0 })
            }
            (Tracking::Balanced, _) if self.is_old && class.allocated.largest >= LARGE => BIASED_TIMES,
            _ => 1.0,
        };
        // The sampler's are no closer than this, however many were followed before the class was left to it.
        let sampler = self.interval.map_or(0.0, |bytes| bytes as f64);
        let share_apart =
            share.bytes_between(class.allocated).map(|apart| apart.map(|bytes| bytes.max(sampler)));
        // What was drawn by bytes, the JVM's sampler drew.
        let is_biased = self.is_biased || (self.is_old && share_apart[1].is_some());
        Self { of_one, share_apart, is_biased, times, apart, ..self }
    }

    /// The same, for numbers that rest on stacks.
    pub(crate) fn of_stacks(self) -> Self {
        Self { of_one: (self.of_one.1, self.of_one.1), share_apart: [self.share_apart[1]; 2], ..self }
    }

    /// For numbers of a site of the class at hand, of which the samples were so many bytes apart, if that is known.
    pub(crate) fn drawn(self, between: Option<u64>) -> Self {
        Self { apart: between.map_or(self.apart, |bytes| bytes as f64), ..self }
    }

    /// Whether sites are counted by the sample, too.
    pub(crate) fn draws_sites(self) -> bool {
        self.tracking.follows_a_part()
    }

    /// All objects of a class that could be picked, those that were counted and those of which it is known that no hook saw them; `None`: not known.
    fn all_of(self, class: &ClassProfile, estimate: ClassEstimate) -> Option<Tally> {
        class.live?;
        let picked = class
            .collected
            .iter()
            .fold(class.not_seen_dead().objects, |sum, dead| sum.saturating_add(dead.objects));
        if picked <= class.allocated.objects && !self.complete {
            return None;
        }
        let counted = Some(class.allocated);
        // What is counted and was never allocated can't be picked by the JVM's sampler; what no hook saw can be.
        let removed =
            || self.interval.is_some_and(|worst| is_removed(class, estimate, worst, self.most_removed));
        match self.tracking {
            Tracking::ByteSample(_) if removed() => None,
            Tracking::ByteSample(_) => with_unseen(class.allocated, estimate.unseen),
            // Where a share was followed, the sampler may have chosen it.
            Tracking::Balanced => counted.filter(|_| self.of_one.0 == 0.0 || !removed()),
            Tracking::Off | Tracking::EveryObject | Tracking::EveryNth(_) => counted,
        }
    }

    /// Makes parts, estimates of objects like `whole`, add up to `total`. Parts that are all empty stay so.
    fn settle(self, total: Tally, whole: Tally, parts: &mut [Tally]) {
        settle(total, whole, parts, |_, part| self.variance(part));
    }

    /// Makes the sites' parts of the living, and of the dead of each bucket, add up to the class's.
    fn settle_sites(self, class: &ClassProfile, sites: &mut [&mut SiteProfile]) {
        let Some(live) = class.live else { return };
        self.fit_sizes(class, sites);
        let dead_before: Vec<u64> = sites.iter().map(|site| bytes_of(&site.collected)).collect();
        let shares: Vec<Tally> = sites.iter().map(|site| tracked_of(site)).collect();
        let stacks = self.of_stacks();
        let elsewhere = stacks.of_no_site(live, class, sites);
        stacks.settle_part(live.without(elsewhere), class, sites, |site| site.live.as_mut());
        stacks.settle_part(class.unjudged, class, sites, |site| Some(&mut site.unjudged));
        leave_unjudged(elsewhere, sites);
        for (bucket, &total) in class.collected.iter().enumerate() {
            let nobody = || sites.iter().all(|site| site.collected.get(bucket).is_none_or(Tally::is_empty));
            if !total.is_empty() && nobody() {
                deal(total, &shares, sites, bucket);
            }
            stacks.settle_part(total, class, sites, |site| site.collected.get_mut(bucket));
        }
        for (site, before) in sites.iter_mut().zip(dead_before) {
            site.byte_seconds *= bytes_of(&site.collected) as f64 / (before as f64).max(1.0);
            let largest = site.allocated.largest;
            site.allocated = site.not_seen_dead();
            site.collected.iter().for_each(|&dead| site.allocated.add(dead));
            site.allocated.largest = largest;
        }
    }

    /// Of what is live of a class, that which no site was seen with, by stacks: sites of which only the dead were met may have it. What is missing
    /// is put down to them as to a site on which one sample fell.
    fn of_no_site(self, live: Tally, class: &ClassProfile, sites: &[&mut SiteProfile]) -> Tally {
        let mut made = Tally::default();
        let others = sites.iter().filter(|site| may_have_more_live(site));
        others.for_each(|site| made.add(tracked_of(site)));
        if self.tracking != Tracking::Balanced || self.of_one.0 == 0.0 || made.is_empty() {
            return Tally::default();
        }
        let (mut seen, mut free) = (Tally::default(), (0.0, 0.0));
        for part in sites.iter().filter_map(|site| site.live) {
            seen.add(part);
            let (objects, bytes) = self.variance(part);
            free = (free.0 + objects, free.1 + bytes);
        }
        let missing = live.without(seen);
        let (of_one, size) = (self.of_one.0.min(made.objects as f64), mean_size(class.allocated));
        let unseen = (1.0 + of_one) * of_one;
        let share = |missing: u64, unseen: f64, seen: f64| {
            (missing as f64 * unseen / (unseen + seen).max(f64::MIN_POSITIVE)).round() as u64
        };
        // No more than they made.
        let objects = share(missing.objects, unseen, free.0).min(made.objects);
        let bytes = match class.allocated.is_uniform() {
            true => objects * class.allocated.largest,
            false => share(missing.bytes, unseen * size * size, free.1).min(made.bytes),
        };
        match objects == 0 || bytes == 0 {
            true => Tally::default(),
            false => Tally { objects, bytes, largest: class.allocated.largest },
        }
    }

    /// Fits the sites' objects and bytes to the class's, both at once, where its sizes differ: the parts of each site keep their shares.
    fn fit_sizes(self, class: &ClassProfile, sites: &mut [&mut SiteProfile]) {
        if class.allocated.is_uniform() {
            return;
        }
        let stacks = self.of_stacks();
        let parts: Vec<Tally> = sites.iter().map(|site| tracked_of(site)).collect();
        let joint = |(&part, site): (&Tally, &&mut SiteProfile)| {
            Joint::of(part, stacks.drawn(site.between_samples).variance_of_one_seen(part))
        };
        let joints: Vec<Joint> = parts.iter().zip(sites.iter()).map(joint).collect();
        let (mut all, mut sum) = (Joint::default(), Tally::default());
        joints.iter().for_each(|joint| all.add(*joint));
        parts.iter().for_each(|&part| sum.add(part));
        if !all.tells_two() {
            return;
        }
        let mut wanted = class.live.unwrap_or_default();
        class.collected.iter().for_each(|&dead| wanted.add(dead));
        let missing = (wanted.objects as f64 - sum.objects as f64, wanted.bytes as f64 - sum.bytes as f64);
        let fitted: Vec<(f64, f64)> = parts
            .iter()
            .zip(&joints)
            .map(|(part, &joint)| {
                let moved = all.moved(joint, missing);
                (part.objects as f64 + moved.0, part.bytes as f64 + moved.1)
            })
            .collect();
        // Where a part had to be less than nothing, sizes were not what they seemed.
        if !parts.iter().zip(&fitted).all(|(part, fitted)| is_possible(*part, *fitted)) {
            return;
        }
        for ((site, part), (objects, bytes)) in sites.iter_mut().zip(parts).zip(fitted) {
            let factors = (objects / (part.objects as f64).max(1.0), bytes / (part.bytes as f64).max(1.0));
            site.byte_seconds *= factors.1;
            let all = site.live.iter_mut().chain(&mut site.collected);
            all.for_each(|tally| {
                // What was seen is not rounded away.
                let scaled = |count: u64, by: f64| ((count as f64 * by).round() as u64).max(count.min(1));
                tally.objects = scaled(tally.objects, factors.0);
                tally.bytes = scaled(tally.bytes, factors.1);
            });
        }
    }

    fn settle_part(
        self,
        total: Tally,
        class: &ClassProfile,
        sites: &mut [&mut SiteProfile],
        part: impl Fn(&mut SiteProfile) -> Option<&mut Tally>,
    ) {
        let mut parts: Vec<Tally> =
            sites.iter_mut().map(|site| part(site).copied().unwrap_or_default()).collect();
        settle(total, class.allocated, &mut parts, |at, part| {
            self.drawn(sites[at].between_samples).variance(part)
        });
        for (site, settled) in sites.iter_mut().zip(parts) {
            if let Some(part) = part(site) {
                *part = settled;
            }
        }
    }

    /// How many objects are stated for each one that samples alone told of.
    pub(crate) fn expansion(self, class: &ClassProfile, estimate: ClassEstimate) -> f64 {
        if self.tracking == Tracking::Balanced {
            return 1.0;
        }
        let told = estimate.allocated.bytes() as f64;
        let all = self.all_of(class, estimate).filter(|all| told > 0.0 && all.bytes > 0);
        all.map_or(1.0, |all| all.bytes as f64 / told)
    }

    /// How many samples told of a part; infinitely many where each of its objects is picked.
    pub(crate) fn samples(self, expansion: f64, part: Tally) -> f64 {
        part.objects as f64 / expansion / self.variance_of_one(part)
    }

    /// By how much the sites of large objects may be off, and the others, as shares of them, besides their chance, where a class has both: what
    /// one part has too much, the other has too little.
    fn biases(self, class: Tally, sites: &[&mut SiteProfile]) -> (f64, f64) {
        if !self.is_biased || class.largest < LARGE || class.is_uniform() {
            return (0.0, 0.0);
        }
        let bytes = |large: bool| -> f64 {
            let of = sites.iter().filter(|site| has_large_objects(site) == large);
            of.map(|site| site.allocated.bytes as f64).sum()
        };
        let share = bytes(true) / (bytes(true) + bytes(false)).max(1.0);
        (BIAS * (1.0 - share), BIAS * share)
    }

    /// The errors of sites' shares of their class, as [`SiteProfile::error`] states them; of their numbers, where that of the
    /// class is not exact.
    fn state_errors(self, class: &ClassProfile, expansion: f64, sites: &mut [&mut SiteProfile]) {
        let stacks = self.of_stacks();
        let samples =
            |site: &SiteProfile| stacks.drawn(site.between_samples).samples(expansion, site.allocated);
        let all: f64 = sites.iter().map(|site| samples(site)).sum();
        let mut joint = Joint::default();
        let joint_of = |site: &SiteProfile| {
            Joint::of(
                site.allocated,
                stacks.drawn(site.between_samples).variance_of_one(site.allocated) * expansion,
            )
        };
        sites.iter().for_each(|site| joint.add(joint_of(site)));
        // Of two sizes, both sums tell how many there are of each, however they were picked.
        let biases = if has_two_sizes(sites) { (0.0, 0.0) } else { self.biases(class.allocated, sites) };
        for site in sites {
            // Less than one: it was picked when an object stood for few (rare classes, the first samples of a run); later as much as
            // one sample stands for may have been missed.
            let of_site = samples(site).max(f64::MIN_POSITIVE);
            // Agresti and Coull's shrunken share: a site seen each time is not the only one for certain.
            let share =
                if all.is_finite() && !self.counts_estimated { (of_site + 1.0) / (all + 2.0) } else { 0.0 };
            // Few samples: the next one might as well have come.
            let by_share = ((1.0 - share) * (1.0 / of_site + 1.0 / (of_site * of_site))).sqrt();
            let by_sizes = (!self.counts_estimated && joint.tells_two()).then(|| {
                let (objects, bytes) = joint.left(joint_of(site));
                let relative = |variance: f64, of: u64| variance.sqrt() / (of as f64).max(1.0);
                // As above: another site of such objects may not have been seen at all.
                let unseen = (1.0 / (all + 2.0) / of_site).sqrt();
                let of = site.allocated;
                relative(objects, of.objects).max(relative(bytes, of.bytes)).max(unseen)
            });
            let bias = if has_large_objects(site) { biases.0 } else { biases.1 };
            let error = by_sizes.filter(|error| error.is_finite()).unwrap_or(by_share).hypot(bias);
            let of_any =
                OF_ANY_SHARE.sqrt() * class.allocated.bytes as f64 / (site.allocated.bytes as f64).max(1.0);
            site.error = if self.counts_estimated { error } else { error.min(of_any) };
        }
    }

    /// Variances of a part's objects and bytes, about, by the mean size of its objects.
    pub(crate) fn variance(self, part: Tally) -> (f64, f64) {
        let of_one = self.variance_of_one_seen(part);
        (part.objects as f64 * of_one, part.bytes as f64 * mean_size(part) * of_one)
    }

    /// What each object adds to the variance of their number.
    pub(crate) fn variance_of_one(self, part: Tally) -> f64 {
        match self.tracking {
            // (1 - p)/p with p = 1 - e^(-size/interval).
            Tracking::ByteSample(_) => self.times / (mean_size(part) / self.apart).exp_m1(),
            Tracking::EveryNth(n) => n.saturating_sub(1) as f64,
            Tracking::Balanced => match self.share_apart[0].filter(|_| !part.is_empty()) {
                Some(apart) => self.times / (mean_size(part) / apart).exp_m1(),
                None => self.of_one.0,
            },
            Tracking::Off | Tracking::EveryObject => 1.0,
        }
    }

    /// The same of what was seen: no object of a part stands for more than all of it. Those made while each was followed, as at the start of
    /// a program, are few and stand for themselves, however many one stands for later.
    pub(crate) fn variance_of_one_seen(self, part: Tally) -> f64 {
        let of_one = self.variance_of_one(part);
        match self.tracking {
            Tracking::Balanced => of_one.min(part.objects.saturating_sub(1) as f64),
            _ => of_one,
        }
    }
}

/// As [`Sample::settle`], by the variances of the objects and bytes of each part.
fn settle(total: Tally, whole: Tally, parts: &mut [Tally], variance: impl Fn(usize, Tally) -> (f64, f64)) {
    let numbered = || parts.iter().copied().enumerate();
    let objects: Vec<_> = parts.iter().map(|part| part.objects).collect();
    let freedom: Vec<_> = numbered().map(|(at, part)| variance(at, part).0).collect();
    let objects = settled(total.objects, &objects, &freedom);
    // Of what the JVM itself makes no size was counted.
    let bytes = if whole.is_uniform() && !whole.is_empty() {
        objects.iter().map(|&objects| objects.saturating_mul(whole.largest)).collect()
    } else {
        let bytes: Vec<_> =
            parts.iter().zip(&objects).map(|(part, &left)| if left > 0 { part.bytes } else { 0 }).collect();
        let freedom: Vec<_> = numbered().map(|(at, part)| variance(at, part).1).collect();
        settled(total.bytes, &bytes, &freedom)
    };
    for ((part, objects), bytes) in parts.iter_mut().zip(objects).zip(bytes) {
        *part = Tally { objects, bytes, largest: part.largest };
    }
}

/// Whether none of a site was seen live, though it makes objects of the class.
fn may_have_more_live(site: &SiteProfile) -> bool {
    site.live.is_some_and(|live| live.is_empty()) && !tracked_of(site).is_empty()
}

/// Of so many objects it is not known whether these sites made them: those of which only the dead were seen share them, by what they made.
fn leave_unjudged(elsewhere: Tally, sites: &mut [&mut SiteProfile]) {
    let others: Vec<_> = sites.iter_mut().filter(|site| may_have_more_live(site)).collect();
    let made =
        |number: fn(Tally) -> u64| others.iter().map(|site| number(tracked_of(site))).collect::<Vec<_>>();
    let objects = divide(elsewhere.objects, &made(|made| made.objects));
    let bytes = divide(elsewhere.bytes, &made(|made| made.bytes));
    for (site, (objects, bytes)) in others.into_iter().zip(objects.into_iter().zip(bytes)) {
        let largest = if objects > 0 { site.allocated.largest } else { 0 };
        site.unjudged.add(Tally { objects, bytes: if objects > 0 { bytes } else { 0 }, largest });
    }
}

/// Whether it is such objects that samplers before [`BIASED_BEFORE`] err about.
fn has_large_objects(site: &SiteProfile) -> bool {
    mean_size(site.allocated) >= LARGE as f64
}

/// Whether each site has objects of one size, and no more than two sizes are among them.
fn has_two_sizes(sites: &[&mut SiteProfile]) -> bool {
    let is_uniform = |site: &SiteProfile| mean_size(site.allocated) > 0.999 * site.allocated.largest as f64;
    let sizes: BTreeSet<u64> = sites.iter().map(|site| site.allocated.largest).collect();
    sizes.len() <= 2 && sites.iter().all(|site| is_uniform(site))
}

/// All of a site's tracked objects.
fn tracked_of(site: &SiteProfile) -> Tally {
    let mut all = site.live.unwrap_or_default();
    site.collected.iter().for_each(|&dead| all.add(dead));
    Tally { largest: site.allocated.largest, ..all }
}

/// Deals what died in a bucket to sites as they are: of none of them a stack was taken that died there, and it was made by them all the same.
fn deal(total: Tally, shares: &[Tally], sites: &mut [&mut SiteProfile], bucket: usize) {
    let dealt = |count: fn(&Tally) -> u64| {
        let weights: Vec<u64> = shares.iter().map(count).collect();
        if weights.iter().all(|&weight| weight == 0) { weights } else { divide(count(&total), &weights) }
    };
    let (objects, bytes) = (dealt(|tally| tally.objects), dealt(|tally| tally.bytes));
    for (site, (objects, bytes)) in sites.iter_mut().zip(objects.into_iter().zip(bytes)) {
        // Rounded away, it has none of either.
        if let Some(dead) = site.collected.get_mut(bucket).filter(|_| objects > 0 && bytes > 0) {
            *dead = Tally { objects, bytes, largest: site.allocated.largest };
        }
    }
}

/// Whether a part can have so many objects and bytes instead: each no larger than the largest, and about as many as were sampled.
fn is_possible(part: Tally, (objects, bytes): (f64, f64)) -> bool {
    if part.is_empty() {
        return true;
    }
    let size = bytes / objects.max(f64::MIN_POSITIVE);
    objects > 0.0 && bytes > 0.0 && size < 1.01 * part.largest as f64 && size > mean_size(part) / 4.0
}

fn mean_size(part: Tally) -> f64 {
    part.bytes as f64 / (part.objects as f64).max(1.0)
}

fn bytes_of(parts: &[Tally]) -> u64 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes))
}

/// `parts` changed as little as their variances let expect, so that they add up to `total`.
fn settled(total: u64, parts: &[u64], variances: &[f64]) -> Vec<u64> {
    let sum = parts.iter().fold(0u64, |sum, &part| sum.saturating_add(part));
    if sum == total || sum == 0 {
        return parts.to_vec();
    }
    let mut values: Vec<f64> = parts.iter().map(|&part| part as f64).collect();
    // What was seen is there: what a part can't give, the others have to.
    let shrinking = (total as f64 / sum as f64).min(1.0) * LEAST_LEFT;
    let least: Vec<f64> = values.iter().map(|value| value * shrinking).collect();
    // Of what was not seen nothing is made.
    let freedom =
        |(value, variance): (&f64, &f64)| if *value > 0.0 { variance.max(value * 1e-9) } else { 0.0 };
    let mut free: Vec<f64> = values.iter().zip(variances).map(freedom).collect();
    loop {
        let missing = total as f64 - values.iter().sum::<f64>();
        let all: f64 = free.iter().sum();
        if all <= 0.0 {
            break;
        }
        let mut below = false;
        for ((value, free), least) in values.iter_mut().zip(&mut free).zip(&least) {
            *value += missing * *free / all;
            if *value < *least {
                (*value, *free) = (*least, 0.0);
                below = true;
            }
        }
        if !below {
            break;
        }
    }
    divide(total, &values.iter().map(|value| (value * FINENESS).ceil() as u64).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small arrays of which one sample stands for thousands: what was too many came off what was live until nothing was.
    #[test]
    fn a_part_that_was_seen_does_not_shrink_to_nothing() {
        let parts = settled(71_713, &[14_000, 0, 120_000], &[4.3e6, 0.0, 15e6]);
        assert_eq!(parts.iter().sum::<u64>(), 71_713);
        assert!((1_800..7_500).contains(&parts[0]) && parts[1] == 0, "{parts:?}");
        assert_eq!(settled(0, &[3, 5], &[1.0, 2.0]), [0, 0]);
        assert_eq!(settled(20, &[0, 7], &[9.0, 1.0]), [0, 20], "a part that is empty stays so");
        assert_eq!(
            settled(20, &[3, 7], &[1.0, 1.0]),
            [8, 12],
            "in proportion to variance where there is room"
        );
    }
}
