//! Many profiles as one, taken one at a time.
//!
//! Not here: how two become one (`merge`).

use crate::stream::profile::Profile;

/// Merges what it is given, as a counter adds bits: of `n` profiles it holds no more than the logarithm of `n`, each of which was merged
/// as often. No order matters ([`Profile::merge`]).
#[derive(Clone, Debug, Default)]
pub struct Merging {
    /// How often what is here was merged, the most often first.
    parts: Vec<(u32, Profile)>,
    added: usize,
}

impl Merging {
    /// Takes the next one.
    pub fn add(&mut self, profile: Profile) {
        let mut sum = (0, profile);
        while let Some((times, other)) = self.parts.pop_if(|(times, _)| *times == sum.0) {
            sum = (times + 1, other.merge(sum.1));
        }
        self.parts.push(sum);
        self.added += 1;
    }

    /// How many were taken.
    pub fn added(&self) -> usize {
        self.added
    }

    /// All of them as one, which is the one itself if it was alone; `None`: there was none.
    pub fn end(self) -> Option<Profile> {
        self.parts.into_iter().rev().map(|(_, profile)| profile).reduce(|late, early| early.merge(late))
    }
}
