//! The objects of a file as the first pass keeps them, and in the order of their addresses.
//!
//! JVMs tell objects in this order, in one piece or a few (a thread of the JVM's each): these are merged. What is told in no order
//! (ZGC) is sorted. Not here: how large the objects are.

use std::ops::Range;

use crate::column::{Column, Packer, Reader};

/// An object that is no `java.lang.Class`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Listed {
    pub(crate) id: u64,
    /// Number of its class's slot.
    pub(crate) slot: u32,
    /// For arrays.
    pub(crate) length: u32,
}

/// An object in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    /// The `java.lang.Class` of the class with this number.
    Mirror { id: u64, class: u32 },
    /// Any other.
    Object(Listed),
}

impl Placed {
    pub(crate) fn id(&self) -> u64 {
        match self {
            Self::Mirror { id, .. } => *id,
            Self::Object(told) => told.id,
        }
    }
}

/// Objects in the order of the file: some four bytes each.
#[derive(Debug, Default)]
pub(crate) struct ListedObjects {
    ids: Packer,
    slots: Packer,
    lengths: Packer,
    last: u64,
    /// Where one is told that lies before the one before it.
    falls: Vec<usize>,
    /// All addresses, one over the other.
    bits: u64,
}

/// Merging looks at the beginning of each piece; with more of them sorting is quicker.
const MOST_PIECES: usize = 256;

impl ListedObjects {
    #[inline]
    pub(crate) fn push(&mut self, told: Listed) {
        if told.id < self.last {
            self.falls.push(self.ids.len());
        }
        self.last = told.id;
        self.bits |= told.id;
        self.ids.push(told.id);
        self.slots.push(u64::from(told.slot));
        self.lengths.push(u64::from(told.length));
    }

    /// All of them, to be read in the order of their addresses; `mirrors`: addresses and numbers of classes.
    pub(crate) fn in_order(self, mut mirrors: Vec<(u64, u32)>) -> InOrder {
        mirrors.sort_unstable();
        if self.falls.len() >= MOST_PIECES {
            let sorted = self.sorted().in_order(mirrors);
            return InOrder { told_so: false, ..sorted };
        }
        let bits = mirrors.iter().fold(self.bits, |bits, mirror| bits | mirror.0);
        let ends = self.falls.iter().copied().chain([self.ids.len()]);
        let begins = [0].into_iter().chain(self.falls.iter().copied());
        let pieces = begins.zip(ends).map(|(begin, end)| begin..end).collect();
        let (ids, slots, lengths) = (self.ids.finish(), self.slots.finish(), self.lengths.finish());
        let told_so = self.falls.is_empty();
        InOrder { ids, slots, lengths, pieces, mirrors, bits, told_so }
    }

    /// The same in one piece. Of what is told twice the first stays the first.
    fn sorted(self) -> Self {
        let (ids, slots, lengths) = (self.ids.finish(), self.slots.finish(), self.lengths.finish());
        let objects = ids.iter().zip(slots.iter()).zip(lengths.iter());
        let told = |((id, slot), length)| Listed { id, slot: slot as u32, length: length as u32 };
        let mut sorted: Vec<_> = objects.map(told).collect();
        drop((ids, slots, lengths));
        sorted.sort_by_key(|told| told.id);
        let mut again = Self::default();
        sorted.into_iter().for_each(|told| again.push(told));
        again
    }
}

/// All objects, classes included.
#[derive(Debug)]
pub(crate) struct InOrder {
    ids: Column,
    slots: Column,
    lengths: Column,
    /// Each in ascending order.
    pieces: Vec<Range<usize>>,
    mirrors: Vec<(u64, u32)>,
    bits: u64,
    /// Whether they were told in this order.
    told_so: bool,
}

impl InOrder {
    /// How many low bits of all addresses are zero.
    pub(crate) fn alignment_bits(&self) -> u32 {
        self.bits.trailing_zeros()
    }

    /// Whether they were told in order, but for classes.
    pub(crate) fn was_in_order(&self) -> bool {
        self.told_so
    }

    /// By ascending address, each once. A `java.lang.Class` that is told as an object, too, is one.
    pub(crate) fn each(&self, mut visit: impl FnMut(Placed)) {
        let mut mirrors = self.mirrors.iter().copied().peekable();
        let mut last = None;
        let mut once = |placed: Placed| {
            if last.replace(placed.id()) != Some(placed.id()) {
                visit(placed);
            }
        };
        let mut objects =
            Columns { ids: self.ids.reader(), slots: self.slots.reader(), lengths: self.lengths.reader() };
        let mut pieces = self.pieces.clone();
        while let Some((piece, until)) = first_piece(&self.ids, &mut pieces) {
            while piece.start < piece.end {
                let told = objects.told(piece.start);
                if told.id > until {
                    break;
                }
                while let Some((id, class)) = mirrors.next_if(|mirror| mirror.0 <= told.id) {
                    once(Placed::Mirror { id, class });
                }
                once(Placed::Object(told));
                piece.start += 1;
            }
        }
        mirrors.for_each(|(id, class)| once(Placed::Mirror { id, class }));
    }
}

/// Of pieces that are in order each, the one that goes on with the lowest address, and the lowest of the others: up to there it
/// goes on.
fn first_piece<'a>(ids: &Column, pieces: &'a mut [Range<usize>]) -> Option<(&'a mut Range<usize>, u64)> {
    let firsts = pieces.iter().enumerate().filter(|(_, piece)| !piece.is_empty());
    let firsts: Vec<_> = firsts.map(|(at, piece)| (ids.get(piece.start), at)).collect();
    let first = firsts.iter().min()?.1;
    let others = firsts.iter().filter(|&&(_, at)| at != first).map(|&(id, _)| id);
    let until = others.min().unwrap_or(u64::MAX);
    Some((&mut pieces[first], until))
}

/// The columns of told objects, read one after another.
struct Columns<'a> {
    ids: Reader<'a>,
    slots: Reader<'a>,
    lengths: Reader<'a>,
}

impl Columns<'_> {
    #[inline]
    fn told(&mut self, at: usize) -> Listed {
        Listed { id: self.ids.get(at), slot: self.slots.get(at) as u32, length: self.lengths.get(at) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// In a few pieces or in none, with classes in between, and some told twice.
        #[test]
        fn objects_come_in_order_and_once(
            mut ids in prop::collection::vec(0..5000_u64, 0..1000),
            pieces in 1..400_usize,
            mirrors in prop::collection::vec(0..5000_u64, 0..20),
        ) {
            let length = ids.len().div_ceil(pieces).max(1);
            ids.chunks_mut(length).for_each(<[u64]>::sort_unstable);
            let mut objects = ListedObjects::default();
            for (slot, &id) in ids.iter().enumerate() {
                objects.push(Listed { id, slot: slot as u32, length: 7 });
            }
            let in_order = objects.in_order(mirrors.iter().copied().zip(0..).collect());
            prop_assert_eq!(in_order.was_in_order(), ids.is_sorted());
            let mut placed = Vec::new();
            in_order.each(|object| placed.push(object));
            let mut expected: Vec<_> = ids.iter().chain(&mirrors).copied().collect();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(placed.iter().map(Placed::id).collect::<Vec<_>>(), expected);
            for object in placed {
                match object {
                    Placed::Mirror { id, class } => prop_assert_eq!(mirrors[class as usize], id),
                    Placed::Object(told) => {
                        prop_assert!(!mirrors.contains(&told.id));
                        prop_assert_eq!((ids[told.slot as usize], told.length), (told.id, 7));
                    }
                }
            }
        }
    }
}
