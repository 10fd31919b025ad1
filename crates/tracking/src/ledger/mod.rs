//! Where births and deaths are added up: per site, per class, by lifetime. Owned by one thread.
//!
//! Not here: what a collection proves (`history`), and how the bytes of a birth are known (`timeline`).

mod books;
mod reading;
mod shelf;
mod site_rows;

use std::mem;
use std::sync::Arc;

use mayfly_profile::{BucketBounds, ClassId, Estimate, Following, Share, SiteId, Tracking};

use books::{ClassBook, SiteBook, book_births};
use shelf::Shelf;

use crate::budget::Budget;
use crate::clock::Clock;
use crate::gathered::{Gathered, Sums};
use crate::history::{Evidence, GcFamily, History};
use crate::nursery::{Batch, CHUNK, Nurseries, Returns};
use crate::outside_book::OutsideBook;
use crate::scope_book::ScopeBook;
use crate::sites::SiteTable;
use crate::survivors::Survivors;
use crate::timeline::Timeline;
use crate::trace_book::TraceBook;
use crate::tracked::Tracked;
use crate::weights::{in_scope, scaled};

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
    /// Bytes outside of the heap that the referent stands for, which is of that row of `HOLDERS`; `None` if they can't be read.
    fn outside_bytes(&mut self, _reference: u64, _kind: usize) -> Option<u64> {
        None
    }
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
    sites: Shelf<SiteBook>,
    classes: Shelf<ClassBook>,
    scopes: ScopeBook,
    traces: TraceBook,
    outside: OutsideBook,
    /// Of the last absorption: the first of its batches among the young, and its sites.
    newest: (usize, Vec<SiteId>),
    /// Sweeps after which it was last told which requests' objects are there; `None`: never.
    traces_told: Option<u32>,
    /// What was last told of when the living were known alive.
    stamp: Option<(u64, u64)>,
    /// Sweeps after which it was last told what is live; `None`: never.
    live_told: Option<u32>,
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
            sites: Shelf::default(),
            classes: Shelf::default(),
            scopes: ScopeBook::default(),
            traces: TraceBook::default(),
            outside: OutsideBook::default(),
            newest: Default::default(),
            traces_told: None,
            stamp: None,
            live_told: None,
            clock,
        }
    }

    /// Takes what threads have tracked since the last time, and books it as allocated.
    pub fn absorb(&mut self, nurseries: &Nurseries, table: &SiteTable) {
        self.newest = (self.young.len(), Vec::new());
        for batch in nurseries.drain() {
            if self.tracking == Tracking::Balanced {
                batch.objects.iter().for_each(|object| self.share_in(object, table, Share::record));
            }
            for object in &batch.objects {
                let sums = scaled(self.tracking, object);
                self.by_site.add(object.site().0, sums);
                self.note_distance(object, sums, table, 1.0);
            }
            if self.lifetimes {
                for (object, entry) in batch.of_scopes() {
                    let Some(class) = table.class_of(object.site()) else { continue };
                    let counted = (class, in_scope(self.tracking, object));
                    self.scopes.born(object, entry, counted, &self.budget);
                }
                for (object, trace) in batch.of_traces() {
                    let Some(class) = table.class_of(object.site()) else { continue };
                    let counted = scaled(self.tracking, object).class;
                    if !counted.is_empty() {
                        self.traces.born(object, trace, class, counted, &self.budget);
                    }
                }
                self.young.push(batch);
            } else {
                self.budget.release(batch.reserved);
            }
        }
        for (site, sums) in self.by_site.drain() {
            book_births(&mut self.sites, &mut self.classes, SiteId(site), sums, table);
            self.newest.1.push(SiteId(site));
        }
        self.scopes.note(nurseries.events());
        // After the births: each was drained by now.
        self.returns.get_or_insert_with(|| nurseries.returns());
        self.unbook_returned(table);
    }

    /// Takes note of which of the objects that were absorbed last stand for memory outside of the heap: `kind_of` is the row in `HOLDERS`
    /// of a class.
    pub fn note_outside(&mut self, table: &SiteTable, kind_of: impl Fn(ClassId) -> Option<usize>) {
        let (first, sites) = mem::take(&mut self.newest);
        let of_site = |site| table.class_of(site).and_then(|class| Some((class, kind_of(class)?)));
        // Each is asked for, so that those of the next absorption are known.
        let met = sites.iter().filter(|&&site| self.outside.has(site, || of_site(site))).count();
        if met == 0 || !self.lifetimes {
            return;
        }
        for object in self.young.iter().skip(first).flat_map(|batch| &batch.objects) {
            if !self.taken_back.contains(object) {
                let number = scaled(self.tracking, object).class.objects;
                self.outside.born(object, number, &self.budget);
            }
        }
    }

    /// Reads how much memory outside of the heap objects stand for, as far as that was not read yet.
    pub fn measure_outside(&mut self, references: &mut impl References) {
        self.outside.measure(|reference, kind| references.outside_bytes(reference, kind));
    }

    /// Takes note of what threads took back since the last time.
    fn unbook_returned(&mut self, table: &SiteTable) {
        let returned = self.returns.as_ref().map(Returns::take).unwrap_or_default();
        for object in returned {
            self.unbook(&object, table);
            self.scopes.take_back(&object, &self.budget);
            self.traces.forget(&object, &self.budget);
            self.outside.forget(&object, &self.budget);
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

    /// An object of a byte sample was followed, or taken back (`sign` -1): how far apart samples were then.
    fn note_distance(&mut self, object: &Tracked, sums: Sums, table: &SiteTable, sign: f64) {
        let Tracking::ByteSample(interval) = self.tracking else { return };
        let between = distance(sums.site.largest, interval, object.thinning());
        let of_site = &mut self.sites.book(object.site().0).between_samples;
        of_site.add(sign * sums.site.bytes as f64, between);
        if let Some(class) = table.class_of(object.site()) {
            self.classes.book(class.0).between_samples.add(sign * sums.class.bytes as f64, between);
        }
    }

    /// An object is one of those followed of its class, or is none any more; none is that is followed for its scope alone.
    fn share_in(
        &mut self,
        object: &Tracked,
        table: &SiteTable,
        change: impl FnOnce(&mut Share, u64, Option<u64>),
    ) {
        let Some(class) = table.class_of(object.site()) else { return };
        let Sums { class: sum, site } = scaled(self.tracking, object);
        if sum.is_empty() {
            return;
        }
        let stack = table.has_frames(object.site()).then_some(site.objects);
        let book = self.classes.book(class.0);
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
        self.note_distance(object, sums, table, -1.0);
        let site = self.sites.book(object.site().0);
        site.allocated = site.allocated.without(sums.site);
        site.changed = true;
        site.lifetimes.touch();
        let class = self.classes.book(class.0);
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
            }
            // Of settled ones the next sweep counts anew what is held.
            if is_young {
                self.budget.let_go(object.size());
            }
        }
    }

    /// Nor was it ever among the living.
    fn unsettle(&mut self, object: &Tracked, table: &SiteTable) {
        let Some(class) = table.class_of(object.site()) else { return };
        let sums = scaled(self.tracking, object);
        self.classes.book(class.0).census.die(object.birth_ms(), sums.class);
        self.sites.book(object.site().0).lifetimes.unsettle(object.birth_ms(), sums.site);
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
        let among_survivors = self.sweep_survivors(last_sweep, references, table);
        let newest_cleared = among_survivors.max(self.sweep_young(references, table));
        if !self.scopes.is_empty() {
            let evidence = self.survivors.evidence().unwrap_or_else(|| self.history.evidence());
            let history = &self.history;
            self.scopes.swept(|birth_ms| history.last_alive(birth_ms, evidence).map(|alive| alive.ms));
        }
        if let Some(birth_ms) = newest_cleared {
            self.history.notice_clearing(birth_ms);
        }
    }

    /// Returns the birth of the newest that was found cleared.
    fn sweep_young(&mut self, references: &mut impl References, table: &SiteTable) -> Option<u64> {
        let mut cleared = None;
        for mut batch in mem::take(&mut self.young) {
            let evidence = self.history.evidence();
            let last_ms = self.history.last().map_or(0, |last| last.ms);
            let asked = batch.objects.partition_point(|object| object.birth_ms() <= last_ms);
            let later = batch.objects.split_off(asked);
            let held = bytes_of(&batch.objects);
            cleared = cleared.max(self.reap(&mut batch.objects, Evidence::default(), references, table));
            self.budget.let_go(held - bytes_of(&batch.objects));
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
                self.young.push(Batch { objects: later, reserved: batch.reserved, ..Batch::default() });
            }
        }
        cleared
    }

    /// Returns the birth of the newest that was found cleared and was not at the last sweep, before which so many collections had ended.
    fn sweep_survivors(
        &mut self,
        last_sweep: u32,
        references: &mut impl References,
        table: &SiteTable,
    ) -> Option<u64> {
        let mut cleared = None;
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
                cleared = cleared.max(reaped.filter(|_| chunk.evidence.asked >= last_sweep));
                chunk.evidence = evidence;
                chunk.sweeps += 1;
                chunk.last_sweep = self.sweeps;
                budget.let_go(chunk.release_held());
            }
        });
        self.survivors = survivors;
        cleared
    }

    /// Takes the dead out of `objects`, of which so much was known, gives their references back, and books them; returns
    /// when the newest was born.
    fn reap(
        &mut self,
        objects: &mut Vec<Tracked>,
        evidence: Evidence,
        references: &mut impl References,
        table: &SiteTable,
    ) -> Option<u64> {
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
        let newest = dead.iter().map(Tracked::birth_ms).max();
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
        newest
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
                self.classes.book(class.0).census.settle(first, birth_ms, sums.class);
                self.sites.book(site).lifetimes.settle(first, birth_ms, sums.site, &self.budget);
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
            self.traces.forget(object, &self.budget);
            self.outside.forget(object, &self.budget);
            self.by_site.add(object.site().0, scaled(self.tracking, object));
        }
        for (site, sums) in self.by_site.drain() {
            let Some(class) = table.class_of(SiteId(site)) else { continue };
            let book = self.sites.book(site);
            book.record_deaths(bucket, self.buckets.len(), age.ms, sums.site);
            book.lifetimes.record_deaths(birth_ms, age, evidence.asked > 0, sums.site, &self.budget);
            self.by_class.add(class.0, sums);
        }
        for (class, sums) in self.by_class.drain() {
            let book = self.classes.book(class);
            book.record_deaths(bucket, self.buckets.len(), age, sums.class);
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
            self.budget.let_go(bytes_of(&batch.objects));
            self.budget.release(batch.reserved);
        }
        self.taken_back.clear();
        drop(nurseries.returns().take());
        let mut survivors = mem::take(&mut self.survivors);
        survivors.sweep(&self.budget, |_, chunk| {
            self.budget.let_go(chunk.held);
            chunk.objects.drain(..).for_each(|object| references.release(object.reference()));
        });
        self.live_told = None;
        self.sites.drain().for_each(|site| site.lifetimes.give_back(&self.budget));
        self.classes.clear();
        self.scopes.reset(&self.budget);
        self.traces.reset(&self.budget);
        self.outside.reset(&self.budget);
    }
}

/// Heap bytes of objects.
fn bytes_of(objects: &[Tracked]) -> u64 {
    objects.iter().map(Tracked::size).sum()
}

fn widen(following: &mut Following, from: (u64, u64), to: (u64, u64)) {
    following.most_ms_between = following.most_ms_between.max(to.0.saturating_sub(from.0));
    following.most_bytes_between = following.most_bytes_between.max(to.1.saturating_sub(from.1));
}

/// How far apart samples were, of which one fell on an object of this size that stands for two to the power `log2` as many as at `interval`: of small
/// ones so many times as far, while a large one is met nearly always, however far apart they are.
fn distance(size: u64, interval: u64, log2: u32) -> u64 {
    if log2 == 0 {
        return interval;
    }
    let p = Estimate::probability(size, interval) / f64::from(log2).exp2();
    (size as f64 / -(-p).ln_1p()).round() as u64
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod truth_tests;
