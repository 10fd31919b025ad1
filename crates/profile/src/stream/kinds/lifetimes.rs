//! How long the objects of classes and sites lived.

use crate::facts::ids::{ClassId, SiteId};
use crate::lifetime::lifetimes::ByteAges;
use crate::lifetime::site_lifetimes::{SiteLifetimes, Stamp};
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes, keep_named_sites};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::{LifetimeHistograms, Section};
use crate::stream::versions::Versions;

/// Ages of classes, and lifetimes of sites with the moment as of which they were told: the living have only grown older since.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownLifetimes {
    pub(crate) stamp: Stamp,
    pub(crate) classes: Versions<ClassId, ByteAges>,
    pub(crate) sites: Versions<SiteId, (Stamp, SiteLifetimes)>,
}

impl Kind for KnownLifetimes {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Lifetimes(mut lifetimes) = section else { return Ok(()) };
        let named_classes = keep_named_classes(&mut lifetimes.classes, names, |row| row.0);
        let named_sites = keep_named_sites(&mut lifetimes.sites, names, |row| row.0);
        self.stamp = lifetimes.stamp;
        self.classes.extend(lifetimes.classes);
        self.sites.extend(lifetimes.sites.into_iter().map(|(id, known)| (id, (lifetimes.stamp, known))));
        named_classes.and(named_sites)
    }

    /// A section per moment as of which living were told, the newest last.
    fn take(&mut self) -> Vec<Section> {
        let (newest, classes, mut sites) =
            (std::mem::take(&mut self.stamp), self.classes.take(), self.sites.take());
        sites.sort_by_key(|(_, (then, _))| then.ms);
        let mut moments: Vec<LifetimeHistograms> = Vec::new();
        for (id, (stamp, lifetimes)) in sites {
            match moments.last_mut() {
                Some(last) if last.stamp == stamp => last.sites.push((id, lifetimes)),
                _ => moments.push(LifetimeHistograms {
                    stamp,
                    sites: vec![(id, lifetimes)],
                    ..LifetimeHistograms::default()
                }),
            }
        }
        let is_known = !classes.is_empty() || newest != Stamp::default();
        if is_known && moments.last().is_none_or(|last| last.stamp != newest) {
            moments.push(LifetimeHistograms { stamp: newest, ..LifetimeHistograms::default() });
        }
        if let Some(last) = moments.last_mut() {
            last.classes = classes;
        }
        moments.into_iter().map(|lifetimes| Section::Lifetimes(Box::new(lifetimes))).collect()
    }

    fn clear(&mut self) {
        self.classes.clear();
        self.sites.clear();
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        let sites = profile.sites.iter().enumerate();
        let sites: Vec<_> = sites
            .filter_map(|(row, site)| Some((SiteId::of_row(row), site.lifetimes.as_deref().cloned()?)))
            .collect();
        let classes = profile.classes.iter();
        let classes: Vec<_> =
            classes.filter_map(|class| Some((naming.class(&class.name), class.byte_ages.clone()?))).collect();
        let lifetimes = LifetimeHistograms { stamp: Stamp::default(), classes, sites };
        (!lifetimes.classes.is_empty() || !lifetimes.sites.is_empty())
            .then(|| Section::Lifetimes(Box::new(lifetimes)))
    }
}
