//! What a kind of fact can do, whatever it tells: each is one file in [`kinds`](super::kinds).
//!
//! Not here: which kinds there are (`kinds`).

use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// All that was said of one kind, as of the newest step.
pub(crate) trait Kind {
    /// Takes what a step says of it. What has no name among `names` is left out, and is an error.
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError>;

    /// All of it as sections again, in the order of ids. Nothing may be left.
    fn take(&mut self) -> Vec<Section>;

    /// All counts start again from zero.
    fn clear(&mut self) {}

    /// Whether a later step's stands for those before. Otherwise each step's is written, and none is left out of a range of time.
    fn is_cumulative(&self) -> bool {
        true
    }

    /// What of a step of long ago is kept, where only collections from this number on are.
    fn kept(&self, section: Section, _from_gc: u32) -> Option<Section> {
        Some(section)
    }

    /// Writes it into a profile, by names. What takes several kinds is made elsewhere (`by_name`).
    fn write_into(&self, _names: &Dictionary, _profile: &mut Profile) {}

    /// The section that tells of it what a profile holds.
    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section>;

    /// Of a profile, what is more than in an earlier one of the same run.
    fn since(&self, _later: &mut Profile, _earlier: &Profile) {}

    /// Adds another profile's.
    fn merge(&self, _into: &mut Profile, _other: &mut Profile) {}
}
