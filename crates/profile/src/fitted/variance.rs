//! How far the numbers of a profile are estimates: one model of variance, of which reports, comparisons and checks all take theirs.
//!
//! Whatever rests on samples has a variance, and what no sample fell on is not known to be nothing: it may be as much as one sample
//! stands for. Exact counts have none. Not here: fitting estimates to exact counts (`calibration`).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::run::{EngineKind, Tracking};
use crate::facts::tally::Tally;
use crate::fitted::calibration::{OF_ANY_SHARE, Sample};
use crate::lifetime::scope::{Outcome, ScopeClass, ScopeProfile};
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// The variances of one tally.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TallyVariance {
    /// Of the number of objects.
    pub objects: f64,
    /// Of their bytes, in square bytes.
    pub bytes: f64,
}

impl std::ops::AddAssign for TallyVariance {
    fn add_assign(&mut self, other: Self) {
        self.objects += other.objects;
        self.bytes += other.bytes;
    }
}

impl TallyVariance {
    /// The standard errors of `part`'s objects and bytes, as shares of them.
    pub fn relative(self, part: Tally) -> (f64, f64) {
        let of = |variance: f64, number: u64| variance.sqrt() / number.max(1) as f64;
        (of(self.objects, part.objects), of(self.bytes, part.bytes))
    }
}

/// A share of the whole that is left uncertain, however often a part is seen.
const LEAST_REST: f64 = 0.02;

/// The variances of a profile's numbers, in square bytes.
pub struct Variances<'p> {
    profile: &'p Profile,
    sample: Option<Sample>,
    classes: FxHashMap<&'p str, &'p ClassProfile>,
    sites: FxHashMap<&'p str, Vec<&'p SiteProfile>>,
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
            sites: FxHashMap::default(),
            wholes: FxHashMap::default(),
            weights: FxHashMap::default(),
        };
        let mut bytes: FxHashMap<Whole<'p>, f64> = FxHashMap::default();
        for site in &profile.sites {
            *bytes.entry(all.whole(site)).or_default() += site.allocated.bytes as f64;
        }
        for site in &profile.sites {
            all.sites.entry(&site.class).or_default().push(site);
            let whole = all.whole(site);
            let (of_site, of_whole) =
                (site.allocated.bytes as f64, bytes.get(&whole).copied().unwrap_or(0.0));
            let variance = all.alone(site, of_whole);
            all.wholes.entry(whole).or_default().add(of_site, variance);
            // By the samples of its class, as it stands for what another site may have.
            let variance = match site.between_samples {
                Some(_) => all.drawn(site, None, of_whole),
                None => variance,
            };
            let weight = all.weights.entry(&site.class).or_default();
            // Of a site that less than one sample fell on, that one stands for the root of its variance.
            *weight = weight.max((variance / of_site.max(1.0)).min(variance.sqrt()));
        }
        all
    }

    /// Of what was allocated of a class; of a part by how long objects lived, of what was followed.
    pub fn of_class(&self, class: &ClassProfile) -> f64 {
        if self.profile.part.lived.is_some() {
            let (all, size) = (class.allocated, mean_size(class.allocated));
            let of_one = self.of_one(self.sample_of(class), all);
            let one_more = part_variance(Tally::default(), size, of_one);
            return part_variance(all, size, of_one).bytes + one_more.bytes;
        }
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

    /// Bytes that one of a class's living objects that is followed stands for, if not each is; of the dead where none lives.
    pub fn followed_of_class(&self, class: &ClassProfile) -> f64 {
        let live = class.live.unwrap_or_default();
        if live.is_empty() {
            return mean_size(class.allocated) * (1.0 + self.of_one(self.sample_of(class), class.allocated));
        }
        mean_size(live) + self.of_live(class).bytes / (live.bytes as f64).max(1.0)
    }

    /// Bytes that one sample of these classes' sites stands for, at most.
    pub fn sample_of_sites<'s>(&self, classes: impl IntoIterator<Item = &'s str>) -> f64 {
        self.of_missing_sites(classes).sqrt()
    }

    /// Of a class's living objects; where there are none, of as much as one picked object stands for.
    ///
    /// Site by site, as objects of one site are mostly of one size: one sample of a small object stands for many more than one of a large one.
    pub fn of_live(&self, class: &ClassProfile) -> TallyVariance {
        let live = class.live.unwrap_or_default();
        let sample = self.sample_of(class);
        if live.is_empty() {
            let of_one = self.of_one(sample, class.allocated);
            return part_variance(live, mean_size(class.allocated), of_one);
        }
        let of_part = |sample: Option<Sample>, part: Tally| {
            part_variance(part, mean_size(part), self.of_one_seen(sample, part))
        };
        let (mut sum, mut elsewhere) = (TallyVariance::default(), live);
        for site in self.sites.get(class.name.as_str()).into_iter().flatten() {
            let at_site = site.live.unwrap_or_default();
            elsewhere.objects = elsewhere.objects.saturating_sub(at_site.objects);
            elsewhere.bytes = elsewhere.bytes.saturating_sub(at_site.bytes);
            let sample = sample.map(|sample| sample.drawn(site.between_samples));
            live_by_age(site).into_iter().for_each(|part| sum += of_part(sample, part));
        }
        if elsewhere.objects > 0 && elsewhere.bytes > 0 {
            sum += of_part(sample, elsewhere);
        }
        // Of few samples the root says too little: one more might as well have come. And of one that was drawn when an object stood for few it
        // says nothing of later.
        sum += part_variance(Tally::default(), mean_size(live), self.of_one(sample, live));
        sum
    }

    /// Of the objects of a scope that had one outcome, as [`Self::of_live`]: what of each class was followed, one picked object more, and any
    /// share of the classes of which too few were followed.
    pub fn of_outcome(&self, scope: &ScopeProfile, part: impl Fn(Outcome) -> Tally) -> TallyVariance {
        let (mut sum, mut missed) = (TallyVariance::default(), TallyVariance::default());
        for class in &scope.classes {
            let (seen, one_more) = self.of_class_outcome(class, &part);
            sum += seen;
            if one_more.bytes > missed.bytes {
                missed = one_more;
            }
        }
        sum += missed;
        sum
    }

    /// The same of one class in it.
    pub fn of_outcome_of_class(&self, class: &ScopeClass, part: impl Fn(Outcome) -> Tally) -> TallyVariance {
        let (mut sum, one_more) = self.of_class_outcome(class, &part);
        sum += one_more;
        sum
    }

    fn of_class_outcome(
        &self,
        class: &ScopeClass,
        part: &impl Fn(Outcome) -> Tally,
    ) -> (TallyVariance, TallyVariance) {
        let Some(outcome) = class.outcome else {
            // About none, to which it adds nothing.
            let of_any = |number: u64| (number as f64).powi(2) / 3.0;
            let Tally { objects, bytes, .. } = class.allocated;
            let unknown = TallyVariance { objects: of_any(objects), bytes: of_any(bytes) };
            return (unknown, TallyVariance::default());
        };
        let part = part(outcome);
        let of = if part.is_empty() { outcome.tracked } else { part };
        let of_one = self.of_one_in_scope(class, of);
        // Which sizes there are is not recorded: at worst few of the largest have most of the bytes.
        let size = (mean_size(of) * of.largest.max(1) as f64).sqrt().max(mean_size(of));
        let seen = match part.is_empty() {
            true => TallyVariance::default(),
            false => part_variance(part, size, of_one),
        };
        (seen, part_variance(Tally::default(), size, of_one))
    }

    /// What each of these objects of a class, which were made in a scope, adds to the variance of a number of them; 0 where each is followed.
    pub(crate) fn of_one_in_scope(&self, class: &ScopeClass, part: Tally) -> f64 {
        let variance = class.detail.and_then(|detail| detail.variance);
        if let (Some(variance), Some(outcome)) = (variance, class.outcome) {
            return variance / (outcome.tracked.objects as f64).max(1.0);
        }
        let known = self.classes.get(class.name.as_str());
        self.of_one(known.map_or(self.sample, |class| self.sample_of(class)), part)
    }

    /// What each of a part of a class's objects adds to the variance of their number, by the class's sample; 0 where each is followed.
    fn of_one(&self, sample: Option<Sample>, part: Tally) -> f64 {
        match sample {
            Some(sample) if sample.draws_sites() => sample.variance_of_one(part),
            // Thinned for want of room.
            Some(_) => self.thinned() - 1.0,
            None => 0.0,
        }
    }

    /// The same of what was seen of it ([`Sample::variance_of_one_seen`]).
    fn of_one_seen(&self, sample: Option<Sample>, part: Tally) -> f64 {
        match sample {
            Some(sample) if sample.draws_sites() => sample.variance_of_one_seen(part),
            other => self.of_one(other, part),
        }
    }

    /// Of the objects that could be followed, one in so many is.
    fn thinned(&self) -> f64 {
        self.profile.trust.following.thinned_to_one_in.max(1) as f64
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

    /// How many times as much as elsewhere one sample stands for where these sites are, at least 1: at a program's start samples are further
    /// apart.
    pub fn times_apart(&self, sites: &[&SiteProfile]) -> f64 {
        let (mut bytes, mut times) = (0.0, 0.0);
        for site in sites {
            let Some(between) = site.between_samples else { return 1.0 };
            bytes += site.allocated.bytes as f64;
            times += site.allocated.bytes as f64 * between as f64;
        }
        let mean = self.profile.bytes_between_samples().filter(|_| bytes > 0.0);
        mean.map_or(1.0, |mean| (times / bytes / mean.max(1.0)).max(1.0))
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
            * self.times_apart(sites).powi(2)
    }

    /// The same where it is known of which classes the method makes objects.
    pub fn unseen_of<'s>(&self, sites: &[&SiteProfile], classes: impl IntoIterator<Item = &'s str>) -> f64 {
        let seen: FxHashSet<&str> = sites.iter().map(|site| site.class.as_str()).collect();
        self.of_missing_sites(classes.into_iter().filter(|class| !seen.contains(class)))
    }

    /// Of what is live of these sites together, and of as much as one picked object stands for of those of which nothing is.
    pub fn of_live_sites<'s>(&self, sites: impl IntoIterator<Item = &'s SiteProfile>) -> TallyVariance
    where
        'p: 's,
    {
        let (mut sum, mut missed) = (TallyVariance::default(), TallyVariance::default());
        for site in sites {
            let (seen, one_more) = self.of_live_site(site, site.live.unwrap_or_default());
            sum += seen;
            if one_more.bytes > missed.bytes {
                missed = one_more;
            }
        }
        sum += missed;
        sum
    }

    /// Of what is live of a site, and of as much as one sample more stands for ([`Self::of_live`]).
    fn of_live_site(&self, site: &SiteProfile, live: Tally) -> (TallyVariance, TallyVariance) {
        let class = self.classes.get(site.class.as_str());
        let drawn = class.and_then(|class| self.sample_of(class));
        let drawn = drawn.map(|sample| sample.of_stacks().drawn(site.between_samples));
        let of = if live.is_empty() { site.allocated } else { live };
        let mut seen = TallyVariance::default();
        if let Some(sample) = drawn.filter(|sample| sample.draws_sites()) {
            for part in live_by_age(site) {
                seen += part_variance(part, mean_size(part), sample.variance_of_one_seen(part));
            }
            let missed = part_variance(Tally::default(), mean_size(of), sample.variance_of_one(of));
            return (seen, class.map_or(missed, |class| self.within_class(missed, class)));
        }
        // By the share of the site's allocations whose stack was taken.
        let weight =
            (site.error * site.allocated.bytes as f64).powi(2) / (site.allocated.bytes as f64).max(1.0);
        let size = mean_size(site.allocated).max(1.0);
        let of_bytes = |bytes: f64| TallyVariance { objects: bytes / (size * size), bytes };
        if live.is_empty() {
            let mut missed = part_variance(live, size, self.thinned() - 1.0);
            missed += of_bytes(weight * weight);
            return (seen, missed);
        }
        seen += part_variance(live, size, self.thinned() - 1.0);
        seen += of_bytes(live.bytes as f64 * weight);
        (seen, TallyVariance::default())
    }

    /// What a site may have besides is a part of what is live of its class, which more objects tell of than stacks.
    fn within_class(&self, missed: TallyVariance, class: &ClassProfile) -> TallyVariance {
        if self.profile.run.tracking != Tracking::Balanced {
            return missed;
        }
        let all = class.not_seen_dead();
        let square = |number: u64| (number as f64).powi(2);
        TallyVariance {
            objects: missed.objects.min(square(all.objects)),
            bytes: missed.bytes.min(square(all.bytes)),
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
        let weight = mean_size(known.allocated) * if of_one > 0.0 { 1.0 + of_one } else { 0.0 };
        // When it was made is not known: samples may have been furthest apart then.
        let furthest = self.profile.trust.sample_interval.unwrap_or(0).min(known.allocated.bytes);
        if self.is_byte_sample_of_counted() { weight.max(furthest as f64) } else { weight }
    }

    /// Whether a byte sample is fitted to exact counts of classes.
    fn is_byte_sample_of_counted(&self) -> bool {
        self.profile.run.engine == EngineKind::Exact
            && matches!(self.profile.run.tracking, Tracking::ByteSample(_))
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
        let variance = part.variance * shrunken.max(1.0 - part.bytes / all.bytes.max(1.0));
        variance.min(all.bytes * all.bytes * OF_ANY_SHARE)
    }

    /// Of a site's bytes, as if nothing were known of its whole, which has so many.
    fn alone(&self, site: &SiteProfile, of_whole: f64) -> f64 {
        self.drawn(site, site.between_samples, of_whole)
    }

    /// The same, if its samples were so many bytes apart; `None`: as those of its class.
    fn drawn(&self, site: &SiteProfile, between: Option<u64>, of_whole: f64) -> f64 {
        let bytes = site.allocated.bytes as f64;
        let class = self.classes.get(site.class.as_str());
        let drawn = class.and_then(|class| Some((class, self.sample_of(class)?)));
        match drawn.filter(|(_, sample)| sample.draws_sites()) {
            Some((class, sample)) => {
                let estimate = self.profile.estimates.get(&class.name).copied().unwrap_or_default();
                let expansion = sample.expansion(class, estimate);
                let samples = sample.of_stacks().drawn(between).samples(expansion, site.allocated);
                match samples.is_finite() {
                    false => 0.0,
                    // Seen when an object stood for few: as many as one sample stands for later may not have been.
                    true if samples < 1.0 => (bytes / samples.max(f64::MIN_POSITIVE)).powi(2),
                    true => bytes * bytes / samples,
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

/// What is live of a site by age, in proportion to what is stated of it: a loop may make objects of several sizes, those of one age are mostly of one.
fn live_by_age(site: &SiteProfile) -> Vec<Tally> {
    let live = site.live.filter(|live| live.objects > 0 && live.bytes > 0);
    let loads: Vec<_> = site.lifetimes.iter().flat_map(|known| known.ms.living_between()).collect();
    let (objects, bytes) = loads.iter().fold((0.0, 0.0), |(objects, bytes), (_, load)| {
        (objects + load.objects as f64, bytes + load.bytes as f64)
    });
    let Some(live) = live.filter(|_| objects > 0.0 && bytes > 0.0) else {
        return live.into_iter().collect();
    };
    let scaled = |part: u64, of: f64, to: u64| (part as f64 / of * to as f64).round() as u64;
    let parts = loads.iter().map(|(_, load)| Tally {
        objects: scaled(load.objects, objects, live.objects),
        bytes: scaled(load.bytes, bytes, live.bytes),
        ..Tally::default()
    });
    parts.filter(|part| part.objects > 0 && part.bytes > 0).collect()
}

/// Bytes that one sample of objects of `size` stands for.
fn one_sample(size: f64, interval: f64) -> f64 {
    if interval <= 0.0 { 0.0 } else { -size.max(1.0) / (-size.max(1.0) / interval).exp_m1() }
}

fn part_variance(part: Tally, size: f64, of_one: f64) -> TallyVariance {
    let none_seen = if of_one > 0.0 { 1.0 + of_one } else { 0.0 };
    let objects = if part.objects > 0 { part.objects as f64 } else { none_seen };
    TallyVariance { objects: objects * of_one, bytes: objects * of_one * size * size }
}

fn mean_size(tally: Tally) -> f64 {
    tally.bytes as f64 / (tally.objects as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifetime::site_lifetimes::{Load, SiteLifetimes};

    const INTERVAL: u64 = 64 << 10;

    /// Twenty arrays of a MiB, each picked for sure, and one of 64 bytes that stands for a thousand.
    fn arrays(with_sites: bool) -> Profile {
        let (large, small) = (Tally::of(20, 1 << 20), Tally::of(1_024, 64));
        let mut live = large;
        live.add(small);
        let class = ClassProfile {
            name: "[B".into(),
            allocated: Tally::of(300_000, 10_000),
            live: Some(live),
            ..ClassProfile::default()
        };
        let site =
            |live: Tally| SiteProfile { class: "[B".into(), live: Some(live), ..SiteProfile::default() };
        let sites = if with_sites { vec![site(large), site(small)] } else { Vec::new() };
        let mut profile = Profile { classes: vec![class], sites, ..Profile::default() };
        profile.run.tracking = Tracking::ByteSample(INTERVAL);
        profile.trust.sample_interval = Some(INTERVAL);
        profile
    }

    #[test]
    fn one_sample_of_a_small_object_makes_the_number_of_objects_unsure_and_hardly_the_bytes() {
        let profile = arrays(true);
        let class = &profile.classes[0];
        let variances = Variances::of(&profile);
        let (objects, bytes) = variances.of_live(class).relative(class.live.expect("live"));
        assert!((0.9..1.1).contains(&objects), "1,024 of 1,044 stand on one sample: {objects}");
        assert!((0.002..0.005).contains(&bytes), "64 KiB of 20 MiB do: {bytes}");
        assert!(variances.followed_of_class(class) < 40_000.0);
    }

    /// Both made by one line.
    #[test]
    fn what_one_site_makes_counts_by_the_sizes_of_each_age() {
        let mut profile = arrays(true);
        let live = profile.classes[0].live.expect("live");
        let mut lifetimes = SiteLifetimes::default();
        for (age, site) in [(20_000, &profile.sites[0]), (1_000, &profile.sites[1])] {
            let tally = site.live.expect("live");
            lifetimes
                .ms
                .record_living(age, Load { objects: tally.objects, bytes: tally.bytes, byte_ms: (0, 0) });
        }
        profile.sites.truncate(1);
        profile.sites[0].live = Some(live);
        profile.sites[0].lifetimes = Some(lifetimes.into());
        let variances = Variances::of(&profile);
        for variance in
            [variances.of_live(&profile.classes[0]), variances.of_live_sites(profile.sites.iter())]
        {
            let (objects, bytes) = variance.relative(live);
            assert!((0.9..1.1).contains(&objects) && bytes < 0.005, "{objects} {bytes}");
        }
    }

    #[test]
    fn what_no_site_has_counts_by_its_mean_size_and_one_more_might_have_come() {
        let profile = arrays(false);
        let class = &profile.classes[0];
        let variance = Variances::of(&profile).of_live(class);
        let live = class.live.expect("live");
        let each = live.bytes as f64 / live.objects as f64;
        let of_one = 1.0 / (each / INTERVAL as f64).exp_m1();
        let expected = (live.objects as f64 + 1.0 + of_one) * of_one;
        assert!(
            (variance.objects / expected - 1.0).abs() < 1e-9 && variance.bytes > variance.objects,
            "{variance:?}"
        );
        assert!((variance.bytes / variance.objects / (each * each) - 1.0).abs() < 1e-9, "{variance:?}");
    }
}
