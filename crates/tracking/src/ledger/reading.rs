//! What the ledger has, as its readers get it: what changed since they read last.

use std::mem;

use mayfly_profile::{
    BetweenSamples, ClassId, HolderCounts, LifetimeCounts, LifetimeHistograms, LiveCounts, Share, SiteCounts,
    SiteId, Stamp, Tally, TraceCounts, Tracking,
};
use rustc_hash::FxHashSet;

use super::Ledger;
use super::books::{ClassBook, live};
use crate::lifetime_book::Now;
use crate::scope_book::ScopeOutcomes;
use crate::tracked::Tracked;

impl Ledger {
    /// What became of the objects made in each scope, by node; empty if deaths are not followed, or nothing was made in any.
    pub fn scope_outcomes(&self) -> Vec<ScopeOutcomes> {
        self.scopes.outcomes_at(self.known.whole.map_or(0, |whole| whole.ms))
    }

    /// Which objects made in spans are still there, of those of the first `classes` classes, with the first `sites` sites. `None` if there
    /// was no sweep since it was told, or no object was made in any.
    pub fn take_traces(&mut self, classes: usize, sites: usize) -> Option<TraceCounts> {
        if self.traces_told == Some(self.sweeps) {
            return None;
        }
        let counts = self.traces.counts(self.known.judged_if_born_by()?, classes, sites);
        self.traces_told = counts.is_some().then_some(self.sweeps);
        counts
    }

    /// Which objects that stand for memory outside of the heap were not seen dead, of those of the first `classes` classes, with the
    /// first `sites` sites. `None` if that is as it was told.
    pub fn take_holders(&mut self, classes: usize, sites: usize) -> Option<HolderCounts> {
        self.outside.take(classes, sites)
    }

    /// Objects that were not found dead; those without a reference are left out.
    pub fn living(&self) -> impl Iterator<Item = &Tracked> {
        let young = self.young.iter().map(|batch| &batch.objects);
        self.survivors.lists().chain(young).flatten().filter(|object| object.reference() != 0)
    }

    /// The sites that changed since the last call; [`Self::site`] has their counts.
    pub fn take_changed_sites(&mut self) -> FxHashSet<SiteId> {
        let books = self.sites.all();
        books.filter_map(|(id, book)| mem::take(&mut book.changed).then_some(SiteId::of_row(id))).collect()
    }

    /// Counts of one site's tracked objects.
    pub fn site(&self, id: SiteId) -> Option<SiteCounts> {
        self.sites.get(id.row()).map(|book| book.counts(id, self.lifetimes))
    }

    /// Counts of the sites that changed since the last call.
    pub fn changed_sites(&mut self) -> Vec<SiteCounts> {
        let lifetimes = self.lifetimes;
        let books = self.sites.all();
        books
            .filter_map(|(id, book)| {
                mem::take(&mut book.changed).then(|| book.counts(SiteId::of_row(id), lifetimes))
            })
            .collect()
    }

    /// How long the objects lived of those of the first `classes` classes and `sites` sites that changed since they were told;
    /// `None` if none did.
    pub fn take_lifetimes(&mut self, classes: usize, sites: usize) -> Option<LifetimeHistograms> {
        if !self.lifetimes {
            return None;
        }
        let timeline = self.clock.timeline();
        let alive = self.known.whole.map(|whole| (whole.ms, timeline.at_event(whole.ms).0));
        let stamp = Stamp { ms: self.clock.now_ms(), alive: alive.unwrap_or_default() };
        let classes = self.classes.first(classes);
        let classes: Vec<_> = classes
            .filter_map(|(id, book)| {
                mem::take(&mut book.aged).then(|| (ClassId::of_row(id), book.byte_ages.clone()))
            })
            .collect();
        let now = Now { history: &self.history, evidence: self.known, timeline: &timeline, ms: stamp.ms };
        let changed = self.sites.first(sites);
        let sites: Vec<_> = changed
            .filter_map(|(id, book)| {
                let living = live(book.allocated, &book.collected);
                book.lifetimes.take(living, now).map(|lifetimes| (SiteId::of_row(id), lifetimes))
            })
            .collect();
        let told = self.stamp != Some(stamp.alive) || !classes.is_empty() || !sites.is_empty();
        self.stamp = Some(stamp.alive);
        told.then_some(LifetimeHistograms { stamp, classes, sites })
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
        let classes = self.classes.first(classes).filter_map(|(id, book)| {
            let living = live(book.allocated, &book.collected);
            let (objects, bytes) = book.census.born_by(by_ms);
            let now =
                Tally { objects: objects.min(living.objects), bytes: bytes.min(living.bytes), ..living };
            Some((ClassId::of_row(id), changed(&mut book.live_told, now)?))
        });
        let classes = classes.collect();
        let sites = self.sites.first(sites).filter_map(|(id, book)| {
            let now = book.lifetimes.judged(live(book.allocated, &book.collected), by_ms);
            Some((SiteId::of_row(id), changed(&mut book.live_told, now)?))
        });
        Some(LiveCounts { as_of_ms: Some(by_ms), classes, sites: sites.collect() })
    }

    /// How many objects were followed of those of the first `classes` classes of which that is a share, and that changed since
    /// they were told.
    pub fn take_shares(&mut self, classes: usize) -> Vec<(ClassId, Share)> {
        let books = self.classes.first(classes);
        let told = |(id, book): (usize, &mut ClassBook)| {
            let changed = mem::take(&mut book.shared) && !book.share.is_whole();
            changed.then_some((ClassId::of_row(id), book.share))
        };
        books.filter_map(told).collect()
    }

    /// How far apart samples were of those of the first `classes` classes and `sites` sites of which that changed since it was told; nothing
    /// unless a byte sample is followed.
    pub fn take_between_samples(&mut self, classes: usize, sites: usize) -> BetweenSamples {
        if !matches!(self.tracking, Tracking::ByteSample(_)) {
            return BetweenSamples::default();
        }
        let classes = self.classes.first(classes);
        let classes = classes
            .filter_map(|(id, book)| Some((ClassId::of_row(id), book.between_samples.take(book.allocated)?)));
        let classes = classes.collect();
        let sites = self.sites.first(sites);
        let sites = sites
            .filter_map(|(id, book)| Some((SiteId::of_row(id), book.between_samples.take(book.allocated)?)));
        BetweenSamples { classes, sites: sites.collect() }
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
