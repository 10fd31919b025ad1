//! How far to trust the screen, in words.
//!
//! Not here: the words (`coverage`).

use super::Screen;
use crate::coverage::coverage;

impl Screen<'_> {
    /// The trust line in words, and what makes numbers estimates.
    pub(super) fn coverage(&self) -> Vec<String> {
        let mut words = coverage(self.profile).into_iter();
        let first = words.next().map(|text| self.fit(&text));
        let more = words.map(|text| self.fit(&format!("  {text}")));
        std::iter::once(String::new()).chain(first).chain(more).collect()
    }
}
