//! Flags of the JVM, said once.

use std::mem;

use crate::facts::collection::Flag;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

impl Kind for Vec<Flag> {
    fn fold(&mut self, said: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Flags(said) = said else { return Ok(()) };
        *self = said;
        Ok(())
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(self)).into_iter().collect()
    }

    fn is_cumulative(&self) -> bool {
        false
    }

    fn tell(&self, _: &Dictionary, profile: &mut Profile) {
        profile.flags = self.clone();
    }

    fn said_by<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
        section(profile.flags.clone())
    }
}

fn section(said: Vec<Flag>) -> Option<Section> {
    (!said.is_empty()).then_some(Section::Flags(said))
}
