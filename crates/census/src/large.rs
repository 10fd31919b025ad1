//! Large objects, which have regions of their own in G1: how much they take, and whether one is still there, by its address alone.
//!
//! A weak reference would hold it until its region is marked: a young collection takes what it refers to for alive, and frees no large array
//! that has one (`G1STWIsAliveClosure` and `G1KeepAliveClosure` of HotSpot). Large objects do not move but in the last of full collections.

use crate::layout::{Layout, RegionFields, Young};
use crate::memory::{Memory, half_of, word_of};

/// Bytes of a region's structure that are read at once: its first fields.
const MOST_OF_A_REGION: usize = 512;

/// Where they are.
#[derive(Clone, Debug)]
pub struct LargeObjects {
    start: u64,
    /// Where the table of regions is, which stays there, and how many it has.
    table: u64,
    length: u64,
    fields: RegionFields,
}

impl LargeObjects {
    /// Of a heap that is divided into regions; `None` of others.
    pub fn of(memory: &impl Memory, layout: &Layout) -> Option<Self> {
        let Young::Regions(fields) = layout.young else { return None };
        let (table, length) = (memory.word(fields.base_at)?, memory.word(fields.length_at)?);
        let is_sane = fields.grain.is_power_of_two() && fields.window()?.1 <= MOST_OF_A_REGION;
        is_sane.then_some(Self { start: layout.heap.0, table, length, fields })
    }

    /// Objects of more bytes than this are large.
    pub fn more_than_bytes(&self) -> u64 {
        self.fields.grain / 2
    }

    /// Bytes of all regions that large objects have; `None` if that can't be read.
    pub fn bytes(&self, memory: &impl Memory) -> Option<u64> {
        let regions = u64::from(memory.half(self.fields.large_regions_at?)?);
        (regions <= self.length).then(|| regions * self.fields.grain)
    }

    /// Whether a large object begins at an address; `None` if that can't be read.
    pub fn is_there(&self, memory: &impl Memory, address: u64) -> Option<bool> {
        let from_start = address.wrapping_sub(self.start);
        let index = from_start / self.fields.grain;
        if !from_start.is_multiple_of(self.fields.grain) || index >= self.length {
            return Some(false);
        }
        let region = memory.word(self.table.wrapping_add(index * 8))?;
        if region == 0 {
            return Some(false);
        }
        let (first, each) = self.fields.window()?;
        let mut bytes = [0; MOST_OF_A_REGION];
        let bytes = bytes.get_mut(..each)?;
        if !memory.copy(region.wrapping_add(first), bytes) {
            return None;
        }
        let bottom = word_of(bytes, (self.fields.bottom - first) as usize)?;
        let tag = half_of(bytes, (self.fields.tag - first) as usize)?;
        Some(bottom == address && tag == self.fields.large)
    }
}
