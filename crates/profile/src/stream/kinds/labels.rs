//! What tells this stream from those of other JVMs, said once.

use std::mem;

use crate::facts::source::Labels;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

impl Kind for Labels {
    fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Labels(new) = section else { return Ok(()) };
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
        profile.labels = self.clone();
    }

    fn section_of<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
        section(profile.labels.clone())
    }
}

fn section(all: Labels) -> Option<Section> {
    (!all.is_empty()).then_some(Section::Labels(all))
}
