//! What steps have said that were not written: cumulative counts, of which the newest value of each id stands for all before.
//!
//! Names are never held back: they stand before the first count that uses them. Not here: which steps are held back (`mayfly-recording`).

use std::mem;

use crate::stream::kinds::Facts;
use crate::stream::update::Section;

/// Steps that became one.
#[derive(Clone, Debug, Default)]
pub struct Held {
    facts: Facts,
    is_any: bool,
}

impl Held {
    /// Whether nothing is held back.
    pub fn is_empty(&self) -> bool {
        !self.is_any
    }

    /// Takes what of a step can be held back; gives back what can't, of collections those from this number on.
    pub fn add(&mut self, step: Vec<Section>, from_gc: u32) -> Vec<Section> {
        let (passing, held) = self.facts.apart(step);
        self.is_any |= !held.is_empty();
        for section in held {
            // Without names nothing is left out.
            let _ = self.facts.fold(section, None);
        }
        passing
            .into_iter()
            .filter_map(|section| self.facts.kind_of(&section).kept(section, from_gc))
            .collect()
    }

    /// What was counted before is void.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// All of it, as one step, if there is any; nothing is held back then.
    pub fn release(&mut self) -> Option<Vec<Section>> {
        mem::take(&mut self.is_any).then(|| mem::take(&mut self.facts).take())
    }
}
