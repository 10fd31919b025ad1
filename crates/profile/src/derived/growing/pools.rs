//! Survivors by the place of the program that makes them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::derived::own_code::is_foreign;
use crate::derived::program::Program;
use crate::facts::frame::Frame;
use crate::facts::in_source::is_of_lambda;
use crate::facts::jdk::is_of_the_program;
use crate::facts::run::Tracking;
use crate::facts::tally::Tally;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

use super::births::{Births, Clock};
use super::growth::Growth;
use super::held::Holder;
use super::worth::Worth;
use crate::facts::soft::is_soft;

/// One object is nothing that becomes more: the array of a queue is older than what is in it.
const SEVERAL: f64 = 1.5;

/// What is made below a line is most of something if it is this share of its bytes.
const MOST: f64 = 0.5;

/// What dies within this part of the time, and within so many milliseconds, was at work.
const SHORT_PART: u64 = 10;
const SHORT_MS: u64 = 2_000;

/// The place that makes objects: a line of a method, a method, or where no stacks were taken a class of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Maker {
    /// Made without a stack.
    #[default]
    Unknown,
    /// All objects of a class.
    Class(String),
    /// A method of the program's own, and the line if it is one and known.
    Method {
        /// Its class.
        class: String,
        /// Its name.
        method: String,
        /// Where in its source file.
        line: Option<u32>,
    },
}

impl Maker {
    pub(super) fn of(frame: Option<&Frame>, with_line: bool) -> Self {
        frame.map_or(Self::Unknown, |frame| Self::Method {
            class: frame.in_source().0.to_owned(),
            method: frame.in_source().1.to_owned(),
            line: frame.line.filter(|_| with_line),
        })
    }

    pub(super) fn without_line(&self) -> Self {
        match self {
            Self::Method { class, method, .. } => {
                Self::Method { class: class.clone(), method: method.clone(), line: None }
            }
            other => other.clone(),
        }
    }
}

impl fmt::Display for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => {
                f.write_str("code without a stack (reflection, deserialisation, JNI, hidden classes)")
            }
            Self::Class(name) => f.write_str(name),
            Self::Method { class, method, line: Some(line) } => write!(f, "{class}.{method}:{line}"),
            Self::Method { class, method, line: None } => write!(f, "{class}.{method}"),
        }
    }
}

/// What one place keeps more and more of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grower {
    /// The place.
    pub maker: Maker,
    /// Of a class the place that makes nearly all of it, if there is one.
    pub class_made_at: Option<Maker>,
    /// What of it is alive, by class and stack, most bytes first.
    pub kept: Vec<Kept>,
    /// The class of most of its bytes.
    pub class: String,
    /// The program's own class of which most objects came lately: what people call it by. `None` if there is none.
    pub own_class: Option<String>,
    /// All of it that is alive, as the profile states it.
    pub live: Tally,
    /// Samples behind what is alive.
    pub samples: f64,
    /// The standard error of what it brings in a second, as a share of that; more than 1 where hardly anything is known. That of its bytes is less.
    pub error: f64,
    /// By how much it grew lately.
    pub bytes_per_s: f64,
    /// From when on, in milliseconds of the profiled time.
    pub since_ms: u64,
    /// When it stopped, as the program had little to do from then on; `None` if it did not.
    pub until_ms: Option<u64>,
    /// Whether it is more: what belongs to it and has few stacks, or none, is not in it.
    pub is_at_least: bool,
    /// What is held of that.
    pub growth: Growth,
    /// Who holds it, if that was looked for.
    pub holder: Option<Holder>,
}

impl Grower {
    /// The place as `class.method`, with its line if it is one; `None` if it is not known, or if a class is made at many.
    pub fn method(&self) -> Option<String> {
        let place = if self.is_class() { self.class_made_at.as_ref() } else { Some(&self.maker) };
        place.map(Maker::to_string)
    }

    /// Whether it is all of a class, and not what a place makes.
    pub fn is_class(&self) -> bool {
        matches!(self.maker, Maker::Class(_))
    }

    /// The part of the objects that are alive which came in the second half of the time.
    pub(super) fn late(&self) -> f64 {
        let born = |part: usize| self.kept.iter().map(|kept| kept.born[part]).sum::<u64>() as f64;
        let late = born(1) + born(2);
        late / (born(0) + late).max(1.0)
    }

    /// Of its objects those that died after a good part of the time, for each that is alive.
    pub(super) fn lost(&self, profile: &Profile) -> f64 {
        let long_ms = (profile.duration_ms / SHORT_PART).max(SHORT_MS);
        let sites = self.kept.iter().filter(|_| !self.is_class()).map(|kept| &profile.sites[kept.row]);
        let (mut dead, mut living) = (0, 0);
        for lifetimes in sites.filter_map(|site| site.lifetimes.as_deref()) {
            let of_old = lifetimes.ms.dead().filter(|&(after, ..)| after >= long_ms);
            dead += of_old.map(|(_, _, load)| load.objects).sum::<u64>();
            living += lifetimes.ms.living().map(|(_, load)| load.objects).sum::<u64>();
        }
        dead as f64 / living.max(1) as f64
    }

    /// The field that holds it, as `a.B.field`, or what else does; `None` if that is not known.
    pub fn held_by(&self) -> Option<&str> {
        self.holder.as_ref()?.name.as_deref()
    }

    /// The line of the program itself that most of what is alive is made below, where that is not the place it is named by.
    pub fn below<'p>(&self, profile: &'p Profile) -> Option<&'p Frame> {
        let Maker::Method { class, method, .. } = &self.maker else { return None };
        self.way(profile, &Program::of(profile), MOST).filter(|frame| frame.in_source() != (class, method))
    }

    /// The line of the program itself that so much of what is alive is made below, or at.
    pub(super) fn way<'p>(
        &self,
        profile: &'p Profile,
        program: &Program<'_>,
        share: f64,
    ) -> Option<&'p Frame> {
        let Maker::Method { .. } = self.maker else { return None };
        let sites = self.kept.iter().map(|kept| (&profile.sites[kept.row], kept.live.bytes));
        let (frame, of_all) = program.through(sites, true)?;
        (of_all >= share).then_some(frame)
    }

    /// Whether objects of such a row of the profile are among it.
    pub(super) fn has(&self, row: usize) -> bool {
        self.kept.iter().any(|kept| kept.row == row)
    }

    /// Whether all of it is among another.
    pub(super) fn is_part_of(&self, whole: &Self) -> bool {
        self.kept.iter().all(|kept| whole.has(kept.row))
    }

    /// Bytes of it that are of such a class, and born in the second half of the time.
    pub(super) fn late_of(&self, profile: &Profile, class: &str) -> f64 {
        let late = |kept: &Kept| {
            let [early, middle, recent] = kept.born.map(|born| born as f64);
            kept.live.bytes as f64 * (middle + recent) / (early + middle + recent).max(1.0)
        };
        self.kept.iter().filter(|kept| self.class_of(profile, kept) == class).map(late).sum()
    }

    /// Of which class such a part of it is.
    pub(super) fn class_of<'p>(&self, profile: &'p Profile, kept: &Kept) -> &'p str {
        if self.is_class() { &profile.classes[kept.row].name } else { &profile.sites[kept.row].class }
    }

    /// The class by which it is named: the program's own, if there is one.
    pub fn named_class(&self) -> &str {
        self.program_class().unwrap_or(&self.class)
    }

    /// Whether its numbers are estimated: of objects that were sampled, or whose stacks were.
    pub fn is_estimate(&self, profile: &Profile) -> bool {
        let rows = || self.kept.iter().map(|kept| &profile.sites[kept.row]);
        profile.run.tracking != Tracking::EveryObject
            || profile.trust.following.thinned_to_one_in > 1
            || (!self.is_class() && rows().any(|site| site.error > 0.0))
    }

    /// How many of the class by which it is named are alive; `None` if it is named by what its container has, of which nothing is known here. Of what
    /// else belongs to it, a part may be made elsewhere.
    pub fn named_objects(&self, profile: &Profile) -> Option<u64> {
        let class = self.named_class();
        let of_class = self.kept.iter().filter(|kept| self.class_of(profile, kept) == class);
        Some(of_class.map(|kept| kept.live.objects).sum()).filter(|&objects| objects > 0)
    }

    /// The program's own class of most of them, or of what their container has; a library's if there is none.
    pub fn program_class(&self) -> Option<&str> {
        let element = || self.holder.as_ref()?.element.as_deref();
        let own_class = self.own_class.as_deref();
        own_class.filter(|class| !is_foreign(class)).or_else(element).or(own_class)
    }

    /// Takes in what is part of it, but for what it has.
    pub(super) fn absorb(&mut self, part: Self, profile: &Profile, program: &Program<'_>) {
        let whole = part.live.bytes;
        let kept: Vec<_> = part.kept.into_iter().filter(|kept| !self.has(kept.row)).collect();
        let mut live = Tally::default();
        kept.iter().for_each(|kept| live.add(kept.live));
        let share = if whole == 0 { 1.0 } else { live.bytes.min(whole) as f64 / whole as f64 };
        self.kept.extend(kept);
        self.live.add(live);
        self.samples += part.samples * share;
        self.bytes_per_s += part.bytes_per_s * share;
        self.since_ms = self.since_ms.min(part.since_ms);
        self.name_classes(profile, program);
    }

    /// Names it by the line that makes the class by which it is named, if its own does not: a parser makes most of the bytes of what another line keeps. If
    /// that is a library's, by the line of the program that most of it is made below.
    pub(super) fn name_by_program(&mut self, profile: &Profile, program: &Program<'_>) {
        self.name_by_class(profile);
        let Maker::Method { class, .. } = &self.maker else { return };
        if program.family().is_some_and(|family| !class.starts_with(family))
            && let Some(frame) = self.way(profile, program, MOST)
        {
            self.maker = Maker::of(Some(frame), true);
        }
    }

    fn name_by_class(&mut self, profile: &Profile) {
        if !matches!(self.maker, Maker::Method { .. }) {
            return;
        }
        let class = self.named_class();
        let of_class =
            self.kept.iter().map(|kept| &profile.sites[kept.row]).filter(|site| site.class == class);
        let of_class: Vec<&SiteProfile> = of_class.collect();
        let method = self.maker.without_line();
        let passes =
            |site: &&SiteProfile| site.stack.iter().any(|frame| Maker::of(Some(frame), false) == method);
        let Some(first) = of_class.first().filter(|_| !of_class.iter().any(passes)) else { return };
        let maker = Maker::of(first.stack.maker_frame(), true);
        let is_line = of_class.iter().all(|site| Maker::of(site.stack.maker_frame(), true) == maker);
        self.maker = if is_line { maker } else { maker.without_line() };
    }

    fn name_classes(&mut self, profile: &Profile, program: &Program<'_>) {
        self.kept.sort_by_key(|kept| std::cmp::Reverse(kept.live.bytes));
        let mut classes: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for kept in &self.kept {
            let (bytes, lately) = classes.entry(self.class_of(profile, kept)).or_default();
            *bytes += kept.live.bytes;
            *lately += kept.lately();
        }
        let own = |name: &str| is_of_the_program(name) && !is_of_lambda(name);
        let own = classes.iter().filter(|(name, (_, lately))| own(name) && *lately > 0);
        // Parts of one thing are as many, but for chance: the largest is the thing.
        let most = own.clone().map(|(_, (_, lately))| *lately).max().unwrap_or(0);
        let is_of_family = |name: &str| program.family().is_some_and(|family| name.starts_with(family));
        let own = own
            .filter(|(_, (_, lately))| 2 * lately > most)
            .max_by_key(|(name, (bytes, _))| (is_of_family(name), *bytes));
        self.own_class = own.map(|(name, _)| (*name).to_owned());
        let class = classes.iter().max_by_key(|(_, (bytes, _))| *bytes);
        self.class = class.map_or_else(String::new, |(name, _)| (*name).to_owned());
    }
}

/// What is alive of one class and stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Its row in [`Profile::sites`], in [`Profile::classes`] without stacks.
    pub row: usize,
    /// All that is alive, as the profile states it.
    pub live: Tally,
    /// Objects of these by when they were born: in the first half of the time, in the third quarter, in the last.
    pub born: [u64; 3],
    /// Objects that died after half of the time.
    pub died_old: u64,
}

/// A container, by its number; `None`: not known.
pub(super) type Container = Option<usize>;

/// Survivors of one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    pub(super) maker: Maker,
    /// The frame that these objects are shown by: a constructor that `maker` calls, or the same.
    pub(super) shown: Maker,
    /// The line of the program itself below which they are made; `None` where that is not known.
    pub(super) below: Option<Maker>,
    /// Where they lie; pools of different containers are not pooled.
    pub(super) container: Container,
    /// With the births of each by milliseconds.
    pub(super) rows: Vec<(usize, Births)>,
    /// In bytes, by milliseconds and by bytes allocated.
    pub(super) births: [Births; 2],
    pub(super) samples: f64,
    /// Objects that are alive, and those of them that hold softly.
    pub(super) objects: f64,
    pub(super) soft: f64,
    /// The oldest age at which one is known alive, in milliseconds.
    pub(super) oldest_ms: f64,
    /// Objects that were made here, and that are alive, as the profile states it.
    pub(super) made: f64,
    pub(super) alive: f64,
}

impl Pool {
    /// Of each line, each constructor called there, and each line of the program below which that happens; without stacks of each class. Those of
    /// sites, by their rows, that lie in different containers are different ones.
    pub(super) fn all(
        profile: &Profile,
        program: &Program<'_>,
        worth: &Worth<'_>,
        clocks: [Clock; 2],
        containers: &[Container],
    ) -> Vec<Self> {
        let mut pools = Vec::new();
        if profile.run.stacks && profile.sites.iter().any(|site| site.lifetimes.is_some()) {
            for (row, site) in profile.sites.iter().enumerate() {
                let Some(lifetimes) = site.lifetimes.as_deref() else { continue };
                let births = [
                    Births::of_spread(&lifetimes.ms, clocks[0]),
                    Births::of_spread(&lifetimes.bytes, clocks[1]),
                ];
                let loads = || lifetimes.ms.living_between();
                let objects = loads().map(|(_, load)| load.objects as f64).sum::<f64>();
                let live = site.live.unwrap_or_default();
                if births[0].living() <= 0.0 || objects < SEVERAL || live.is_empty() || is_made_once(site) {
                    continue;
                }
                let one = worth.of_site(site, births[0].living() / objects);
                let oldest_ms = loads().map(|((_, to), _)| to as f64).fold(0.0, f64::max);
                let of = |frame| Maker::of(frame, true);
                let pool = Self {
                    maker: of(site.stack.maker_frame()),
                    shown: of(site.stack.shown_frame()),
                    below: program.made_below(&site.stack).map(|frame| of(Some(frame))),
                    container: containers[row],
                    rows: vec![(row, births[0])],
                    births,
                    objects,
                    oldest_ms,
                    made: site.allocated.objects as f64,
                    alive: live.objects as f64,
                    ..Self::default()
                };
                pools.push(pool.told(profile, &site.class, one));
            }
        } else {
            for (row, class) in profile.classes.iter().enumerate() {
                pools.extend(Self::of_class(profile, worth, (row, class), clocks));
            }
        }
        Self::pooled(pools.iter(), |pool| {
            (pool.container, pool.maker.clone(), pool.shown.clone(), pool.below.clone())
        })
    }

    /// Those together that have the same key; each is named as the first of its kind.
    pub(super) fn pooled<'a, K: Ord>(
        pools: impl Iterator<Item = &'a Self>,
        key: impl Fn(&Self) -> K,
    ) -> Vec<Self> {
        let mut pooled: BTreeMap<K, Self> = BTreeMap::new();
        for pool in pools {
            match pooled.entry(key(pool)) {
                Entry::Occupied(mut with) => with.get_mut().absorb(pool.clone()),
                Entry::Vacant(none) => {
                    none.insert(pool.clone());
                }
            }
        }
        pooled.into_values().collect()
    }

    /// Of all that is alive of a class; `None` if nothing is known to be.
    pub(super) fn of_class(
        profile: &Profile,
        worth: &Worth<'_>,
        (row, class): (usize, &ClassProfile),
        clocks: [Clock; 2],
    ) -> Option<Self> {
        let (known, live) = (class.lifetimes.as_ref()?, class.live?);
        let objects: u64 = known.ms.living().map(|(_, weight)| weight).sum();
        if objects == 0 || live.objects == 0 {
            return None;
        }
        let size = live.bytes as f64 / live.objects as f64;
        let births = [Births::of_ages(&known.ms, clocks[0]), Births::of_ages(&known.bytes, clocks[1])];
        let oldest = known.ms.living().map(|(age, _)| age).max().unwrap_or(0);
        let pool = Self {
            maker: Maker::Class(class.name.clone()),
            rows: vec![(row, births[0].times(size))],
            births: births.map(|births| births.times(size)),
            objects: objects as f64,
            oldest_ms: oldest as f64,
            ..Self::default()
        };
        let one = worth.of_object(&class.name, pool.births[0].living() / pool.objects);
        Some(pool.told(profile, &class.name, one))
    }

    /// Of one class, of which a sample stands for so many bytes.
    fn told(mut self, profile: &Profile, class: &str, one: f64) -> Self {
        self.samples = self.births[0].living() / one.max(1.0);
        let is_soft = is_soft(class) || profile.soft_classes.contains(class);
        self.soft = if is_soft { self.objects } else { 0.0 };
        self
    }

    /// Whether nothing of it died, but for a few.
    fn lives(&self) -> bool {
        const NEARLY_ALL: f64 = 0.95;
        self.alive >= NEARLY_ALL * self.made
    }

    pub(super) fn absorb(&mut self, other: Self) {
        self.made += other.made;
        self.alive += other.alive;
        self.rows.extend(other.rows);
        self.births.iter_mut().zip(&other.births).for_each(|(births, more)| births.add(more));
        self.samples += other.samples;
        self.objects += other.objects;
        self.soft += other.soft;
        self.oldest_ms = self.oldest_ms.max(other.oldest_ms);
    }
}

/// Whether the JVM makes it once: as a class of the JDK is initialised (the cache of `Long`), a call site or a constant is linked (the
/// last `println` of a program), or as the program's end begins, which the JDK logs, from 21 on.
fn is_made_once(site: &SiteProfile) -> bool {
    site.stack.iter().any(|frame| match &*frame.class {
        "java.lang.Shutdown" => true,
        "java.lang.invoke.MethodHandleNatives" => frame.method.starts_with("link"),
        _ => &*frame.method == "<clinit>" && !frame.is_own(),
    })
}

/// What grows by line, and where no line of a method surely does, by method: what it makes in several lines may be one leak. `grows`: whether a
/// pool surely does, however small it is.
pub(super) fn growers(
    profile: &Profile,
    program: &Program<'_>,
    pools: &[Pool],
    clocks: [Clock; 2],
    judge: impl Fn(&Pool) -> Growth,
    grows: impl Fn(&Pool) -> bool,
) -> Vec<Grower> {
    let mut methods: BTreeMap<Maker, Vec<Pool>> = BTreeMap::new();
    for pool in Pool::pooled(pools.iter(), |pool| (pool.maker.clone(), pool.shown.clone())) {
        methods.entry(pool.maker.without_line()).or_default().push(pool);
    }
    let mut growers = Vec::new();
    for (method, lines) in methods {
        let judged: Vec<_> = lines.iter().map(&judge).collect();
        let worst = judged.iter().map(Growth::rank).min().unwrap_or(u8::MAX);
        let mut whole = Pool { maker: method, ..Pool::default() };
        for line in &lines {
            whole.absorb(line.clone());
        }
        let of_method = if worst > 0 { judge(&whole) } else { Growth::Harmless };
        if of_method.rank() < worst {
            growers.push(whole.grower(profile, program, clocks, of_method));
            continue;
        }
        // Lines of one method that grow are one. What constructors make there is part of it, also of a class of which too few were followed.
        let sure: BTreeSet<Maker> = (lines.iter().zip(&judged))
            .filter(|(_, growth)| growth.is_sure())
            .map(|(line, _)| line.maker.clone())
            .collect();
        let goes_along = |line: &Pool| Growth::may_go_along(line) || line.lives();
        let is_part = |line: &Pool| {
            (sure.contains(&line.maker) && goes_along(line)) || (!sure.is_empty() && grows(line))
        };
        let mut growing: Option<(Pool, Growth)> = None;
        let mut judged: Vec<_> = lines.into_iter().zip(judged).collect();
        judged.retain(|(line, growth)| (growth.rank() == worst && worst < 2) || is_part(line));
        judged.sort_by_key(|(_, growth)| growth.rank());
        for (line, growth) in judged {
            match &mut growing {
                Some((pool, _)) => {
                    if pool.maker != line.maker {
                        pool.maker = pool.maker.without_line();
                    }
                    pool.absorb(line);
                }
                None => growing = Some((line, growth)),
            }
        }
        growers.extend(growing.map(|(pool, growth)| pool.grower(profile, program, clocks, growth)));
    }
    growers
}

impl Pool {
    pub(super) fn grower(
        self,
        profile: &Profile,
        program: &Program<'_>,
        [clock, _]: [Clock; 2],
        growth: Growth,
    ) -> Grower {
        let by_class = matches!(self.maker, Maker::Class(_));
        let live_of = |row: usize| if by_class { profile.classes[row].live } else { profile.sites[row].live };
        let kept: Vec<_> = self
            .rows
            .iter()
            .map(|&(row, births)| Kept::of(row, live_of(row).unwrap_or_default(), &births))
            .collect();
        let mut live = Tally::default();
        kept.iter().for_each(|kept| live.add(kept.live));
        // A sample of when few were drawn may stand for more than all there is of a row.
        let no_more_than = |&(row, births): &(usize, Births)| {
            let most = live_of(row).unwrap_or_default().bytes as f64;
            births.times((most / births.living().max(1.0)).min(1.0))
        };
        let mut births = Births::default();
        self.rows.iter().for_each(|row| births.add(&no_more_than(row)));
        let late = births.staying() / births.living().max(1.0) * live.bytes as f64;
        let mut grower = Grower {
            maker: self.maker,
            kept,
            live,
            samples: self.samples,
            bytes_per_s: late * 2000.0 / clock.whole,
            until_ms: (clock.after > 0.0 && !births.goes_on(clock))
                .then(|| profile.duration_ms.saturating_sub(clock.after as u64)),
            since_ms: (clock.after + clock.whole - self.oldest_ms).max(0.0) as u64,
            growth,
            ..Grower::default()
        };
        grower.name_classes(profile, program);
        grower
    }
}

impl Kept {
    /// How many of them came in the second half of the time.
    pub fn lately(&self) -> u64 {
        self.born[1] + self.born[2]
    }

    fn of(row: usize, live: Tally, births: &Births) -> Self {
        let of_all = |part: f64| (part / births.living().max(1.0) * live.objects as f64).round() as u64;
        let early = of_all(births.early).min(live.objects);
        let middle = of_all(births.middle).min(live.objects - early);
        let born = [early, middle, live.objects - early - middle];
        Self { row, live, born, died_old: of_all(births.died_old) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "growing: made by BasketTest.main:12, held by java.lang.Long$LongCache.cache" of 256 objects that `println` brought about.
    #[test]
    fn what_the_jvm_makes_once_is_no_pool() {
        let made = |frames: &[(&str, &str)]| {
            let frame = |&(class, method): &(&str, &str)| Frame {
                class: class.into(),
                method: method.into(),
                ..Frame::default()
            };
            let stack = frames.iter().map(frame).collect();
            is_made_once(&SiteProfile { stack, ..SiteProfile::default() })
        };
        let main = ("a.Main", "main");
        assert!(made(&[("java.lang.Long$LongCache", "<clinit>"), ("java.lang.Long", "valueOf"), main]));
        assert!(made(&[("java.lang.invoke.MethodHandleNatives", "linkCallSite"), main]));
        assert!(made(&[("java.lang.Shutdown", "exit"), main]));
        assert!(!made(&[("a.Server", "serve"), ("a.Server", "<clinit>"), main]), "it may never return");
        assert!(!made(&[("java.lang.invoke.MethodHandles$Lookup", "findVirtual"), main]));
    }
}
