//! Numbers that the JVM publishes of itself.

use std::mem;

use crate::facts::readings::Readings;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

impl Kind for Readings {
    fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Readings(new) = section else { return Ok(()) };
        self.0.extend(new.0);
        Ok(())
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(self)).into_iter().collect()
    }

    fn write_into(&self, _: &Dictionary, profile: &mut Profile) {
        profile.readings = self.clone();
    }

    fn section_of<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
        section(profile.readings.clone())
    }

    /// Each JVM has its own.
    fn merge(&self, into: &mut Profile, _: &mut Profile) {
        into.readings = Readings::default();
    }
}

fn section(readings: Readings) -> Option<Section> {
    (!readings.0.is_empty()).then_some(Section::Readings(readings))
}
