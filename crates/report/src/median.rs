//! The median lifetime of a class, as tables on a screen show it: one number, or what it is above.
//!
//! Not here: its band, which the full report has (`lifetimes`).

use std::fmt;

use mayfly_profile::Lifetimes;

use crate::units;

/// Half of the objects lived so long at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Median {
    /// So many milliseconds.
    At(f64),
    /// More milliseconds than this: too many still live.
    Above(f64),
}

impl Median {
    /// The median of what is known; `None` if that is nothing.
    pub fn of(lifetimes: &Lifetimes) -> Option<Self> {
        let time = lifetimes.in_time()?;
        // The band, which costs more, is only looked for where there is no point.
        match time.point(0.5) {
            Some(point) => Some(Self::At(point)),
            None => Some(time.quantile(0.5).low).filter(|&low| low > 0.0).map(Self::Above),
        }
    }

    /// Milliseconds to rank by.
    pub fn ms(self) -> f64 {
        match self {
            Self::At(ms) | Self::Above(ms) => ms,
        }
    }
}

impl fmt::Display for Median {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::At(ms) => f.pad(&units::duration(ms)),
            Self::Above(ms) => f.pad(&format!(">{}", units::rough_duration(ms))),
        }
    }
}
