//! What is born in the old generation, or large: nothing of it is young when a collection ends, so it is looked for before the next one.
//!
//! Without regions: between two collections only threads of the program allocate there, one object behind the other. With them, a large
//! object has regions of its own, and none is given back but in a pause.

use crate::doubt::Doubt;
use crate::header::class_number;
use crate::layout::{Layout, RegionFields, SpaceFields, Young};
use crate::memory::Memory;
use crate::parts::{Region, space};

const ABSURD: Doubt = Doubt::Absurd("the old generation");
/// What an object begins with, up to its class.
const HEAD_BYTES: u64 = 16;

/// Where it is.
#[derive(Debug)]
pub(crate) enum Old {
    /// From where the last collection left off up to where the next begins.
    Space { from: u64, top: u64 },
    /// By region: a large object begins there, of which the last pause knew; and those that the running one has found.
    Regions { known: Vec<bool>, begun: Vec<u64> },
}

impl Old {
    /// Nothing is known to be born there yet. `regions`: how many there can be.
    pub(crate) fn new(memory: &impl Memory, layout: &Layout, regions: usize) -> Result<Self, Doubt> {
        match &layout.young {
            Young::Spaces(_) if layout.left_at.is_none() => {
                Err(Doubt::Unreadable("what collections leave in use"))
            }
            Young::Spaces(fields) => {
                let (_, top) = space(memory, layout, (fields, fields.old))?;
                Ok(Self::Space { from: top, top })
            }
            Young::Regions(_) => {
                Ok(Self::Regions { known: vec![false; regions], begun: Vec::with_capacity(regions) })
            }
        }
    }

    /// A collection begins, of a heap without regions.
    pub(crate) fn note_space(
        &mut self,
        memory: &impl Memory,
        layout: &Layout,
        fields: &SpaceFields,
    ) -> Result<(), Doubt> {
        let Self::Space { from, top } = self else { return Ok(()) };
        *top = space(memory, layout, (fields, fields.old))?.1;
        if *top >= *from { Ok(()) } else { Err(ABSURD) }
    }

    /// A pause begins, of a heap with regions.
    pub(crate) fn note_begin(&mut self) {
        if let Self::Regions { begun, .. } = self {
            begun.clear();
        }
    }

    /// This is one of its regions.
    pub(crate) fn note_region(&mut self, layout: &Layout, fields: &RegionFields, region: &Region) {
        let Self::Regions { known, begun } = self else { return };
        let at = ((region.bottom - layout.heap.0) / fields.grain) as usize;
        if region.tag == fields.large && known.get(at) == Some(&false) && begun.len() < begun.capacity() {
            begun.push(region.bottom);
        }
    }

    /// A pause ends: these large objects are known from now on. One that was allocated within the pause is not written yet.
    pub(crate) fn is_known(
        &mut self,
        memory: &impl Memory,
        (layout, fields): (&Layout, &RegionFields),
        region: &Region,
    ) {
        let Self::Regions { known, .. } = self else { return };
        let at = ((region.bottom - layout.heap.0) / fields.grain) as usize;
        let is_written = || {
            let words = memory.words(region.bottom, region.bottom + HEAD_BYTES);
            words.and_then(|words| class_number(layout.classes, words, 0)).is_some_and(|class| class != 0)
        };
        if let Some(known) = known.get_mut(at) {
            *known = region.tag == fields.large && is_written();
        }
    }

    /// Collections were not seen: what is there was there, as far as is known.
    pub(crate) fn forget(&mut self) {
        if let Self::Space { from, .. } = self {
            *from = 0;
        }
    }

    /// What was allocated there, without regions.
    pub(crate) fn allocated(&self) -> Option<(u64, u64)> {
        match self {
            Self::Space { from, top } => Some((*from, *top)),
            Self::Regions { .. } => None,
        }
    }

    /// Large objects that were born since the last pause, with regions.
    pub(crate) fn large(&self) -> &[u64] {
        match self {
            Self::Space { .. } => &[],
            Self::Regions { begun, .. } => begun,
        }
    }

    /// Whether anything was born there.
    pub(crate) fn has_births(&self) -> bool {
        self.allocated().is_some_and(|(from, top)| from < top) || !self.large().is_empty()
    }

    /// Where a collection that ends has left off, without regions: what was allocated within the pause is beyond that.
    pub(crate) fn end(&self, memory: &impl Memory, layout: &Layout) -> Result<u64, Doubt> {
        let (Self::Space { .. }, Young::Spaces(fields)) = (self, &layout.young) else { return Ok(0) };
        let (bottom, top) = space(memory, layout, (fields, fields.old))?;
        let left = layout.left_at.and_then(|(_, old)| memory.word(old)).ok_or(ABSURD)?;
        let end = bottom.checked_add(left).filter(|&end| end <= top && end.is_multiple_of(8));
        end.ok_or(ABSURD)
    }

    /// Young objects are gone: what is born old from there on belongs to the time after.
    pub(crate) fn starts_at(&mut self, end: u64) {
        if let Self::Space { from, .. } = self {
            *from = end;
        }
    }
}
