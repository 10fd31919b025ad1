//! Lists by object, one after another in one array: where the list of each object begins.
//!
//! Counting sort is here, as everything that groups by object is made by it. Not here: the lists themselves.

use std::ops::Range;

/// Where the list of each object begins, and where the last one ends. 4 bytes per object.
#[derive(Clone, Debug)]
pub(crate) struct Offsets(Vec<u32>);

impl Default for Offsets {
    fn default() -> Self {
        Self(vec![0])
    }
}

impl Offsets {
    /// From the length of each list. Together they must be no longer than `u32::MAX`.
    pub(crate) fn from_lengths(mut lengths: Vec<u32>) -> Self {
        let mut start = 0;
        for length in &mut lengths {
            start += std::mem::replace(length, start);
        }
        lengths.push(start);
        Self(lengths)
    }

    /// Where the list of `object` is.
    pub(crate) fn range(&self, object: u32) -> Range<usize> {
        self.0[object as usize] as usize..self.0[object as usize + 1] as usize
    }

    /// The next free place in a list, of which `length` entries are taken. Until [`Self::settle`] a list's beginning
    /// stands for its next free place, so that no second array is needed.
    pub(crate) fn take(&mut self, list: u32, length: u32) -> usize {
        let place = self.0[list as usize];
        self.0[list as usize] = place + length;
        place as usize
    }

    /// Ends a time of [`Self::take`], in which all places were taken: each beginning has become the next one's.
    pub(crate) fn settle(&mut self) {
        self.0.rotate_right(1);
        self.0[0] = 0;
    }

    /// Where each list begins, and where the last one ends.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = u32> {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_lie_one_after_another() {
        let offsets = Offsets::from_lengths(vec![2, 0, 3]);
        assert_eq!([0, 1, 2].map(|object| offsets.range(object)), [0..2, 2..2, 2..5]);
    }

    #[test]
    fn taking_all_places_leaves_the_beginnings_as_they_were() {
        let mut offsets = Offsets::from_lengths(vec![2, 0, 3]);
        assert_eq!([2, 0, 2, 2, 0].map(|list| offsets.take(list, 1)), [2, 0, 3, 4, 1]);
        offsets.settle();
        assert_eq!([0, 1, 2].map(|object| offsets.range(object)), [0..2, 2..2, 2..5]);
    }
}
