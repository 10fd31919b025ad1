//! A profile as a stream again: the shortest one that a [`crate::stream::builder::ProfileBuilder`] folds into the same profile.
//!
//! Not here: bytes (`mayfly-recording`).

use std::collections::HashMap;
use std::hash::Hash;

use crate::facts::census::CensusCounts;
use crate::facts::frame::Frame;
use crate::facts::ids::{ClassId, FrameId, SiteId};
use crate::facts::tally::Tally;
use crate::lifetime::fates::Stamp;
use crate::stream::profile::{ClassProfile, LiveAsOf, Profile, SiteProfile};
use crate::stream::update::{
    ClassCounts, FateCounts, LifetimeCounts, LiveCounts, Progress, SiteCounts, Update,
};

impl Profile {
    /// The updates that give this profile: what a recording holds that begins and ends at one moment.
    pub fn updates(&self) -> Vec<Update> {
        let mut names = Naming { said: vec![Update::Start(Box::new(self.run.clone()))], ..Naming::default() };
        let uncollected = self.live_as_of == LiveAsOf::NoCollection;
        let counts = |class: &'_ ClassProfile, id| counts_of_class(id, class, uncollected);
        let classes = self.classes.iter();
        let classes = classes.map(|class| counts(class, names.class(&class.name))).collect();
        let estimates =
            self.estimates.iter().map(|(name, estimate)| (names.class(name), *estimate)).collect();
        let sites: Vec<_> =
            self.sites.iter().map(|site| counts_of_site(names.site(site), site, uncollected)).collect();
        let known =
            |(site, counts): (&SiteProfile, &SiteCounts)| Some((counts.id, site.fates.as_deref().cloned()?));
        let fates = self.sites.iter().zip(&sites).filter_map(known).collect();
        let aged = self.classes.iter().filter_map(|class| Some((class, class.byte_ages.clone()?)));
        let ages = aged.map(|(class, ages)| (names.class(&class.name), ages)).collect();
        let shares: Vec<_> = self.shares.iter().map(|(name, share)| (names.class(name), *share)).collect();
        let scopes: Vec<_> = self.scopes.iter().map(|scope| scope.counts(|name| names.class(name))).collect();
        let live = self.live_counts(|name| names.class(name), &sites);
        let census = self.census.as_ref().map(|census| CensusCounts {
            reach: census.reach.clone(),
            classes: census.classes.iter().map(|(name, class)| (names.class(name), class.clone())).collect(),
        });
        let mut updates = names.said;
        if !self.flags.is_empty() {
            updates.push(Update::Flags(self.flags.clone()));
        }
        updates.extend((!self.labels.is_empty()).then(|| Update::Labels(self.labels.clone())));
        updates.extend((!self.sources.is_empty()).then(|| Update::Sources(self.sources.clone())));
        // Before the counts: a reset clears them.
        updates.extend((0..self.resets).map(|_| Update::Reset));
        updates.push(Update::Progress(Box::new(Progress {
            duration_ms: self.duration_ms,
            gcs: self.gcs,
            trust: self.trust.clone(),
            classes,
            sites,
            estimates,
        })));
        updates.extend(live.map(Update::Live));
        let fates = FateCounts { stamp: Stamp::default(), classes: ages, sites: fates };
        if !fates.classes.is_empty() || !fates.sites.is_empty() {
            updates.push(Update::Fates(Box::new(fates)));
        }
        if !shares.is_empty() {
            updates.push(Update::Shares(shares));
        }
        if !scopes.is_empty() {
            updates.push(Update::Scopes(scopes));
        }
        if self.operations > 0 {
            updates.push(Update::Operations(self.operations));
        }
        updates.extend(census.map(|census| Update::Census(Box::new(census))));
        if !self.collections.is_empty() {
            updates.push(Update::Collections(self.collections.clone()));
        }
        if self.complete {
            updates.push(Update::End);
        }
        updates
    }
}

impl Profile {
    /// What is live, of the sites in their order; `None` where that is what was not seen dead.
    fn live_counts<'a>(
        &'a self,
        mut id: impl FnMut(&'a str) -> ClassId,
        sites: &[SiteCounts],
    ) -> Option<LiveCounts> {
        let as_of_ms = self.live_as_of.streamed()?;
        let classes = self.classes.iter().filter_map(|class| Some((id(&class.name), class.live?))).collect();
        let of_site = |(site, counts): (&SiteProfile, &SiteCounts)| Some((counts.id, site.live?));
        Some(LiveCounts {
            as_of_ms,
            classes,
            sites: self.sites.iter().zip(sites).filter_map(of_site).collect(),
        })
    }
}

/// Gives out ids, and says what they name.
#[derive(Default)]
struct Naming<'a> {
    classes: HashMap<&'a str, ClassId>,
    frames: HashMap<&'a Frame, FrameId>,
    sites: usize,
    said: Vec<Update>,
}

impl<'a> Naming<'a> {
    fn class(&mut self, name: &'a str) -> ClassId {
        id_of(&mut self.classes, name, ClassId::of_row, |id| {
            self.said.push(Update::Class { id, name: name.to_owned() })
        })
    }

    fn frame(&mut self, frame: &'a Frame) -> FrameId {
        id_of(&mut self.frames, frame, FrameId::of_row, |id| {
            self.said.push(Update::Frame { id, frame: frame.clone() })
        })
    }

    fn site(&mut self, site: &'a SiteProfile) -> SiteId {
        let class = self.class(&site.class);
        let stack = site.stack.iter().map(|frame| self.frame(frame)).collect();
        let id = SiteId::of_row(self.sites);
        self.sites += 1;
        self.said.push(Update::Site { id, class, stack });
        id
    }
}

fn id_of<K: Hash + Eq, I: Copy>(
    ids: &mut HashMap<K, I>,
    key: K,
    of_row: fn(usize) -> I,
    say: impl FnOnce(I),
) -> I {
    let next = of_row(ids.len());
    *ids.entry(key).or_insert_with(|| {
        say(next);
        next
    })
}

/// Where nothing was collected, what is live is not known of what was tracked.
fn is_tracked(live: Option<Tally>, collected: &[Tally], uncollected: bool) -> bool {
    live.is_some() || uncollected && !collected.is_empty()
}

fn counts_of_class(id: ClassId, class: &ClassProfile, uncollected: bool) -> ClassCounts {
    let is_tracked = is_tracked(class.live, &class.collected, uncollected);
    let lifetimes = is_tracked.then(|| LifetimeCounts {
        live: class.not_seen_dead(),
        collected: class.collected.clone(),
        lifetimes: class.lifetimes.clone().unwrap_or_default(),
    });
    ClassCounts { id, allocated: class.allocated, lifetimes }
}

fn counts_of_site(id: SiteId, site: &SiteProfile, uncollected: bool) -> SiteCounts {
    let is_tracked = is_tracked(site.live, &site.collected, uncollected);
    SiteCounts {
        id,
        allocated: site.allocated,
        live: is_tracked.then(|| site.not_seen_dead()),
        collected: site.collected.clone(),
        byte_seconds: site.byte_seconds,
        error: site.error,
    }
}
