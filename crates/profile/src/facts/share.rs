//! Of how many objects of a class the lifetimes are, where a share of them was followed.
//!
//! Not here: which objects that are, which is the agent's to choose (`mayfly-tracking`).

use serde::{Deserialize, Serialize};

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
}

fn surplus(weight: u64) -> f64 {
    weight as f64 * (weight as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
