//! Requests whose objects are still there, and of which most is.

use super::Screen;
use crate::traces::{heading, largest};

impl Screen<'_> {
    /// Two sentences; nothing if no object was made where a request was known, or none of them is there.
    pub(super) fn traces(&self) -> Vec<String> {
        let Some(largest) = largest(self.profile) else { return Vec::new() };
        let mut lines = vec![String::new()];
        lines.extend(self.wrap(0, &format!("{}.", heading(self.profile))));
        lines.extend(self.wrap(2, &format!("{largest}; mayfly report --traces lists them")));
        lines
    }
}
