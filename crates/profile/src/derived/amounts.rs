//! One number per class and stack, for formats that show one at a time: which numbers there are, and cells of them.
//!
//! Cells of a class add up to what reports say of the class, whatever its sites know: what they lack is in a cell without
//! frames. So totals are the same in every format. Not here: which part of a profile is taken (`view`, `band`, `since`).

use rustc_hash::FxHashMap;

use crate::facts::division::divide;
use crate::facts::run::EngineKind;
use crate::facts::stack::Stack;
use crate::facts::tally::Tally;
use crate::lifetime::ages::Ages;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// What is added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// Bytes of all objects allocated.
    #[default]
    Bytes,
    /// All objects allocated.
    Objects,
    /// Bytes of those not yet seen dead.
    Live,
    /// Those not yet seen dead.
    LiveObjects,
    /// Bytes times seconds that objects were held so far.
    ByteSeconds,
    /// Bytes of objects that died at the first collection after their birth.
    DiedYoung,
    /// Bytes of objects that survived a collection.
    Survived,
    /// Bytes of objects that the JIT compiler optimised away: executed, and never allocated.
    OptimisedAway,
}

impl Value {
    /// All of them, as [`Amounts`] has them.
    pub const ALL: [Self; 8] = [
        Self::Bytes,
        Self::Objects,
        Self::Live,
        Self::LiveObjects,
        Self::ByteSeconds,
        Self::DiedYoung,
        Self::Survived,
        Self::OptimisedAway,
    ];

    /// As the command line and files name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Objects => "objects",
            Self::Live => "live",
            Self::LiveObjects => "live-objects",
            Self::ByteSeconds => "byte-seconds",
            Self::DiedYoung => "died-young",
            Self::Survived => "survived",
            Self::OptimisedAway => "optimised-away",
        }
    }

    /// What one of it is: `bytes`, `objects` or `byte-seconds`.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Objects | Self::LiveObjects => "objects",
            Self::ByteSeconds => "byte-seconds",
            Self::Bytes | Self::Live | Self::DiedYoung | Self::Survived | Self::OptimisedAway => "bytes",
        }
    }
}

/// A number for each [`Value`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts([u64; Value::ALL.len()]);

impl Amounts {
    /// The number for this value.
    pub fn of(&self, value: Value) -> u64 {
        self.0[value as usize]
    }

    /// Whether all of them are zero.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&amount| amount == 0)
    }

    /// Adds each number.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, amount)| *sum = sum.saturating_add(amount));
    }

    /// Takes each number off, down to zero.
    pub(crate) fn take(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(left, amount)| *left = left.saturating_sub(amount));
    }

    pub(crate) fn set(&mut self, value: Value, amount: u64) {
        self.0[value as usize] = amount;
    }
}

/// Objects of one class from one stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell<'p> {
    /// Class of the objects.
    pub class: &'p str,
    /// Innermost frame first; empty where it is not known.
    pub stack: &'p Stack,
    /// How many, how large.
    pub amounts: Amounts,
}

impl Profile {
    /// Whether this value is known: not where deaths were not followed, nor that which the clock of collections tells of a
    /// part that the clock of time chose. What was optimised away is known where counts are held against the JVM's samples.
    pub fn knows(&self, value: Value) -> bool {
        match value {
            Value::Bytes | Value::Objects => true,
            Value::Live | Value::LiveObjects | Value::ByteSeconds => self.run.lifetimes,
            Value::DiedYoung => self.run.lifetimes && self.part.lived.is_none(),
            // Where it is not known from when on the dead were dead, what was seen dead late may have survived nothing.
            Value::Survived => self.knows(Value::DiedYoung) && self.run.jvm.gc.tells_the_old_dead(),
            Value::OptimisedAway => {
                let is_compared =
                    self.run.engine == EngineKind::Exact && self.trust.sample_interval.is_some();
                is_compared && self.part.lived.is_none()
            }
        }
    }

    /// The numbers of a class, as reports state them.
    pub fn amounts(&self, class: &ClassProfile) -> Amounts {
        let mut amounts = Amounts::default();
        amounts.set(Value::Bytes, class.allocated.bytes);
        amounts.set(Value::Objects, class.allocated.objects);
        if let Some(live) = class.live {
            amounts.set(Value::Live, live.bytes);
            amounts.set(Value::LiveObjects, live.objects);
        }
        if let Some(held) = class.byte_seconds(&self.run.buckets) {
            amounts.set(Value::ByteSeconds, held.all().round() as u64);
        }
        if self.knows(Value::DiedYoung) {
            amounts.set(Value::DiedYoung, class.died_young().bytes);
            amounts.set(Value::Survived, class.survived().bytes);
        }
        if self.knows(Value::OptimisedAway) {
            amounts.set(Value::OptimisedAway, self.removed_bytes(class));
        }
        amounts
    }

    /// All cells: class by class in the order of the classes, those of one in the order of its sites.
    pub fn cells(&self) -> Vec<Cell<'_>> {
        let mut cells = self.all_cells();
        cells.retain(|cell| !cell.amounts.is_empty());
        cells
    }

    /// The same with those of which each number is zero.
    pub(crate) fn all_cells(&self) -> Vec<Cell<'_>> {
        let mut sites: FxHashMap<&str, Vec<&SiteProfile>> = FxHashMap::default();
        for site in &self.sites {
            sites.entry(&site.class).or_default().push(site);
        }
        let mut cells = Vec::new();
        for class in &self.classes {
            let sites = sites.remove(class.name.as_str()).unwrap_or_default();
            cells.extend(divided(class, &self.amounts(class), &sites));
        }
        let left = self.sites.iter().filter(|site| sites.contains_key(site.class.as_str()));
        cells.extend(left.map(|site| Cell {
            class: &site.class,
            stack: &site.stack,
            amounts: site.amounts(),
        }));
        cells
    }
}

/// The numbers of a class, divided among its sites. A class all of whose objects have a site is divided without rest.
fn divided<'p>(class: &'p ClassProfile, all: &Amounts, sites: &[&'p SiteProfile]) -> Vec<Cell<'p>> {
    let of_sites: Vec<Amounts> = sites.iter().map(|site| site.amounts()).collect();
    let sum = |value: Value| of_sites.iter().fold(0u64, |sum, site| sum.saturating_add(site.of(value)));
    let is_whole = [Value::Bytes, Value::Objects].iter().all(|&value| sum(value) == all.of(value));
    let mut parts = vec![Amounts::default(); sites.len()];
    let mut rest = Amounts::default();
    for value in Value::ALL {
        // What was optimised away is known of the class alone: its sites share it by what they executed.
        let of_class = value == Value::OptimisedAway;
        let known = if of_class { Value::Bytes } else { value };
        let (total, sum) = (all.of(value), sum(known));
        let known: Vec<u64> = of_sites.iter().map(|site| site.of(known)).collect();
        let is_divided = sum > total || ((is_whole || of_class) && sum > 0);
        let shares = if is_divided { divide(total, &known) } else { known };
        rest.set(value, total - shares.iter().sum::<u64>());
        parts.iter_mut().zip(shares).for_each(|(part, share)| part.set(value, share));
    }
    let without_frames = sites.iter().position(|site| site.stack.is_empty());
    if let Some(at) = without_frames {
        parts[at].add(&std::mem::take(&mut rest));
    }
    let cell = |(site, amounts): (&&'p SiteProfile, Amounts)| Cell {
        class: &class.name,
        stack: &site.stack,
        amounts,
    };
    let is_left = !rest.is_empty() || sites.is_empty();
    let unplaced = is_left.then_some(Cell { class: &class.name, stack: &Stack::NONE, amounts: rest });
    sites.iter().zip(parts).map(cell).chain(unplaced).collect()
}

impl ClassProfile {
    /// Tracked objects seen dead, over all buckets.
    pub fn dead(&self) -> Tally {
        sum(&self.collected)
    }

    /// Objects that died at the first collection after their birth. Where the sizes of these are not known, they are the mean
    /// of the dead.
    pub fn died_young(&self) -> Tally {
        let Some(lifetimes) = &self.lifetimes else { return Tally::default() };
        let dead = self.dead();
        let objects = lifetimes.died_before_first_gc_share().unwrap_or(0.0);
        let bytes = self.byte_ages.as_ref().and_then(|ages| share(ages.gcs.deaths(), |_, by| by <= 1));
        part(dead, objects, bytes.unwrap_or(objects))
    }

    /// Objects that survived a collection for sure, dead since or not. Sizes as for [`Self::died_young`].
    pub fn survived(&self) -> Tally {
        let Some(lifetimes) = &self.lifetimes else { return Tally::default() };
        let (ages, byte_ages) = (&lifetimes.gcs, self.byte_ages.as_ref().map(|ages| &ages.gcs));
        let later = |ages: &Ages| share(ages.deaths(), |after, _| after >= 1);
        let settled =
            |ages: &Ages| share(ages.living().map(|(age, weight)| (age, age, weight)), |age, _| age >= 1);
        let survivors = |of: Tally, share: &dyn Fn(&Ages) -> Option<f64>| {
            let objects = share(ages).unwrap_or(0.0);
            part(of, objects, byte_ages.and_then(share).unwrap_or(objects))
        };
        let mut survived = survivors(self.dead(), &later);
        survived.add(survivors(self.not_seen_dead(), &settled));
        survived
    }
}

/// The share of the weights whose bounds are wanted; `None` without any weight.
fn share(ages: impl Iterator<Item = (u64, u64, u64)>, is_wanted: impl Fn(u64, u64) -> bool) -> Option<f64> {
    let (mut all, mut wanted) = (0.0, 0.0);
    for (after, by, weight) in ages {
        all += weight as f64;
        wanted += if is_wanted(after, by) { weight as f64 } else { 0.0 };
    }
    (all > 0.0).then(|| wanted / all)
}

impl SiteProfile {
    /// What the site itself knows.
    fn amounts(&self) -> Amounts {
        let mut amounts = Amounts::default();
        amounts.set(Value::Bytes, self.allocated.bytes);
        amounts.set(Value::Objects, self.allocated.objects);
        if let Some(live) = self.live {
            amounts.set(Value::Live, live.bytes);
            amounts.set(Value::LiveObjects, live.objects);
            let known = self.lifetimes.as_ref().map(|lifetimes| (lifetimes, lifetimes.tracked().bytes));
            let (mut living, mut died_young, mut survived) = (0.0, 0.0, 0.0);
            if let Some((lifetimes, tracked)) = known.filter(|&(_, tracked)| tracked > 0) {
                let all = sum(&self.collected).bytes.saturating_add(self.not_seen_dead().bytes);
                let scale = all as f64 / tracked as f64;
                living = lifetimes.living_byte_seconds() * scale;
                died_young = lifetimes.died_young.bytes as f64 * scale;
                survived = lifetimes.survived.bytes as f64 * scale;
            }
            amounts.set(Value::ByteSeconds, (self.byte_seconds + living).max(0.0).round() as u64);
            amounts.set(Value::DiedYoung, died_young.round() as u64);
            amounts.set(Value::Survived, survived.round() as u64);
        }
        amounts
    }
}

fn sum(tallies: &[Tally]) -> Tally {
    tallies.iter().fold(Tally::default(), |mut sum, &tally| {
        sum.add(tally);
        sum
    })
}

fn part(of: Tally, objects: f64, bytes: f64) -> Tally {
    let of_count = |count: u64, share: f64| ((count as f64 * share).round() as u64).min(count);
    Tally { objects: of_count(of.objects, objects), bytes: of_count(of.bytes, bytes), largest: of.largest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::estimate::{ClassEstimate, Estimate};
    use crate::facts::frame::Frame;
    use crate::facts::run::RunInfo;
    use crate::lifetime::lifetimes::Lifetimes;

    fn site(method: &str, allocated: Tally, live: Tally) -> SiteProfile {
        let stack = vec![Frame { class: "a.Main".into(), method: method.into(), ..Frame::default() }].into();
        SiteProfile { class: "a.A".into(), stack, allocated, live: Some(live), ..SiteProfile::default() }
    }

    fn profile(sites: Vec<SiteProfile>) -> Profile {
        let mut lifetimes = Lifetimes { died_before_first_gc: 6, ..Lifetimes::default() };
        for (after, by, weight) in [(0, 1, 6), (1, 2, 2)] {
            lifetimes.gcs.record_deaths(after, by, weight);
            lifetimes.ms.record_deaths(after * 1_000, by * 1_000, weight);
        }
        lifetimes.gcs.record_living(0, 1);
        lifetimes.gcs.record_living(3, 1);
        let class = ClassProfile {
            name: "a.A".into(),
            allocated: Tally::of(10, 100),
            live: Some(Tally::of(2, 100)),
            collected: vec![Tally::of(8, 100)],
            lifetimes: Some(lifetimes),
            ..ClassProfile::default()
        };
        let run = RunInfo { lifetimes: true, stacks: true, ..RunInfo::default() };
        Profile { run, classes: vec![class], sites, ..Profile::default() }
    }

    fn of(cells: &[Cell<'_>], value: Value) -> Vec<(usize, u64)> {
        let all = cells.iter().map(|cell| (cell.stack.len(), cell.amounts.of(value)));
        all.filter(|&(_, amount)| amount > 0).collect()
    }

    #[test]
    fn a_class_without_sites_is_one_cell_with_all_its_numbers() {
        let profile = profile(Vec::new());
        let cells = profile.cells();
        let amounts = Value::ALL.map(|value| of(&cells, value).first().map_or(0, |cell| cell.1));
        assert_eq!(cells.len(), 1);
        // Died at the first of two collections: 6 after 0.5 s on average, 2 after 1.5 s; nothing of the living's time.
        assert_eq!(amounts[..4], [1_000, 10, 200, 2]);
        assert_eq!(amounts[5..7], [600, 300]);
    }

    #[test]
    fn what_sites_lack_is_a_cell_without_frames() {
        let some = profile(vec![site("run", Tally::of(6, 100), Tally::of(1, 100))]);
        assert_eq!(of(&some.cells(), Value::Bytes), [(1, 600), (0, 400)]);
        assert_eq!(of(&some.cells(), Value::Live), [(1, 100), (0, 100)]);
    }

    #[test]
    fn sites_of_all_objects_get_all_of_the_class() {
        let sites = vec![
            site("run", Tally::of(6, 100), Tally::of(3, 100)),
            site("main", Tally::of(4, 100), Tally::of(1, 100)),
        ];
        let whole = profile(sites);
        assert_eq!(of(&whole.cells(), Value::Bytes), [(1, 600), (1, 400)]);
        assert_eq!(of(&whole.cells(), Value::Live), [(1, 150), (1, 50)]);
    }

    #[test]
    fn what_was_optimised_away_is_shared_by_what_sites_executed() {
        let sites = vec![
            site("run", Tally::of(6, 100), Tally::of(3, 100)),
            site("main", Tally::of(4, 100), Tally::of(1, 100)),
        ];
        let mut profile = profile(sites);
        assert!(
            !profile.knows(Value::OptimisedAway) && of(&profile.cells(), Value::OptimisedAway).is_empty()
        );
        // The JVM's samples, one byte apart, say that 250 bytes of the 1,000 were allocated.
        profile.trust.sample_interval = Some(1);
        let mut estimate = ClassEstimate::default();
        estimate.allocated.add(Estimate::of_bytes(250.0, 0.0));
        profile.estimates.insert("a.A".into(), estimate);
        assert_eq!(of(&profile.cells(), Value::OptimisedAway), [(1, 450), (1, 300)]);
        profile.estimates.clear();
        profile.run.engine = EngineKind::Sampled;
        assert!(!profile.knows(Value::OptimisedAway));
    }

    #[test]
    fn a_site_of_a_class_without_a_row_is_kept() {
        let mut lone = site("run", Tally::of(1, 16), Tally::default());
        lone.class = "b.B".into();
        assert_eq!(of(&profile(vec![lone]).cells(), Value::Bytes), [(0, 1_000), (1, 16)]);
    }
}
