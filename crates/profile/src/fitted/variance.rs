//! How far the numbers of a profile are estimates: one model of variance, of which reports, comparisons and checks all take theirs.
//!
//! Whatever rests on samples has a variance, and what no sample fell on is not known to be nothing: it may be as much as one sample
//! stands for. Exact counts have none. Not here: fitting estimates to exact counts (`calibration`).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::run::{EngineKind, Tracking};
use crate::facts::tally::Tally;
use crate::fitted::calibration::Sample;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// A share of the whole that is left uncertain, however often a part is seen.
const LEAST_REST: f64 = 0.02;

/// The variances of a profile's numbers, in square bytes.
pub struct Variances<'p> {
    profile: &'p Profile,
    sample: Option<Sample>,
    classes: FxHashMap<&'p str, &'p ClassProfile>,
    wholes: FxHashMap<Whole<'p>, Parts>,
    /// Of a class, the most bytes that one sample of its sites stands for.
    weights: FxHashMap<&'p str, f64>,
}

/// What sites divide among themselves: their class, or the allocating line if each of its allocations was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Whole<'p> {
    class: &'p str,
    line: Option<(&'p str, &'p str, Option<u32>)>,
}

/// Sites together.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    sites: usize,
    bytes: f64,
    /// Of their bytes, as if nothing were known of their whole.
    variance: f64,
}

impl Parts {
    fn add(&mut self, bytes: f64, variance: f64) {
        self.sites += 1;
        self.bytes += bytes;
        self.variance += variance;
    }
}

impl<'p> Variances<'p> {
    /// Of this profile.
    pub fn of(profile: &'p Profile) -> Self {
        let classes = profile.classes.iter().map(|class| (class.name.as_str(), class)).collect();
        let mut all = Self {
            profile,
            sample: Sample::of(profile),
            classes,
            wholes: FxHashMap::default(),
            weights: FxHashMap::default(),
        };
        let mut bytes: FxHashMap<Whole<'p>, f64> = FxHashMap::default();
        for site in &profile.sites {
            *bytes.entry(all.whole(site)).or_default() += site.allocated.bytes as f64;
        }
        for site in &profile.sites {
            let whole = all.whole(site);
            let (of_site, variance) =
                (site.allocated.bytes as f64, all.alone(site, bytes.get(&whole).copied().unwrap_or(0.0)));
            all.wholes.entry(whole).or_default().add(of_site, variance);
            let weight = all.weights.entry(&site.class).or_default();
            // Of a site that less than one sample fell on, that one stands for the root of its variance.
            *weight = weight.max((variance / of_site.max(1.0)).min(variance.sqrt()));
        }
        all
    }

    /// Of what was allocated of a class.
    pub fn of_class(&self, class: &ClassProfile) -> f64 {
        match self.profile.engine_interval() {
            None => 0.0,
            Some(interval) => match self.profile.estimates.get(&class.name) {
                Some(estimate) => estimate.allocated.variance(),
                None => one_sample(mean_size(class.allocated), interval as f64).powi(2),
            },
        }
    }

    /// Of the bytes of a class of which nothing was seen at all.
    pub fn of_missing_class(&self) -> f64 {
        self.profile.engine_interval().map_or(0.0, |interval| (interval as f64).powi(2))
    }

    /// Bytes that one sample of a class stands for, where classes are counted by samples; else 0.
    pub fn sample_of_class(&self, class: Option<&ClassProfile>) -> f64 {
        let size = class.map_or(0.0, |class| mean_size(class.allocated));
        self.profile.engine_interval().map_or(0.0, |interval| one_sample(size, interval as f64))
    }

    /// Bytes that one of a class's objects that is followed stands for, if not each is; of the living, the dead.
    pub fn followed_of_class(&self, class: &ClassProfile, part: Tally) -> f64 {
        let of = if part.is_empty() { class.allocated } else { part };
        mean_size(of) + self.of_tracked(class, of) / (of.bytes as f64).max(1.0)
    }

    /// Bytes that one sample of these classes' sites stands for, at most.
    pub fn sample_of_sites<'s>(&self, classes: impl IntoIterator<Item = &'s str>) -> f64 {
        self.of_missing_sites(classes).sqrt()
    }

    /// Of a part of a class's tracked objects, such as the living; where there are none, of as much as one picked object stands for.
    pub fn of_tracked(&self, class: &ClassProfile, part: Tally) -> f64 {
        let Some(sample) = self.sample_of(class) else { return 0.0 };
        if !sample.draws_sites() {
            // Thinned for want of room.
            let one_in = self.profile.trust.following.thinned_to_one_in.max(1) as f64;
            return part_variance(part, mean_size(class.allocated), one_in - 1.0);
        }
        let of = if part.is_empty() { class.allocated } else { part };
        part_variance(part, mean_size(of), sample.variance_of_one(of))
    }

    /// Of the bytes that these sites allocated together; `None` of an empty list.
    pub fn of_sites<'s>(&self, sites: impl IntoIterator<Item = &'s SiteProfile>) -> Option<f64>
    where
        'p: 's,
    {
        let mut parts: FxHashMap<Whole<'_>, Parts> = FxHashMap::default();
        for site in sites {
            let whole = self.whole(site);
            let all = self.wholes.get(&whole).map_or(0.0, |all| all.bytes);
            parts.entry(whole).or_default().add(site.allocated.bytes as f64, self.alone(site, all));
        }
        (!parts.is_empty()).then(|| parts.iter().map(|(whole, part)| self.within(whole, *part)).sum())
    }

    /// Of what a method allocated, by its sites: of them together, and of what no sample met there ([`Self::unseen_at`]).
    pub fn of_method(&self, sites: &[&SiteProfile]) -> f64 {
        self.of_sites(sites.iter().copied()).unwrap_or(0.0) + self.unseen_at(sites)
    }

    /// Of what a method with these sites may have allocated besides, of some class of which no sample fell there: rare classes are seen
    /// wherever they are made, frequent ones are not. Where a share of each class is followed, of those of which few samples fell there one
    /// more may have, as of so few the root says too little.
    pub fn unseen_at(&self, sites: &[&SiteProfile]) -> f64 {
        let seen: FxHashSet<&str> = sites.iter().map(|site| site.class.as_str()).collect();
        let one_more = self.profile.run.tracking == Tracking::Balanced;
        let others = self.profile.classes.iter().map(|class| class.name.as_str());
        others
            .filter(|class| one_more || !seen.contains(class))
            .map(|class| self.weight(class))
            .fold(0.0, f64::max)
            .powi(2)
    }

    /// The same where it is known of which classes the method makes objects.
    pub fn unseen_of<'s>(&self, sites: &[&SiteProfile], classes: impl IntoIterator<Item = &'s str>) -> f64 {
        let seen: FxHashSet<&str> = sites.iter().map(|site| site.class.as_str()).collect();
        self.of_missing_sites(classes.into_iter().filter(|class| !seen.contains(class)))
    }

    /// Of the live bytes of these sites together, and of as much as one picked object stands for of those of which none is live.
    pub fn of_live_sites<'s>(&self, sites: impl IntoIterator<Item = &'s SiteProfile>) -> f64
    where
        'p: 's,
    {
        let (mut sum, mut missed) = (0.0, 0.0_f64);
        for site in sites {
            let live = site.live.unwrap_or_default();
            let variance = self.of_live_site(site, live);
            if live.is_empty() { missed = missed.max(variance) } else { sum += variance }
        }
        sum + missed
    }

    fn of_live_site(&self, site: &SiteProfile, live: Tally) -> f64 {
        let class = self.classes.get(site.class.as_str());
        let drawn = class.and_then(|class| self.sample_of(class)).map(Sample::of_stacks);
        let of = if live.is_empty() { site.allocated } else { live };
        match drawn {
            Some(sample) if sample.draws_sites() => {
                part_variance(live, mean_size(of), sample.variance_of_one(of))
            }
            _ => {
                // By the share of the site's allocations whose stack was taken.
                let weight = (site.error * site.allocated.bytes as f64).powi(2)
                    / (site.allocated.bytes as f64).max(1.0);
                let thinned = self.profile.trust.following.thinned_to_one_in.max(1) as f64;
                let size = mean_size(site.allocated);
                (live.bytes as f64 * weight).max(if live.is_empty() { weight * weight } else { 0.0 })
                    + part_variance(live, size, thinned - 1.0)
            }
        }
    }

    /// Of what sites of these classes allocated where no site was seen. A byte sample passes over all of them together, a share of each
    /// class over each.
    pub fn of_missing_sites<'s>(&self, classes: impl IntoIterator<Item = &'s str>) -> f64 {
        let squares = classes.into_iter().map(|class| self.weight(class).powi(2));
        if self.profile.run.tracking == Tracking::Balanced {
            squares.sum()
        } else {
            squares.fold(0.0, f64::max)
        }
    }

    /// Bytes that one sample of a class stands for, of those whose stack is known; 0 where each is.
    fn weight(&self, class: &str) -> f64 {
        if let Some(&weight) = self.weights.get(class) {
            return weight;
        }
        let Some(known) = self.classes.get(class) else {
            // Not counted, so never made; or not sampled.
            return self.profile.engine_interval().map_or(0.0, |interval| interval as f64);
        };
        let Some(sample) = self.sample_of(known).filter(|sample| sample.draws_sites()) else { return 0.0 };
        let of_one = sample.of_stacks().variance_of_one(known.allocated);
        mean_size(known.allocated) * if of_one > 0.0 { 1.0 + of_one } else { 0.0 }
    }

    /// Of a part of a whole whose count is exact: what one of its parts has more, the others have less.
    fn within(&self, whole: &Whole<'_>, part: Parts) -> f64 {
        let all = self.wholes.get(whole).copied().unwrap_or_default();
        if part.variance == 0.0 || self.profile.run.engine == EngineKind::Sampled {
            return part.variance;
        }
        let draws_sites = self.sample.is_some_and(Sample::draws_sites);
        if !draws_sites && part.sites == all.sites {
            return 0.0;
        }
        // Of so few samples that are elsewhere, two more may be (Agresti and Coull).
        let samples = part.bytes * part.bytes / part.variance;
        let of_all = samples * (all.bytes / part.bytes.max(1.0)).max(1.0);
        let shrunken = (of_all - samples + 2.0) / (of_all + 4.0);
        part.variance * shrunken.max(1.0 - part.bytes / all.bytes.max(1.0))
    }

    /// Of a site's bytes, as if nothing were known of its whole, which has so many.
    fn alone(&self, site: &SiteProfile, of_whole: f64) -> f64 {
        let bytes = site.allocated.bytes as f64;
        let class = self.classes.get(site.class.as_str());
        let drawn = class.and_then(|class| Some((class, self.sample_of(class)?)));
        match drawn.filter(|(_, sample)| sample.draws_sites()) {
            Some((class, sample)) => {
                let estimate = self.profile.estimates.get(&class.name).copied().unwrap_or_default();
                let samples = sample.of_stacks().samples(sample.expansion(class, estimate), site.allocated);
                match samples.is_finite() {
                    false => 0.0,
                    // Seen while the class was rare: as many as one sample stands for later may not have been.
                    true if sample.is_share() && samples < 1.0 => {
                        (bytes / samples.max(f64::MIN_POSITIVE)).powi(2)
                    }
                    true => bytes * bytes / samples.max(1.0),
                }
            }
            None => {
                let rest = (1.0 - bytes / of_whole.max(1.0)).max(LEAST_REST);
                (site.error * bytes).powi(2) / rest
            }
        }
    }

    fn sample_of(&self, class: &ClassProfile) -> Option<Sample> {
        let estimate = self.profile.estimates.get(&class.name).copied().unwrap_or_default();
        Some(self.sample?.of_class(class, &self.profile.shares, estimate))
    }

    fn whole<'s>(&self, site: &'s SiteProfile) -> Whole<'s> {
        let line = match self.sample {
            Some(sample) if sample.draws_sites() => None,
            _ => site.stack.first().map(|frame| (&*frame.class, &*frame.method, frame.line)),
        };
        Whole { class: &site.class, line }
    }
}

impl Profile {
    /// Mean bytes between the samples that classes are counted by; `None`: they are counted one by one.
    fn engine_interval(&self) -> Option<u64> {
        (self.run.engine == EngineKind::Sampled).then_some(self.trust.sample_interval.unwrap_or(0))
    }
}

/// Bytes that one sample of objects of `size` stands for.
fn one_sample(size: f64, interval: f64) -> f64 {
    if interval <= 0.0 { 0.0 } else { -size.max(1.0) / (-size.max(1.0) / interval).exp_m1() }
}

fn part_variance(part: Tally, size: f64, of_one: f64) -> f64 {
    let none_seen = if of_one > 0.0 { 1.0 + of_one } else { 0.0 };
    let objects = if part.objects > 0 { part.objects as f64 } else { none_seen };
    objects * of_one * size * size
}

fn mean_size(tally: Tally) -> f64 {
    tally.bytes as f64 / (tally.objects as f64).max(1.0)
}
