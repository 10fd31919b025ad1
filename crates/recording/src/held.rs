//! What steps have said that were not written: cumulative counts, of which the newest value of each id stands for all before.
//!
//! Names are never held back: they stand before the first count that uses them. Not here: which steps are held back (`thinning`,
//! `coarsening`).

use std::collections::{BTreeMap, HashMap};
use std::mem;

use mayfly_profile::{
    ByteAges, CensusCounts, CensusReach, ClassCensus, ClassCounts, ClassEstimate, ClassId, FateCounts, Fates,
    LiveCounts, Progress, ScopeCounts, Share, SiteCounts, SiteId, Stamp, Tally, Update,
};

/// Steps that became one.
#[derive(Debug, Default)]
pub(crate) struct Held {
    progress: Option<Pending>,
    fates: Option<PendingFates>,
    shares: HashMap<ClassId, Share>,
    live: Option<PendingLive>,
    /// By path.
    scopes: BTreeMap<Vec<String>, ScopeCounts>,
    operations: Option<u64>,
    census: Option<PendingCensus>,
}

impl Held {
    /// Whether nothing is held back.
    pub(crate) fn is_empty(&self) -> bool {
        self.progress.is_none()
            && self.fates.is_none()
            && self.shares.is_empty()
            && self.live.is_none()
            && self.scopes.is_empty()
            && self.operations.is_none()
            && self.census.is_none()
    }

    /// Takes what can be held back; gives back what can't.
    pub(crate) fn add(&mut self, update: Update) -> Option<Update> {
        match update {
            Update::Progress(progress) => self.progress.get_or_insert_default().add(*progress),
            Update::Fates(fates) => self.fates.get_or_insert_default().add(*fates),
            Update::Shares(shares) => self.shares.extend(shares),
            Update::Live(live) => self.live.get_or_insert_default().add(live),
            Update::Scopes(scopes) => {
                self.scopes.extend(scopes.into_iter().map(|scope| (scope.path.clone(), scope)));
            }
            Update::Operations(operations) => self.operations = Some(operations),
            Update::Census(census) => self.census.get_or_insert_default().add(*census),
            other => return Some(other),
        }
        None
    }

    /// What was counted before is void.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// All of it, as one step; nothing is held back then.
    pub(crate) fn release(&mut self) -> impl Iterator<Item = Update> + use<> {
        let held = mem::take(self);
        let progress = held.progress.map(|pending| Update::Progress(Box::new(pending.whole())));
        let live = held.live.map(PendingLive::whole);
        let fates = held.fates.map(PendingFates::whole);
        let mut shares: Vec<_> = held.shares.into_iter().collect();
        shares.sort_unstable_by_key(|&(id, _)| id);
        let shares = (!shares.is_empty()).then_some(Update::Shares(shares));
        let scopes: Vec<_> = held.scopes.into_values().collect();
        let scopes = (!scopes.is_empty()).then_some(Update::Scopes(scopes));
        let operations = held.operations.map(Update::Operations);
        let census = held.census.map(PendingCensus::whole);
        progress
            .into_iter()
            .chain(live)
            .chain(fates.into_iter().flatten())
            .chain(shares)
            .chain(scopes)
            .chain(operations)
            .chain(census)
    }
}

/// What progress was held back.
#[derive(Debug, Default)]
struct Pending {
    /// Without counts.
    newest: Progress,
    classes: HashMap<ClassId, ClassCounts>,
    sites: HashMap<SiteId, SiteCounts>,
    estimates: HashMap<ClassId, ClassEstimate>,
}

#[derive(Debug, Default)]
struct PendingCensus {
    newest: CensusReach,
    classes: HashMap<ClassId, ClassCensus>,
}

impl PendingCensus {
    fn add(&mut self, census: CensusCounts) {
        self.newest = census.reach;
        self.classes.extend(census.classes);
    }

    fn whole(self) -> Update {
        let mut classes: Vec<_> = self.classes.into_iter().collect();
        classes.sort_unstable_by_key(|&(id, _)| id);
        Update::Census(Box::new(CensusCounts { reach: self.newest, classes }))
    }
}

#[derive(Debug, Default)]
struct PendingLive {
    as_of_ms: Option<u64>,
    classes: HashMap<ClassId, Tally>,
    sites: HashMap<SiteId, Tally>,
}

#[derive(Debug, Default)]
struct PendingFates {
    newest: FateCounts,
    classes: HashMap<ClassId, ByteAges>,
    sites: HashMap<SiteId, (Stamp, Fates)>,
}

impl Pending {
    fn add(&mut self, mut progress: Progress) {
        self.classes.extend(mem::take(&mut progress.classes).into_iter().map(|counts| (counts.id, counts)));
        self.sites.extend(mem::take(&mut progress.sites).into_iter().map(|counts| (counts.id, counts)));
        self.estimates.extend(mem::take(&mut progress.estimates));
        self.newest = progress;
    }

    fn whole(self) -> Progress {
        let mut classes: Vec<_> = self.classes.into_values().collect();
        let mut sites: Vec<_> = self.sites.into_values().collect();
        let mut estimates: Vec<_> = self.estimates.into_iter().collect();
        classes.sort_unstable_by_key(|counts| counts.id);
        sites.sort_unstable_by_key(|counts| counts.id);
        estimates.sort_unstable_by_key(|&(id, _)| id);
        Progress { classes, sites, estimates, ..self.newest }
    }
}

impl PendingLive {
    fn add(&mut self, live: LiveCounts) {
        self.as_of_ms = live.as_of_ms;
        self.classes.extend(live.classes);
        self.sites.extend(live.sites);
    }

    fn whole(self) -> Update {
        let mut classes: Vec<_> = self.classes.into_iter().collect();
        let mut sites: Vec<_> = self.sites.into_iter().collect();
        classes.sort_unstable_by_key(|&(id, _)| id);
        sites.sort_unstable_by_key(|&(id, _)| id);
        Update::Live(LiveCounts { as_of_ms: self.as_of_ms, classes, sites })
    }
}

impl PendingFates {
    fn add(&mut self, mut fates: FateCounts) {
        self.classes.extend(mem::take(&mut fates.classes));
        let (stamp, sites) = (fates.stamp, mem::take(&mut fates.sites));
        self.sites.extend(sites.into_iter().map(|(id, fates)| (id, (stamp, fates))));
        self.newest = fates;
    }

    /// An update per moment as of which living were told, the newest last.
    fn whole(self) -> Vec<Update> {
        let mut moments: Vec<FateCounts> = Vec::new();
        let mut sites: Vec<_> = self.sites.into_iter().collect();
        sites.sort_unstable_by_key(|(id, (then, _))| (then.ms, *id));
        for (id, (stamp, fates)) in sites {
            match moments.last_mut() {
                Some(last) if last.stamp == stamp => last.sites.push((id, fates)),
                _ => moments.push(FateCounts { stamp, sites: vec![(id, fates)], ..FateCounts::default() }),
            }
        }
        if moments.last().is_none_or(|last| last.stamp != self.newest.stamp) {
            moments.push(self.newest);
        }
        let mut classes: Vec<_> = self.classes.into_iter().collect();
        classes.sort_unstable_by_key(|&(id, _)| id);
        if let Some(last) = moments.last_mut() {
            last.classes = classes;
        }
        moments.into_iter().map(|fates| Update::Fates(Box::new(fates))).collect()
    }
}
