//! Flags of the JVM, said once.

use std::mem;

use crate::facts::collection::Flag;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

impl Kind for Vec<Flag> {
    fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Flags(new) = section else { return Ok(()) };
        *self = new;
        Ok(())
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(self)).into_iter().collect()
    }

    fn is_cumulative(&self) -> bool {
        false
    }

    fn write_into(&self, _: &Dictionary, profile: &mut Profile) {
        profile.flags = self.clone();
    }

    fn section_of<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
        section(profile.flags.clone())
    }
}

fn section(all: Vec<Flag>) -> Option<Section> {
    (!all.is_empty()).then_some(Section::Flags(all))
}
