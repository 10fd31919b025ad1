//! How far to trust the screen, in words.
//!
//! Not here: the words (`coverage`).

use super::Screen;
use crate::coverage::coverage;

/// What a sentence of doubt begins with; one of them is enough for a screen.
const DOUBTED: &str = "Doubted: ";

impl Screen<'_> {
    /// The trust line in words, what was missed, and what makes numbers estimates: the lines of each sentence.
    pub(super) fn coverage(&self) -> Vec<Vec<String>> {
        let (doubts, words): (Vec<_>, Vec<_>) =
            coverage(self.profile).into_iter().partition(|text| text.starts_with(DOUBTED));
        let more = doubts.len().saturating_sub(1);
        let doubt = doubts.into_iter().next().map(|text| match more {
            0 => text,
            more => format!("{text}; {more} more doubts: mayfly report --full"),
        });
        let lines = |(at, text): (usize, &String)| match at {
            0 => [vec![String::new()], self.wrap(0, text)].concat(),
            _ => self.wrap(2, text),
        };
        words.iter().chain(&doubt).enumerate().map(lines).collect()
    }

    /// Whether these are lines of a doubt.
    pub(super) fn is_doubt(lines: &[String]) -> bool {
        lines.first().is_some_and(|line| line.trim_start().starts_with(DOUBTED))
    }
}
