//! What is counted of a class.

use mayfly_counts::Total;

/// Ages told apart: 0 to 15, and not known.
pub const AGES: usize = 17;
/// The place of objects whose age is not in their header, as they are locked.
pub const UNKNOWN_AGE: usize = 16;

/// What became of the young objects of a class, by the collections they had survived before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Not copied.
    pub died: [Total; AGES],
    /// Copied, and young still.
    pub survived: [Total; AGES],
    /// Copied into the old generation.
    pub promoted: [Total; AGES],
    /// Born, and it is not known what became of them.
    pub undecided: Total,
    /// Born in the old generation.
    pub old: Total,
}

impl Row {
    /// All that were born.
    pub fn born(&self) -> Total {
        [self.undecided, self.old, self.died[0], self.survived[0], self.promoted[0]].into_iter().sum()
    }

    /// Adds what another row has.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.died, &other.died),
            (&mut self.survived, &other.survived),
            (&mut self.promoted, &other.promoted),
        ];
        for (totals, others) in pairs {
            totals.iter_mut().zip(others).for_each(|(total, &other)| total.add(other));
        }
        self.undecided.add(other.undecided);
        self.old.add(other.old);
    }
}
