//! What was read of young collections: of each class all that was born, exactly, and what became of it by its age.
//!
//! Not here: how it is read (`mayfly-census`, and the agent).

use std::collections::BTreeMap;

use mayfly_counts::Total;
use serde::{Deserialize, Serialize};

use super::ids::ClassId;

/// The young objects of a class. Ages are collections survived before: the place in a list is the age, and 16 that of
/// objects whose age was not known, as they were locked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCensus {
    /// Not copied by a collection.
    pub died: Vec<Total>,
    /// Copied, and young still.
    pub survived: Vec<Total>,
    /// Copied into the old generation.
    pub promoted: Vec<Total>,
    /// Born, and not known what became of them.
    pub undecided: Total,
    /// Born in the old generation: with G1 those larger than half a region, elsewhere those for which there was no room among the young.
    pub old: Total,
}

impl ClassCensus {
    /// All that were born.
    pub fn born(&self) -> Total {
        let firsts = [&self.died, &self.survived, &self.promoted].map(|sums| sums.first().copied());
        firsts.into_iter().flatten().chain([self.undecided, self.old]).sum()
    }

    /// Those that died before any collection had copied them.
    pub fn died_first(&self) -> Total {
        self.died.first().copied().unwrap_or_default()
    }

    /// Those that died young after a collection or more.
    pub fn died_later(&self) -> Total {
        self.died.iter().skip(1).copied().sum()
    }

    /// Those that became old.
    pub fn promoted_in_all(&self) -> Total {
        self.promoted.iter().copied().sum()
    }

    /// What collections copied, each time anew.
    pub fn copied(&self) -> Total {
        self.survived.iter().chain(&self.promoted).copied().sum()
    }

    /// Adds the same of another class of that name.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.died, &other.died),
            (&mut self.survived, &other.survived),
            (&mut self.promoted, &other.promoted),
        ];
        for (sums, others) in pairs {
            sums.resize(sums.len().max(others.len()), Total::default());
            sums.iter_mut().zip(others).for_each(|(sum, &other)| sum.add(other));
        }
        self.undecided.add(other.undecided);
        self.old.add(other.old);
    }
}

/// What of all collections was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CensusReach {
    /// Why nothing more is read; empty: it goes on.
    pub ended: String,
    /// Whether all that was born since the JVM started is counted, but for what is not read.
    pub from_start: bool,
    /// Collections read to their end.
    pub read: u32,
    /// Collections of which a part could not be read.
    pub partly: u32,
    /// Collections that leave nothing to read, before which births were read.
    pub births_only: u32,
    /// Collections of which nothing was read.
    pub unread: u32,
    /// Bytes of Eden that were read.
    pub read_bytes: u64,
    /// Bytes of young objects that were not.
    pub unread_bytes: u64,
    /// What filled unused parts of buffers up, where it has classes of its own (JDK 19 and newer).
    pub fillers: Total,
    /// Whether fillers are arrays of `int` like others.
    pub fillers_are_ints: bool,
    /// By how much pauses grew, in microseconds: all of them, and the one that grew most.
    pub pause_us: u64,
    /// The longest of these times.
    pub longest_us: u64,
    /// Collections of which a part was left out, or all of it, for reading takes time.
    pub thinned: u32,
    /// What all these pauses took without the reading, in microseconds.
    pub own_us: u64,
}

impl CensusReach {
    /// Collections of which something was read, or was to be but for its time.
    pub fn reached(&self) -> u32 {
        self.read + self.partly + self.births_only + self.thinned
    }

    /// All collections that it met.
    pub fn collections(&self) -> u32 {
        self.reached() + self.unread
    }
}

/// A step of the stream: what of it changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CensusCounts {
    /// As of now.
    pub reach: CensusReach,
    /// Cumulative, of the classes that changed.
    pub classes: Vec<(ClassId, ClassCensus)>,
}

/// Classes of what fills buffers up, where there are none for it alone (up to JDK 18).
pub const FILLERS: [&str; 2] = ["[I", "java.lang.Object"];

/// A census of a whole profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// What of all collections was read.
    pub reach: CensusReach,
    /// By name.
    pub classes: BTreeMap<String, ClassCensus>,
}

impl Census {
    /// All that was born.
    pub fn born(&self) -> Total {
        self.classes.values().map(ClassCensus::born).sum()
    }

    /// All that was born in the old generation.
    pub fn born_old(&self) -> Total {
        self.classes.values().map(|class| class.old).sum()
    }

    /// Whether a class has objects that are not the program's: what fills unused parts of buffers up.
    pub fn has_fillers(&self, class: &str) -> bool {
        self.reach.fillers_are_ints && FILLERS.contains(&class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(objects: &[u64]) -> Vec<Total> {
        objects.iter().map(|&objects| Total { objects, bytes: objects * 16 }).collect()
    }

    #[test]
    fn the_born_are_those_of_no_age() {
        let mut class = ClassCensus {
            died: sums(&[5, 1, 2]),
            survived: sums(&[3, 2]),
            promoted: sums(&[0, 0, 1]),
            undecided: Total { objects: 4, bytes: 64 },
            old: Total { objects: 2, bytes: 999 },
        };
        assert_eq!(
            (class.born().objects, class.died_first().objects, class.died_later().objects),
            (14, 5, 3)
        );
        assert_eq!((class.promoted_in_all().objects, class.copied().objects), (1, 6));
        class.add(&ClassCensus { died: sums(&[1, 0, 0, 7]), ..ClassCensus::default() });
        assert_eq!((class.born().objects, class.died_later().bytes), (15, 160));
    }
}
