//! How far a search is, told in steps to who asked, who may call it off at any of them.
//!
//! As INSANE did: so many steps in all, the first nine of ten while the heap is read, the rest while paths are searched. None is
//! told while the program is stopped.

use std::cell::Cell;

/// Steps in all.
const ALL: u64 = 200;
/// Those of reading the heap.
const READING: u64 = ALL / 10 * 9;

/// Steps of one search.
pub(crate) struct Steps<'a> {
    /// Tells one; false if the search is called off.
    step: Option<&'a dyn Fn() -> bool>,
    told: Cell<u64>,
    off: Cell<bool>,
}

impl<'a> Steps<'a> {
    /// Nothing told without `step`.
    pub(crate) fn new(step: Option<&'a dyn Fn() -> bool>) -> Self {
        Self { step, told: Cell::new(0), off: Cell::new(false) }
    }

    /// So much of the heap is read; whether to go on.
    pub(super) fn read(&self, done: u64, of: u64) -> bool {
        self.tell_to(part(READING, done, of))
    }

    /// So many searches are done; whether to go on.
    pub(super) fn searched(&self, done: usize, of: usize) -> bool {
        self.tell_to(READING + part(ALL - READING, done as u64, of as u64))
    }

    fn tell_to(&self, step: u64) -> bool {
        while let Some(tell) = self.step.filter(|_| !self.off.get() && self.told.get() < step) {
            self.told.set(self.told.get() + 1);
            self.off.set(!tell());
        }
        !self.off.get()
    }
}

fn part(whole: u64, done: u64, of: u64) -> u64 {
    (u128::from(whole) * u128::from(done) / u128::from(of.max(1))).min(u128::from(whole)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hundred_steps_are_told_whatever_is_read_at_once() {
        let told = Cell::new(0);
        let step = || {
            told.set(told.get() + 1);
            true
        };
        let steps = Steps::new(Some(&step));
        assert!(steps.read(1, 1000) && told.get() == 0);
        assert!(steps.read(500, 1000) && told.get() == 90);
        assert!(steps.read(u64::MAX, u64::MAX) && told.get() == 180);
        assert!(steps.searched(1, 4) && told.get() == 185);
        assert!(steps.searched(4, 4) && told.get() == 200);
    }

    #[test]
    fn nothing_is_told_once_it_is_called_off() {
        let told = Cell::new(0);
        let step = || {
            told.set(told.get() + 1);
            told.get() < 7
        };
        let steps = Steps::new(Some(&step));
        assert!(!steps.read(1, 2) && !steps.read(2, 2) && !steps.searched(1, 1));
        assert_eq!(told.get(), 7);
        assert!(Steps::new(None).searched(1, 1));
    }
}
