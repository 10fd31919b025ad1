//! What the page shows of what happened when: steps of the stream, and pauses of the collector.
//!
//! Of all classes, whatever is chosen. Not here: how it is drawn (`page.js`).

use std::cmp::Reverse;

use mayfly_profile::{Collection, GcCause, Point, Profile};
use serde::Serialize;

/// Pauses that the page has: the longest.
const PAUSES: usize = 2_000;

/// Milliseconds, bytes allocated and dead meanwhile, bytes in use after the last collection so far, and bytes of direct buffers; both if
/// they are known.
type Step = (u64, u64, u64, Option<u64>, Option<u64>);

#[derive(Default, Serialize)]
pub(super) struct Timeline<'a> {
    /// When the first step begins, in milliseconds of the profiled time.
    begin_ms: u64,
    steps: Vec<Step>,
    /// When the last collection that says so was, and of which kind.
    left_by: Option<String>,
    /// Whether deaths were followed: without, nothing is dead or live.
    followed: bool,
    /// In the order of time.
    pauses: Vec<Pause<'a>>,
    /// Of all pauses: how many, microseconds together, of the longest.
    paused: (usize, u64, u64),
    /// The same by cause and kind, most time first: cause, kind, how many, microseconds together, of the longest.
    causes: Vec<(String, &'static str, u32, u64, u64)>,
    /// Why these are fewer than the collections.
    fewer: Option<String>,
}

#[derive(Serialize)]
struct Pause<'a> {
    at_ms: u64,
    us: u64,
    kind: &'static str,
    cause: &'a str,
    /// Bytes of the heap.
    before: Option<u64>,
    after: Option<u64>,
    promoted: Option<u64>,
}

impl<'a> Timeline<'a> {
    pub(super) fn of(profile: &'a Profile) -> Self {
        let pauses = || profile.collections.iter().map(|gc| gc.pause_us);
        Self {
            begin_ms: profile.part.during_ms.map_or(0, |(from_ms, _)| from_ms),
            steps: profile.history.iter().map(step).collect(),
            left_by: mayfly_report::left_by(profile),
            followed: profile.run.lifetimes,
            pauses: longest(&profile.collections, PAUSES).into_iter().map(Pause::of).collect(),
            causes: GcCause::of(profile.collections.iter()).into_iter().map(cause).collect(),
            fewer: mayfly_report::pauses_known(profile),
            paused: (profile.collections.len(), pauses().sum(), pauses().max().unwrap_or(0)),
        }
    }
}

fn step(point: &Point) -> Step {
    (point.span_ms, point.allocated, point.dead, point.live, point.direct_bytes())
}

fn cause(of: GcCause) -> (String, &'static str, u32, u64, u64) {
    (of.cause, of.kind.name(), of.count, of.pause_us, of.longest_us)
}

/// So many of the longest, in their order.
fn longest(collections: &[Collection], most: usize) -> Vec<&Collection> {
    let mut longest: Vec<_> = collections.iter().collect();
    longest.sort_by_key(|gc| Reverse(gc.pause_us));
    longest.truncate(most);
    longest.sort_by_key(|gc| gc.number);
    longest
}

impl<'a> Pause<'a> {
    fn of(gc: &'a Collection) -> Self {
        let heap = gc.heap();
        Self {
            at_ms: gc.at_ms,
            us: gc.pause_us,
            kind: gc.kind.name(),
            cause: &gc.cause,
            before: heap.and_then(|heap| heap.before),
            after: heap.map(|heap| heap.after),
            promoted: gc.promoted(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_pauses_the_longest_are_shown_in_their_order() {
        let pauses = [5, 900, 7, 30, 900].into_iter().enumerate();
        let gcs: Vec<_> = pauses
            .map(|(at, pause_us)| Collection { number: at as u32, pause_us, ..Collection::default() })
            .collect();
        let numbers = |most| longest(&gcs, most).iter().map(|gc| gc.number).collect::<Vec<_>>();
        assert_eq!((numbers(3), numbers(9)), (vec![1, 3, 4], vec![0, 1, 2, 3, 4]));
        let profile = Profile { collections: gcs, ..Profile::default() };
        assert_eq!(Timeline::of(&profile).paused, (5, 1_842, 900));
    }
}
