//! How far the time is, how far counts can be trusted, and what was allocated and died of each class and site.

use std::mem;

use crate::facts::estimate::ClassEstimate;
use crate::facts::ids::{ClassId, SiteId};
use crate::facts::tally::Tally;
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes, keep_named_sites};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::{ClassProfile, LiveAsOf, Profile, SiteProfile};
use crate::stream::update::{ClassCounts, LifetimeCounts, Progress, Section, SiteCounts};
use crate::stream::versions::Versions;

/// What the newest step says, and the newest counts of each id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    is_known: bool,
    /// Without its rows.
    pub(crate) newest: Progress,
    pub(crate) classes: Versions<ClassId, ClassCounts>,
    pub(crate) sites: Versions<SiteId, SiteCounts>,
    pub(crate) estimates: Versions<ClassId, ClassEstimate>,
}

impl Kind for Counts {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Progress(mut progress) = section else { return Ok(()) };
        let (mut classes, mut sites) = (mem::take(&mut progress.classes), mem::take(&mut progress.sites));
        let named_classes = keep_named_classes(&mut classes, names, |counts| counts.id);
        let named_sites = keep_named_sites(&mut sites, names, |counts| counts.id);
        self.classes.extend(classes.into_iter().map(|counts| (counts.id, counts)));
        self.sites.extend(sites.into_iter().map(|counts| (counts.id, counts)));
        self.estimates.extend(mem::take(&mut progress.estimates));
        (self.newest, self.is_known) = (*progress, true);
        named_classes.and(named_sites)
    }

    fn take(&mut self) -> Vec<Section> {
        let classes = self.classes.take().into_iter().map(|(_, counts)| counts).collect();
        let sites = self.sites.take().into_iter().map(|(_, counts)| counts).collect();
        let progress =
            Progress { classes, sites, estimates: self.estimates.take(), ..mem::take(&mut self.newest) };
        let is_known = mem::take(&mut self.is_known);
        is_known.then(|| Section::Progress(Box::new(progress))).into_iter().collect()
    }

    fn clear(&mut self) {
        self.newest.duration_ms = 0;
        self.classes.clear();
        self.sites.clear();
        self.estimates.clear();
    }

    fn write_into(&self, names: &Dictionary, profile: &mut Profile) {
        (profile.duration_ms, profile.gcs) = (self.newest.duration_ms, self.newest.gcs);
        profile.trust = self.newest.trust.clone();
        for (&id, &estimate) in self.estimates.iter() {
            if let Some(name) = names.class(id) {
                profile.estimates.entry(name.clone()).or_default().add(estimate);
            }
        }
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        let uncollected = profile.live_as_of == LiveAsOf::NoCollection;
        let class = |class: &'a ClassProfile| counts_of_class(naming.class(&class.name), class, uncollected);
        let classes = profile.classes.iter().map(class).collect();
        profile.sites.iter().enumerate().for_each(|(row, site)| naming.site(row, site));
        let site = |(row, site)| counts_of_site(SiteId::of_row(row), site, uncollected);
        Some(Section::Progress(Box::new(Progress {
            duration_ms: profile.duration_ms,
            gcs: profile.gcs,
            trust: profile.trust.clone(),
            classes,
            sites: profile.sites.iter().enumerate().map(site).collect(),
            estimates: profile.estimates.iter().map(|(name, &of)| (naming.class(name), of)).collect(),
        })))
    }

    fn since(&self, later: &mut Profile, earlier: &Profile) {
        later.duration_ms = later.duration_ms.saturating_sub(earlier.duration_ms);
        later.gcs = later.gcs.saturating_sub(earlier.gcs);
        for (name, estimate) in &mut later.estimates {
            *estimate = estimate.without(earlier.estimates.get(name).copied().unwrap_or_default());
        }
    }

    fn merge(&self, into: &mut Profile, other: &mut Profile) {
        into.duration_ms = into.duration_ms.saturating_add(other.duration_ms);
        into.gcs = into.gcs.saturating_add(other.gcs);
        for (name, estimate) in mem::take(&mut other.estimates) {
            into.estimates.entry(name).or_default().add(estimate);
        }
    }
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
