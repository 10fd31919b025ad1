//! From an id to its object: to its number in the graph, and to its bytes in the file.
//!
//! Not here: what is read of it.

use super::record::Hprof;
use super::segment::Segment;
use super::sub_record::HeapVisitor;
use super::value_type::ValueType;
use crate::index::ObjectIndex;

/// Finds the numbers of objects by their ids, which are in order. Ids are addresses, and those of a heap lie close: a bit for each
/// place where an object can begin, and how many begin before. Less than a byte per object.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// How many low bits are zero in all ids.
    shift: u32,
    areas: Vec<Area>,
    bits: Vec<u64>,
    /// How many objects lie before the first bit of each word.
    before: Vec<u32>,
    len: usize,
}

/// Places without a long gap between objects.
#[derive(Clone, Copy, Debug)]
struct Area {
    /// The place of its first bit, and of its last object.
    first: u64,
    last: u64,
    /// Where its bits begin, in words.
    word: usize,
}

/// Words of bits that there may be however few objects there are.
const FREE_WORDS: usize = 1024;

impl Numbers {
    /// For ids in which so many low bits are zero.
    pub(crate) fn new(shift: u32) -> Self {
        Self { shift: shift.min(63), ..Self::default() }
    }

    /// Numbers the next object, with an id above all others.
    pub(crate) fn push(&mut self, id: u64) {
        let place = id >> self.shift;
        // A gap is bridged while bits take no more than the ids would.
        let most = (FREE_WORDS + self.len) as u64;
        let mut area = match self.areas.pop() {
            Some(area) if area.word as u64 + (place - area.first) / 64 <= most => area,
            other => {
                self.areas.extend(other);
                Area { first: place & !63, last: place, word: self.bits.len() }
            }
        };
        area.last = place;
        self.areas.push(area);
        let word = area.word + ((place - area.first) / 64) as usize;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
            self.before.resize(word + 1, self.len as u32);
        }
        self.bits[word] |= 1 << (place % 64);
        self.len += 1;
    }

    /// The number of an object.
    #[inline]
    pub(crate) fn find(&self, id: u64) -> Option<ObjectIndex> {
        let place = id >> self.shift;
        let area = match &self.areas[..] {
            [only] => only,
            areas => areas.get(areas.partition_point(|area| area.first <= place).checked_sub(1)?)?,
        };
        if place < area.first || place > area.last || place << self.shift != id {
            return None;
        }
        let word = area.word + ((place - area.first) / 64) as usize;
        let (bits, bit) = (self.bits[word], 1_u64 << (place % 64));
        let number = self.before[word] + (bits & (bit - 1)).count_ones();
        (bits & bit != 0).then_some(ObjectIndex(number))
    }
}

/// Objects in one piece of the file.
const PIECE: u32 = 1024;

/// Where some object's bytes are: pieces of the file, with the lowest and highest address in each.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pieces: Vec<Piece>,
    left: u32,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    begin: usize,
    lowest: u64,
    highest: u64,
}

/// The bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    Instance { class: u64, fields: &'a [u8] },
    Primitives { of: ValueType, elements: &'a [u8] },
}

impl Places {
    /// Pieces do not go beyond a segment.
    pub(crate) fn segment(&mut self) {
        self.left = 0;
    }

    /// Takes the next object of the file, and where it begins.
    #[inline]
    pub(crate) fn object(&mut self, id: u64, at: usize) {
        if self.left == 0 {
            self.left = PIECE;
            self.pieces.push(Piece { begin: at, lowest: id, highest: id });
        } else if let Some(piece) = self.pieces.last_mut() {
            piece.lowest = piece.lowest.min(id);
            piece.highest = piece.highest.max(id);
        }
        self.left -= 1;
    }

    /// Reads an object.
    pub(crate) fn find<'a>(&self, file: &Hprof<'a>, id: u64) -> Option<Found<'a>> {
        self.pieces.iter().filter(|piece| (piece.lowest..=piece.highest).contains(&id)).find_map(|piece| {
            let mut segment = Segment { bytes: file.bytes(), at: piece.begin, id: file.id_size };
            let mut wanted = Wanted { id, found: None, objects: 0 };
            while wanted.found.is_none() && wanted.objects < PIECE {
                segment.step(0, &mut wanted).ok()?;
            }
            wanted.found
        })
    }
}

struct Wanted<'a> {
    id: u64,
    found: Option<Found<'a>>,
    objects: u32,
}

impl<'a> HeapVisitor<'a> for Wanted<'a> {
    fn instance(&mut self, id: u64, class: u64, fields: &'a [u8], _at: usize) {
        self.objects += 1;
        if id == self.id {
            self.found = Some(Found::Instance { class, fields });
        }
    }

    fn object_array(&mut self, _id: u64, _class: u64, _elements: &'a [u8], _at: usize) {
        self.objects += 1;
    }

    fn primitive_array(&mut self, id: u64, of: ValueType, elements: &'a [u8], _at: usize) {
        self.objects += 1;
        if id == self.id {
            self.found = Some(Found::Primitives { of, elements });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_id_is_found_and_no_other(mut ids in prop::collection::vec(any::<u64>(), 0..200), dense: bool) {
            if dense {
                ids.iter_mut().for_each(|id| *id = 0x7000_0000 + *id % 4096 * 8);
            }
            ids.sort_unstable();
            ids.dedup();
            let mut numbers = Numbers::new(ids.iter().fold(0, |bits, id| bits | id).trailing_zeros());
            ids.iter().for_each(|&id| numbers.push(id));
            for (at, &id) in ids.iter().enumerate() {
                prop_assert_eq!(numbers.find(id), Some(ObjectIndex(at as u32)));
                for other in [id.wrapping_add(1), id.wrapping_sub(8), id.wrapping_add(1 << 40)] {
                    prop_assert_eq!(numbers.find(other).is_some(), ids.contains(&other));
                }
            }
        }
    }
}
