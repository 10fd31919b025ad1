//! Which file of several this stream is, said once, as it begins.
//!
//! Not here: what was counted before it began, which the builder takes off (`builder`).

use std::mem;

use crate::facts::rotation::Rotation;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

impl Kind for Option<Rotation> {
    fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Rotation { files, .. } = section else { return Ok(()) };
        *self = Some(files);
        Ok(())
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(self)).into_iter().collect()
    }

    fn is_cumulative(&self) -> bool {
        false
    }

    fn write_into(&self, _: &Dictionary, profile: &mut Profile) {
        profile.rotation = *self;
    }

    fn section_of<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
        section(profile.rotation)
    }

    /// Files are those of one run.
    fn merge(&self, into: &mut Profile, _: &mut Profile) {
        into.rotation = None;
    }
}

fn section(files: Option<Rotation>) -> Option<Section> {
    files.map(|files| Section::Rotation { files, is_base: false })
}
