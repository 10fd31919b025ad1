//! From an id to its object: to its number in the graph, and to its bytes in the file.
//!
//! Not here: what is read of it.

use super::record::Hprof;
use super::segment::Segment;
use super::sub_record::HeapVisitor;
use super::value_type::ValueType;
use crate::index::ObjectIndex;

/// Finds the numbers of objects by their ids, which are in order. Ids are addresses, so those of a heap lie close: a table of evenly
/// spaced addresses leads to the few that are near.
#[derive(Debug)]
pub(crate) struct Numbers {
    first: u64,
    shift: u32,
    /// For each stretch of addresses the number of the first object not before it; one more than there are stretches.
    stretches: Vec<u32>,
}

impl Numbers {
    /// For ids in ascending order.
    pub(crate) fn new(ids: &[u64]) -> Self {
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else {
            return Self { first: 0, shift: 0, stretches: vec![0] };
        };
        // As many stretches as objects at the most, and so 4 bytes per object.
        let mut shift = 0;
        while (last - first) >> shift > ids.len() as u64 {
            shift += 1;
        }
        let mut stretches = vec![0u32; ((last - first) >> shift) as usize + 2];
        for &id in ids {
            stretches[((id - first) >> shift) as usize + 1] += 1;
        }
        let mut sum = 0;
        for stretch in &mut stretches {
            sum += *stretch;
            *stretch = sum;
        }
        Self { first, shift, stretches }
    }

    /// The number of an object.
    #[inline]
    pub(crate) fn find(&self, ids: &[u64], id: u64) -> Option<ObjectIndex> {
        let stretch = (id.checked_sub(self.first)? >> self.shift) as usize;
        let (&begin, &end) = (self.stretches.get(stretch)?, self.stretches.get(stretch + 1)?);
        let near = ids.get(begin as usize..end as usize)?;
        let at = match near.len() {
            0..16 => near.iter().position(|&other| other == id)?,
            _ => near.binary_search(&id).ok()?,
        };
        Some(ObjectIndex(begin + at as u32))
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
            let numbers = Numbers::new(&ids);
            for (at, &id) in ids.iter().enumerate() {
                prop_assert_eq!(numbers.find(&ids, id), Some(ObjectIndex(at as u32)));
                let other = id.wrapping_add(1);
                prop_assert_eq!(numbers.find(&ids, other).is_some(), ids.contains(&other));
            }
        }
    }
}
