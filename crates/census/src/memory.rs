//! Memory as the census reads it. Not here: any that is real.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Memory of a process that stands still. What cannot be read is `None`, or `false`: nothing faults.
pub trait Memory {
    /// The words from `bottom` up to `top`, both multiples of eight; `None` unless all of them can be read, and are of the heap.
    fn words(&self, bottom: u64, top: u64) -> Option<&[AtomicU64]>;

    /// Copies what is at any address. Slower than words.
    fn copy(&self, from: u64, into: &mut [u8]) -> bool;

    /// Copies `each` bytes from each of these addresses, one behind the other.
    fn gather(&self, from: &[u64], each: usize, into: &mut [u8]) -> bool {
        let mut parts = into.chunks_exact_mut(each.max(1));
        from.iter().all(|&at| parts.next().is_some_and(|part| self.copy(at, part)))
    }

    /// The word at any address.
    fn word(&self, at: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.copy(at, &mut bytes).then_some(u64::from_le_bytes(bytes))
    }

    /// The 32 bits at any address.
    fn half(&self, at: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.copy(at, &mut bytes).then_some(u32::from_le_bytes(bytes))
    }
}

/// The word at an index, if it is there.
#[inline]
pub(crate) fn load(words: &[AtomicU64], at: usize) -> Option<u64> {
    words.get(at).map(|word| word.load(Relaxed))
}

/// The word that begins at an offset of some bytes, if it is there.
pub(crate) fn word_of(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// The same of 32 bits.
pub(crate) fn half_of(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
