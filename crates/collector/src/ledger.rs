//! Where births and deaths are added up: per site, per class, by lifetime. Owned by one thread.

use std::mem;
use std::sync::Arc;

use mayfly_profile::{BucketBounds, ClassId, LifetimeCounts, Lifetimes, SiteCounts, SiteId, Tally, Tracking};

use crate::clock::BYTES_STEP_LOG2;
use crate::nursery::Batch;
use crate::survivors::Survivors;
use crate::{Budget, Clock, GcTime, Nurseries, SiteTable, Tracked};

/// The JVM's weak references, as numbers.
pub trait References {
    /// Whether the referent is gone.
    fn is_cleared(&mut self, reference: u64) -> bool;
    /// Gives the reference back; it is not asked after again.
    fn release(&mut self, reference: u64);
}

/// All that is known of tracked objects since the start or the last reset.
#[derive(Debug)]
pub struct Ledger {
    buckets: BucketBounds,
    tracking: Tracking,
    lifetimes: bool,
    budget: Arc<Budget>,
    clock: Arc<Clock>,
    /// Ends of all collections so far.
    gcs: Vec<GcTime>,
    /// Absorbed since the last sweep.
    young: Vec<Batch>,
    survivors: Survivors,
    gathered: Gathered,
    /// Birth of all that is gathered, while deaths are.
    gathered_birth: (u32, u32),
    sites: Vec<SiteBook>,
    classes: Vec<ClassBook>,
}

#[derive(Clone, Debug, Default)]
struct SiteBook {
    allocated: Tally,
    collected: Vec<Tally>,
    byte_ms: f64,
    changed: bool,
}

#[derive(Clone, Debug, Default)]
struct ClassBook {
    allocated: Tally,
    collected: Vec<Tally>,
    lifetimes: Lifetimes,
    changed: bool,
}

/// A death, by the three clocks.
#[derive(Clone, Copy)]
struct Lifetime {
    ms: u64,
    gcs: u64,
    bytes: u64,
}

/// Objects of a few sites, to be booked together: a thread's neighbours mostly share birth and fate.
#[derive(Debug, Default)]
struct Gathered {
    /// By site; zero where not touched.
    tallies: Vec<Tally>,
    touched: Vec<SiteId>,
}

impl Gathered {
    fn add(&mut self, site: SiteId, tally: Tally) {
        let gathered = entry(&mut self.tallies, site);
        if gathered.objects == 0 {
            self.touched.push(site);
        }
        gathered.add(tally);
    }

    fn take(&mut self) -> Vec<(SiteId, Tally)> {
        let tallies = &mut self.tallies;
        self.touched.drain(..).map(|site| (site, mem::take(&mut tallies[site as usize]))).collect()
    }
}

impl Ledger {
    /// An empty ledger. `lifetimes`: whether tracked objects carry references.
    pub fn new(
        buckets: BucketBounds,
        tracking: Tracking,
        lifetimes: bool,
        budget: Arc<Budget>,
        clock: Arc<Clock>,
    ) -> Self {
        Self {
            buckets,
            tracking,
            lifetimes,
            budget,
            clock,
            gcs: Vec::new(),
            young: Vec::new(),
            survivors: Survivors::default(),
            gathered: Gathered::default(),
            gathered_birth: (0, 0),
            sites: Vec::new(),
            classes: Vec::new(),
        }
    }

    /// Takes what threads have tracked since the last time, and books it as allocated.
    pub fn absorb(&mut self, nurseries: &Nurseries, table: &SiteTable) {
        for batch in nurseries.drain() {
            for object in &batch.objects {
                self.gathered.add(object.site, self.scaled(object));
            }
            if self.lifetimes {
                self.young.push(batch);
            } else {
                self.budget.release(batch.reserved);
            }
        }
        for (site, tally) in self.gathered.take() {
            self.book_births(site, tally, table);
        }
    }

    /// Books the deaths since the last sweep, as of the last collection. Whatever was not absorbed is not looked at.
    pub fn sweep(&mut self, references: &mut impl References, table: &SiteTable) {
        self.gcs.extend(self.clock.gcs_since(self.gcs.len() as u32));
        let Some(&gc) = self.gcs.last() else { return };
        for batch in mem::take(&mut self.young) {
            for object in batch.objects {
                if object.birth_ms <= gc.ms && references.is_cleared(object.reference) {
                    references.release(object.reference);
                    self.gather_death(&object, gc, table);
                } else {
                    self.survivors.push(object, &self.budget);
                }
            }
            self.budget.release(batch.reserved);
        }
        let mut survivors = mem::take(&mut self.survivors);
        let budget = Arc::clone(&self.budget);
        survivors.sweep(&budget, |object| {
            let dead = object.birth_ms <= gc.ms && references.is_cleared(object.reference);
            if dead {
                references.release(object.reference);
                self.gather_death(object, gc, table);
            }
            dead
        });
        self.survivors = survivors;
        self.book_gathered_deaths(gc, table);
    }

    /// Forgets all counts and all tracked objects: deaths of those born before are not counted any more.
    pub fn reset(&mut self, references: &mut impl References, nurseries: &Nurseries) {
        let drained = nurseries.drain();
        for batch in mem::take(&mut self.young).into_iter().chain(drained) {
            for object in batch.objects.iter().filter(|object| object.reference != 0) {
                references.release(object.reference);
            }
            self.budget.release(batch.reserved);
        }
        self.survivors.sweep(&self.budget, |object| {
            references.release(object.reference);
            true
        });
        self.sites.clear();
        self.classes.clear();
    }

    /// Counts of the sites that changed since the last call.
    pub fn changed_sites(&mut self) -> Vec<SiteCounts> {
        let lifetimes = self.lifetimes;
        let books = self.sites.iter_mut().enumerate();
        books
            .filter_map(|(id, book)| {
                mem::take(&mut book.changed).then(|| book.counts(id as SiteId, lifetimes))
            })
            .collect()
    }

    /// Lifetime counts of a class, if deaths are followed; and whether they changed since the last call.
    pub fn class_lifetimes(&mut self, class: ClassId) -> (Option<LifetimeCounts>, bool) {
        if !self.lifetimes {
            return (None, false);
        }
        match self.classes.get_mut(class as usize) {
            Some(book) => {
                let changed = mem::take(&mut book.changed);
                (Some(book.counts()), changed)
            }
            None => (Some(LifetimeCounts::default()), false),
        }
    }

    /// How many objects of that size one tracked object stands for.
    fn weight(&self, size: u64) -> u64 {
        match self.tracking {
            Tracking::Off | Tracking::EveryObject => 1,
            Tracking::EveryNth(n) => n,
            // An allocation of `size` bytes is hit with probability 1-e^(-size/interval).
            Tracking::ByteSample(interval) => {
                (1.0 / -(-(size as f64) / interval as f64).exp_m1()).round().max(1.0) as u64
            }
        }
    }

    fn scaled(&self, object: &Tracked) -> Tally {
        let size = u64::from(object.size_8) * 8;
        Tally::of(self.weight(size), size)
    }

    fn book_births(&mut self, site: SiteId, tally: Tally, table: &SiteTable) {
        let Some(class) = table.class_of(site) else { return };
        let site = entry(&mut self.sites, site);
        site.allocated.add(tally);
        site.changed = true;
        let class = entry(&mut self.classes, class);
        class.allocated.add(tally);
        class.changed = true;
    }

    fn gather_death(&mut self, object: &Tracked, gc: GcTime, table: &SiteTable) {
        let birth = (object.birth_ms, object.birth_64k);
        if birth != self.gathered_birth {
            self.book_gathered_deaths(gc, table);
            self.gathered_birth = birth;
        }
        self.gathered.add(object.site, self.scaled(object));
    }

    fn book_gathered_deaths(&mut self, gc: GcTime, table: &SiteTable) {
        let lifetime = self.lifetime(self.gathered_birth, gc);
        for (site, tally) in self.gathered.take() {
            self.book_deaths(site, tally, lifetime, table);
        }
    }

    fn book_deaths(&mut self, site: SiteId, tally: Tally, lifetime: Lifetime, table: &SiteTable) {
        let Some(class) = table.class_of(site) else { return };
        let bucket = self.buckets.index_of(lifetime.ms);
        let site = entry(&mut self.sites, site);
        add_to(&mut site.collected, bucket, self.buckets.len(), tally);
        site.byte_ms += tally.bytes as f64 * lifetime.ms as f64;
        site.changed = true;
        let class = entry(&mut self.classes, class);
        add_to(&mut class.collected, bucket, self.buckets.len(), tally);
        class.lifetimes.ms.record_deaths(0, lifetime.ms, tally.objects);
        class.lifetimes.gcs.record_deaths(lifetime.gcs, lifetime.gcs + 1, tally.objects);
        class.lifetimes.bytes.record_deaths(0, lifetime.bytes, tally.objects);
        class.lifetimes.record_cohort(tally.objects);
        class.lifetimes.died_before_first_gc += if lifetime.gcs == 0 { tally.objects } else { 0 };
        class.changed = true;
    }

    fn lifetime(&self, (birth_ms, birth_64k): (u32, u32), gc: GcTime) -> Lifetime {
        let before_birth = self.gcs.partition_point(|gc| gc.ms < birth_ms);
        Lifetime {
            ms: u64::from(gc.ms.saturating_sub(birth_ms)),
            // The last one is the collection it died in.
            gcs: (self.gcs.len() - before_birth).saturating_sub(1) as u64,
            bytes: u64::from(gc.bytes_64k.saturating_sub(birth_64k)) << BYTES_STEP_LOG2,
        }
    }
}

impl SiteBook {
    fn counts(&self, id: SiteId, lifetimes: bool) -> SiteCounts {
        SiteCounts {
            id,
            allocated: self.allocated,
            live: lifetimes.then(|| live(self.allocated, &self.collected)),
            collected: self.collected.clone(),
            byte_seconds: self.byte_ms / 1000.0,
        }
    }
}

impl ClassBook {
    fn counts(&self) -> LifetimeCounts {
        LifetimeCounts {
            live: live(self.allocated, &self.collected),
            collected: self.collected.clone(),
            lifetimes: self.lifetimes.clone(),
        }
    }
}

fn live(allocated: Tally, collected: &[Tally]) -> Tally {
    collected.iter().fold(allocated, |rest, &bucket| rest.without(bucket))
}

fn entry<T: Default + Clone>(books: &mut Vec<T>, id: u32) -> &mut T {
    let at = id as usize;
    if books.len() <= at {
        books.resize(at + 1, T::default());
    }
    &mut books[at]
}

fn add_to(collected: &mut Vec<Tally>, bucket: usize, buckets: usize, tally: Tally) {
    collected.resize(buckets, Tally::default());
    collected[bucket].add(tally);
}

#[cfg(test)]
mod tests;
