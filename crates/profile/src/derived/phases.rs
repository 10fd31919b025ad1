//! Start-up told from the work that a program was started for: classes are loaded in crowds until it is up.
//!
//! Not here: the ending. What a recording says is of the moment when that begins.

use std::time::Duration;

use crate::facts::trust::AT_START_UP;
use crate::stream::point::Point;
use crate::stream::profile::Profile;
use crate::stream::window::TimeRange;

/// A program that ran for less has no phases.
const LEAST_RUN_MS: u64 = 10_000;
/// Class loading has ebbed when it was calm for so long.
const CALM_MS: u64 = 3_000;
/// Calm: not more than this share of the rate until then.
const CALM_SHARE: f64 = 0.1;
/// A start-up has loaded this share of the classes that came in the first half of the time: before that a calm is a lull, as where jars are searched.
const LEAST_LOADED: f64 = 0.5;

/// The start-up of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartUp {
    /// When it was over, in milliseconds of the profiled time: at a step of the recording, if it was not made coarser since.
    pub ends_ms: u64,
    /// Bytes counted until then.
    pub allocated: u64,
    /// Classes that were loaded until then; where the JVM does not say, those of which objects were counted.
    pub classes: u64,
}

impl StartUp {
    /// From its end to the end of the profiled time.
    pub fn work(self) -> TimeRange {
        TimeRange::after(Duration::from_millis(self.ends_ms))
    }

    /// From the beginning to its end.
    pub fn itself(self) -> Option<TimeRange> {
        TimeRange::new(Duration::ZERO, Some(Duration::from_millis(self.ends_ms)))
    }
}

impl Profile {
    /// The start-up of the program: until class loading ebbed. `None` where it can't be told: the program ran only shortly or was
    /// still loading after half of the time, the profiled time did not begin with the JVM, or this is a part of a profile.
    pub fn start_up(&self) -> Option<StartUp> {
        self.is_from_launch().then(|| start_up(&self.history))?
    }

    /// Whether the profiled time began with the JVM: nothing of the program's was there before.
    pub fn is_from_launch(&self) -> bool {
        self.is_of_launched() && self.part.during_ms.is_none()
    }

    /// Whether the recording that this is of, or of a part of it, has all since the program's start.
    pub fn is_of_launched(&self) -> bool {
        let launched = self.trust.remainder.iter().any(|part| part.cause == AT_START_UP);
        // A census counts the start-up, too: nothing is missing then.
        let launched = launched || self.census.as_ref().is_some_and(|census| census.reach.from_start);
        launched && self.resets == 0
    }
}

fn start_up(points: &[Point]) -> Option<StartUp> {
    let all_ms: u64 = points.iter().map(|point| point.span_ms).sum();
    if all_ms < LEAST_RUN_MS {
        return None;
    }
    let in_first_half = points.iter().scan(0, |ms, point| {
        *ms += point.span_ms;
        (*ms <= all_ms / 2).then_some(point.classes)
    });
    let least = LEAST_LOADED * in_first_half.sum::<u64>() as f64;
    let mut until = StartUp { ends_ms: 0, allocated: 0, classes: 0 };
    for (at, point) in points.iter().enumerate() {
        until.ends_ms += point.span_ms;
        until.allocated = until.allocated.saturating_add(point.allocated);
        until.classes += point.classes;
        if until.ends_ms > all_ms / 2 {
            return None;
        }
        if until.classes > 0 && until.classes as f64 >= least && is_calm(&points[at + 1..], until) {
            return Some(until);
        }
    }
    None
}

/// Whether hardly any class came in the time that follows.
fn is_calm(after: &[Point], until: StartUp) -> bool {
    let (mut ms, mut classes) = (0, 0);
    for point in after {
        ms += point.span_ms;
        classes += point.classes;
        if ms >= CALM_MS {
            break;
        }
    }
    let rate = |classes: u64, ms: u64| classes as f64 / ms as f64;
    ms >= CALM_MS && rate(classes, ms) <= CALM_SHARE * rate(until.classes, until.ends_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::census::{Census, CensusReach};
    use crate::facts::trust::{Remainder, Trust};

    /// Each second so many classes, and 1,000 bytes.
    fn seconds(classes: impl IntoIterator<Item = u64>) -> Vec<Point> {
        let point = |classes| Point { span_ms: 1_000, allocated: 1_000, classes, ..Point::default() };
        classes.into_iter().map(point).collect()
    }

    fn service() -> Vec<Point> {
        let warm_up = [3_000, 2_500, 1_500, 900, 1_100];
        seconds(warm_up.into_iter().chain([20, 8, 0, 3].into_iter().cycle().take(55)))
    }

    #[test]
    fn it_ends_where_class_loading_ebbs() {
        let found = start_up(&service()).expect("it is seen");
        assert_eq!(found, StartUp { ends_ms: 5_000, allocated: 5_000, classes: 9_000 });
    }

    #[test]
    fn a_lull_is_no_end_and_a_late_crowd_no_start() {
        let found = start_up(&seconds([3_000, 0, 0, 2_500].into_iter().chain([0; 20]))).expect("it is seen");
        assert_eq!(found.ends_ms, 4_000);
        // Annotations are searched for: seconds without a class, and then the application comes.
        let long = seconds([1_400, 300, 10, 5, 0, 4, 3, 2_000, 1_800, 900].into_iter().chain([0; 40]));
        assert_eq!(start_up(&long).expect("it is seen").ends_ms, 10_000);
        let late = seconds([500].into_iter().chain([0; 20]).chain([800, 900]));
        assert_eq!(start_up(&late).expect("it is seen").ends_ms, 1_000);
    }

    #[test]
    fn short_programs_and_those_that_load_on_have_none() {
        assert_eq!(start_up(&seconds([3_000, 0, 0, 0, 0, 0, 0, 0])), None);
        assert_eq!(start_up(&seconds([100; 60])), None);
        assert_eq!(start_up(&[]), None);
    }

    #[test]
    fn only_a_whole_profile_from_the_launch_on_has_one() {
        let remainder = vec![Remainder::exact(AT_START_UP, 5)];
        let trust = Trust { remainder, ..Trust::default() };
        let launched = Profile { history: service(), trust, ..Profile::default() };
        assert!(launched.start_up().is_some());
        let after_a_reset = Profile { resets: 1, ..launched.clone() };
        assert_eq!(after_a_reset.start_up(), None);
        let mut attached = Profile { trust: Trust::default(), ..launched };
        assert_eq!(attached.start_up(), None);
        let reach = CensusReach { from_start: true, ..CensusReach::default() };
        attached.census = Some(Census { reach, ..Census::default() });
        assert!(attached.start_up().is_some(), "its start-up was read");
    }
}
