//! Sets of the objects of one group, by number: those of which something on their path is the way.

/// Objects of one group that are told apart.
pub(crate) const MOST_OBJECTS: usize = 256;
const BITS: usize = u64::BITS as usize;

/// Some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Objects([u64; MOST_OBJECTS / BITS]);

impl Objects {
    /// One; none beyond [`MOST_OBJECTS`].
    pub(super) fn one(number: usize) -> Self {
        let mut objects = Self::default();
        if let Some(word) = objects.0.get_mut(number / BITS) {
            *word = 1 << (number % BITS);
        }
        objects
    }

    /// All of the first so many.
    pub(super) fn first(count: usize) -> Self {
        (0..count).fold(Self::default(), |objects, number| objects.with(Self::one(number)))
    }

    pub(super) fn with(self, others: Self) -> Self {
        self.by(others, |mine, theirs| mine | theirs)
    }

    pub(super) fn without(self, others: Self) -> Self {
        self.by(others, |mine, theirs| mine & !theirs)
    }

    pub(super) fn among(self, others: Self) -> Self {
        self.by(others, |mine, theirs| mine & theirs)
    }

    pub(super) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn by(mut self, others: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        for (word, other) in self.0.iter_mut().zip(others.0) {
            *word = join(*word, other);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_joined_and_counted() {
        let ends = Objects::one(0).with(Objects::one(255));
        assert_eq!((ends.count(), Objects::one(256).count()), (2, 0));
        assert_eq!(ends.among(Objects::first(100)), Objects::one(0));
        assert_eq!(ends.without(Objects::first(100)), Objects::one(255));
        assert_eq!(Objects::first(256).count(), 256);
    }
}
