//! How large objects are in HotSpot's heap, which an hprof file does not say: from the fields, and from the distances
//! between objects.
//!
//! An object is never larger than the distance to the next one, and next to each other they lie after most collections. What is
//! computed from the fields is a check of that, and the answer where no neighbour was seen. Not here: taking the
//! distances (`measure`). Rules: HotSpot's `FieldLayoutBuilder` (15 and later), `ClassFileParser::layout_fields` (before).

use super::value_type::ValueType;

/// How a JVM lays objects out, by its settings for pointers and headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    /// Bytes of an object's header.
    pub(crate) header: u64,
    /// Bytes of a reference.
    pub(crate) reference: u64,
    /// Where the elements of an array begin, if they are smaller than 8 bytes.
    narrow: u64,
    /// Where they begin if they are 8 bytes.
    wide: u64,
}

const fn model(header: u64, reference: u64, narrow: u64, wide: u64) -> Model {
    Model { header, reference, narrow, wide }
}

/// All there are, the likelier first.
pub(crate) const MODELS: [Model; 8] = [
    // Compressed class pointers: references of 4 bytes up to 32 GB of heap, or of 8.
    model(12, 4, 16, 16),
    model(12, 8, 16, 16),
    // Compact object headers (24 and later); and a JVM of 32 bits.
    model(8, 4, 12, 16),
    model(8, 8, 12, 16),
    // Class pointers of 8 bytes: up to 22, and from 23 on.
    model(16, 8, 24, 24),
    model(16, 8, 20, 24),
    model(16, 4, 24, 24),
    model(16, 4, 20, 24),
];

/// What is known of how a JVM aligns and packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) model: Model,
    /// Objects begin at multiples of so many bytes (`ObjectAlignmentInBytes`).
    pub(crate) alignment: u64,
    pub(crate) packing: Packing,
}

/// In which order fields are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// From JDK 15 on: large ones first, each into the smallest gap that fits, gaps of superclasses included.
    BestFit,
    /// Up to JDK 14: a superclass ends at a multiple of the size of a reference; small ones go before the first long.
    InOrder,
}

/// Whether sizes are known, or only computed from fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SizesKnown {
    /// Bytes of objects whose size was confirmed by the distance between neighbours.
    pub confirmed: u64,
    /// Bytes of all objects.
    pub total: u64,
}

impl Model {
    /// Bytes of a value in the heap.
    pub(crate) fn width(&self, of: ValueType) -> u64 {
        match of {
            ValueType::Object => self.reference,
            of => of.width(8) as u64,
        }
    }

    /// Where the elements of an array begin.
    pub(crate) fn array_base(&self, width: u64) -> u64 {
        if width < 8 { self.narrow } else { self.wide }
    }

    /// Size of an array, of such alignment.
    pub(crate) fn array_size(&self, of: ValueType, length: u64, alignment: u64) -> u64 {
        let width = self.width(of);
        (self.array_base(width) + length * width).next_multiple_of(alignment)
    }
}

impl Layout {
    /// Size of an object whose classes, from `Object` down, declare these fields.
    pub(crate) fn instance_size<'a>(&self, classes: impl IntoIterator<Item = &'a [ValueType]>) -> u64 {
        let mut space = Space { gaps: Vec::new(), end: self.model.header };
        for fields in classes {
            match self.packing {
                Packing::BestFit => self.best_fit(&mut space, fields),
                Packing::InOrder => self.in_order(&mut space, fields),
            }
        }
        space.end.next_multiple_of(self.alignment)
    }

    /// Bytes that the static fields of a class take behind the fields of its `java.lang.Class`.
    pub(crate) fn static_size(&self, fields: &[ValueType]) -> u64 {
        let mut space = Space { gaps: Vec::new(), end: 0 };
        match self.packing {
            Packing::BestFit => self.best_fit(&mut space, fields),
            Packing::InOrder => {
                // References first, then the others by size.
                let references = fields.iter().filter(|&&of| of == ValueType::Object).count() as u64;
                space.end = references * self.model.reference;
                let mut widths: Vec<_> = primitives(fields).collect();
                widths.sort_unstable_by(|one, other| other.cmp(one));
                for width in widths {
                    space.end = space.end.next_multiple_of(width) + width;
                }
            }
        }
        space.end.next_multiple_of(8)
    }

    fn best_fit(&self, space: &mut Space, fields: &[ValueType]) {
        let mut widths: Vec<_> = primitives(fields).collect();
        widths.sort_unstable_by(|one, other| other.cmp(one));
        let references = fields.iter().filter(|&&of| of == ValueType::Object);
        widths.extend(references.map(|_| self.model.reference));
        widths.into_iter().for_each(|width| space.put(width));
    }

    fn in_order(&self, space: &mut Space, fields: &[ValueType]) {
        let reference = self.model.reference;
        space.end = if fields.is_empty() { space.end } else { space.end.next_multiple_of(reference.min(8)) };
        space.gaps.clear();
        let mut small: Vec<_> = primitives(fields).filter(|&width| width < 8).collect();
        small.sort_unstable_by(|one, other| other.cmp(one));
        let longs = primitives(fields).filter(|&width| width == 8).count() as u64;
        let mut references = fields.iter().filter(|&&of| of == ValueType::Object).count() as u64;
        if longs > 0 {
            while !space.end.is_multiple_of(8) {
                let left = 8 - space.end % 8;
                if let Some(at) = small.iter().position(|&width| width <= left && left.is_multiple_of(width))
                {
                    space.end += small.remove(at);
                } else if references > 0 && reference <= left {
                    references -= 1;
                    space.end += reference;
                } else {
                    space.end += left;
                }
            }
            space.end += longs * 8;
        }
        for width in small {
            space.end = space.end.next_multiple_of(width) + width;
        }
        if references > 0 {
            space.end = space.end.next_multiple_of(reference) + references * reference;
        }
    }
}

fn primitives(fields: &[ValueType]) -> impl Iterator<Item = u64> {
    fields.iter().filter(|&&of| of != ValueType::Object).map(|of| of.width(8) as u64)
}

/// What is taken of an object so far.
struct Space {
    /// Unused: begin and length.
    gaps: Vec<(u64, u64)>,
    end: u64,
}

impl Space {
    /// Takes a place for a value of this width, in the smallest gap that it fits into.
    fn put(&mut self, width: u64) {
        let fits = |&(begin, length): &(u64, u64)| begin.next_multiple_of(width) + width <= begin + length;
        let fitting = self.gaps.iter().enumerate().filter(|(_, gap)| fits(gap));
        let (begin, length) = match fitting.min_by_key(|(_, gap)| gap.1).map(|(at, _)| at) {
            Some(at) => self.gaps.swap_remove(at),
            None => {
                let begin = self.end;
                self.end = begin.next_multiple_of(width) + width;
                (begin, self.end - begin)
            }
        };
        let place = begin.next_multiple_of(width);
        for (begin, end) in [(begin, place), (place + width, begin + length)] {
            if begin < end {
                self.gaps.push((begin, end - begin));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ValueType::{Boolean, Byte, Double, Int, Long, Object, Short};
    use super::*;

    const COMPRESSED: Model = MODELS[0];
    const COMPACT: Model = MODELS[2];

    fn size(model: Model, packing: Packing, classes: &[&[ValueType]]) -> u64 {
        Layout { model, alignment: 8, packing }.instance_size(classes.iter().copied())
    }

    /// `class A { int x; } class B extends A { long y; byte z; } class C extends B { boolean q; Object r; short s; }`
    const C: [&[ValueType]; 3] = [&[Int], &[Long, Byte], &[Boolean, Object, Short]];

    #[test]
    fn packed_fields_fill_the_gaps_of_superclasses() {
        assert_eq!(size(COMPRESSED, Packing::BestFit, &[&[]]), 16);
        assert_eq!(size(COMPRESSED, Packing::BestFit, &C[..2]), 32);
        assert_eq!(size(COMPRESSED, Packing::BestFit, &C), 32, "s, q and r behind z");
        assert_eq!(size(COMPACT, Packing::BestFit, &[&[]]), 8);
        assert_eq!(size(COMPACT, Packing::BestFit, &[&[Int]]), 16);
        assert_eq!(size(COMPACT, Packing::BestFit, &[&[Double, Byte], &[Int, Object]]), 32);
        let bytes: [&[ValueType]; 3] = [&[Byte], &[Byte], &[Byte, Long]];
        assert_eq!(size(COMPRESSED, Packing::BestFit, &bytes), 24);
    }

    #[test]
    fn before_15_each_class_ends_at_a_multiple_of_a_reference() {
        let bytes: [&[ValueType]; 3] = [&[Byte], &[Byte], &[Byte, Long]];
        assert_eq!(size(COMPRESSED, Packing::InOrder, &bytes), 32);
        assert_eq!(size(COMPRESSED, Packing::InOrder, &[&[Long, Int]]), 24, "the int goes before the long");
        assert_eq!(size(COMPRESSED, Packing::InOrder, &[&[Long, Object]]), 24, "so does a reference");
    }

    #[test]
    fn statics_are_laid_out_alone() {
        let size =
            |packing| Layout { model: COMPRESSED, alignment: 8, packing }.static_size(&[Double, Int, Object]);
        assert_eq!([size(Packing::BestFit), size(Packing::InOrder)], [16, 24]);
    }

    #[test]
    fn arrays_begin_behind_their_length() {
        let size = |model: usize, of, length| MODELS[model].array_size(of, length, 8);
        assert_eq!([size(0, Byte, 0), size(0, Byte, 1), size(0, Object, 3)], [16, 24, 32]);
        assert_eq!([size(2, Byte, 4), size(2, Byte, 5), size(2, Long, 1)], [16, 24, 24]);
        assert_eq!([size(5, Byte, 4), size(5, Byte, 5), size(5, Object, 1)], [24, 32, 32]);
        assert_eq!([size(1, Object, 1), size(4, Object, 1)], [24, 32]);
    }
}
