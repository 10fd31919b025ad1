//! Of how many objects of a class the lifetimes are, where a share of them was followed.
//!
//! Not here: which objects that are, which is the agent's to choose (`mayfly-tracking`).

use serde::{Deserialize, Serialize};

use crate::facts::tally::Tally;

/// Objects that stand for as many each as those of the class do on average would be few: so many times more of them were drawn by bytes. Where
/// weights only grew with time there are nearly as many.
const UNLIKE: f64 = 10.0;

/// The objects of one class that were followed, and of these the ones whose stack was taken; each stands for a number of the
/// class's objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Objects followed.
    pub followed: u64,
    /// Of these, those whose stack was taken.
    pub stacks: u64,
    /// Sum of w·(w − 1) over what the objects followed stand for: the variance of their number, if they were drawn one by one.
    surplus: f64,
    /// The same of stacks.
    stack_surplus: f64,
}

impl Share {
    /// Of a class of so many objects, each of which was followed with its stack.
    pub fn whole(objects: u64) -> Self {
        Self { followed: objects, stacks: objects, ..Self::default() }
    }

    /// Adds an object that stands for so many; `stack`: for how many its stack stands, if it was taken.
    pub fn record(&mut self, objects: u64, stack: Option<u64>) {
        self.followed += 1;
        self.surplus += surplus(objects);
        if let Some(stands_for) = stack {
            self.stacks += 1;
            self.stack_surplus += surplus(stands_for);
        }
    }

    /// Takes back one that was recorded so.
    pub fn forget(&mut self, objects: u64, stack: Option<u64>) {
        self.followed = self.followed.saturating_sub(1);
        self.surplus = (self.surplus - surplus(objects)).max(0.0);
        if let Some(stands_for) = stack {
            self.stacks = self.stacks.saturating_sub(1);
            self.stack_surplus = (self.stack_surplus - surplus(stands_for)).max(0.0);
        }
    }

    /// Whether each object stands for itself alone.
    pub fn is_whole(self) -> bool {
        self.surplus == 0.0 && self.stack_surplus == 0.0
    }

    /// Whether each object was followed, whatever stacks were taken.
    pub fn follows_each(self) -> bool {
        self.surplus == 0.0
    }

    /// Adds the objects of `other`.
    pub fn add(&mut self, other: Self) {
        self.followed = self.followed.saturating_add(other.followed);
        self.stacks = self.stacks.saturating_add(other.stacks);
        self.surplus += other.surplus;
        self.stack_surplus += other.stack_surplus;
    }

    /// Those since it was `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            followed: self.followed.saturating_sub(before.followed),
            stacks: self.stacks.saturating_sub(before.stacks),
            surplus: (self.surplus - before.surplus).max(0.0),
            stack_surplus: (self.stack_surplus - before.stack_surplus).max(0.0),
        }
    }

    /// Of this part of the objects.
    pub(crate) fn scaled(self, part: f64) -> Self {
        let number = |number: u64| (number as f64 * part).round() as u64;
        Self {
            followed: number(self.followed),
            stacks: number(self.stacks),
            surplus: self.surplus * part,
            stack_surplus: self.stack_surplus * part,
        }
    }

    /// What each of so many objects of the class adds to the variance of a number of them.
    pub fn variance_of_one(self, objects: u64) -> f64 {
        self.surplus / (objects as f64).max(1.0)
    }

    /// The same of numbers that rest on stacks.
    pub(crate) fn stack_variance_of_one(self, objects: u64) -> f64 {
        self.stack_surplus / (objects as f64).max(1.0)
    }

    /// Mean bytes of the class, of which there are so many, between the objects followed, and between the stacks taken, where these were drawn by
    /// bytes: small objects stand for many then, and large ones for few. `None` where what they stand for is about the same.
    pub(crate) fn bytes_between(self, all: Tally) -> [Option<f64>; 2] {
        let between = |number: u64, surplus: f64| {
            let (number, objects) = (number as f64, all.objects as f64);
            let is_unlike = number * surplus > UNLIKE * objects * objects;
            (is_unlike && !all.is_uniform()).then(|| all.bytes as f64 / number)
        };
        [between(self.followed, self.surplus), between(self.stacks, self.stack_surplus)]
    }
}

/// What an object that stands for so many adds to the variance of their number, if it was drawn by itself.
pub fn surplus(weight: u64) -> f64 {
    weight as f64 * (weight as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000 arrays of 100,000 bytes and 1,000,000 of 100, one of each 200,000 bytes.
    #[test]
    fn stacks_that_were_drawn_by_bytes_are_told_from_a_share_of_the_objects() {
        let mut by_bytes = Share::default();
        (0..500).for_each(|_| by_bytes.record(2, Some(2)));
        (0..500).for_each(|_| by_bytes.record(2_000, Some(2_000)));
        let all = Tally { objects: 1_001_000, bytes: 200_000_000, largest: 100_000 };
        // Of small ones alone nothing else can be seen: each stands for as many.
        assert_eq!(by_bytes.bytes_between(all), [None; 2]);
        (0..19_000).for_each(|_| by_bytes.record(2, Some(2)));
        let all = Tally { objects: 1_039_000, bytes: 4_000_000_000, largest: 100_000 };
        assert_eq!(by_bytes.bytes_between(all), [Some(200_000.0); 2]);
        assert_eq!(by_bytes.bytes_between(Tally::of(1_039_000, 100)), [None; 2], "all are of one size");
        let mut share = Share::default();
        (0..1_000).for_each(|_| share.record(1_000, Some(1_000)));
        assert_eq!(share.bytes_between(all), [None; 2]);
    }

    #[test]
    fn what_stands_for_itself_has_no_variance_and_what_is_taken_back_leaves_none() {
        let mut share = Share::default();
        (0..5).for_each(|_| share.record(1, Some(1)));
        assert!(share.is_whole() && share == Share::whole(5));
        share.record(8, None);
        assert!(!share.follows_each() && (share.followed, share.stacks) == (6, 5));
        assert_eq!((share.variance_of_one(13), share.stack_variance_of_one(13)), (56.0 / 13.0, 0.0));
        share.forget(8, None);
        assert_eq!(share, Share::whole(5));
    }
}
