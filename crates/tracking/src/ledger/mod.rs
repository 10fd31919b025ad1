//! Where births and deaths are added up: per site, per class, by lifetime. Owned by one thread.
//!
//! Not here: what a collection proves (`history`), and how the bytes of a birth are known (`timeline`).

mod site_rows;

use std::mem;
use std::sync::Arc;

use mayfly_profile::{
    BucketBounds, ByteAges, ClassId, FateCounts, Following, LifetimeCounts, Lifetimes, LiveCounts, Share,
    SiteCounts, SiteId, Stamp, Tally, Tracking,
};

use rustc_hash::FxHashSet;

use crate::budget::Budget;
use crate::census::{Census, Fineness};
use crate::clock::Clock;
use crate::fate_book::{FateBook, Now};
use crate::gathered::{Gathered, Sums};
use crate::history::{AgeAtDeath, Evidence, GcFamily, History, LivingAge, Moment};
use crate::nursery::Nurseries;
use crate::nursery::{Batch, CHUNK, Returns};
use crate::scope_book::{ScopeBook, ScopeFates};
use crate::sites::SiteTable;
use crate::survivors::Survivors;
use crate::timeline::Timeline;
use crate::tracked::Tracked;
use crate::weights::scaled;

/// Objects that outlived so many sweeps are asked after less often: by then they are old in most heaps.
const SWEEPS_UNTIL_SETTLED: u32 = 16;
/// Of those, each sweep asks after one part in so many, if no collection has examined the whole heap meanwhile.
const TURNS: u32 = 8;
/// Lists of survivors that are all asked after by each sweep: it takes some milliseconds at most.
const FEW_CHUNKS: usize = 32;

/// The JVM's weak references, as numbers.
pub trait References {
    /// Whether the referent is gone.
    fn is_cleared(&mut self, reference: u64) -> bool;
    /// Gives the reference back; it is not asked after again. Returns only when the collector's pause that cleared it has
    /// ended and its end was noted.
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
    history: History,
    sweeps: u32,
    /// What holds for each survivor: the evidence before the last sweep.
    known: Evidence,
    following: Following,
    /// The newest collection that examined the whole heap, as (milliseconds, bytes); the start before there was one.
    whole: (u64, u64),
    /// Absorbed, and not asked after yet.
    young: Vec<Batch>,
    /// What threads take back.
    returns: Option<Returns>,
    /// Absorbed, and then taken back by their threads.
    taken_back: Vec<Tracked>,
    survivors: Survivors,
    /// Found cleared, and not booked yet.
    dead: Vec<Tracked>,
    by_site: Gathered,
    by_class: Gathered,
    sites: Vec<SiteBook>,
    classes: Vec<ClassBook>,
    scopes: ScopeBook,
    /// What was last told of when the living were known alive.
    stamp: Option<(u64, u64)>,
    /// Sweeps after which it was last told what is live; `None`: never.
    live_told: Option<u32>,
}

#[derive(Clone, Debug, Default)]
struct SiteBook {
    allocated: Tally,
    collected: Vec<Tally>,
    byte_ms: f64,
    changed: bool,
    fates: FateBook,
    /// What was last told to be live.
    live_told: Tally,
}

#[derive(Clone, Debug)]
struct ClassBook {
    allocated: Tally,
    collected: Vec<Tally>,
    lifetimes: Lifetimes,
    byte_ages: ByteAges,
    /// Whether `byte_ages` changed since they were told.
    aged: bool,
    /// How many were followed, where that is a share.
    share: Share,
    /// Whether `share` changed since it was told.
    shared: bool,
    census: Census,
    /// The collection by which the living are counted in `lifetimes`.
    living_as_of: Option<Moment>,
    changed: bool,
    /// What was last told to be live.
    live_told: Tally,
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
        }
    }
}

impl Ledger {
    /// An empty ledger. `lifetimes`: whether tracked objects carry references.
    pub fn new(
        buckets: BucketBounds,
        tracking: Tracking,
        lifetimes: bool,
        family: GcFamily,
        budget: Arc<Budget>,
        clock: Arc<Clock>,
    ) -> Self {
        Self {
            buckets,
            tracking,
            lifetimes,
            budget,
            history: History::new(family),
            sweeps: 0,
            known: Evidence::default(),
            following: Following::default(),
            whole: (clock.now_ms(), clock.bytes()),
            young: Vec::new(),
            returns: None,
            taken_back: Vec::new(),
            survivors: Survivors::default(),
            dead: Vec::new(),
            by_site: Gathered::default(),
            by_class: Gathered::default(),
            sites: Vec::new(),
            classes: Vec::new(),
            scopes: ScopeBook::default(),
            stamp: None,
            live_told: None,
            clock,
        }
    }

    /// Takes what threads have tracked since the last time, and books it as allocated.
    pub fn absorb(&mut self, nurseries: &Nurseries, table: &SiteTable) {
        for batch in nurseries.drain() {
            if self.tracking == Tracking::Balanced {
                batch.objects.iter().for_each(|object| self.share_in(object, table, Share::record));
            }
            for object in &batch.objects {
                self.by_site.add(object.site().0, scaled(self.tracking, object));
            }
            if self.lifetimes {
                for (object, entry) in batch.of_scopes() {
                    let Some(class) = table.class_of(object.site()) else { continue };
                    let counted = (class, scaled(self.tracking, object).class);
                    self.scopes.born(object, entry, counted, &self.budget);
                }
                self.young.push(batch);
            } else {
                self.budget.release(batch.reserved);
            }
        }
        for (site, sums) in self.by_site.drain() {
            book_births(&mut self.sites, &mut self.classes, SiteId(site), sums, table);
        }
        self.scopes.note(nurseries.events());
        // After the births: each was drained by now.
        self.returns.get_or_insert_with(|| nurseries.returns());
        self.unbook_returned(table);
    }

    /// Takes note of what threads took back since the last time.
    fn unbook_returned(&mut self, table: &SiteTable) {
        let returned = self.returns.as_ref().map(Returns::take).unwrap_or_default();
        for object in returned {
            self.unbook(&object, table);
            self.scopes.unborn(&object, &self.budget);
            if self.lifetimes {
                self.taken_back.push(object);
            }
        }
    }

    /// Leaves of the dead those that never were: they were taken back before they could die, even if that comes to light only now.
    fn leave_returned(&mut self, dead: &mut Vec<Tracked>, table: &SiteTable) {
        if dead.is_empty() {
            return;
        }
        self.unbook_returned(table);
        if !self.taken_back.is_empty() {
            dead.retain(|object| {
                let at = self.taken_back.iter().position(|returned| returned == object);
                at.map(|at| self.taken_back.swap_remove(at)).is_none()
            });
        }
    }

    /// An object is one of those followed of its class, or is none any more.
    fn share_in(
        &mut self,
        object: &Tracked,
        table: &SiteTable,
        change: impl FnOnce(&mut Share, u64, Option<u64>),
    ) {
        let Some(class) = table.class_of(object.site()) else { return };
        let Sums { class: sum, site } = scaled(self.tracking, object);
        let stack = table.has_frames(object.site()).then_some(site.objects);
        let book = entry(&mut self.classes, class.0);
        change(&mut book.share, sum.objects, stack);
        book.shared = true;
    }

    /// Its caller tells of the same object again.
    fn unbook(&mut self, object: &Tracked, table: &SiteTable) {
        if self.tracking == Tracking::Balanced {
            self.share_in(object, table, Share::forget);
        }
        let Some(class) = table.class_of(object.site()) else { return };
        let sums = scaled(self.tracking, object);
        let site = entry(&mut self.sites, object.site().0);
        site.allocated = site.allocated.without(sums.site);
        site.changed = true;
        site.fates.touch();
        let class = entry(&mut self.classes, class.0);
        class.allocated = class.allocated.without(sums.class);
        class.changed = true;
    }

    /// Looks for objects that were taken back, the newest first, and gives their references back.
    fn forget_taken_back(&mut self, references: &mut impl References, table: &SiteTable) {
        for object in mem::take(&mut self.taken_back) {
            let take = |objects: &mut Vec<Tracked>| {
                let at = objects.iter().rposition(|other| *other == object)?;
                Some(objects.remove(at))
            };
            let is_young = self.young.iter_mut().rev().find_map(|batch| take(&mut batch.objects)).is_some();
            let has_settled = !is_young && self.survivors.newest_first().find_map(take).is_some();
            if has_settled {
                self.unsettle(&object, table);
            }
            if is_young || has_settled {
                references.release(object.reference());
                self.let_go(&[object]);
            }
        }
    }

    /// Nor was it ever among the living.
    fn unsettle(&mut self, object: &Tracked, table: &SiteTable) {
        let Some(class) = table.class_of(object.site()) else { return };
        let sums = scaled(self.tracking, object);
        entry(&mut self.classes, class.0).census.die(object.birth_ms(), sums.class);
        entry(&mut self.sites, object.site().0).fates.unsettle(object.birth_ms(), sums.site);
    }

    /// Takes note of the collections that have ended. After that, and before a sweep, the byte clock may be corrected.
    pub fn note_collections(&mut self) {
        self.history.sync(&self.clock);
    }

    /// Books the deaths since the last sweep, as of the last collection. Whatever was not absorbed is not looked at.
    pub fn sweep(&mut self, references: &mut impl References, table: &SiteTable) {
        self.note_collections();
        self.forget_taken_back(references, table);
        if self.history.last().is_none() {
            return;
        }
        self.ask(references, table);
        self.following.sweeps += 1;
    }

    /// How closely tracked objects were followed so far. The time of sweeps is for the caller to know.
    pub fn following(&self) -> Following {
        let mut following = self.following;
        widen(&mut following, self.whole, (self.clock.now_ms(), self.clock.bytes()));
        following.thinned_to_one_in = self.budget.thinned_to_one_in();
        following
    }

    fn ask(&mut self, references: &mut impl References, table: &SiteTable) {
        self.sweeps = self.sweeps.wrapping_add(1);
        let known = self.history.evidence();
        if let Some(whole) = known.whole.filter(|_| known.whole != self.known.whole) {
            let now = (whole.ms, self.clock.timeline().at_event(whole.ms).1);
            widen(&mut self.following, self.whole, now);
            self.following.whole_collections += 1;
            self.whole = now;
        }
        let last_sweep = mem::replace(&mut self.known, known).asked;
        let mut cleared = self.sweep_survivors(last_sweep, references, table);
        cleared |= self.sweep_young(references, table);
        if !self.scopes.is_empty() {
            let evidence = self.survivors.evidence().unwrap_or_else(|| self.history.evidence());
            let history = &self.history;
            self.scopes.swept(|birth_ms| history.last_alive(birth_ms, evidence).map(|alive| alive.ms));
        }
        if cleared {
            self.history.notice_clearing();
        }
    }

    /// Returns whether any was found cleared.
    fn sweep_young(&mut self, references: &mut impl References, table: &SiteTable) -> bool {
        let mut cleared = false;
        for mut batch in mem::take(&mut self.young) {
            let evidence = self.history.evidence();
            let last_ms = self.history.last().map_or(0, |last| last.ms);
            let asked = batch.objects.partition_point(|object| object.birth_ms() <= last_ms);
            let later = batch.objects.split_off(asked);
            cleared |= self.reap(&mut batch.objects, Evidence::default(), references, table);
            self.settle(&batch.objects, table);
            let mut alive = mem::take(&mut batch.objects);
            if later.is_empty() && batch.reserved == CHUNK {
                match self.survivors.adopt(alive, evidence) {
                    Ok(()) => continue,
                    Err(few) => alive = few,
                }
            }
            for object in alive {
                self.survivors.push(object, evidence, &self.budget);
            }
            if later.is_empty() {
                self.budget.release(batch.reserved);
            } else {
                self.young.push(Batch { objects: later, reserved: batch.reserved, entries: Vec::new() });
            }
        }
        cleared
    }

    /// Returns whether any was found cleared that was not at the last sweep, before which so many collections had ended.
    fn sweep_survivors(
        &mut self,
        last_sweep: u32,
        references: &mut impl References,
        table: &SiteTable,
    ) -> bool {
        let mut cleared = false;
        let mut survivors = mem::take(&mut self.survivors);
        let budget = Arc::clone(&self.budget);
        let are_few = survivors.chunks() <= FEW_CHUNKS;
        survivors.sweep(&budget, |at, chunk| {
            let evidence = self.history.evidence();
            let examined = chunk.evidence.whole != evidence.whole;
            // By number, so that turns are spread; by time, as numbers change when chunks are joined.
            let is_turn = (at as u32).wrapping_add(self.sweeps).is_multiple_of(TURNS)
                || self.sweeps.wrapping_sub(chunk.last_sweep) >= TURNS;
            if are_few || chunk.sweeps < SWEEPS_UNTIL_SETTLED || examined || is_turn {
                let reaped = self.reap(&mut chunk.objects, chunk.evidence, references, table);
                cleared |= reaped && chunk.evidence.asked >= last_sweep;
                chunk.evidence = evidence;
                chunk.sweeps += 1;
                chunk.last_sweep = self.sweeps;
            }
        });
        self.survivors = survivors;
        cleared
    }

    /// Takes the dead out of `objects`, of which so much was known, gives their references back, and books them; returns
    /// whether there were any.
    fn reap(
        &mut self,
        objects: &mut Vec<Tracked>,
        evidence: Evidence,
        references: &mut impl References,
        table: &SiteTable,
    ) -> bool {
        self.following.asked += objects.len() as u64;
        let mut dead = mem::take(&mut self.dead);
        objects.retain(|object| {
            let is_dead = references.is_cleared(object.reference());
            if is_dead {
                dead.push(*object);
            }
            !is_dead
        });
        for object in &dead {
            references.release(object.reference());
        }
        self.let_go(&dead);
        let found = !dead.is_empty();
        self.leave_returned(&mut dead, table);
        // A collection may have ended since, and have cleared some of them.
        self.history.sync(&self.clock);
        let clock = Arc::clone(&self.clock);
        let timeline = clock.timeline();
        for together in dead.chunk_by(|a, b| a.birth_ms() == b.birth_ms()) {
            self.book_deaths(together, evidence, &timeline, table);
        }
        dead.clear();
        self.dead = dead;
        found
    }

    /// Their bytes are the heap's again.
    fn let_go(&self, objects: &[Tracked]) {
        if self.budget.bounds_held() {
            self.budget.let_go(objects.iter().map(Tracked::size).sum());
        }
    }

    /// Counts objects that were asked after for the first time, and are alive, among the living of their classes.
    fn settle(&mut self, objects: &[Tracked], table: &SiteTable) {
        let first_of = |object: &Tracked| self.history.first_after(object.birth_ms());
        for together in objects.chunk_by(|a, b| a.birth_ms() == b.birth_ms()) {
            let Some(birth_ms) = together.first().map(Tracked::birth_ms) else { continue };
            let Some(first) = together.first().and_then(first_of) else { continue };
            for object in together {
                self.by_site.add(object.site().0, scaled(self.tracking, object));
            }
            for (site, sums) in self.by_site.drain() {
                let Some(class) = table.class_of(SiteId(site)) else { continue };
                entry(&mut self.classes, class.0).census.settle(first, birth_ms, sums.class);
                entry(&mut self.sites, site).fates.settle(first, birth_ms, sums.site, &self.budget);
            }
        }
    }

    /// Books objects that were born in the same millisecond.
    fn book_deaths(&mut self, dead: &[Tracked], evidence: Evidence, timeline: &Timeline, table: &SiteTable) {
        let Some(birth_ms) = dead.first().map(Tracked::birth_ms) else { return };
        let age = self.history.age_at_death(birth_ms, evidence, timeline);
        let bucket = self.buckets.index_of(age.ms.1);
        if !self.scopes.is_empty() {
            let (alive_ms, found_ms) = (birth_ms + age.ms.0, birth_ms + age.ms.1);
            dead.iter().for_each(|object| self.scopes.died(object, (alive_ms, found_ms), &self.budget));
        }
        for object in dead {
            self.by_site.add(object.site().0, scaled(self.tracking, object));
        }
        for (site, sums) in self.by_site.drain() {
            let Some(class) = table.class_of(SiteId(site)) else { continue };
            let book = entry(&mut self.sites, site);
            book.bury(bucket, self.buckets.len(), age.ms, sums.site);
            book.fates.bury(birth_ms, age, evidence.asked > 0, sums.site, &self.budget);
            self.by_class.add(class.0, sums);
        }
        for (class, sums) in self.by_class.drain() {
            let book = entry(&mut self.classes, class);
            book.bury(bucket, self.buckets.len(), age, sums.class);
            if evidence.asked > 0 {
                book.census.die(birth_ms, sums.class);
            }
        }
    }

    /// Forgets all counts and all tracked objects: deaths of those born before are not counted any more.
    pub fn reset(&mut self, references: &mut impl References, nurseries: &Nurseries) {
        let drained = nurseries.drain();
        for batch in mem::take(&mut self.young).into_iter().chain(drained) {
            for object in batch.objects.iter().filter(|object| object.reference() != 0) {
                references.release(object.reference());
            }
            self.let_go(&batch.objects);
            self.budget.release(batch.reserved);
        }
        self.taken_back.clear();
        drop(nurseries.returns().take());
        let mut survivors = mem::take(&mut self.survivors);
        survivors.sweep(&self.budget, |_, chunk| {
            self.let_go(&chunk.objects);
            chunk.objects.drain(..).for_each(|object| references.release(object.reference()));
        });
        self.live_told = None;
        self.sites.drain(..).for_each(|site| site.fates.give_back(&self.budget));
        self.classes.clear();
        self.scopes.reset(&self.budget);
    }

    /// What became of the objects made in each scope, by node; empty if deaths are not followed, or nothing was made in any.
    pub fn scope_fates(&self) -> Vec<ScopeFates> {
        self.scopes.told(self.known.whole.map_or(0, |whole| whole.ms))
    }

    /// The sites that changed since the last call; [`Self::site`] has their counts.
    pub fn take_changed_sites(&mut self) -> FxHashSet<SiteId> {
        let books = self.sites.iter_mut().enumerate();
        books.filter_map(|(id, book)| mem::take(&mut book.changed).then_some(SiteId::of_row(id))).collect()
    }

    /// Counts of one site's tracked objects.
    pub fn site(&self, id: SiteId) -> Option<SiteCounts> {
        self.sites.get(id.row()).map(|book| book.counts(id, self.lifetimes))
    }

    /// Counts of the sites that changed since the last call.
    pub fn changed_sites(&mut self) -> Vec<SiteCounts> {
        let lifetimes = self.lifetimes;
        let books = self.sites.iter_mut().enumerate();
        books
            .filter_map(|(id, book)| {
                mem::take(&mut book.changed).then(|| book.counts(SiteId::of_row(id), lifetimes))
            })
            .collect()
    }

    /// How long the objects lived of those of the first `classes` classes and `sites` sites that changed since they were told;
    /// `None` if none did.
    pub fn take_fates(&mut self, classes: usize, sites: usize) -> Option<FateCounts> {
        if !self.lifetimes {
            return None;
        }
        let timeline = self.clock.timeline();
        let alive = self.known.whole.map(|whole| (whole.ms, timeline.at_event(whole.ms).0));
        let stamp = Stamp { ms: self.clock.now_ms(), alive: alive.unwrap_or_default() };
        let classes = self.classes.iter_mut().take(classes).enumerate();
        let classes: Vec<_> = classes
            .filter_map(|(id, book)| {
                mem::take(&mut book.aged).then(|| (ClassId::of_row(id), book.byte_ages.clone()))
            })
            .collect();
        let now = Now { history: &self.history, evidence: self.known, timeline: &timeline, ms: stamp.ms };
        let changed = self.sites.iter_mut().take(sites).enumerate();
        let sites: Vec<_> = changed
            .filter_map(|(id, book)| {
                let living = live(book.allocated, &book.collected);
                book.fates.take(living, now).map(|fates| (SiteId::of_row(id), fates))
            })
            .collect();
        let told = self.stamp != Some(stamp.alive) || !classes.is_empty() || !sites.is_empty();
        self.stamp = Some(stamp.alive);
        told.then_some(FateCounts { stamp, classes, sites })
    }

    /// What is live of the first `classes` classes and `sites` sites, where that changed since it was told: what the last collection
    /// found alive, or may not have looked at. Not what was born since. `None` if there was no sweep since.
    pub fn take_live(&mut self, classes: usize, sites: usize) -> Option<LiveCounts> {
        if !self.lifetimes || self.live_told == Some(self.sweeps) {
            return None;
        }
        self.live_told = Some(self.sweeps);
        let Some(by_ms) = self.known.judged_if_born_by() else { return Some(LiveCounts::default()) };
        let changed = |told: &mut Tally, now: Tally| (mem::replace(told, now) != now).then_some(now);
        let classes = self.classes.iter_mut().take(classes).enumerate().filter_map(|(id, book)| {
            let living = live(book.allocated, &book.collected);
            let (objects, bytes) = book.census.born_by(by_ms);
            let now =
                Tally { objects: objects.min(living.objects), bytes: bytes.min(living.bytes), ..living };
            Some((ClassId::of_row(id), changed(&mut book.live_told, now)?))
        });
        let classes = classes.collect();
        let sites = self.sites.iter_mut().take(sites).enumerate().filter_map(|(id, book)| {
            let now = book.fates.judged(live(book.allocated, &book.collected), by_ms);
            Some((SiteId::of_row(id), changed(&mut book.live_told, now)?))
        });
        Some(LiveCounts { as_of_ms: Some(by_ms), classes, sites: sites.collect() })
    }

    /// How many objects were followed of those of the first `classes` classes of which that is a share, and that changed since
    /// they were told.
    pub fn take_shares(&mut self, classes: usize) -> Vec<(ClassId, Share)> {
        let books = self.classes.iter_mut().take(classes).enumerate();
        let told = |(id, book): (usize, &mut ClassBook)| {
            let changed = mem::take(&mut book.shared) && !book.share.is_whole();
            changed.then_some((ClassId::of_row(id), book.share))
        };
        books.filter_map(told).collect()
    }

    /// Lifetime counts of a class, if deaths are followed; and whether they changed since the last call.
    pub fn class_lifetimes(&mut self, class: ClassId) -> (Option<LifetimeCounts>, bool) {
        if !self.lifetimes {
            return (None, false);
        }
        match self.classes.get_mut(class.row()) {
            Some(book) => {
                book.count_living(&self.history, self.known, &self.clock.timeline());
                let changed = mem::take(&mut book.changed);
                (Some(book.counts()), changed)
            }
            None => (Some(LifetimeCounts::default()), false),
        }
    }
}

fn widen(following: &mut Following, from: (u64, u64), to: (u64, u64)) {
    following.most_ms_between = following.most_ms_between.max(to.0.saturating_sub(from.0));
    following.most_bytes_between = following.most_bytes_between.max(to.1.saturating_sub(from.1));
}

fn book_births(
    sites: &mut Vec<SiteBook>,
    classes: &mut Vec<ClassBook>,
    site: SiteId,
    sums: Sums,
    table: &SiteTable,
) {
    let Some(class) = table.class_of(site) else { return };
    let site = entry(sites, site.0);
    site.allocated.add(sums.site);
    site.changed = true;
    site.fates.touch();
    let class = entry(classes, class.0);
    class.allocated.add(sums.class);
    class.changed = true;
}

impl SiteBook {
    /// Books objects that died at an age between these, in milliseconds: on average in the middle.
    fn bury(&mut self, bucket: usize, buckets: usize, (after, by): (u64, u64), tally: Tally) {
        add_to(&mut self.collected, bucket, buckets, tally);
        self.byte_ms += tally.bytes as f64 * (after as f64 + by as f64) / 2.0;
        self.changed = true;
    }

    fn counts(&self, id: SiteId, lifetimes: bool) -> SiteCounts {
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
    fn bury(&mut self, bucket: usize, buckets: usize, age: AgeAtDeath, tally: Tally) {
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
    fn count_living(&mut self, history: &History, evidence: Evidence, timeline: &Timeline) {
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
        let unborn = LivingAge::default();
        record_living(&mut self.lifetimes, &mut self.byte_ages, unborn, (unknown.objects, unknown.bytes));
    }

    fn counts(&self) -> LifetimeCounts {
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
#[cfg(test)]
mod truth_tests;
