//! The end of a run in which the program had little to do: clients left, and somebody looked before it was stopped.
//!
//! By what all classes allocated per time. Not here: what follows from it.

use crate::stream::point::{Point, by_time};

/// The time is looked at in so many slices.
const SLICES: usize = 32;
/// Slices that a program worked for at least, and that it was quiet for.
const WORKED: usize = 8;
const QUIET: usize = 4;
/// In none of the quiet slices it allocates more than this share of what it does while it works.
const SHARE: f64 = 0.5;
/// What it allocates while it works is more than it does in this share of the slices: it may have waited for clients, and its start may be busier.
const BUSY: f64 = 0.625;

/// A last part of a run that is unlike the time before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LastPart {
    /// How long it is, in milliseconds of the profiled time.
    pub(crate) ms: u64,
    /// Bytes allocated in it.
    pub(crate) allocated: u64,
}

impl LastPart {
    /// The last so many milliseconds of a history.
    pub(crate) fn of(points: &[Point], ms: u64) -> Self {
        let mut left = ms as f64;
        let mut allocated = 0.0;
        for point in points.iter().rev() {
            let share = (left / point.span_ms.max(1) as f64).clamp(0.0, 1.0);
            allocated += point.allocated as f64 * share;
            left -= point.span_ms as f64;
        }
        Self { ms, allocated: allocated as u64 }
    }
}

/// The quiet end in a history, the longest there is; `None` if the program works to its end.
pub(crate) fn quiet_end(points: &[Point]) -> Option<LastPart> {
    let all_ms: u64 = points.iter().map(|point| point.span_ms).sum();
    let rates = by_time(points, SLICES, Point::allocation_rate);
    let is_quiet = |&from: &usize| {
        let (before, end) = rates.split_at(from);
        let busy = busy(before);
        busy > 0.0 && end.iter().all(|&rate| rate <= SHARE * busy)
    };
    let from = (WORKED..=SLICES - QUIET).find(is_quiet)?;
    Some(LastPart::of(points, all_ms - all_ms * from as u64 / SLICES as u64))
}

fn busy(rates: &[f64]) -> f64 {
    let mut rates = rates.to_vec();
    rates.sort_unstable_by(f64::total_cmp);
    rates[(rates.len() as f64 * BUSY) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds, each with so many MiB.
    fn end_of(rates: impl IntoIterator<Item = u64>) -> Option<(u64, u64)> {
        let second = |mib: u64| Point { span_ms: 1_000, allocated: mib << 20, ..Point::default() };
        let points: Vec<_> = rates.into_iter().map(second).collect();
        quiet_end(&points).map(|end| (end.ms / 1_000, end.allocated >> 20))
    }

    fn seconds(parts: &[(usize, u64)]) -> impl Iterator<Item = u64> + '_ {
        parts.iter().flat_map(|&(number, rate)| std::iter::repeat_n(rate, number))
    }

    #[test]
    fn the_end_is_quiet_once_clients_left() {
        assert_eq!(end_of(seconds(&[(80, 30), (80, 8)])), Some((80, 640)));
        assert_eq!(
            end_of(seconds(&[(2, 900), (40, 1), (40, 30), (78, 8)])),
            Some((75, 600)),
            "it waited first"
        );
        assert_eq!(end_of(seconds(&[(100, 30), (4, 0), (56, 30)])), None, "a pause");
        assert_eq!(end_of(seconds(&[(150, 30), (10, 1)])), None, "too short");
    }

    #[test]
    fn a_busy_start_and_bursts_are_no_work_that_ended() {
        assert_eq!(end_of(seconds(&[(8, 500), (152, 30)])), None);
        assert_eq!(end_of((0..160).map(|at| if at % 16 == 0 { 900 } else { 5 })), None);
        assert_eq!(end_of([]), None);
        assert_eq!(end_of([7]), None);
    }
}
