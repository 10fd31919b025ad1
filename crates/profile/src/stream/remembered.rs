//! A number that is made from a whole profile once, though each of its rows asks for it. Not here: which number.

use std::sync::OnceLock;

/// What was made of a value at the first request. A copy of the value makes it anew, as it may be changed.
#[derive(Debug)]
pub struct Remembered<T>(OnceLock<T>);

impl<T: Copy> Remembered<T> {
    /// What was made, by `make` at the first request.
    pub(crate) fn or_made(&self, make: impl FnOnce() -> T) -> T {
        *self.0.get_or_init(make)
    }
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Clone for Remembered<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// It follows from the rest of the value.
impl<T> PartialEq for Remembered<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
