//! How many objects of what grows are on the heap, whether they were made before profiling began or since.

use std::mem;

use crate::facts::ids::ClassId;
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// By class, as of the newest step that told them.
#[derive(Clone, Debug, Default)]
pub(crate) struct OnHeap(Vec<(ClassId, u64)>);

impl Kind for OnHeap {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::OnHeap(mut classes) = section else { return Ok(()) };
        let named = keep_named_classes(&mut classes, names, |row| row.0);
        self.0 = classes;
        named
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(&mut self.0)).into_iter().collect()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    /// Several ids may have one name, of which each was counted.
    fn write_into(&self, names: &Dictionary, profile: &mut Profile) {
        for &(class, objects) in &self.0 {
            if let Some(name) = names.class(class) {
                let sum = profile.on_heap.entry(name.clone()).or_default();
                *sum = sum.saturating_add(objects);
            }
        }
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        section(profile.on_heap.iter().map(|(name, &objects)| (naming.class(name), objects)).collect())
    }

    /// What was counted of one JVM says nothing of others.
    fn merge(&self, into: &mut Profile, _: &mut Profile) {
        into.on_heap.clear();
    }
}

fn section(classes: Vec<(ClassId, u64)>) -> Option<Section> {
    (!classes.is_empty()).then_some(Section::OnHeap(classes))
}
