//! Which classes are of soft references, whatever they are called.

use std::collections::BTreeSet;
use std::mem;

use crate::facts::ids::ClassId;
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// Those that were met so far.
pub(crate) type SoftClasses = BTreeSet<ClassId>;

impl Kind for SoftClasses {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::SoftClasses(mut classes) = section else { return Ok(()) };
        let named = keep_named_classes(&mut classes, names, |class| *class);
        self.extend(classes);
        named
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(self).into_iter().collect()).into_iter().collect()
    }

    fn write_into(&self, names: &Dictionary, profile: &mut Profile) {
        profile.soft_classes = self.iter().filter_map(|&class| names.class(class).cloned()).collect();
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        section(profile.soft_classes.iter().map(|name| naming.class(name)).collect())
    }

    fn merge(&self, into: &mut Profile, other: &mut Profile) {
        into.soft_classes.append(&mut other.soft_classes);
    }
}

fn section(classes: Vec<ClassId>) -> Option<Section> {
    (!classes.is_empty()).then_some(Section::SoftClasses(classes))
}
