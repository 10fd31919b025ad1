//! How many operations the program has reported.

use std::mem;

use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// 0: it has reported none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operations(pub(crate) u64);

impl Kind for Operations {
    fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Operations(operations) = section else { return Ok(()) };
        self.0 = operations;
        Ok(())
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(&mut self.0)).into_iter().collect()
    }

    fn clear(&mut self) {
        self.0 = 0;
    }

    fn write_into(&self, _: &Dictionary, profile: &mut Profile) {
        profile.operations = self.0;
    }

    fn section_of<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
        section(profile.operations)
    }

    fn since(&self, later: &mut Profile, earlier: &Profile) {
        later.operations = later.operations.saturating_sub(earlier.operations);
    }

    fn merge(&self, into: &mut Profile, other: &mut Profile) {
        into.operations = into.operations.saturating_add(other.operations);
    }
}

fn section(operations: u64) -> Option<Section> {
    (operations > 0).then_some(Section::Operations(operations))
}
