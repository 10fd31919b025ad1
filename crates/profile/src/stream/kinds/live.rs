//! What the last collection has left of classes and sites.

use crate::facts::ids::{ClassId, SiteId};
use crate::facts::tally::Tally;
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes, keep_named_sites};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::{LiveAsOf, Profile};
use crate::stream::update::{LiveCounts, Section};
use crate::stream::versions::Versions;

/// What is live, and as of when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    as_of: LiveAsOf,
    classes: Versions<ClassId, Tally>,
    sites: Versions<SiteId, Tally>,
}

impl Live {
    /// Of a class; `None` where that is not told: then it is what was not seen dead.
    pub(crate) fn of_class(&self, id: ClassId) -> Option<Tally> {
        self.judged(self.classes.get(&id))
    }

    /// Of a site.
    pub(crate) fn of_site(&self, id: SiteId) -> Option<Tally> {
        self.judged(self.sites.get(&id))
    }

    fn judged(&self, live: Option<&Tally>) -> Option<Tally> {
        (self.as_of != LiveAsOf::End).then(|| live.copied().unwrap_or_default())
    }

    /// Of all classes; `None` where there was no collection.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.as_of.streamed()??;
        Some(self.classes.values().fold(0u64, |sum, live| sum.saturating_add(live.bytes)))
    }
}

impl Kind for Live {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Live(mut live) = section else { return Ok(()) };
        let named_classes = keep_named_classes(&mut live.classes, names, |row| row.0);
        let named_sites = keep_named_sites(&mut live.sites, names, |row| row.0);
        self.as_of = LiveAsOf::of_stream(live.as_of_ms);
        self.classes.extend(live.classes);
        self.sites.extend(live.sites);
        named_classes.and(named_sites)
    }

    fn take(&mut self) -> Vec<Section> {
        let (classes, sites) = (self.classes.take(), self.sites.take());
        let as_of = std::mem::take(&mut self.as_of).streamed();
        as_of.map(|as_of_ms| Section::Live(LiveCounts { as_of_ms, classes, sites })).into_iter().collect()
    }

    fn clear(&mut self) {
        self.classes.clear();
        self.sites.clear();
    }

    fn write_into(&self, _: &Dictionary, profile: &mut Profile) {
        profile.live_as_of = self.as_of;
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        let as_of_ms = profile.live_as_of.streamed()?;
        let classes = profile.classes.iter();
        let classes = classes.filter_map(|class| Some((naming.class(&class.name), class.live?))).collect();
        let sites = profile.sites.iter().enumerate();
        let sites = sites.filter_map(|(row, site)| Some((SiteId::of_row(row), site.live?))).collect();
        Some(Section::Live(LiveCounts { as_of_ms, classes, sites }))
    }
}
