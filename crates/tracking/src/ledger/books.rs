//! What is counted of one site, and of one class.

use mayfly_profile::{ByteAges, LifetimeCounts, Lifetimes, Share, SiteCounts, SiteId, Tally};

use super::shelf::Shelf;
use crate::census::{Census, Fineness};
use crate::gathered::Sums;
use crate::history::{AgeAtDeath, Evidence, History, LivingAge, Moment};
use crate::lifetime_book::LifetimeBook;
use crate::sites::SiteTable;
use crate::timeline::Timeline;

/// How far apart samples of bytes were that came to be followed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BetweenSamples {
    /// The bytes that they stand for, each times the bytes between samples when it was drawn.
    times: f64,
    /// The mean that was last told.
    told: u64,
}

impl BetweenSamples {
    /// One that stands for so many bytes came, or was taken back.
    pub(super) fn add(&mut self, bytes: f64, between: u64) {
        self.times += bytes * between as f64;
    }

    /// The mean, of those that stand for so many bytes in all, if it is by a sixteenth another than it was told.
    pub(super) fn take(&mut self, of: Tally) -> Option<u64> {
        let mean = (self.times / (of.bytes as f64).max(1.0)).round() as u64;
        let changed = mean.abs_diff(self.told) > self.told / 16;
        changed.then(|| {
            self.told = mean;
            mean
        })
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct SiteBook {
    pub(super) allocated: Tally,
    pub(super) collected: Vec<Tally>,
    pub(super) byte_ms: f64,
    pub(super) changed: bool,
    pub(super) lifetimes: LifetimeBook,
    /// What was last told to be live.
    pub(super) live_told: Tally,
    pub(super) between_samples: BetweenSamples,
}

#[derive(Clone, Debug)]
pub(super) struct ClassBook {
    pub(super) allocated: Tally,
    pub(super) collected: Vec<Tally>,
    pub(super) lifetimes: Lifetimes,
    pub(super) byte_ages: ByteAges,
    /// Whether `byte_ages` changed since they were told.
    pub(super) aged: bool,
    /// How many were followed, where that is a share.
    pub(super) share: Share,
    /// Whether `share` changed since it was told.
    pub(super) shared: bool,
    pub(super) census: Census,
    /// The collection by which the living are counted in `lifetimes`.
    pub(super) living_as_of: Option<Moment>,
    pub(super) changed: bool,
    /// What was last told to be live.
    pub(super) live_told: Tally,
    pub(super) between_samples: BetweenSamples,
}

impl Default for ClassBook {
    fn default() -> Self {
        Self {
            allocated: Tally::default(),
            collected: Vec::new(),
            lifetimes: Lifetimes::default(),
            byte_ages: ByteAges::default(),
            aged: false,
            share: Share::default(),
            shared: false,
            census: Census::new(Fineness::CLASS),
            living_as_of: None,
            changed: false,
            live_told: Tally::default(),
            between_samples: BetweenSamples::default(),
        }
    }
}

pub(super) fn book_births(
    sites: &mut Shelf<SiteBook>,
    classes: &mut Shelf<ClassBook>,
    site: SiteId,
    sums: Sums,
    table: &SiteTable,
) {
    let Some(class) = table.class_of(site) else { return };
    let site = sites.book(site.0);
    site.allocated.add(sums.site);
    site.changed = true;
    site.lifetimes.touch();
    let class = classes.book(class.0);
    class.allocated.add(sums.class);
    class.changed = true;
}

impl SiteBook {
    /// Books objects that died at an age between these, in milliseconds: on average in the middle.
    pub(super) fn record_deaths(
        &mut self,
        bucket: usize,
        buckets: usize,
        (after, by): (u64, u64),
        tally: Tally,
    ) {
        add_to(&mut self.collected, bucket, buckets, tally);
        self.byte_ms += tally.bytes as f64 * (after as f64 + by as f64) / 2.0;
        self.changed = true;
    }

    pub(super) fn counts(&self, id: SiteId, lifetimes: bool) -> SiteCounts {
        SiteCounts {
            id,
            allocated: self.allocated,
            live: lifetimes.then(|| live(self.allocated, &self.collected)),
            collected: self.collected.clone(),
            byte_seconds: self.byte_ms / 1000.0,
            error: 0.0,
        }
    }
}

impl ClassBook {
    /// Books objects that share birth and death.
    pub(super) fn record_deaths(&mut self, bucket: usize, buckets: usize, age: AgeAtDeath, tally: Tally) {
        add_to(&mut self.collected, bucket, buckets, tally);
        let weight = tally.objects;
        self.lifetimes.ms.record_deaths(age.ms.0, age.ms.1, weight);
        self.lifetimes.gcs.record_deaths(age.gcs.0, age.gcs.1, weight);
        self.lifetimes.bytes.record_deaths(age.bytes.0, age.bytes.1, weight);
        self.byte_ages.ms.record_deaths(age.ms.0, age.ms.1, tally.bytes);
        self.byte_ages.gcs.record_deaths(age.gcs.0, age.gcs.1, tally.bytes);
        self.byte_ages.bytes.record_deaths(age.bytes.0, age.bytes.1, tally.bytes);
        self.lifetimes.record_cohort(weight);
        self.lifetimes.died_before_first_gc += if age.gcs.1 <= 1 { weight } else { 0 };
        self.changed = true;
    }

    /// Brings the ages of the living up to date, if they or what is known of them changed.
    pub(super) fn count_living(&mut self, history: &History, evidence: Evidence, timeline: &Timeline) {
        let moved = self.living_as_of != evidence.whole && !self.census.cohorts().is_empty();
        if !moved && !self.changed {
            return;
        }
        self.living_as_of = evidence.whole;
        self.changed = true;
        self.aged = true;
        let clocks = [
            &mut self.lifetimes.ms,
            &mut self.lifetimes.gcs,
            &mut self.lifetimes.bytes,
            &mut self.byte_ages.ms,
            &mut self.byte_ages.gcs,
            &mut self.byte_ages.bytes,
        ];
        for ages in clocks {
            ages.forget_living();
        }
        let mut unknown = live(self.allocated, &self.collected);
        for cohort in self.census.cohorts() {
            for (birth_ms, weight, bytes) in cohort.births() {
                let age = history.living_age(birth_ms, cohort.first, evidence, timeline);
                record_living(&mut self.lifetimes, &mut self.byte_ages, age, (weight, bytes));
            }
            unknown.objects = unknown.objects.saturating_sub(cohort.weight);
            unknown.bytes = unknown.bytes.saturating_sub(cohort.bytes);
        }
        // Born since the last sweep.
        let not_asked_after = LivingAge::default();
        record_living(
            &mut self.lifetimes,
            &mut self.byte_ages,
            not_asked_after,
            (unknown.objects, unknown.bytes),
        );
    }

    pub(super) fn counts(&self) -> LifetimeCounts {
        LifetimeCounts {
            live: live(self.allocated, &self.collected),
            collected: self.collected.clone(),
            lifetimes: self.lifetimes.clone(),
        }
    }
}

fn record_living(objects: &mut Lifetimes, bytes: &mut ByteAges, age: LivingAge, (weight, size): (u64, u64)) {
    objects.ms.record_living(age.ms, weight);
    objects.gcs.record_living(age.gcs, weight);
    objects.bytes.record_living(age.bytes, weight);
    bytes.ms.record_living(age.ms, size);
    bytes.gcs.record_living(age.gcs, size);
    bytes.bytes.record_living(age.bytes, size);
}

pub(super) fn live(allocated: Tally, collected: &[Tally]) -> Tally {
    collected.iter().fold(allocated, |rest, &bucket| rest.without(bucket))
}

fn add_to(collected: &mut Vec<Tally>, bucket: usize, buckets: usize, tally: Tally) {
    collected.resize(buckets, Tally::default());
    collected[bucket].add(tally);
}
