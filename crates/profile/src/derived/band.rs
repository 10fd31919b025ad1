//! The part of a profile whose objects lived for so long: a band of lifetimes.
//!
//! No lifetime is known but an interval it lies in, so what is taken is decided by its begin: the age up to which an object was
//! alive for sure, as in the histogram. Who died before its first collection is in the band that begins at 0. So bands side by side add up to the whole.
//! A band that cuts intervals says what is certain and what is possible ([`Doubt`]).

use crate::facts::buckets::BucketBounds;
use crate::facts::division::divide;
use crate::facts::part::{Doubt, LifeBand, LivedPart};
use crate::facts::tally::Tally;
use crate::lifetime::lifetimes::{ByteAges, Lifetimes};
use crate::lifetime::site_lifetimes::{Load, SiteLifetimes, end};
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// Objects that lived for about so long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Life {
    /// Alive at this age, in milliseconds,
    pub(crate) after: u64,
    /// and gone at this one; `None`: not seen dead.
    pub(crate) by: Option<u64>,
    /// Of those that were not seen dead, whether a collection has left them.
    pub(crate) judged: bool,
    pub(crate) tally: Tally,
    /// The same bounds on average over the bytes of a wide cell, where they are known better.
    pub(crate) mean: Option<(u64, u64)>,
}

impl Life {
    pub(crate) fn dead(after: u64, by: u64, tally: Tally) -> Self {
        Self { after, by: Some(by), judged: true, tally, mean: None }
    }

    pub(crate) fn living(age: u64, tally: Tally) -> Self {
        Self { after: age, by: None, judged: true, tally, mean: None }
    }

    fn meaning(self, mean: Option<(u64, u64)>) -> Self {
        Self { mean, ..self }
    }

    /// Born since the last collection; none of nobody.
    fn unjudged(tally: Tally) -> impl Iterator<Item = Self> {
        let life = Self { judged: false, ..Self::living(0, tally) };
        (!tally.is_empty()).then_some(life).into_iter()
    }
}

/// What of some lives is in a band.
#[derive(Default)]
struct Taken {
    dead: Vec<Tally>,
    live: Tally,
    unjudged: Tally,
    /// Of the dead.
    byte_ms: f64,
    doubt: Doubt,
}

impl Taken {
    fn of(lives: &[Life], band: LifeBand, buckets: &BucketBounds) -> Self {
        let mut taken = Self { dead: vec![Tally::default(); buckets.len()], ..Self::default() };
        for life in lives {
            let fit = band.fit(life.after, life.by);
            if fit.certain {
                taken.doubt.certain.add(life.tally);
            }
            if fit.possible {
                taken.doubt.possible.add(life.tally);
            }
            match life.by {
                _ if !fit.taken => {}
                Some(by) => {
                    taken.dead[buckets.index_of(by)].add(life.tally);
                    taken.byte_ms += life.tally.bytes as f64 * (life.after as f64 + by as f64) / 2.0;
                }
                None if life.judged => taken.live.add(life.tally),
                None => taken.unjudged.add(life.tally),
            }
        }
        taken
    }

    fn all(&self) -> Tally {
        [self.unjudged].iter().chain(&self.dead).fold(self.live, |mut sum, &part| {
            sum.add(part);
            sum
        })
    }
}

impl Profile {
    /// The part of this profile whose objects lived so long. Nothing is left of classes and sites whose deaths were not
    /// followed; what counts as allocated is what is known dead or alive. Other clocks than time tell nothing of the part.
    pub fn lived(mut self, band: LifeBand) -> Self {
        let buckets = self.run.buckets.clone();
        let mut doubt = Doubt::default();
        let shares = &mut self.shares;
        self.classes.retain_mut(|class| {
            let taken = Taken::of(&class.lives(&buckets), band, &buckets);
            doubt.add(taken.doubt);
            if let Some(share) = shares.get_mut(&class.name) {
                let part = taken.all().objects as f64 / (class.allocated.objects as f64).max(1.0);
                *share = share.scaled(part.min(1.0));
            }
            class.keep(&taken, band);
            !taken.all().is_empty()
        });
        self.sites.retain_mut(|site| {
            let taken = Taken::of(&site.lives(&buckets), band, &buckets);
            site.keep(&taken, band);
            !taken.all().is_empty()
        });
        // Samples tell of all objects of a class: beside them, those of a band would look optimised away.
        self.estimates.clear();
        self.scopes.clear();
        self.trust.sample_interval = None;
        self.part.lived = Some(LivedPart { band, doubt });
        self.ranked()
    }
}

impl ClassProfile {
    /// All tracked objects by how long they lived: what reports state, divided as ages are.
    pub(crate) fn lives(&self, buckets: &BucketBounds) -> Vec<Life> {
        let (Some(live), Some(lifetimes)) = (self.live, &self.lifetimes) else { return Vec::new() };
        let sizes = self.sizes(buckets);
        let dead: Vec<_> = lifetimes
            .ms
            .deaths()
            .map(|(after, by, weight)| {
                let by = end(after, by);
                let bytes = (weight as f64 * sizes.of_dead(by)) as u64;
                Life::dead(after, by, Tally { objects: weight, bytes, largest: 0 })
            })
            .collect();
        let living: Vec<_> =
            lifetimes.ms.living().map(|(age, weight)| Life::living(age, Tally::of(weight, 1))).collect();
        let (mut dead, mut living) = (dead, living);
        if let Some(ages) = &self.byte_ages {
            weigh(&mut dead, ages.ms.deaths().map(|(after, by, bytes)| (after, Some(end(after, by)), bytes)));
            weigh(&mut living, ages.ms.living().map(|(age, bytes)| (age, None, bytes)));
        }
        let all_dead = total(&self.collected);
        let living = settled(live, without(living, self.unjudged, live));
        settled(all_dead, dead).chain(living).chain(Life::unjudged(self.unjudged)).collect()
    }

    fn keep(&mut self, taken: &Taken, band: LifeBand) {
        self.allocated = Tally { largest: self.allocated.largest, ..taken.all() };
        self.live = self.live.map(|live| Tally { largest: live.largest, ..taken.live });
        self.unjudged = taken.unjudged;
        self.collected.clone_from(&taken.dead);
        self.lifetimes = self.lifetimes.take().map(|lifetimes| Lifetimes {
            ms: lifetimes.ms.filtered(|after, by| band.fit(after, by).taken),
            cohorts: lifetimes.cohorts,
            ..Lifetimes::default()
        });
        self.byte_ages = self.byte_ages.take().map(|ages| ByteAges {
            ms: ages.ms.filtered(|after, by| band.fit(after, by).taken),
            ..ByteAges::default()
        });
    }
}

impl SiteProfile {
    /// All tracked objects by how long they lived; as far as buckets tell if nothing more is known.
    pub(crate) fn lives(&self, buckets: &BucketBounds) -> Vec<Life> {
        let Some(live) = self.live else { return Vec::new() };
        if let Some(lifetimes) = self.lifetimes.as_ref().filter(|lifetimes| !lifetimes.ms.is_empty()) {
            let tally = |load: Load| Tally { objects: load.objects, bytes: load.bytes, largest: 0 };
            let dead = lifetimes.ms.dead().map(|(after, by, load)| {
                Life::dead(after, end(after, by), tally(load)).meaning(load.mean_ms())
            });
            let living = lifetimes.ms.living();
            let living =
                living.map(|(age, load)| Life::living(age, tally(load)).meaning(load.mean_ms())).collect();
            let living = settled(live, without(living, self.unjudged, live));
            let dead = settled(total(&self.collected), dead.collect());
            return dead.chain(living).chain(Life::unjudged(self.unjudged)).collect();
        }
        let dead = buckets.ranges().zip(&self.collected).map(|((from_s, to_s), &tally)| {
            let (from, to) = (from_s * 1_000, to_s.map(|to_s| to_s * 1_000 - 1));
            Life::dead(from, to.unwrap_or(from), tally)
        });
        let living = [Life::living(0, live)].into_iter().chain(Life::unjudged(self.unjudged));
        dead.chain(living).filter(|life| !life.tally.is_empty()).collect()
    }

    fn keep(&mut self, taken: &Taken, band: LifeBand) {
        self.allocated = Tally { largest: self.allocated.largest, ..taken.all() };
        self.live = self.live.map(|live| Tally { largest: live.largest, ..taken.live });
        self.unjudged = taken.unjudged;
        self.collected.clone_from(&taken.dead);
        self.byte_seconds = taken.byte_ms / 1000.0;
        self.lifetimes = self.lifetimes.take().map(|lifetimes| {
            let ms = lifetimes.ms.filtered(|after, by| band.fit(after, by).taken);
            Box::new(SiteLifetimes { ms, ..SiteLifetimes::default() })
        });
    }
}

/// The living, youngest first, without those that no collection has judged, of whom each is counted at age 0. What is live is at
/// least one life.
fn without(mut living: Vec<Life>, unjudged: Tally, live: Tally) -> Vec<Life> {
    if unjudged.is_empty() {
        return living;
    }
    if let Some(youngest) = living.first_mut().filter(|life| life.after == 0) {
        youngest.tally = youngest.tally.without(unjudged);
    }
    living.retain(|life| life.tally.objects > 0);
    if living.is_empty() && !live.is_empty() {
        living.push(Life::living(0, live));
    }
    living
}

/// Gives lives the bytes that are known of them, if they are known of the same lives.
fn weigh(lives: &mut [Life], bytes: impl Iterator<Item = (u64, Option<u64>, u64)>) {
    let bytes: Vec<_> = bytes.collect();
    let are_same = bytes.len() == lives.len()
        && lives.iter().zip(&bytes).all(|(life, &(after, by, _))| (life.after, life.by) == (after, by));
    if are_same {
        lives.iter_mut().zip(bytes).for_each(|(life, (.., bytes))| life.tally.bytes = bytes);
    }
}

/// `lives` changed in proportion, so that they add up to `whole`.
fn settled(whole: Tally, lives: Vec<Life>) -> impl Iterator<Item = Life> {
    let part = |of: fn(Tally) -> u64| lives.iter().map(|life| of(life.tally)).collect::<Vec<_>>();
    let objects = divide(whole.objects, &part(|tally| tally.objects));
    let bytes = divide(whole.bytes, &part(|tally| tally.bytes));
    let parts = objects.into_iter().zip(bytes);
    lives.into_iter().zip(parts).map(move |(life, (objects, bytes))| Life {
        tally: Tally { objects, bytes, largest: whole.largest },
        ..life
    })
}

fn total(tallies: &[Tally]) -> Tally {
    tallies.iter().fold(Tally::default(), |mut sum, &tally| {
        sum.add(tally);
        sum
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::facts::run::RunInfo;

    const BUCKETS: [u64; 2] = [5, 30];

    fn band(from_s: u64, to_s: Option<u64>) -> LifeBand {
        LifeBand::new(Duration::from_secs(from_s), to_s.map(Duration::from_secs)).expect("not empty")
    }

    /// 60 objects of 16 bytes dead after 0.5 to 1 s, 10 after 2.5 to 8 s, 10 after 40 to 50 s; 20 alive after 7 s.
    fn profile() -> Profile {
        let mut lifetimes = Lifetimes::default();
        for (after, by, weight) in [(500, 1_000, 60), (2_500, 8_000, 10), (40_000, 50_000, 10)] {
            lifetimes.ms.record_deaths(after, by, weight);
        }
        lifetimes.ms.record_living(7_000, 20);
        let class = ClassProfile {
            name: "a.A".into(),
            allocated: Tally::of(100, 16),
            live: Some(Tally::of(20, 16)),
            collected: vec![Tally::of(60, 16), Tally::of(10, 16), Tally::of(10, 16)],
            lifetimes: Some(lifetimes),
            ..ClassProfile::default()
        };
        let buckets = BucketBounds::new(BUCKETS.to_vec()).expect("ascending");
        let run = RunInfo { lifetimes: true, buckets, ..RunInfo::default() };
        Profile { run, classes: vec![class], ..Profile::default() }
    }

    fn objects(band: LifeBand) -> [u64; 5] {
        let part = profile().lived(band);
        let doubt = part.part.lived.expect("said").doubt;
        let class = part.classes.first().cloned().unwrap_or_default();
        let live = class.live.unwrap_or_default().objects;
        let all = class.allocated;
        assert_eq!(all.bytes, all.objects * 16);
        [all.objects, live, total(&class.collected).objects, doubt.certain.objects, doubt.possible.objects]
    }

    #[test]
    fn the_age_that_is_sure_decides_and_the_doubt_is_said() {
        assert_eq!(objects(band(0, Some(2))), [60, 0, 60, 60, 60]);
        // Of the ten that died between 2.5 s and 8 s, and of the living: all may have been in, none surely.
        assert_eq!(objects(band(2, Some(10))), [30, 20, 10, 10, 30]);
        assert_eq!(objects(band(4, Some(10))), [20, 20, 0, 0, 30]);
        assert_eq!(objects(band(6, None)), [30, 20, 10, 30, 40]);
        assert_eq!(objects(band(60, None)), [0, 0, 0, 0, 20]);
    }

    #[test]
    fn bands_side_by_side_add_up() {
        let bands = [band(0, Some(3)), band(3, Some(6)), band(6, Some(45)), band(45, None)];
        assert_eq!(bands.map(|band| objects(band)[0]).iter().sum::<u64>(), 100);
    }

    #[test]
    fn a_band_of_all_lengths_leaves_numbers_as_they_were() {
        let (all, whole) = (profile().lived(band(0, None)), profile());
        assert_eq!(all.classes[0].allocated, whole.classes[0].allocated);
        assert_eq!(all.classes[0].collected, whole.classes[0].collected);
        let held = |profile: &Profile| profile.classes[0].byte_seconds(&profile.run.buckets);
        assert_eq!(held(&all), held(&whole));
    }

    #[test]
    fn nothing_in_a_band_is_taken_for_optimised_away() {
        let mut sampled = profile();
        sampled.trust.sample_interval = Some(1);
        let part = sampled.lived(band(0, Some(2)));
        assert!(!part.is_optimised_away(&part.classes[0]));
        assert_eq!(part.allocated_bytes(&part.classes[0]), 960);
    }

    #[test]
    fn without_deaths_there_is_nothing_in_any_band() {
        let class = ClassProfile { allocated: Tally::of(3, 16), ..ClassProfile::default() };
        let counted = Profile { classes: vec![class], ..Profile::default() };
        assert_eq!(counted.lived(band(0, None)).classes, []);
    }

    #[test]
    fn a_band_is_not_empty() {
        let second = Duration::from_secs(1);
        assert_eq!(LifeBand::new(second, Some(second)), None);
        assert_eq!(band(0, Some(1)).ends_ms(), (0, Some(1_000)));
    }
}
