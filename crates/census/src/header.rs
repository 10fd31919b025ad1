//! What an object's first words say.

use std::sync::atomic::AtomicU64;

use crate::layout::{ClassPointers, Layout};
use crate::memory::load;
use crate::row::UNKNOWN_AGE;

/// The two lowest bits of a mark word.
const LOCK: u64 = 3;
/// What they are in an object that was copied: the rest is where to.
const FORWARDED: u64 = 3;
/// What they are where the other bits are the object's own.
const UNLOCKED: u64 = 1;
const MOST_AGE: u64 = 15;

/// Where the copy of an object with that mark word is, if it was copied.
#[inline]
pub(crate) fn copy_of(mark: u64) -> Option<u64> {
    (mark & LOCK == FORWARDED).then_some(mark & !LOCK)
}

/// How many collections an object has survived, by its mark word.
#[inline]
pub(crate) fn age(layout: &Layout, mark: u64) -> usize {
    if mark & LOCK == UNLOCKED { ((mark >> layout.age_shift) & MOST_AGE) as usize } else { UNKNOWN_AGE }
}

/// The number by which the class is written, in the words that an object begins with.
#[inline]
pub(crate) fn class_number(pointers: ClassPointers, words: &[AtomicU64], at: usize) -> Option<u64> {
    match pointers {
        ClassPointers::Narrow { .. } => Some(load(words, at + 1)? & 0xffff_ffff),
        ClassPointers::Wide => load(words, at + 1),
        ClassPointers::Compact { mark_shift, .. } => Some(load(words, at)? >> mark_shift),
    }
}

/// The address of the class that is written so; `None`: of none.
pub(crate) fn class_address(pointers: ClassPointers, number: u64) -> Option<u64> {
    let address = match pointers {
        _ if number == 0 => return None,
        ClassPointers::Narrow { base, shift } | ClassPointers::Compact { base, shift, .. } => {
            base.checked_add(number.checked_shl(shift)?)?
        }
        ClassPointers::Wide => number,
    };
    address.is_multiple_of(8).then_some(address)
}

/// Elements of an array.
#[inline]
pub(crate) fn length(pointers: ClassPointers, words: &[AtomicU64], at: usize) -> Option<u64> {
    match pointers {
        ClassPointers::Narrow { .. } => Some(load(words, at + 1)? >> 32),
        ClassPointers::Wide => Some(load(words, at + 2)? & 0xffff_ffff),
        ClassPointers::Compact { .. } => Some(load(words, at + 1)? & 0xffff_ffff),
    }
}
