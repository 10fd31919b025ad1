//! What was read of young collections: of each class all that was born, exactly, and what became of it by its age.
//!
//! Not here: how it is read (`mayfly-census`, and the agent).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ids::ClassId;

/// A number of objects, and their sizes: exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CensusSum {
    /// Objects.
    pub objects: u64,
    /// Bytes, headers and padding included.
    pub bytes: u64,
}

impl CensusSum {
    /// Adds `other`.
    pub fn add(&mut self, other: Self) {
        self.objects = self.objects.saturating_add(other.objects);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    fn of(sums: &[Self]) -> Self {
        let mut all = Self::default();
        sums.iter().for_each(|&sum| all.add(sum));
        all
    }
}

/// The place, among ages, of objects whose age was not known: they were locked.
pub const AGE_NOT_KNOWN: usize = 16;

/// The young objects of a class. Ages are collections survived before: the place in a list is the age.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCensus {
    /// Not copied by a collection.
    pub died: Vec<CensusSum>,
    /// Copied, and young still.
    pub survived: Vec<CensusSum>,
    /// Copied into the old generation.
    pub promoted: Vec<CensusSum>,
    /// Born, and not known what became of them.
    pub undecided: CensusSum,
}

impl ClassCensus {
    /// All that were born.
    pub fn born(&self) -> CensusSum {
        let mut born = self.undecided;
        for sums in [&self.died, &self.survived, &self.promoted] {
            born.add(sums.first().copied().unwrap_or_default());
        }
        born
    }

    /// Those that died before any collection had copied them.
    pub fn died_first(&self) -> CensusSum {
        self.died.first().copied().unwrap_or_default()
    }

    /// Those that died young after a collection or more.
    pub fn died_later(&self) -> CensusSum {
        CensusSum::of(self.died.get(1..).unwrap_or_default())
    }

    /// Those that became old.
    pub fn promoted_in_all(&self) -> CensusSum {
        CensusSum::of(&self.promoted)
    }

    /// What collections copied, each time anew.
    pub fn copied(&self) -> CensusSum {
        let mut copied = CensusSum::of(&self.survived);
        copied.add(self.promoted_in_all());
        copied
    }

    /// Adds the same of another class of that name.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.died, &other.died),
            (&mut self.survived, &other.survived),
            (&mut self.promoted, &other.promoted),
        ];
        for (sums, others) in pairs {
            sums.resize(sums.len().max(others.len()), CensusSum::default());
            sums.iter_mut().zip(others).for_each(|(sum, &other)| sum.add(other));
        }
        self.undecided.add(other.undecided);
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
    pub fillers: CensusSum,
    /// Whether fillers are arrays of `int` like others.
    pub fillers_are_ints: bool,
    /// By how much pauses grew, in microseconds: all of them, and the one that grew most.
    pub pause_us: u64,
    /// The longest of these times.
    pub longest_us: u64,
}

/// A step of the stream: what of it changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CensusCounts {
    /// As of now.
    pub reach: CensusReach,
    /// Cumulative, of the classes that changed.
    pub classes: Vec<(ClassId, ClassCensus)>,
}

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
    pub fn born(&self) -> CensusSum {
        let mut born = CensusSum::default();
        self.classes.values().for_each(|class| born.add(class.born()));
        born
    }

    /// Whether a class has objects that are not the program's: what fills unused parts of buffers up.
    pub fn has_fillers(&self, class: &str) -> bool {
        self.reach.fillers_are_ints && class == "[I"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(objects: &[u64]) -> Vec<CensusSum> {
        objects.iter().map(|&objects| CensusSum { objects, bytes: objects * 16 }).collect()
    }

    #[test]
    fn the_born_are_those_of_no_age() {
        let mut class = ClassCensus {
            died: sums(&[5, 1, 2]),
            survived: sums(&[3, 2]),
            promoted: sums(&[0, 0, 1]),
            undecided: CensusSum { objects: 4, bytes: 64 },
        };
        assert_eq!(
            (class.born().objects, class.died_first().objects, class.died_later().objects),
            (12, 5, 3)
        );
        assert_eq!((class.promoted_in_all().objects, class.copied().objects), (1, 6));
        class.add(&ClassCensus { died: sums(&[1, 0, 0, 7]), ..ClassCensus::default() });
        assert_eq!((class.born().objects, class.died_later().bytes), (13, 160));
    }
}
