//! How far apart samples were where a byte sample is followed, by class and site: further than on average at a program's start, where one
//! sample stands for much.

use crate::facts::ids::{ClassId, SiteId};
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes, keep_named_sites};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::{BetweenSamples, Section};
use crate::stream::versions::Versions;

/// Mean bytes between samples, by the bytes that they stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownBetweenSamples {
    pub(crate) classes: Versions<ClassId, u64>,
    pub(crate) sites: Versions<SiteId, u64>,
}

impl Kind for KnownBetweenSamples {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::BetweenSamples(mut between) = section else { return Ok(()) };
        let named_classes = keep_named_classes(&mut between.classes, names, |row| row.0);
        let named_sites = keep_named_sites(&mut between.sites, names, |row| row.0);
        self.classes.extend(between.classes);
        self.sites.extend(between.sites);
        named_classes.and(named_sites)
    }

    fn take(&mut self) -> Vec<Section> {
        let between = BetweenSamples { classes: self.classes.take(), sites: self.sites.take() };
        Section::between_samples(between).into_iter().collect()
    }

    fn clear(&mut self) {
        self.classes.clear();
        self.sites.clear();
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        let classes = profile.classes.iter();
        let classes = classes.filter_map(|class| Some((naming.class(&class.name), class.between_samples?)));
        let sites = profile.sites.iter().enumerate();
        let sites = sites.filter_map(|(row, site)| Some((SiteId::of_row(row), site.between_samples?)));
        let classes = classes.collect();
        Section::between_samples(BetweenSamples { classes, sites: sites.collect() })
    }
}

impl Section {
    /// These, if there are any.
    pub fn between_samples(between: BetweenSamples) -> Option<Self> {
        let is_empty = between.classes.is_empty() && between.sites.is_empty();
        (!is_empty).then_some(Self::BetweenSamples(between))
    }
}
