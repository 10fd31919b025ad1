//! Whether what is live is an upper bound: what died in the old generation since a collection last looked at it is still counted.
//!
//! Not here: objects that are missing in it (`lower_bounds`).

use crate::derived::old_generation::OldGeneration;
use crate::facts::collection::GcKind;
use crate::stream::profile::{LiveAsOf, Profile};

/// As a share of what is live: if less came into the old generation since, it does not show.
const LITTLE: f64 = 0.05;
/// Where the JVM does not publish that: the oldest that is known alive is this part of the profiled time, if what is old was looked at.
const SEEN: f64 = 0.5;

impl Profile {
    /// Whether at most so much is live as numbers have it: no collection has looked at much of it since it became old.
    pub fn live_is_at_most(&self) -> bool {
        let live = self.classes.iter().filter_map(|class| class.live);
        let bytes = live.fold(0u64, |sum, live| sum.saturating_add(live.bytes));
        if !self.run.lifetimes || bytes == 0 || self.live_as_of == LiveAsOf::NoCollection {
            return false;
        }
        match self.came_unseen() {
            Some(came) => came as f64 > LITTLE * bytes as f64,
            None => {
                self.oldest_alive_ms().is_some_and(|oldest| (oldest as f64) < SEEN * self.longest_ms() as f64)
            }
        }
    }

    /// The oldest age at which anything that lives is known alive.
    fn oldest_alive_ms(&self) -> Option<u64> {
        let known = self.classes.iter().filter_map(|class| class.lifetimes.as_ref());
        known.flat_map(|known| known.ms.living().map(|(age, _)| age)).max()
    }

    /// The profiled time; of several recordings that of the longest.
    fn longest_ms(&self) -> u64 {
        let sources = self.sources.iter().map(|source| source.duration_ms);
        sources.max().unwrap_or(self.duration_ms)
    }

    /// Bytes that came into the old generation since a collection last looked at all of it; `None` where the JVM does not publish them.
    fn came_unseen(&self) -> Option<u64> {
        let collections = &self.collections;
        let looked = collections.iter().rposition(|one| matches!(one.kind, GcKind::Full | GcKind::MarkEnd));
        // What is not reachable where marking begins is found dead.
        let from = looked.map_or(0, |at| match collections[at].kind {
            GcKind::MarkEnd => {
                collections[..at].iter().rposition(|one| one.kind == GcKind::MarkStart).unwrap_or(at)
            }
            _ => at,
        });
        OldGeneration::over(&collections[from..], self.run.jvm.gc).map(|old| old.came())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::collection::{Collection, GenerationUse};
    use crate::facts::gc::Gc;
    use crate::facts::source::Source;
    use crate::facts::tally::Tally;
    use crate::lifetime::lifetimes::Lifetimes;
    use crate::stream::profile::ClassProfile;

    fn pause(kind: GcKind, before: u64, after: u64) -> Collection {
        let used = |before, after| Some(GenerationUse { before: Some(before), after, capacity: None });
        Collection { kind, young: used(100, 1), old: used(before, after), ..Collection::default() }
    }

    fn at_most(collections: Vec<Collection>) -> bool {
        at_most_of(collections, 300)
    }

    /// Of objects that were last seen alive at such an age, in 9 s.
    fn at_most_of(collections: Vec<Collection>, age_ms: u64) -> bool {
        profile(collections, age_ms).live_is_at_most()
    }

    fn profile(collections: Vec<Collection>, age_ms: u64) -> Profile {
        let mut lifetimes = Lifetimes::default();
        lifetimes.ms.record_living(age_ms, 100);
        let (live, lifetimes) = (Some(Tally::of(100, 10)), Some(lifetimes));
        let class = ClassProfile { live, lifetimes, ..ClassProfile::default() };
        let mut profile =
            Profile { collections, classes: vec![class], duration_ms: 9_000, ..Profile::default() };
        profile.run.lifetimes = true;
        profile.run.jvm.gc = Gc::G1;
        profile
    }

    #[test]
    fn what_was_promoted_and_not_looked_at_since_may_be_dead() {
        let promotes = || pause(GcKind::Young, 50, 950);
        assert!(at_most(vec![promotes()]), "only young collections");
        assert!(!at_most(vec![pause(GcKind::Young, 50, 60)]), "hardly any of it is old");
        assert!(!at_most(vec![promotes(), pause(GcKind::Full, 950, 900)]), "a full one in the end");
        assert!(at_most(vec![pause(GcKind::Full, 50, 50), promotes()]), "a full one before");
        let mark =
            |before| [pause(GcKind::MarkStart, before, before), pause(GcKind::MarkEnd, before, before)];
        assert!(!at_most([vec![promotes()], mark(950).to_vec()].concat()), "marked after it");
        let [[start, _], [_, end]] = [mark(50), mark(950)];
        assert!(at_most(vec![start, promotes(), end]), "came while it was marked");
    }

    #[test]
    fn what_the_jvm_does_not_publish_is_told_by_ages() {
        assert!(at_most(Vec::new()), "nothing old was seen alive");
        assert!(!at_most_of(Vec::new(), 8_000));
    }

    /// Each was looked at, at its end.
    #[test]
    fn the_times_of_recordings_that_were_merged_are_not_one_time() {
        let mut merged = profile(Vec::new(), 8_000);
        merged.sources = vec![Source { duration_ms: 9_000, ..Source::default() }; 3];
        merged.duration_ms = 27_000;
        assert!(!merged.live_is_at_most());
    }
}
