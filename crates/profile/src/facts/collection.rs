//! Single collections as the JVM tells of them, and the flags of the JVM that decide how it collects.
//!
//! What a JVM does not publish is absent, never zero. Not here: what a collection proves of tracked objects
//! (`mayfly-tracking`).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::facts::gc::Gc;

/// What a pause of the collector did, as far as it is known when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GcKind {
    /// Not known.
    #[default]
    Unknown,
    /// A pause of a young collection; of G1 also one that collects some old regions.
    Young,
    /// A collection of the whole heap in one pause.
    Full,
    /// A pause of a collection that examines the whole heap beside the program.
    ConcurrentPause,
    /// Such a pause, in which marking begins: what is not reachable at its start is cleared at the end of marking.
    MarkStart,
    /// Such a pause, in which marking ends: from now on what was not marked is cleared.
    MarkEnd,
}

impl GcKind {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 6] =
        [Self::Unknown, Self::Young, Self::Full, Self::ConcurrentPause, Self::MarkStart, Self::MarkEnd];

    /// As JSON and other formats name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Young => "young",
            Self::Full => "full",
            Self::ConcurrentPause => "concurrent",
            Self::MarkStart => "mark-start",
            Self::MarkEnd => "mark-end",
        }
    }
}

/// A pause of the collector.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collection {
    /// Its number among those that the agent saw; the first is 0.
    pub number: u32,
    /// When it began, in milliseconds of the profiled time.
    pub at_ms: u64,
    /// How long the program stood still, in microseconds.
    pub pause_us: u64,
    /// About how many bytes the program had allocated when it began, since the JVM or the agent started: as if allocation were
    /// even between two looks at the JVM's counter.
    pub bytes: u64,
    /// What it did.
    pub kind: GcKind,
    /// Why it was, in the JVM's words, e.g. `Allocation Failure`; empty if it does not say.
    pub cause: String,
    /// The young generation.
    pub young: Option<GenerationUse>,
    /// The old generation; the heap, where there are no generations.
    pub old: Option<GenerationUse>,
    /// How survivors were to be aged; only of young collections.
    pub tenuring: Option<Tenuring>,
    /// Bytes of large objects, which have regions of the old generation for their own, that it freed; `None` where that is not known. Written
    /// apart from the others.
    #[serde(skip)]
    pub large_freed: Option<u64>,
}

/// A generation around a collection, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationUse {
    /// Used when it began. Of G1 whole regions are counted.
    pub before: Option<u64>,
    /// Used when it ended.
    pub after: u64,
    /// Room that it had then.
    pub capacity: Option<u64>,
}

impl GenerationUse {
    fn and(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        Self {
            before: sum(self.before, other.before),
            after: self.after.saturating_add(other.after),
            capacity: sum(self.capacity, other.capacity),
        }
    }
}

/// How a collector ages survivors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tenuring {
    /// Collections after which the next one promotes an object.
    pub threshold: u32,
    /// Bytes of survivors that the collector aims at.
    pub desired_survivor_bytes: Option<u64>,
    /// Bytes of the survivors that have survived so many collections: of age 1 first. Empty if they are not published.
    pub age_bytes: Vec<u64>,
}

impl Collection {
    /// The whole heap; `None` if nothing is published of it.
    pub fn heap(&self) -> Option<GenerationUse> {
        match (self.young, self.old) {
            (Some(young), Some(old)) => Some(young.and(old)),
            (young, old) => young.or(old),
        }
    }

    /// Bytes of the heap in use once it had collected; `None` of a pause that frees nothing itself, or where nothing is published.
    ///
    /// Of a concurrent collector no pause is the end of a collection: what is used then holds all that waits to be freed.
    pub fn used_after(&self, gc: Gc) -> Option<u64> {
        let collects = match gc {
            Gc::Serial | Gc::Parallel => true,
            Gc::G1 => matches!(self.kind, GcKind::Young | GcKind::Full),
            _ => false,
        };
        self.heap().filter(|_| collects).map(|heap| heap.after)
    }

    /// Bytes that a young collection moved into the old generation. Of G1 to about a region, and at least: where it freed large objects, and
    /// nobody looked, or collected old regions, too.
    pub fn promoted(&self) -> Option<u64> {
        let old = self.old.filter(|_| self.kind == GcKind::Young && self.young.is_some())?;
        Some(old.after.saturating_add(self.large_freed.unwrap_or(0)).saturating_sub(old.before?))
    }
}

/// A flag of the JVM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// As after `-XX:`, e.g. `SurvivorRatio`.
    pub name: String,
    /// What it is set to.
    pub value: FlagValue,
}

/// What a flag is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlagValue {
    /// On or off.
    Switch(bool),
    /// A number: bytes, milliseconds, percent.
    Number(u64),
}

/// The newest collections of a stream, each once.
#[derive(Clone, Debug)]
pub(crate) struct Collections {
    newest: VecDeque<Collection>,
    most: usize,
}

impl Collections {
    /// None yet; no more than so many of the newest are kept.
    pub(crate) fn keeping(most: usize) -> Self {
        Self { newest: VecDeque::new(), most }
    }

    /// Takes those that are new.
    pub(crate) fn extend(&mut self, told: Vec<Collection>) {
        for collection in told {
            if self.newest.back().is_none_or(|last| last.number < collection.number) {
                self.newest.push_back(collection);
            }
        }
        let left_out = self.newest.len().saturating_sub(self.most);
        self.newest.drain(..left_out);
    }

    pub(crate) fn clear(&mut self) {
        self.newest.clear();
    }

    pub(crate) fn to_vec(&self) -> Vec<Collection> {
        self.newest.iter().cloned().collect()
    }
}

impl Default for Collections {
    /// Those of a day with three a second.
    fn default() -> Self {
        Self::keeping(1 << 18)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(before: u64, after: u64) -> Option<GenerationUse> {
        Some(GenerationUse { before: Some(before), after, capacity: None })
    }

    #[test]
    fn what_is_not_published_is_absent() {
        let young = Collection { kind: GcKind::Young, young: used(100, 10), ..Collection::default() };
        assert_eq!((young.heap(), young.promoted()), (used(100, 10), None));
        assert_eq!((Collection::default().heap(), Collection::default().promoted()), (None, None));
        let old = GenerationUse { before: None, after: 30, capacity: Some(90) };
        let blind = Collection { old: Some(old), ..young };
        assert_eq!(blind.promoted(), None, "of what was there before nothing is known");
        assert_eq!(blind.heap(), Some(GenerationUse { before: None, after: 40, capacity: None }));
    }

    #[test]
    fn a_pause_that_frees_nothing_says_nothing_of_what_is_left() {
        let pause =
            |kind| Collection { kind, young: used(100, 10), old: used(20, 20), ..Collection::default() };
        let after = |kind, gc| pause(kind).used_after(gc);
        assert_eq!(after(GcKind::Young, Gc::Serial), Some(30));
        assert_eq!([GcKind::Young, GcKind::Full].map(|kind| after(kind, Gc::G1)), [Some(30); 2]);
        for kind in [GcKind::ConcurrentPause, GcKind::MarkEnd, GcKind::Unknown] {
            assert_eq!(after(kind, Gc::G1), None, "{kind:?}");
        }
        for gc in [Gc::Zgc, Gc::GenerationalZgc, Gc::Shenandoah, Gc::Unknown] {
            assert_eq!(after(GcKind::MarkEnd, gc), None, "{gc:?}");
        }
    }

    #[test]
    fn young_collections_promote_and_others_do_not() {
        let young = Collection {
            kind: GcKind::Young,
            young: used(100, 10),
            old: used(20, 50),
            ..Collection::default()
        };
        assert_eq!(young.promoted(), Some(30));
        assert_eq!(Collection { kind: GcKind::Full, ..young.clone() }.promoted(), None);
        assert_eq!(Collection { old: used(20, 5), ..young.clone() }.promoted(), Some(0));
        let frees_large = Collection { old: used(20, 5), large_freed: Some(18), ..young };
        assert_eq!(frees_large.promoted(), Some(3), "18 of 23 are gone");
    }

    #[test]
    fn each_is_kept_once_and_the_newest_are_kept() {
        let numbered = |numbers: std::ops::Range<u32>| {
            numbers.map(|number| Collection { number, ..Collection::default() }).collect::<Vec<_>>()
        };
        let mut kept = Collections::keeping(4);
        kept.extend(numbered(0..3));
        kept.extend(numbered(1..6));
        assert_eq!(kept.to_vec(), numbered(2..6));
        kept.clear();
        kept.extend(numbered(6..7));
        assert_eq!(kept.to_vec(), numbered(6..7));
    }
}
