//! Garbage collectors of HotSpot: the one list of them, and of their names.
//!
//! Not here: how a JVM's is found out (the agent), and what follows for tracked objects (`mayfly-tracking`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// The collector of a JVM. Written as its name, so that a reader which does not know a later one takes it for unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "&'static str")]
pub enum Gc {
    /// Not known; its name is empty.
    #[default]
    Unknown,
    /// `-XX:+UseSerialGC`.
    Serial,
    /// `-XX:+UseParallelGC`.
    Parallel,
    /// `-XX:+UseG1GC`.
    G1,
    /// `-XX:+UseZGC` without generations (JDK 11 to 23).
    Zgc,
    /// `-XX:+UseZGC` with generations (from JDK 21 on).
    GenerationalZgc,
    /// `-XX:+UseShenandoahGC`.
    Shenandoah,
    /// `-XX:+UseShenandoahGC -XX:ShenandoahGCMode=generational` (from JDK 24 on).
    GenerationalShenandoah,
    /// `-XX:+UseEpsilonGC`: never collects.
    Epsilon,
}

impl Gc {
    /// All of them, the unknown one included.
    pub const ALL: [Self; 9] = [
        Self::Unknown,
        Self::Serial,
        Self::Parallel,
        Self::G1,
        Self::Zgc,
        Self::GenerationalZgc,
        Self::Shenandoah,
        Self::GenerationalShenandoah,
        Self::Epsilon,
    ];

    /// Whether it is known up to which age an object was alive that it found dead: young collections of some keep what weak
    /// references are on.
    pub(crate) fn tells_the_old_dead(self) -> bool {
        !matches!(self, Self::GenerationalZgc | Self::GenerationalShenandoah)
    }

    /// Whether a collection pauses the program more than once, and each pause is counted as a GC.
    pub fn pauses_are_parts(self) -> bool {
        matches!(self, Self::Zgc | Self::GenerationalZgc | Self::Shenandoah | Self::GenerationalShenandoah)
    }

    /// As reports and JSON name it; empty if it is not known.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Serial => "Serial",
            Self::Parallel => "Parallel",
            Self::G1 => "G1",
            Self::Zgc => "ZGC",
            Self::GenerationalZgc => "ZGC (generational)",
            Self::Shenandoah => "Shenandoah",
            Self::GenerationalShenandoah => "Shenandoah (generational)",
            Self::Epsilon => "Epsilon",
        }
    }

    /// The collector of that name.
    pub fn of_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|gc| gc.name() == name).unwrap_or_default()
    }
}

impl fmt::Display for Gc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<Gc> for &'static str {
    fn from(gc: Gc) -> Self {
        gc.name()
    }
}

impl From<String> for Gc {
    fn from(name: String) -> Self {
        Self::of_name(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_read_again() {
        for gc in Gc::ALL {
            assert_eq!(Gc::of_name(gc.name()), gc);
        }
        assert_eq!(Gc::of_name("Zing"), Gc::Unknown);
    }
}
