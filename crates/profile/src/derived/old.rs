//! What is old: objects that a collection has left, live or dead since. What waits for its first collection is not, however long.
//!
//! What is old is decided by the ages for sure: up to when an object was last known alive. Not here: how that is known (`band`).

use std::collections::{BTreeMap, HashMap};

use crate::derived::band::Life;
use crate::derived::places::Places;
use crate::facts::blame::BlameRules;
use crate::facts::gc::Gc;
use crate::facts::tally::Tally;
use crate::lifetime::ages::Ages;
use crate::lifetime::survival::Survival;
use crate::stream::profile::{ClassProfile, Profile};

/// A row counts what lives, and of the dead what became this part of its age, or older: what died soon after its first collection is no measure
/// of the old.
pub const OLD_PART: f64 = 0.1;
/// A row that has this part of the dead of a class is as old as the class.
const NEARLY_ALL: f64 = 0.9;
/// Nobody asks for ages more exactly.
const RESOLUTION_MS: f64 = 20.0;

/// Old objects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Old {
    /// Those that are live.
    pub live: Tally,
    /// Those that died, old.
    pub dead: Tally,
    /// All that a collection has left, however old it became: what collections work for.
    pub survived: Tally,
    /// How long a byte lived that was held at some time, on average and for sure, in milliseconds: those that were held long weigh more. What
    /// is old is told by it; no age to be shown ([`Profile::age_of`]).
    pub age_ms: f64,
    /// What rows are ranked by: bytes times the squares of their ages.
    pub weight: f64,
    /// Of this, what lives.
    pub live_weight: f64,
}

impl Old {
    /// Whether it is ranked for what lives, and not for what died.
    pub fn lives_on(&self) -> bool {
        2.0 * self.live_weight >= self.weight
    }

    /// Both.
    pub fn all(&self) -> Tally {
        let mut all = self.live;
        all.add(self.dead);
        all
    }

    /// Whether [`Self::live`] and [`Self::dead`] have it.
    fn counts(&self, aged: &Aged) -> bool {
        aged.live || aged.ms as f64 >= self.age_ms * OLD_PART
    }

    fn of(ages: &[Aged]) -> Self {
        let sum = |power: i32| -> f64 {
            ages.iter().map(|aged| aged.tally.bytes as f64 * (aged.ms as f64).powi(power)).sum()
        };
        let (held, weight) = (sum(1), sum(2));
        let mut old =
            Self { age_ms: if held > 0.0 { weight / held } else { 0.0 }, weight, ..Self::default() };
        for aged in ages {
            old.survived.add(aged.tally);
            if aged.live {
                old.live_weight += self::weight(*aged);
                old.live.add(aged.tally);
            } else if old.counts(aged) {
                old.dead.add(aged.tally);
            }
        }
        old
    }
}

/// The median age of what is old, by bytes, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OldAge {
    /// So much, as estimated from when it was looked at.
    Median(f64),
    /// So much for sure. It may be more, nobody knows how much: what lives goes on living, and of the dead it is not known well when they died.
    AtLeast(f64),
}

/// Objects of an age.
#[derive(Clone, Copy)]
struct Aged {
    ms: u64,
    live: bool,
    tally: Tally,
    /// Between these it is, in milliseconds; of the living it is at least the first.
    within: (u64, u64),
}

/// Those of which it is known that a collection has left them.
fn aged(lives: Vec<Life>, gc: Gc) -> impl Iterator<Item = Aged> {
    // Of some collectors nothing is known of the dead from below.
    let known = move |life: &Life| {
        life.judged
            && life.after > 0
            && (life.by.is_none() || gc.tells_the_old_dead())
            && life.tally.bytes > 0
    };
    lives.into_iter().filter(known).map(|life| Aged {
        ms: life.after,
        live: life.by.is_none(),
        tally: life.tally,
        within: within(&life),
    })
}

/// The bounds of an age: the mean ones of a wide cell, where these are in it.
fn within(life: &Life) -> (u64, u64) {
    let (after, by) = (life.after, life.by.unwrap_or(u64::MAX));
    let (least, most) = life.mean.unwrap_or((after, by));
    let least = least.clamp(after, by);
    (least, most.clamp(least, by))
}

/// Old objects that one method made; of one class, where it is not known who did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OldRow<'p> {
    /// Class and name of the method.
    pub method: Option<(&'p str, &'p str)>,
    /// Where in its source file most of it was made, if that is known.
    pub line: Option<u32>,
    /// The class that most of it is of.
    pub class: &'p str,
    /// Other classes in it.
    pub others: usize,
    /// The class that most of what collections have left is of, by bytes, however old it became.
    pub survived_class: &'p str,
    /// Where most of that was made.
    pub survived_line: Option<u32>,
    /// How many, and how old.
    pub old: Old,
    /// When the bytes that died old died, and how old those are that live: the latter as the living of [`Ages`].
    ages: Ages,
}

impl Profile {
    /// How old such objects became: those that live, or those that died, whichever [they are ranked for](Old::lives_on).
    pub fn age_of(&self, row: &OldRow<'_>) -> OldAge {
        if row.old.lives_on() {
            return row.live_age();
        }
        let class = self.classes.iter().find(|class| class.name == row.class);
        let of_class = class.filter(|class| is_mostly(row, class)).and_then(median_of_dead);
        of_class.or_else(|| self.median_of(row, class)).map_or_else(
            || OldAge::AtLeast(median(row.ages.deaths().map(|(after, _, bytes)| (after, bytes)))),
            OldAge::Median,
        )
    }

    /// The median age of those that died, of such a class; `None` if it is not known well.
    fn median_of(&self, row: &OldRow<'_>, class: Option<&ClassProfile>) -> Option<f64> {
        let samples = class.and_then(|class| self.samples_behind(class, row.old.dead));
        let lifetimes = class.and_then(|class| class.lifetimes.as_ref());
        let cohorts = lifetimes.map_or(1.0, |lifetimes| lifetimes.cohorts.effective_share());
        let mut dead = row.ages.clone();
        dead.forget_living();
        let independent = samples.unwrap_or(row.old.dead.objects as f64) * cohorts;
        well_known(&Survival::resting_on(&dead, independent)?)
    }

    /// What is old, by the method that such rules charge for it: what was held most and longest first.
    pub fn old(&self, rules: &BlameRules) -> Vec<OldRow<'_>> {
        self.old_where(rules, |_| true)
    }

    /// The same of one class.
    pub fn old_of(&self, class: &str, rules: &BlameRules) -> Vec<OldRow<'_>> {
        self.old_where(rules, |name| name == class)
    }

    fn old_where(&self, rules: &BlameRules, takes: impl Fn(&str) -> bool) -> Vec<OldRow<'_>> {
        let (buckets, gc) = (&self.run.buckets, self.run.jvm.gc);
        let mut rows: HashMap<(&str, &str), Vec<(&str, Aged)>> = HashMap::new();
        let mut lines: HashMap<(&str, &str), [Places<Option<u32>>; 2]> = HashMap::new();
        let mut placed: HashMap<&str, u64> = HashMap::new();
        // Sites without ages of their own tell nothing.
        for site in self.sites.iter().filter(|site| site.lifetimes.is_some() && takes(&site.class)) {
            // What the JDK keeps of a call that it links at first is not what the program's method makes.
            let Some(frame) = site.stack.linking_frame().or_else(|| rules.charged(&site.stack)) else {
                continue;
            };
            for part in aged(site.lives(buckets), gc) {
                let sum = placed.entry(&site.class).or_default();
                *sum = sum.saturating_add(part.tally.bytes);
                rows.entry(frame.in_source()).or_default().push((&site.class, part));
                let [held, survived] = lines.entry(frame.in_source()).or_default();
                held.add(frame.line, weight(part));
                survived.add(frame.line, part.tally.bytes as f64);
            }
        }
        let made = rows.into_iter().map(|(method, ages)| {
            let most = |at: usize| lines.get(&method).and_then(|lines| lines[at].most()).copied().flatten();
            OldRow { line: most(0), survived_line: most(1), ..OldRow::of(Some(method), &ages) }
        });
        let unmade = self.classes.iter().filter(|class| takes(&class.name)).map(|class| {
            let ages: Vec<_> = aged(class.lives(buckets), gc).collect();
            let placed = placed.get(class.name.as_str()).copied().unwrap_or(0);
            OldRow::of(None, &rest(&ages, placed).map(|part| (class.name.as_str(), part)).collect::<Vec<_>>())
        });
        let mut rows: Vec<_> = made.chain(unmade).filter(|row| row.old.weight > 0.0).collect();
        rows.sort_by(|a, b| {
            b.old.weight.total_cmp(&a.old.weight).then_with(|| (a.class, a.method).cmp(&(b.class, b.method)))
        });
        rows
    }
}

fn weight(aged: Aged) -> f64 {
    aged.tally.bytes as f64 * (aged.ms as f64).powi(2)
}

/// What is left of them if so many bytes are told elsewhere: of each age the same share.
fn rest(ages: &[Aged], placed: u64) -> impl Iterator<Item = Aged> {
    let all: u64 = ages.iter().fold(0, |sum, aged| sum.saturating_add(aged.tally.bytes));
    let left = 1.0 - placed.min(all) as f64 / all.max(1) as f64;
    let part = move |of: u64| (of as f64 * left).round() as u64;
    ages.iter().map(move |aged| {
        let Tally { objects, bytes, largest } = aged.tally;
        Aged { tally: Tally { objects: part(objects), bytes: part(bytes), largest }, ..*aged }
    })
}

/// Whether nearly all dead of a class are a row's.
fn is_mostly(row: &OldRow<'_>, class: &ClassProfile) -> bool {
    row.others == 0 && row.old.dead.bytes as f64 >= NEARLY_ALL * class.dead().bytes as f64
}

/// The same of a class, whose ages are finer than those of sites: as its percentiles are estimated everywhere.
fn median_of_dead(class: &ClassProfile) -> Option<f64> {
    let mut lifetimes = class.lifetimes.clone()?;
    lifetimes.ms.forget_living();
    well_known(&lifetimes.in_time()?)
}

/// The median, if its band is narrow.
fn well_known(known: &Survival) -> Option<f64> {
    let half = known.quantile(0.5);
    half.point.filter(|_| !half.is_rough(RESOLUTION_MS))
}

/// The age that half of the weights are at least; 0 of none. Ages are those of cells, which may be wide: between two of them weights lie evenly.
fn median(ages: impl Iterator<Item = (u64, u64)>) -> f64 {
    let mut ages: Vec<_> = ages.map(|(age, weight)| (age as f64, weight as f64)).collect();
    ages.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = ages.iter().map(|&(_, weight)| weight).sum::<f64>() / 2.0;
    let (mut before, mut sum) = (None, 0.0);
    for (age, weight) in ages {
        // Half of a cell is younger than its age.
        let reached = sum + weight / 2.0;
        if reached >= half {
            let (least, from) = before.unwrap_or((age, reached));
            let part = if reached > from { (half - from) / (reached - from) } else { 1.0 };
            return least + part * (age - least);
        }
        (before, sum) = (Some((age, reached)), sum + weight);
    }
    before.map_or(0.0, |(age, _)| age)
}

impl<'p> OldRow<'p> {
    /// The same, named by where most of what collections have left was made, by bytes.
    pub fn by_survived(&self) -> Self {
        Self { class: self.survived_class, line: self.survived_line, ..self.clone() }
    }

    /// How old those are that live.
    pub fn live_age(&self) -> OldAge {
        OldAge::AtLeast(median(self.ages.living()))
    }

    fn of(method: Option<(&'p str, &'p str)>, ages: &[(&'p str, Aged)]) -> Self {
        let mut classes: HashMap<&str, [f64; 2]> = HashMap::new();
        for &(class, aged) in ages {
            let [held, survived] = classes.entry(class).or_default();
            *held += weight(aged);
            *survived += aged.tally.bytes as f64;
        }
        let most = |by: usize| {
            let most = classes.iter().max_by(|a, b| a.1[by].total_cmp(&b.1[by]).then(b.0.cmp(a.0)));
            most.map_or("", |(class, _)| *class)
        };
        let all: Vec<_> = ages.iter().map(|&(_, aged)| aged).collect();
        let old = Old::of(&all);
        let mut ages = Ages::default();
        // Sites have the same cells, each with a mean of its own.
        let mut living: BTreeMap<u64, (u64, f64)> = BTreeMap::new();
        for aged in all.iter().filter(|aged| old.counts(aged)) {
            match (aged.live, aged.within) {
                (true, (age, _)) => {
                    let (bytes, held) = living.entry(aged.ms).or_default();
                    *bytes = bytes.saturating_add(aged.tally.bytes);
                    *held += aged.tally.bytes as f64 * age as f64;
                }
                (false, (after, by)) => ages.record_deaths(after, by.max(after + 1), aged.tally.bytes),
            }
        }
        for (bytes, held) in living.into_values() {
            ages.record_living((held / bytes.max(1) as f64) as u64, bytes);
        }
        Self {
            method,
            line: None,
            class: most(0),
            others: classes.len().saturating_sub(1),
            survived_class: most(1),
            survived_line: None,
            old,
            ages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::frame::Frame;
    use crate::lifetime::lifetimes::Lifetimes;
    use crate::lifetime::site_lifetimes::{Load, SiteLifetimes};
    use crate::stream::profile::SiteProfile;

    /// Garbage of 1 GiB that waits for its collection for up to a second, and 20 MiB that stay.
    fn hold() -> Profile {
        let (garbage, kept) = (Tally::of(1 << 14, 1 << 16), Tally::of(20, 1 << 20));
        let mut lifetimes = Lifetimes::default();
        lifetimes.ms.record_deaths(0, 1_000, garbage.objects);
        let of = |name: &str, live: Tally, dead: Tally, lifetimes: &Lifetimes| ClassProfile {
            name: name.into(),
            live: Some(live),
            collected: vec![dead],
            lifetimes: Some(lifetimes.clone()),
            ..ClassProfile::default()
        };
        let waits = of("a.Garbage", Tally::default(), garbage, &lifetimes);
        let mut lifetimes = Lifetimes::default();
        lifetimes.ms.record_living(14_000, kept.objects);
        let stays = of("[B", kept, Tally::default(), &lifetimes);
        Profile { classes: vec![waits, stays], ..Profile::default() }
    }

    #[test]
    fn garbage_that_waits_for_its_collection_is_not_old() {
        let profile = hold();
        let rows = profile.old(&BlameRules::default());
        assert_eq!(rows.iter().map(|row| row.class).collect::<Vec<_>>(), ["[B"], "{rows:?}");
        assert_eq!((rows[0].old.live.objects, rows[0].method), (20, None));
        // Ages are kept in steps of at most 6.25 %.
        assert!((13_000.0..=14_000.0).contains(&rows[0].old.age_ms), "{rows:?}");
    }

    #[test]
    fn who_made_it_is_named_and_what_nobody_is_known_to_have_made_is_left() {
        let mut profile = hold();
        let mut lifetimes = SiteLifetimes::default();
        let twelve = Tally::of(12, 1 << 20);
        lifetimes.ms.record_living(14_000, Load::held(twelve, (14_000, 14_000)));
        let frame = Frame { class: "Hold".into(), method: "main".into(), ..Frame::default() };
        profile.sites = vec![SiteProfile {
            class: "[B".into(),
            stack: vec![frame].into(),
            allocated: twelve,
            live: Some(twelve),
            lifetimes: Some(Box::new(lifetimes)),
            ..SiteProfile::default()
        }];
        let rows = profile.old(&BlameRules::default());
        let said: Vec<_> = rows.iter().map(|row| (row.method, row.old.live.objects)).collect();
        assert_eq!(said, [(Some(("Hold", "main")), 12), (None, 8)]);
    }

    /// Large arrays that one collection has left, beside a few bytes that stay for long.
    #[test]
    fn what_collections_work_for_is_what_has_most_bytes() {
        let mut profile = hold();
        let site = |class: &str, line, bytes: u64, ages: (u64, u64)| {
            let mut lifetimes = SiteLifetimes::default();
            let tally = Tally::of(12, bytes);
            lifetimes.ms.record_living(ages.0, Load::held(tally, ages));
            let frame =
                Frame { class: "Hold".into(), method: "main".into(), line: Some(line), ..Frame::default() };
            SiteProfile {
                class: class.into(),
                stack: vec![frame].into(),
                allocated: tally,
                live: Some(tally),
                lifetimes: Some(Box::new(lifetimes)),
                ..SiteProfile::default()
            }
        };
        profile.sites =
            vec![site("[I", 226, 1 << 20, (100, 100)), site("[B", 228, 1 << 10, (14_000, 14_000))];
        let rows = profile.old(&BlameRules::default());
        let row = rows.iter().find(|row| row.method.is_some()).expect("a row");
        assert_eq!((row.class, row.line), ("[B", Some(228)), "held longest");
        assert_eq!((row.survived_class, row.survived_line), ("[I", Some(226)));
    }

    /// "≥18.2 s" of a leak at an even pace for 30 s: cells of two sites lay beside each other, and the youngest were left out.
    #[test]
    fn the_age_of_what_lives_is_the_median_of_all_that_does() {
        let mut profile = hold();
        let site = |class: &str, bytes: u64| {
            let mut lifetimes = SiteLifetimes::default();
            for age in 1..=3_000 {
                lifetimes.ms.record_living(age * 10, Load::held(Tally::of(1, bytes), (age * 10, age * 10)));
            }
            let frame = Frame { class: "Lobby".into(), method: "join".into(), ..Frame::default() };
            SiteProfile {
                class: class.into(),
                stack: vec![frame].into(),
                allocated: Tally::of(3_000, bytes),
                live: Some(Tally::of(3_000, bytes)),
                lifetimes: Some(Box::new(lifetimes)),
                ..SiteProfile::default()
            }
        };
        profile.sites = vec![site("[J", 1_024), site("Lobby", 24), site("Seat", 16)];
        let rows = profile.old(&BlameRules::default());
        let row = rows.iter().find(|row| row.method.is_some()).expect("a row");
        let OldAge::AtLeast(ms) = profile.age_of(row) else { panic!("it lives: {row:?}") };
        assert!((14_000.0..=15_600.0).contains(&ms), "{ms}");
        assert_eq!(row.old.live.objects, 9_000);
    }

    /// A cache holds entries for 10 s; collections come each 4 s, and see them alive 6 to 10 s old, and gone 4 s later.
    #[test]
    fn the_age_of_the_dead_is_their_median_and_not_when_they_were_last_seen() {
        let mut profile = hold();
        let class = &mut profile.classes[1];
        let lifetimes = class.lifetimes.get_or_insert_default();
        for after in (6_000..10_000).step_by(40) {
            lifetimes.ms.record_deaths(after, after + 4_000, 10);
        }
        class.collected = vec![Tally::of(1_000, 1 << 20)];
        let row = &profile.old(&BlameRules::default())[0];
        assert!(!row.old.lives_on(), "{row:?}");
        let OldAge::Median(ms) = profile.age_of(row) else { panic!("well known: {row:?}") };
        assert!((9_500.0..=10_500.0).contains(&ms), "{ms}");
    }

    /// One collection every 11 s: they died some time between.
    #[test]
    fn an_age_that_is_not_known_well_is_at_least_what_is_sure() {
        let mut profile = hold();
        let class = &mut profile.classes[1];
        class.lifetimes.get_or_insert_default().ms.record_deaths(2_500, 13_500, 4_000);
        class.collected = vec![Tally::of(4_000, 1 << 20)];
        let age = profile.age_of(&profile.old(&BlameRules::default())[0]);
        assert!(matches!(age, OldAge::AtLeast(ms) if (2_300.0..=2_500.0).contains(&ms)), "{age:?}");
        // What lives goes on living.
        let age = hold().age_of(&hold().old(&BlameRules::default())[0]);
        assert!(matches!(age, OldAge::AtLeast(ms) if (13_000.0..=14_000.0).contains(&ms)), "{age:?}");
    }

    #[test]
    fn a_median_in_a_wide_cell_is_no_end_of_it() {
        // What a leak keeps of a minute, in cells that double: its ages are spread evenly.
        let ages = [(2_000, 4), (6_000, 4), (12_000, 8), (24_000, 16), (46_000, 28)];
        assert!((28_000.0..32_000.0).contains(&median(ages.into_iter())), "{}", median(ages.into_iter()));
        assert_eq!(median([(5_000, 9)].into_iter()), 5_000.0);
        assert_eq!(median(std::iter::empty()), 0.0);
    }

    /// A cell of a site is wide, and its bytes tell where in it they are.
    #[test]
    fn the_age_of_a_site_is_no_end_of_its_cells() {
        let mut profile = hold();
        let mut lifetimes = SiteLifetimes::default();
        let (each, dead) = (Tally::of(10, 1 << 20), Tally::of(1_000, 1 << 20));
        for after in (6_000..10_000).step_by(40) {
            lifetimes.ms.record_dead(after, after + 4_000, Load::held(each, (after, after + 4_000)));
        }
        let frame = Frame { class: "Hold".into(), method: "main".into(), ..Frame::default() };
        profile.sites = vec![SiteProfile {
            class: "a.Entry".into(),
            stack: vec![frame].into(),
            allocated: dead,
            live: Some(Tally::default()),
            collected: vec![dead],
            lifetimes: Some(Box::new(lifetimes)),
            ..SiteProfile::default()
        }];
        let rows = profile.old(&BlameRules::default());
        let row = rows.iter().find(|row| row.method.is_some()).expect("a row");
        let OldAge::Median(ms) = profile.age_of(row) else { panic!("well known: {row:?}") };
        assert!((9_000.0..=11_000.0).contains(&ms), "{ms}");
    }

    #[test]
    fn many_that_died_soon_after_a_collection_do_not_hide_few_that_are_old() {
        let mut profile = hold();
        let class = &mut profile.classes[1];
        let lifetimes = class.lifetimes.get_or_insert_default();
        lifetimes.ms.record_deaths(100, 200, 1_000);
        class.collected = vec![Tally::of(1_000, 1 << 20)];
        let old = profile.old(&BlameRules::default())[0].old;
        assert_eq!((old.live.objects, old.dead.objects), (20, 0), "{old:?}");
        assert!(old.age_ms > 5_000.0, "{old:?}");
    }

    #[test]
    fn who_was_born_since_is_not_old() {
        let mut profile = hold();
        let class = &mut profile.classes[1];
        class.unjudged = Tally::of(20, 1 << 20);
        class.live = Some(Tally::default());
        assert_eq!(profile.old(&BlameRules::default()), []);
    }
}
