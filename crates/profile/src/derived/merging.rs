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
    /// Runs whose recording is in several files, as far as these were taken: they are joined before they are merged with others.
    runs: Vec<Profile>,
}

/// Runs whose files may come in turns. Those of one run lie together, in the order of their names.
const OPEN_RUNS: usize = 8;

impl Merging {
    /// Takes the next one.
    pub fn add(&mut self, profile: Profile) {
        if profile.rotation.is_none() || profile.sources.len() > 1 {
            return self.carry(profile);
        }
        let known = self.runs.iter().position(|run| run.is_of_one_run(&profile));
        let run = match known {
            Some(at) => self.runs.remove(at).joined(profile),
            None => profile,
        };
        self.runs.push(run);
        if self.runs.len() > OPEN_RUNS {
            let run = self.runs.remove(0);
            self.carry(run);
        }
    }

    fn carry(&mut self, profile: Profile) {
        let mut sum = (0, profile);
        while let Some((times, other)) = self.parts.pop_if(|(times, _)| *times == sum.0) {
            sum = (times + 1, other.unordered_with(sum.1));
        }
        self.parts.push(sum);
    }

    /// All of them as one, which is the one itself if it was alone; `None`: there was none.
    pub fn end(mut self) -> Option<Profile> {
        for run in std::mem::take(&mut self.runs) {
            self.carry(run);
        }
        let parts = self.parts.into_iter().rev().map(|(_, profile)| profile);
        parts.reduce(|late, early| early.unordered_with(late)).map(Profile::ordered)
    }
}
