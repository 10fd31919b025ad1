//! Distances between neighbouring objects: the evidence for their sizes.
//!
//! Not here: what is concluded from it (`scan`).

use super::layout::MODELS;
use super::value_type::ValueType;

/// What kind of object lies somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Of the class with this slot.
    Instance(u32),
    /// So many of these.
    Array(ValueType, u32),
    /// The `java.lang.Class` of the class with this number.
    Mirror(u32),
}

/// The smallest distance from an object of a class to the next object, and how often it was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distance {
    /// In bytes; 0 if none was seen.
    pub(crate) least: u64,
    pub(crate) seen: u64,
}

impl Distance {
    #[inline]
    pub(crate) fn add(&mut self, distance: u64) {
        if distance == self.least {
            self.seen += 1;
        } else if distance < self.least || self.least == 0 {
            *self = Self { least: distance, seen: 1 };
        }
    }
}

/// How the objects of a heap lie as they were told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// In no order (ZGC): the next one told is no neighbour.
    None,
    /// In the order of addresses.
    Loose,
    /// In the order of addresses, and hardly any two with something between them: a distance is a size.
    Dense,
}

/// After so many arrays it is clear how arrays are laid out.
const ENOUGH_ARRAYS: u32 = 100_000;

/// Takes the distances of objects that are told in the order of their addresses, or in pieces that are.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    previous: Option<(u64, Shape)>,
    /// By slot.
    pub(crate) instances: Vec<Distance>,
    /// By number of the class.
    pub(crate) mirrors: Vec<u64>,
    /// How many arrays were as long as each model says, less those that had no room for it.
    pub(crate) models: [i64; MODELS.len()],
    arrays: u32,
    /// Of these, how many lie nearer to the next object than their elements take.
    overlapping: u32,
    /// How many objects came before and after the one told before them.
    down: u64,
    up: u64,
    /// All addresses, one over the other.
    bits: u64,
}

impl Measure {
    /// Takes the next object.
    #[inline]
    pub(crate) fn object(&mut self, id: u64, shape: Shape) {
        self.bits |= id;
        match self.previous {
            Some((previous, shape)) if previous < id => {
                self.up += 1;
                self.distance(shape, id - previous);
            }
            _ => self.down += 1,
        }
        self.previous = Some((id, shape));
    }

    /// Whether arrays overlap what follows them, so that ids can't be addresses.
    pub(crate) fn arrays_overlap(&self) -> bool {
        self.overlapping > 0
    }

    /// Where the last object is.
    #[inline]
    pub(crate) fn at(&self) -> u64 {
        self.previous.map_or(0, |previous| previous.0)
    }

    #[inline]
    fn distance(&mut self, shape: Shape, distance: u64) {
        match shape {
            Shape::Instance(slot) => {
                if let Some(seen) = self.instances.get_mut(slot as usize) {
                    seen.add(distance);
                }
            }
            Shape::Array(of, length) if self.arrays < ENOUGH_ARRAYS => self.array(of, length, distance),
            Shape::Array(..) => {}
            Shape::Mirror(class) => self.mirror(class as usize, distance),
        }
    }

    fn array(&mut self, of: ValueType, length: u32, distance: u64) {
        self.arrays += 1;
        let least = if of == ValueType::Object { 4 } else { of.width(8) as u64 };
        self.overlapping += u32::from(distance < u64::from(length) * least);
        for (model, score) in MODELS.iter().zip(&mut self.models) {
            match model.array_size(of, u64::from(length), 8).cmp(&distance) {
                std::cmp::Ordering::Equal => *score += 1,
                std::cmp::Ordering::Greater => *score -= 8,
                std::cmp::Ordering::Less => {}
            }
        }
    }

    #[cold]
    fn mirror(&mut self, class: usize, distance: u64) {
        if self.mirrors.len() <= class {
            self.mirrors.resize(class + 1, u64::MAX);
        }
        self.mirrors[class] = self.mirrors[class].min(distance);
    }

    /// How the objects lie, of which there are so many in each slot.
    pub(crate) fn order(&self, objects: Vec<u64>) -> Order {
        let instances = self.instances.iter().zip(objects).filter(|(seen, _)| seen.seen > 0);
        let (mut near, mut all) = (0, 0);
        for (seen, objects) in instances {
            near += seen.seen;
            all += objects;
        }
        match self.up >= 20 * self.down {
            false => Order::None,
            true if near * 10 >= all * 9 => Order::Dense,
            true => Order::Loose,
        }
    }

    /// Of what power of two all addresses are multiples, from 8 up to 256 (`ObjectAlignmentInBytes`).
    pub(crate) fn alignment(&self) -> u64 {
        1 << self.bits.trailing_zeros().clamp(3, 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_distance_counts_and_jumps_back_do_not() {
        let mut measure = Measure { instances: vec![Distance::default(); 2], ..Measure::default() };
        for (id, slot) in [(0x1000, 0), (0x1018, 0), (0x1040, 0), (0x800, 1), (0x818, 0)] {
            measure.object(id, Shape::Instance(slot));
        }
        assert_eq!(measure.instances[0], Distance { least: 0x18, seen: 1 });
        assert_eq!(measure.instances[1], Distance { least: 0x18, seen: 1 });
        assert_eq!(measure.alignment(), 8);
    }

    #[test]
    fn the_model_that_arrays_agree_with_wins() {
        let mut measure = Measure::default();
        let mut at = 0x1000;
        for length in 0..32 {
            for of in [ValueType::Byte, ValueType::Object, ValueType::Long] {
                measure.object(at, Shape::Array(of, length));
                at += MODELS[2].array_size(of, u64::from(length), 8);
            }
        }
        let best = (0..MODELS.len()).max_by_key(|&model| measure.models[model]);
        assert_eq!(best, Some(2));
    }
}
