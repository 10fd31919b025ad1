//! Which parts of the heap are young: noted when a collection begins, and what they became when it ends.

use crate::doubt::Doubt;
use crate::layout::{Layout, RegionFields, Young};
use crate::memory::{Memory, half_of, word_of};
use crate::old::Old;
use crate::parts::{ABSURD_SPACES, Region, SPACES, space, space_to_end};

/// Regions at most that a heap is divided into.
const MOST_REGIONS: u64 = 1 << 18;
const REGIONS: Doubt = Doubt::Unreadable("the regions of the heap");
const ABSURD_REGIONS: Doubt = Doubt::Absurd("a region of the heap");
/// Tags are below this in all releases.
const TAGS: u32 = 64;
/// Of a region that is not there.
const NO_TAG: u8 = u8::MAX;

/// A part with objects in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    pub(crate) bottom: u64,
    pub(crate) top: u64,
    pub(crate) is_eden: bool,
    /// Some of what was in it may have been left there.
    pub(crate) is_doubtful: bool,
}

/// Where copies are that are still young.
#[derive(Debug)]
pub(crate) enum Survivors {
    Space {
        bottom: u64,
        end: u64,
    },
    /// By region: what it is.
    Regions {
        start: u64,
        grain: u64,
        tags: Vec<u8>,
        survivor: u8,
    },
}

impl Survivors {
    #[inline]
    pub(crate) fn contain(&self, copy: u64) -> bool {
        match self {
            Self::Space { bottom, end } => (*bottom..*end).contains(&copy),
            Self::Regions { start, grain, tags, survivor } => {
                tags.get((copy.wrapping_sub(*start) / grain) as usize) == Some(survivor)
            }
        }
    }
}

/// The young generation at the begin of a collection, and after it.
#[derive(Debug)]
pub(crate) struct Heap {
    pub(crate) spaces: Vec<Space>,
    pub(crate) survivors: Survivors,
    pub(crate) old: Old,
    /// Objects of Eden, and of survivors, below these were there after the last full collection.
    floors: [u64; 2],
    pointers: Vec<u64>,
    bytes: Vec<u8>,
}

impl Heap {
    /// With room for all there may be.
    pub(crate) fn new(memory: &impl Memory, layout: &Layout) -> Result<Self, Doubt> {
        let heap = |spaces, survivors, pointers: usize, bytes| {
            Ok(Self {
                spaces: Vec::with_capacity(spaces),
                survivors,
                old: Old::new(memory, layout, pointers)?,
                floors: [0; 2],
                pointers: vec![0; pointers],
                bytes: vec![0; bytes],
            })
        };
        match &layout.young {
            Young::Spaces(_) => heap(2, Survivors::Space { bottom: 0, end: 0 }, 0, 0),
            Young::Regions(fields) => {
                let length = memory.word(fields.length_at).ok_or(REGIONS)?;
                let survivor = u8::try_from(fields.survivor).map_err(|_| ABSURD_REGIONS)?;
                let mut tags = [fields.free, fields.eden, fields.survivor, fields.large];
                tags.sort_unstable();
                let is_sane = tags.windows(2).all(|two| two[0] != two[1])
                    && (1..=MOST_REGIONS).contains(&length)
                    && fields.grain.is_power_of_two()
                    && (1 << 12..=1 << 40).contains(&fields.grain)
                    && fields.window().is_some();
                if !is_sane {
                    return Err(ABSURD_REGIONS);
                }
                let length = length as usize;
                let tags = vec![NO_TAG; length];
                let survivors =
                    Survivors::Regions { start: layout.heap.0, grain: fields.grain, tags, survivor };
                let each = fields.window().map_or(0, |(_, each)| each);
                heap(length, survivors, length, length * each)
            }
        }
    }

    /// A collection begins.
    pub(crate) fn note(&mut self, memory: &impl Memory, layout: &Layout) -> Result<(), Doubt> {
        self.spaces.clear();
        match &layout.young {
            Young::Spaces(fields) => {
                let (eden, top, end) = space_to_end(memory, layout, (fields, fields.eden))?;
                let from = space_to_end(memory, layout, (fields, fields.from))?;
                if from.0 < end && eden < from.2 {
                    return Err(ABSURD_SPACES);
                }
                let above =
                    |floor, (bottom, top)| if (bottom..=top).contains(&floor) { floor } else { bottom };
                self.push((above(self.floors[0], (eden, top)), top), true);
                self.push((above(self.floors[1], (from.0, from.1)), from.1), false);
                self.old.note_space(memory, layout, fields)?;
            }
            Young::Regions(fields) => {
                let count = self.read_regions(memory, fields)?;
                self.old.note_begin();
                for index in 0..count {
                    let region = self.region(layout, fields, index)?;
                    self.old.note_region(layout, fields, &region);
                    // One that is free has nothing in it, if that is its tag.
                    if region.tag == fields.free && region.top != region.bottom {
                        return Err(ABSURD_REGIONS);
                    }
                    if region.tag == fields.eden || region.tag == fields.survivor {
                        self.push((region.bottom, region.top), region.tag == fields.eden);
                    }
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, (bottom, top): (u64, u64), is_eden: bool) {
        if top > bottom && self.spaces.len() < self.spaces.capacity() {
            self.spaces.push(Space { bottom, top, is_eden, is_doubtful: false });
        }
    }

    /// A young collection ended: where copies are, and which parts may not have been emptied.
    pub(crate) fn look_after(&mut self, memory: &impl Memory, layout: &Layout) -> Result<(), Doubt> {
        self.floors = [0; 2];
        match &layout.young {
            Young::Spaces(fields) => {
                let (bottom, _, end) = space_to_end(memory, layout, (fields, fields.from))?;
                self.survivors = Survivors::Space { bottom, end };
                // What was allocated after the collection, within its pause, is not written yet; an Eden that is as full as before
                // was not emptied.
                let (eden, after) = space(memory, layout, (fields, fields.eden))?;
                let noted = self.spaces.iter().find(|space| space.is_eden);
                let kept = noted.is_some_and(|noted| eden <= noted.bottom && after >= noted.top);
                self.spaces.iter_mut().for_each(|space| space.is_doubtful = kept);
            }
            Young::Regions(fields) => self.look_at_regions(memory, layout, fields)?,
        }
        Ok(())
    }

    fn look_at_regions(
        &mut self,
        memory: &impl Memory,
        layout: &Layout,
        fields: &RegionFields,
    ) -> Result<(), Doubt> {
        let count = self.read_regions(memory, fields)?;
        let start = layout.heap.0;
        let mut spaces = std::mem::take(&mut self.spaces);
        if let Survivors::Regions { tags, .. } = &mut self.survivors {
            tags.fill(NO_TAG);
        }
        for index in 0..count {
            let region = self.region(layout, fields, index)?;
            let at = ((region.bottom - start) / fields.grain) as usize;
            if let Survivors::Regions { tags, .. } = &mut self.survivors
                && let Some(tag) = tags.get_mut(at)
            {
                *tag = u8::try_from(region.tag).unwrap_or(NO_TAG);
            }
            if let Ok(at) = spaces.binary_search_by_key(&region.bottom, |space| space.bottom) {
                // One that is Eden again was emptied before; what is allocated in it is not written yet. Others failed to be.
                spaces[at].is_doubtful = region.tag != fields.free && region.tag != fields.eden;
            }
        }
        self.spaces = spaces;
        Ok(())
    }

    /// A full collection ended: what it left among the young was not born since. Bytes of that in Eden.
    pub(crate) fn raise_floors(&mut self, memory: &impl Memory, layout: &Layout) -> Result<u64, Doubt> {
        let Young::Spaces(fields) = &layout.young else { return Ok(0) };
        let (bottom, top) = space(memory, layout, (fields, fields.eden))?;
        // What was allocated within the pause, behind it, is born in the time that begins.
        let left = layout.left_at.and_then(|(eden, _)| memory.word(eden)).ok_or(SPACES)?;
        let end = bottom.checked_add(left).filter(|&end| end <= top && end.is_multiple_of(8));
        self.floors = [end.ok_or(ABSURD_SPACES)?, space(memory, layout, (fields, fields.from))?.1];
        Ok(left)
    }

    /// A pause ended: which large objects there are, where they have regions of their own.
    pub(crate) fn note_large(&mut self, memory: &impl Memory, layout: &Layout) -> Result<(), Doubt> {
        let Young::Regions(fields) = &layout.young else { return Ok(()) };
        for index in 0..self.read_regions(memory, fields)? {
            let region = self.region(layout, fields, index)?;
            self.old.is_known(memory, (layout, fields), &region);
        }
        Ok(())
    }

    /// Whether there was something young, and the collection that ended emptied a part of it.
    pub(crate) fn has_emptied(&self) -> bool {
        self.spaces.iter().any(|space| !space.is_doubtful)
    }

    /// Bytes of what was young, as a collection began.
    pub(crate) fn young_bytes(&self) -> u64 {
        self.spaces.iter().map(|space| space.top - space.bottom).sum()
    }

    /// Bytes in Eden, as a collection began.
    pub(crate) fn eden_bytes(&self) -> u64 {
        self.spaces.iter().filter(|space| space.is_eden).map(|space| space.top - space.bottom).sum()
    }

    /// Reads all regions; how many there are.
    fn read_regions(&mut self, memory: &impl Memory, fields: &RegionFields) -> Result<usize, Doubt> {
        let (first, each) = fields.window().ok_or(ABSURD_REGIONS)?;
        let base = memory.word(fields.base_at).ok_or(REGIONS)?;
        let mut count = 0;
        for index in 0..self.pointers.len() as u64 / CHUNK as u64 + 1 {
            let from = index as usize * CHUNK;
            let to = (from + CHUNK).min(self.pointers.len());
            let mut bytes = [0; CHUNK * 8];
            let bytes = &mut bytes[..(to - from) * 8];
            if !memory.copy(base.wrapping_add(from as u64 * 8), bytes) {
                return Err(REGIONS);
            }
            for pointer in bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)) {
                // Regions that were never needed are not there.
                if pointer != 0 {
                    self.pointers[count] = pointer.wrapping_add(first);
                    count += 1;
                }
            }
        }
        let is_read =
            count > 0 && memory.gather(&self.pointers[..count], each, &mut self.bytes[..count * each]);
        if is_read { Ok(count) } else { Err(REGIONS) }
    }

    fn region(&self, layout: &Layout, fields: &RegionFields, index: usize) -> Result<Region, Doubt> {
        let (first, each) = fields.window().ok_or(ABSURD_REGIONS)?;
        let bytes = self.bytes.get(index * each..(index + 1) * each).ok_or(ABSURD_REGIONS)?;
        let at = |offset: u64| (offset - first) as usize;
        let bottom = word_of(bytes, at(fields.bottom)).ok_or(ABSURD_REGIONS)?;
        let top = word_of(bytes, at(fields.top)).ok_or(ABSURD_REGIONS)?;
        let tag = half_of(bytes, at(fields.tag)).ok_or(ABSURD_REGIONS)?;
        let is_sane = bottom >= layout.heap.0
            && bottom < layout.heap.1
            && (bottom - layout.heap.0).is_multiple_of(fields.grain)
            && (bottom..=bottom + fields.grain).contains(&top)
            && top.is_multiple_of(8)
            && tag < TAGS;
        if is_sane { Ok(Region { bottom, top, tag }) } else { Err(ABSURD_REGIONS) }
    }
}

/// Pointers copied at once.
const CHUNK: usize = 512;

impl RegionFields {
    /// The part of a region's structure that is read: its first byte, and how many.
    pub(crate) fn window(&self) -> Option<(u64, usize)> {
        const MOST: u64 = 2 << 10;
        let first = self.bottom.min(self.top).min(self.tag);
        let last = (self.bottom + 8).max(self.top + 8).max(self.tag + 4);
        (last - first <= MOST).then_some((first, (last - first) as usize))
    }
}
