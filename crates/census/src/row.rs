//! What is counted of a class.

/// Ages told apart: 0 to 15, and not known.
pub const AGES: usize = 17;
/// The place of objects whose age is not in their header, as they are locked.
pub const UNKNOWN_AGE: usize = 16;

/// A number of objects, and their sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Objects.
    pub objects: u64,
    /// Bytes, headers and padding included.
    pub bytes: u64,
}

impl Sum {
    /// Adds so many objects, of so many bytes in sum.
    #[inline]
    pub fn add(&mut self, objects: u64, bytes: u64) {
        self.objects = self.objects.wrapping_add(objects);
        self.bytes = self.bytes.wrapping_add(bytes);
    }

    fn add_all(all: &mut [Self], others: &[Self]) {
        for (sum, other) in all.iter_mut().zip(others) {
            sum.add(other.objects, other.bytes);
        }
    }
}

/// What became of the young objects of a class, by the collections they had survived before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Not copied.
    pub died: [Sum; AGES],
    /// Copied, and young still.
    pub survived: [Sum; AGES],
    /// Copied into the old generation.
    pub promoted: [Sum; AGES],
    /// Born, and it is not known what became of them.
    pub undecided: Sum,
}

impl Row {
    /// All that were born.
    pub fn born(&self) -> Sum {
        let mut born = self.undecided;
        for first in [self.died[0], self.survived[0], self.promoted[0]] {
            born.add(first.objects, first.bytes);
        }
        born
    }

    /// All that was copied, in each collection anew.
    pub fn copied(&self) -> Sum {
        let mut copied = Sum::default();
        for sum in self.survived.iter().chain(&self.promoted) {
            copied.add(sum.objects, sum.bytes);
        }
        copied
    }

    /// Adds what another row has.
    pub fn add(&mut self, other: &Self) {
        Sum::add_all(&mut self.died, &other.died);
        Sum::add_all(&mut self.survived, &other.survived);
        Sum::add_all(&mut self.promoted, &other.promoted);
        self.undecided.add(other.undecided.objects, other.undecided.bytes);
    }
}
