//! Which part of a profile is meant: lifetimes of a band, a range of time; and how sure it is.
//!
//! Not here: taking the part (`band`, `since`).

use std::time::Duration;

use crate::facts::tally::Tally;

/// Which part of a profile was taken, beside classes. All of it by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Only objects that lived so long.
    pub lived: Option<LivedPart>,
    /// Only what happened between these moments of the profiled time, in milliseconds.
    pub during_ms: Option<(u64, u64)>,
}

/// Lifetimes from one length to below another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifeBand {
    from_ms: u64,
    to_ms: Option<u64>,
}

impl LifeBand {
    /// From `from` to below `to`; to any length if that is `None`. `None` if it is empty.
    pub fn new(from: Duration, to: Option<Duration>) -> Option<Self> {
        let ms = |length: Duration| u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let (from_ms, to_ms) = (ms(from), to.map(ms));
        to_ms.is_none_or(|to_ms| from_ms < to_ms).then_some(Self { from_ms, to_ms })
    }

    /// Its ends in milliseconds; the second is not part of it, and `None` where it has no end.
    pub fn ends_ms(self) -> (u64, Option<u64>) {
        (self.from_ms, self.to_ms)
    }

    fn takes(self, life_ms: u64) -> bool {
        self.from_ms <= life_ms && self.to_ms.is_none_or(|to| life_ms < to)
    }

    /// How the band stands to a life after `after` and by `by`, which is `None` if it goes on.
    pub(crate) fn fit(self, after: u64, by: Option<u64>) -> Fit {
        let ends_in = by.is_some_and(|by| self.to_ms.is_none_or(|to| by < to)) || self.to_ms.is_none();
        Fit {
            certain: after >= self.from_ms && ends_in,
            taken: self.takes(after),
            possible: by.is_none_or(|by| by >= self.from_ms) && self.to_ms.is_none_or(|to| after < to),
        }
    }
}

/// How a life stands to a band.
#[derive(Clone, Copy)]
pub(crate) struct Fit {
    /// It surely ended in it.
    pub(crate) certain: bool,
    /// The age up to which it went on for sure is in it.
    pub(crate) taken: bool,
    /// It may have ended in it.
    pub(crate) possible: bool,
}

/// Between what a number lies, of which only intervals are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doubt {
    /// At least so much.
    pub certain: Tally,
    /// At most so much.
    pub possible: Tally,
}

/// Which band a part of a profile is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LivedPart {
    /// The lifetimes of its objects.
    pub band: LifeBand,
    /// Between what all its objects lie.
    pub doubt: Doubt,
}

impl Doubt {
    /// Adds both ends.
    pub fn add(&mut self, other: Self) {
        self.certain.add(other.certain);
        self.possible.add(other.possible);
    }
}
