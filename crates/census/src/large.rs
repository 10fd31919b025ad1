//! Large objects, which have regions of their own in G1: whether one is still there, by its address alone.
//!
//! A weak reference would hold it until its region is marked: a young collection takes what it refers to for alive, and frees no large array
//! that has one (`G1STWIsAliveClosure` and `G1KeepAliveClosure` of HotSpot). Large objects do not move but in the last of full collections.

use crate::layout::{Layout, RegionFields, Young};
use crate::memory::Memory;

/// Where they are.
#[derive(Clone, Debug)]
pub struct LargeObjects {
    start: u64,
    fields: RegionFields,
}

impl LargeObjects {
    /// Of a heap that is divided into regions; `None` of others.
    pub fn of(layout: &Layout) -> Option<Self> {
        let Young::Regions(fields) = layout.young else { return None };
        fields.grain.is_power_of_two().then_some(Self { start: layout.heap.0, fields })
    }

    /// Objects of more bytes than this are large.
    pub fn more_than_bytes(&self) -> u64 {
        self.fields.grain / 2
    }

    /// Whether a large object begins at an address; `None` if that can't be read.
    pub fn is_there(&self, memory: &impl Memory, address: u64) -> Option<bool> {
        let from_start = address.wrapping_sub(self.start);
        let index = from_start / self.fields.grain;
        if !from_start.is_multiple_of(self.fields.grain) || index >= memory.word(self.fields.length_at)? {
            return Some(false);
        }
        let table = memory.word(self.fields.base_at)?;
        let region = memory.word(table.wrapping_add(index * 8))?;
        if region == 0 {
            return Some(false);
        }
        let bottom = memory.word(region.wrapping_add(self.fields.bottom))?;
        let tag = memory.half(region.wrapping_add(self.fields.tag))?;
        Some(bottom == address && tag == self.fields.large)
    }
}
