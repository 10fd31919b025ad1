//! This process's memory, and libjvm's tables, as the census takes them.

use std::ffi::CStr;
use std::sync::atomic::AtomicU64;

use mayfly_census::{Memory, Tables};
use mayfly_jvmti::{OwnMemory, PausedHeap, VmFlags, VmStructs};

use crate::conduct::faults::table_entry;

/// While the program runs: nothing of the heap.
#[derive(Clone)]
pub(super) struct Running(pub(super) OwnMemory);

impl Memory for Running {
    fn words(&self, _bottom: u64, _top: u64) -> Option<&[AtomicU64]> {
        None
    }

    fn copy(&self, from: u64, into: &mut [u8]) -> bool {
        self.0.copy(from, into)
    }
}

/// In a pause.
pub(super) struct Paused<'pause>(pub(super) PausedHeap<'pause>);

impl Memory for Paused<'_> {
    #[inline]
    fn words(&self, bottom: u64, top: u64) -> Option<&[AtomicU64]> {
        self.0.words(bottom, top)
    }

    fn copy(&self, from: u64, into: &mut [u8]) -> bool {
        self.0.copy(from, into)
    }

    fn gather(&self, from: &[u64], each: usize, into: &mut [u8]) -> bool {
        self.0.gather(from, each, into)
    }
}

/// What libjvm exports.
pub(super) struct OfJvm(pub(super) VmFlags);

impl Tables for OfJvm {
    fn offset(&self, class: &CStr, field: &CStr) -> Option<u64> {
        table_entry(&field.to_string_lossy(), VmStructs.offset(class, field))
    }

    fn address(&self, class: &CStr, field: &CStr) -> Option<u64> {
        table_entry(&field.to_string_lossy(), VmStructs.address(class, field))
    }

    fn constant(&self, name: &CStr) -> Option<i64> {
        let name_within = name.to_string_lossy();
        let name_within = name_within.rsplit("::").next().unwrap_or_default();
        table_entry(name_within, VmStructs.constant(name).map(|value| value as u64)).map(|value| value as i64)
    }

    fn switch(&self, flag: &CStr) -> Option<bool> {
        self.0.switch(flag)
    }
}
