//! One space of whole objects, read from its begin to its end.

use std::sync::atomic::AtomicU64;

use mayfly_counts::Total;

use crate::classes::{Classes, Shape};
use crate::doubt::Doubt;
use crate::header::{age, class_number, copy_of, length};
use crate::layout::{ClassPointers, Layout};
use crate::memory::{Memory, load};
use crate::regions::Survivors;
use crate::row::{AGES, UNKNOWN_AGE};

/// Words of a copy that are looked at.
const COPY_BYTES: u64 = 24;
/// The same of an object that is old.
const HEAD_BYTES: u64 = 24;

/// Whose objects are read, and what is known of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reading<'a> {
    /// Eden after a collection.
    Eden(&'a Survivors),
    /// Survivors after a collection; those that were copied more often than so are not of the census.
    Survivors(&'a Survivors, usize),
    /// Eden before a collection that leaves nothing to read.
    Before,
    /// Survivors before such a one: those of no age were made there, for want of room elsewhere.
    BeforeAmongSurvivors,
    /// What was allocated in the old generation.
    Old,
}

/// A walk through spaces.
pub(crate) struct Walk<'a, M> {
    pub(crate) memory: &'a M,
    pub(crate) layout: &'a Layout,
    pub(crate) classes: &'a mut Classes,
    pub(crate) reading: Reading<'a>,
}

/// An object as the walk sees it.
struct Met<'m> {
    slot: usize,
    words: u64,
    /// Its copy's first words.
    copy: Option<(u64, &'m [AtomicU64])>,
    mark: u64,
}

impl<'a, M: Memory> Walk<'a, M> {
    /// Reads the objects from `bottom` up to `top`.
    pub(crate) fn read(&mut self, bottom: u64, top: u64) -> Result<(), Doubt> {
        let memory: &'a M = self.memory;
        let words = memory.words(bottom, top).ok_or(Doubt::Unreadable("a space of young objects"))?;
        let counts_dead = matches!(self.reading, Reading::Eden(_));
        let mut at = 0;
        while at < words.len() {
            let address = bottom + at as u64 * 8;
            if counts_dead && let Some(dead) = self.dead(words, at, address) {
                at += dead;
                continue;
            }
            let met = self.meet(words, at, address)?;
            let rest = (words.len() - at) as u64;
            if met.words == 0 || met.words > rest {
                return Err(Doubt::Overrun { at: address, words: met.words });
            }
            at += met.words as usize;
            self.count(&met);
        }
        Ok(())
    }

    /// Counts an object as most are: dead, and of a class that was met. How many words it has; `None`: it is another, or does not fit.
    #[inline]
    fn dead(&mut self, words: &[AtomicU64], at: usize, address: u64) -> Option<usize> {
        if copy_of(load(words, at)?).is_some() {
            return None;
        }
        let slot = self.classes.find(class_number(self.layout.classes, words, at)?)?;
        let fixed = self.classes.hot[slot].words;
        let each = match fixed {
            0 => self.measure(slot, (words, at), address)?,
            fixed => u64::from(fixed),
        };
        if each == 0 || each > (words.len() - at) as u64 {
            return None;
        }
        match fixed {
            0 => self.classes.delta(slot).died[0].add(Total::one(each * 8)),
            _ => self.classes.hot[slot].dead += 1,
        }
        Some(each as usize)
    }

    /// The same of few objects that may be large: no more is loaded than what they begin with.
    pub(crate) fn read_heads(&mut self, bottom: u64, top: u64) -> Result<(), Doubt> {
        let mut at = bottom;
        while at < top {
            let met = self.head(at, top)?;
            let end = met.words.checked_mul(8).and_then(|bytes| at.checked_add(bytes));
            at = end.filter(|&end| end > at && end <= top).ok_or(Doubt::Overrun { at, words: met.words })?;
            self.count(&met);
        }
        Ok(())
    }

    /// Counts the one object that begins at an address.
    pub(crate) fn read_one(&mut self, at: u64) -> Result<(), Doubt> {
        let met = self.head(at, self.layout.heap.1)?;
        if met.words == 0 || met.words > (self.layout.heap.1 - at) / 8 {
            return Err(Doubt::Overrun { at, words: met.words });
        }
        self.count(&met);
        Ok(())
    }

    fn head(&mut self, at: u64, top: u64) -> Result<Met<'a>, Doubt> {
        let memory: &'a M = self.memory;
        let end = at.checked_add(HEAD_BYTES).map_or(top, |end| end.min(top));
        let words = memory.words(at, end).ok_or(Doubt::Unreadable("what was born old"))?;
        self.meet(words, 0, at)
    }

    #[inline]
    fn meet(&mut self, words: &'a [AtomicU64], at: usize, address: u64) -> Result<Met<'a>, Doubt> {
        let cut_off = Doubt::Overrun { at: address, words: 1 };
        let mark = load(words, at).ok_or(cut_off)?;
        let copy = match copy_of(mark) {
            Some(copy) => Some((copy, self.copied(address, copy)?)),
            None => None,
        };
        // A copy has its class where the mark word of the original had it.
        let of_mark = matches!(self.layout.classes, ClassPointers::Compact { .. });
        let (head, head_at) = match copy {
            Some((_, copied)) if of_mark => (copied, 0),
            _ => (words, at),
        };
        let number = class_number(self.layout.classes, head, head_at).ok_or(cut_off)?;
        let slot = match self.classes.find(number) {
            Some(slot) => slot,
            None => self.first_of(number, address)?,
        };
        let fixed = u64::from(self.classes.hot[slot].words);
        if fixed > 0 {
            return Ok(Met { slot, words: fixed, copy, mark });
        }
        // An array's length is right in the original once the collection ended, also where it was copied in pieces: its copy, which no cache
        // has, is not looked at.
        let words = self.measure(slot, (words, at), copy.map_or(address, |(copy, _)| copy));
        Ok(Met { slot, words: words.ok_or(cut_off)?, copy, mark })
    }

    /// What begins a copy.
    fn copied(&self, at: u64, copy: u64) -> Result<&'a [AtomicU64], Doubt> {
        let memory: &'a M = self.memory;
        let no_copy = Doubt::NoCopy { at, copy };
        // Copies of the least size may be the last of the heap.
        let end = copy.checked_add(COPY_BYTES).ok_or(no_copy)?.min(self.layout.heap.1);
        (copy < end && copy.is_multiple_of(8)).then(|| memory.words(copy, end)).flatten().ok_or(no_copy)
    }

    #[cold]
    fn first_of(&mut self, number: u64, at: u64) -> Result<usize, Doubt> {
        let met = self.classes.meet(self.memory, self.layout, number);
        met.map_err(|doubt| doubt.unwrap_or(Doubt::NoClass { at, klass: number }))
    }

    /// Words of an object whose class does not say how many.
    #[inline]
    fn measure(&self, slot: usize, (head, at): (&[AtomicU64], usize), address: u64) -> Option<u64> {
        let words = match self.classes.cold[slot].shape {
            Shape::Fixed => return None,
            Shape::Array { header, element } => {
                let length = length(self.layout.classes, head, at)?;
                ((length << element) + header).div_ceil(8)
            }
            Shape::Mirror => u64::from(self.memory.half(address.checked_add(self.layout.mirror_size_at)?)?),
            Shape::Chunk { words } => self.chunk(words, address)?,
        };
        Some(words.next_multiple_of(self.layout.alignment))
    }

    /// A chunk of a stack has, behind its fields and the stack, a bit for each reference that may be in there.
    fn chunk(&self, words: u64, address: u64) -> Option<u64> {
        let size_at = address.checked_add(self.layout.chunk_size_at?)?;
        let stack = u64::from(self.memory.half(size_at)?);
        let bits = if self.layout.narrow_references { stack * 2 } else { stack };
        Some(words + stack + bits.div_ceil(64))
    }

    /// The class and the size, in bytes, of the object at an address, which has so many at least.
    pub(crate) fn look(&mut self, address: u64, bytes: u64) -> Result<(usize, u64), Doubt> {
        let memory: &'a M = self.memory;
        let unreadable = Doubt::Unreadable("a known object");
        let end = address.checked_add(bytes).filter(|_| address.is_multiple_of(8)).ok_or(unreadable)?;
        let words = memory.words(address, end).ok_or(unreadable)?;
        let met = self.meet(words, 0, address)?;
        Ok((met.slot, met.words.saturating_mul(8)))
    }

    #[inline]
    fn count(&mut self, met: &Met<'a>) {
        match (self.reading, met.copy) {
            (Reading::BeforeAmongSurvivors, _) if age(self.layout, met.mark) != 0 => {}
            (Reading::Before | Reading::BeforeAmongSurvivors, _) => {
                self.classes.delta(met.slot).undecided.add(Total::one(met.words * 8));
            }
            (Reading::Old, _) => self.classes.delta(met.slot).old.add(Total::one(met.words * 8)),
            (Reading::Eden(_), None) => self.classes.delta(met.slot).died[0].add(Total::one(met.words * 8)),
            (Reading::Eden(survivors), Some((copy, _))) => {
                let is_young = survivors.contain(copy);
                self.of_age(met, is_young)[0].add(Total::one(met.words * 8));
            }
            (Reading::Survivors(survivors, since), _) => self.count_survivor(met, (survivors, since)),
        }
    }

    fn count_survivor(&mut self, met: &Met<'a>, (survivors, since): (&Survivors, usize)) {
        let bytes = met.words * 8;
        let is_young = met.copy.map(|(copy, _)| survivors.contain(copy));
        let age = match (met.copy, is_young) {
            (Some((_, copied)), Some(is_young)) => match age(self.layout, load(copied, 0).unwrap_or(0)) {
                UNKNOWN_AGE => UNKNOWN_AGE,
                // Only copies that are still young are a collection older.
                copied => copied.saturating_sub(usize::from(is_young)),
            },
            _ => age(self.layout, met.mark),
        };
        // Whoever was copied there has an age; what has none was made there as it is, or fills a buffer of the collector up.
        let is_filler = age == 0 && self.layout.fills_survivors;
        if age >= since && age != UNKNOWN_AGE || is_filler {
            return;
        }
        match is_young {
            None => self.classes.delta(met.slot).died[age].add(Total::one(bytes)),
            Some(is_young) => self.of_age(met, is_young)[age].add(Total::one(bytes)),
        }
    }

    fn of_age(&mut self, met: &Met<'a>, is_young: bool) -> &mut [Total; AGES] {
        let row = self.classes.delta(met.slot);
        if is_young { &mut row.survived } else { &mut row.promoted }
    }
}
