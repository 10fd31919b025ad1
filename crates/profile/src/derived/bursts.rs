//! Whether a program allocates in bursts that come at even intervals: a cache that expires all at once, a job by the clock.
//!
//! By the points of the history, of all classes. Not here: how it is said.

use crate::stream::point::{Point, per_second};

/// Steps are taken together to be so long at least: within a second allocation comes in lots anyway.
const STEP_MS: u64 = 500;
/// A burst is so many times as fast as the program is half of its time, and has so many times the mean.
const TIMES_USUAL: u64 = 4;
const TIMES_MEAN: f64 = 1.5;
/// So many bursts are a period.
const LEAST_BURSTS: usize = 4;
/// Intervals differ by no more than this share of their mean.
const EVEN: f64 = 0.25;
/// Slower than this nobody looks for a period.
const LEAST_RATE: u64 = 1 << 20;

/// Bursts at even intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Bytes per second while one lasts.
    pub rate: u64,
    /// Bytes per second half of the time.
    pub usual: u64,
    /// From the begin of one to the begin of the next, on average.
    pub every_ms: u64,
    /// How many there were.
    pub number: usize,
    /// From when to when the last one was, in milliseconds of the profiled time.
    pub last_ms: (u64, u64),
}

/// The bursts in a history, if there are any and they come at even intervals.
pub fn bursts(points: &[Point]) -> Option<Bursts> {
    let steps = even(points);
    let all: u64 = steps.iter().map(|step| step.span_ms).sum();
    let mean = per_second(steps.iter().map(|step| step.allocated).sum(), all);
    let usual = usual(&steps);
    let least = (usual.saturating_mul(TIMES_USUAL)).max((mean as f64 * TIMES_MEAN) as u64).max(LEAST_RATE);
    let mut begins = Vec::new();
    let (mut at, mut fast, mut within, mut first_is_whole) = (0, (0, 0), false, true);
    let mut last_end = 0;
    for step in &steps {
        let is_fast = step.allocation_rate() >= least;
        if is_fast {
            if !within {
                begins.push(at);
                first_is_whole &= at > 0 || begins.len() > 1;
            }
            last_end = at + step.span_ms;
            fast = (fast.0 + step.allocated, fast.1 + step.span_ms);
        }
        (within, at) = (is_fast, at + step.span_ms);
    }
    // The first of all may be the start of the program.
    let begins = if first_is_whole { &begins[..] } else { &begins[1..] };
    let intervals: Vec<f64> = begins.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    if begins.len() < LEAST_BURSTS || !are_even(&intervals) {
        return None;
    }
    let every = intervals.iter().sum::<f64>() / intervals.len() as f64;
    Some(Bursts {
        rate: per_second(fast.0, fast.1),
        usual,
        every_ms: every.round() as u64,
        number: begins.len(),
        last_ms: (begins.last().copied().unwrap_or(0), last_end),
    })
}

/// Points taken together until each is long enough.
fn even(points: &[Point]) -> Vec<Point> {
    let mut steps: Vec<Point> = Vec::new();
    for &point in points {
        match steps.last_mut().filter(|last| last.span_ms < STEP_MS) {
            Some(last) => *last = last.then(point),
            None => steps.push(point),
        }
    }
    steps
}

/// The rate that is not exceeded half of the time.
fn usual(steps: &[Point]) -> u64 {
    let mut rates: Vec<(u64, u64)> =
        steps.iter().map(|step| (step.allocation_rate(), step.span_ms)).collect();
    rates.sort_unstable();
    let half = rates.iter().map(|(_, ms)| ms).sum::<u64>() / 2;
    let mut before = 0;
    let found = rates.iter().find(|(_, ms)| {
        before += ms;
        before > half
    });
    found.map_or(0, |&(rate, _)| rate)
}

fn are_even(intervals: &[f64]) -> bool {
    let mean = intervals.iter().sum::<f64>() / intervals.len().max(1) as f64;
    let square =
        intervals.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / intervals.len().max(1) as f64;
    mean > 0.0 && square.sqrt() <= EVEN * mean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(rates: impl IntoIterator<Item = u64>) -> Vec<Point> {
        let second = |mib: u64| Point { span_ms: 1_000, allocated: mib << 20, ..Point::default() };
        rates.into_iter().map(second).collect()
    }

    #[test]
    fn a_cache_that_expires_all_at_once_is_seen() {
        let found = bursts(&points((0..90).map(|second| if second % 9 == 4 { 800 } else { 20 })));
        assert_eq!(
            found,
            Some(Bursts {
                rate: 800 << 20,
                usual: 20 << 20,
                every_ms: 9_000,
                number: 10,
                last_ms: (85_000, 86_000)
            })
        );
    }

    #[test]
    fn bursts_of_two_steps_are_one() {
        let found =
            bursts(&points((0..60).map(|second| if second % 10 < 2 { 400 } else { 10 }))).expect("bursts");
        assert_eq!((found.every_ms, found.number), (10_000, 5), "the first may be the start");
    }

    #[test]
    fn what_is_even_grows_or_comes_by_chance_has_no_period() {
        assert_eq!(bursts(&points([50; 60])), None);
        assert_eq!(bursts(&points(0..60)), None);
        let by_chance = [3, 9, 11, 30, 31, 52, 58];
        assert_eq!(bursts(&points((0..60).map(|at| if by_chance.contains(&at) { 900 } else { 10 }))), None);
        assert_eq!(bursts(&points([900, 10, 10, 10, 900, 10, 10, 10])), None, "too few");
        assert_eq!(bursts(&[]), None);
    }
}
