//! The median lifetime of a class, as tables on a screen show it: one number, or what it is above.
//!
//! Not here: its band, which the full report has (`lifetimes`).

use mayfly_profile::Lifetimes;

use crate::units;

/// Half of the objects lived so long at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Median {
    /// So many milliseconds.
    At(f64),
    /// More milliseconds than this: too many still live.
    Above(f64),
    /// At most so many milliseconds: half of the objects died before any collection looked at them, nobody knows how long.
    AtMost(f64),
}

impl Median {
    /// The median of what is known; `None` if that is nothing.
    pub fn of(lifetimes: &Lifetimes) -> Option<Self> {
        let time = lifetimes.in_time()?;
        if let Some(at_most) = never_looked_at(lifetimes) {
            return Some(Self::AtMost(at_most));
        }
        // The band, which costs more, is only looked for where there is no point.
        match time.point(0.5) {
            Some(point) => Some(Self::At(point)),
            None => Some(time.quantile(0.5).low).filter(|&low| low > 0.0).map(Self::Above),
        }
    }

    /// Milliseconds to rank by.
    pub fn ms(self) -> f64 {
        match self {
            Self::At(ms) | Self::Above(ms) | Self::AtMost(ms) => ms,
        }
    }

    /// With this sign where it is at most so much.
    pub fn text(self, at_most: &str) -> String {
        match self {
            Self::At(ms) => units::duration(ms),
            Self::Above(ms) => format!(">{}", units::rough_duration(ms)),
            Self::AtMost(ms) => format!("{at_most}{}", units::rough_duration(ms)),
        }
    }
}

/// The age by which half of all were gone, if these died before the first collection that looked.
fn never_looked_at(lifetimes: &Lifetimes) -> Option<f64> {
    let living: u64 = lifetimes.ms.living().map(|(_, weight)| weight).sum();
    let half = (lifetimes.ms.dead().saturating_add(living)) as f64 / 2.0;
    let unseen = lifetimes.ms.deaths().filter(|&(after, _, _)| after == 0);
    let sums = unseen.scan(0u64, |sum, (_, by, weight)| {
        *sum = sum.saturating_add(weight);
        Some((*sum, by))
    });
    sums.into_iter().find(|&(sum, by)| sum as f64 >= half && by < u64::MAX).map(|(_, by)| by as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Snapshots that live for 40 ms, and collections each 1.9 s: "928 ms".
    #[test]
    fn of_what_dies_before_its_first_collection_it_is_not_known_when() {
        let mut lifetimes = Lifetimes::default();
        lifetimes.record_cohort(100);
        lifetimes.ms.record_deaths(0, 1_900, 100);
        let text = |lifetimes: &Lifetimes| Median::of(lifetimes).map(|median| median.text("≤"));
        assert_eq!(text(&lifetimes).as_deref(), Some("≤1.9 s"));
        lifetimes.ms.record_deaths(5_000, 6_000, 400);
        lifetimes.record_cohort(400);
        let seen = Median::of(&lifetimes);
        assert!(matches!(seen, Some(Median::At(ms)) if (5_000.0..=6_500.0).contains(&ms)), "{seen:?}");
        lifetimes.ms.record_living(5_000, 4_000);
        lifetimes.record_cohort(4_000);
        assert!(!matches!(Median::of(&lifetimes), Some(Median::AtMost(_))), "most live");
    }
}
