//! Single collections.

use crate::facts::collection::{Collection, Collections};
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

impl Kind for Collections {
    fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Collections(ended) = section else { return Ok(()) };
        self.extend(ended);
        Ok(())
    }

    fn take(&mut self) -> Vec<Section> {
        let newest = self.to_vec();
        Collections::clear(self);
        section(newest).into_iter().collect()
    }

    fn clear(&mut self) {
        Collections::clear(self);
    }

    fn is_cumulative(&self) -> bool {
        false
    }

    fn kept(&self, of_step: Section, from_gc: u32) -> Option<Section> {
        let Section::Collections(mut ended) = of_step else { return Some(of_step) };
        ended.retain(|collection| collection.number >= from_gc);
        section(ended)
    }

    fn write_into(&self, _: &Dictionary, profile: &mut Profile) {
        profile.collections = self.to_vec();
    }

    fn section_of<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
        section(profile.collections.clone())
    }

    fn since(&self, later: &mut Profile, _: &Profile) {
        let Some((from_ms, to_ms)) = later.part.during_ms else { return };
        later.collections.retain(|collection| from_ms < collection.at_ms && collection.at_ms <= to_ms);
    }

    /// Each JVM has clocks of its own.
    fn merge(&self, into: &mut Profile, _: &mut Profile) {
        into.collections.clear();
    }
}

fn section(ended: Vec<Collection>) -> Option<Section> {
    (!ended.is_empty()).then_some(Section::Collections(ended))
}
