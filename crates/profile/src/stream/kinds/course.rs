//! What happened when, said once, at the end: a recording's steps of long ago are coarser than those that the agent saw.
//!
//! Not here: how it comes about from steps (`history`).

use std::mem;

use crate::stream::course::Course;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

impl Kind for Course {
    fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Course(course) = section else { return Ok(()) };
        *self = *course;
        Ok(())
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(self)).into_iter().collect()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn section_of<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
        section(Self::of(&profile.history))
    }
}

fn section(course: Course) -> Option<Section> {
    (!course.is_empty()).then(|| Section::Course(Box::new(course)))
}
