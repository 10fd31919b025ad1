//! How long the objects of classes and sites lived.

use crate::facts::ids::{ClassId, SiteId};
use crate::lifetime::fates::{Fates, Stamp};
use crate::lifetime::lifetimes::ByteAges;
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes, keep_named_sites};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::{FateCounts, Section};
use crate::stream::versions::Versions;

/// Ages of classes, and fates of sites with the moment as of which they were told: the living have only grown older since.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownFates {
    pub(crate) stamp: Stamp,
    pub(crate) classes: Versions<ClassId, ByteAges>,
    pub(crate) sites: Versions<SiteId, (Stamp, Fates)>,
}

impl Kind for KnownFates {
    fn fold(&mut self, said: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Fates(mut fates) = said else { return Ok(()) };
        let named_classes = keep_named_classes(&mut fates.classes, names, |row| row.0);
        let named_sites = keep_named_sites(&mut fates.sites, names, |row| row.0);
        self.stamp = fates.stamp;
        self.classes.extend(fates.classes);
        self.sites.extend(fates.sites.into_iter().map(|(id, known)| (id, (fates.stamp, known))));
        named_classes.and(named_sites)
    }

    /// A section per moment as of which living were told, the newest last.
    fn take(&mut self) -> Vec<Section> {
        let (newest, classes, mut sites) =
            (std::mem::take(&mut self.stamp), self.classes.take(), self.sites.take());
        sites.sort_by_key(|(_, (then, _))| then.ms);
        let mut moments: Vec<FateCounts> = Vec::new();
        for (id, (stamp, fates)) in sites {
            match moments.last_mut() {
                Some(last) if last.stamp == stamp => last.sites.push((id, fates)),
                _ => moments.push(FateCounts { stamp, sites: vec![(id, fates)], ..FateCounts::default() }),
            }
        }
        let is_said = !classes.is_empty() || newest != Stamp::default();
        if is_said && moments.last().is_none_or(|last| last.stamp != newest) {
            moments.push(FateCounts { stamp: newest, ..FateCounts::default() });
        }
        if let Some(last) = moments.last_mut() {
            last.classes = classes;
        }
        moments.into_iter().map(|fates| Section::Fates(Box::new(fates))).collect()
    }

    fn clear(&mut self) {
        self.classes.clear();
        self.sites.clear();
    }

    fn said_by<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        let sites = profile.sites.iter().enumerate();
        let sites: Vec<_> = sites
            .filter_map(|(row, site)| Some((SiteId::of_row(row), site.fates.as_deref().cloned()?)))
            .collect();
        let classes = profile.classes.iter();
        let classes: Vec<_> =
            classes.filter_map(|class| Some((naming.class(&class.name), class.byte_ages.clone()?))).collect();
        let fates = FateCounts { stamp: Stamp::default(), classes, sites };
        (!fates.classes.is_empty() || !fates.sites.is_empty()).then(|| Section::Fates(Box::new(fates)))
    }
}
