//! What was read of young collections.

use crate::facts::census::{CensusCounts, CensusReach, ClassCensus};
use crate::facts::ids::ClassId;
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;
use crate::stream::versions::Versions;

/// How far it reaches, and what it says of classes; `None`: nobody read them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Censuses {
    reach: Option<CensusReach>,
    classes: Versions<ClassId, ClassCensus>,
}

impl Kind for Censuses {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Census(mut census) = section else { return Ok(()) };
        let named = keep_named_classes(&mut census.classes, names, |row| row.0);
        self.reach = Some(census.reach);
        self.classes.extend(census.classes);
        named
    }

    fn take(&mut self) -> Vec<Section> {
        let (reach, classes) = (self.reach.take(), self.classes.take());
        let census = reach.map(|reach| Section::Census(Box::new(CensusCounts { reach, classes })));
        census.into_iter().collect()
    }

    fn clear(&mut self) {
        self.reach = None;
        self.classes.clear();
    }

    fn write_into(&self, names: &Dictionary, profile: &mut Profile) {
        let Some(reach) = self.reach.clone() else { return };
        let census = profile.census.get_or_insert_default();
        census.reach = reach;
        for (&id, counts) in self.classes.iter() {
            if let Some(name) = names.class(id) {
                census.classes.entry(name.clone()).or_default().add(counts);
            }
        }
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        let census = profile.census.as_ref()?;
        let classes = census.classes.iter().map(|(name, class)| (naming.class(name), class.clone()));
        let classes = classes.collect();
        Some(Section::Census(Box::new(CensusCounts { reach: census.reach.clone(), classes })))
    }

    /// Cumulative from the start on: not of this time.
    fn since(&self, later: &mut Profile, _: &Profile) {
        later.census = None;
    }

    /// Read by collections of one JVM each.
    fn merge(&self, into: &mut Profile, _: &mut Profile) {
        into.census = None;
    }
}
