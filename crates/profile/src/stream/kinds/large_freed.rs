//! Bytes of large objects that single collections of G1 freed: the old generation shrank by as much as it grew by what was promoted.

use std::collections::BTreeMap;
use std::mem;

use crate::facts::collection::Collection;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// By the collection's number.
#[derive(Clone, Debug, Default)]
pub(crate) struct LargeFreed(BTreeMap<u32, u64>);

/// Newest collections that are kept: as many as of collections.
const MOST: usize = 1 << 18;

impl Kind for LargeFreed {
    fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::LargeFreed(freed) = section else { return Ok(()) };
        self.0.extend(freed);
        while self.0.len() > MOST {
            self.0.pop_first();
        }
        Ok(())
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(&mut self.0).into_iter().collect()).into_iter().collect()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn is_cumulative(&self) -> bool {
        false
    }

    fn kept(&self, of_step: Section, from_gc: u32) -> Option<Section> {
        let Section::LargeFreed(mut freed) = of_step else { return Some(of_step) };
        freed.retain(|&(number, _)| number >= from_gc);
        section(freed)
    }

    /// After the collections themselves.
    fn write_into(&self, _: &Dictionary, profile: &mut Profile) {
        for collection in &mut profile.collections {
            collection.large_freed = self.0.get(&collection.number).copied();
        }
    }

    fn section_of<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
        Section::large_freed(&profile.collections)
    }
}

impl Section {
    /// What these collections freed of large objects, where that is known.
    pub fn large_freed(ended: &[Collection]) -> Option<Self> {
        section(ended.iter().filter_map(|gc| Some((gc.number, gc.large_freed?))).collect())
    }
}

fn section(freed: Vec<(u32, u64)>) -> Option<Section> {
    (!freed.is_empty()).then_some(Section::LargeFreed(freed))
}
