//! How many bytes had been allocated when: births carry milliseconds only, and are put on the byte clock by this.

/// Points kept; above it, those that matter least are forgotten.
const MOST_POINTS: usize = 4096;
/// Two points may be one such part of their age apart: half a step of the ages that are reported.
pub(crate) const COARSENESS: u64 = 32;

/// A moment on both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    ms: u64,
    bytes: u64,
}

/// Bytes allocated by time, both ascending, in bounded memory: the older, the coarser.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    points: Vec<Point>,
    /// Points up to here have the JVM's own count.
    corrected_ms: u64,
}

impl Timeline {
    /// Notes that `bytes` had been allocated at `ms`. What contradicts its neighbours is moved between them.
    pub(crate) fn push(&mut self, ms: u64, bytes: u64) {
        let at = self.points.partition_point(|point| point.ms <= ms);
        let low = at.checked_sub(1).map_or(0, |at| self.points[at].bytes);
        let high = self.points.get(at).map_or(u64::MAX, |point| point.bytes);
        self.points.insert(at, Point { ms, bytes: bytes.clamp(low, high) });
        if self.points.len() > MOST_POINTS {
            thin(&mut self.points, COARSENESS, MOST_POINTS / 2);
        }
    }

    /// Spreads `missed` bytes, which nobody had noted, evenly over the time since the last correction.
    pub(crate) fn correct(&mut self, now_ms: u64, missed: u64) {
        let since = self.corrected_ms;
        let span = u128::from(now_ms.saturating_sub(since).max(1));
        for point in self.points.iter_mut().rev().take_while(|point| point.ms > since) {
            let share = u128::from(missed) * u128::from(point.ms - since) / span;
            point.bytes += (share as u64).min(missed);
        }
        self.corrected_ms = now_ms;
    }

    /// Bytes allocated when an event ended that was noted at `ms`: at least and at most.
    pub(crate) fn at_event(&self, ms: u64) -> (u64, u64) {
        let after = self.points.partition_point(|point| point.ms <= ms);
        let low = after.checked_sub(1).map(|at| self.points[at]);
        match low {
            Some(point) if point.ms == ms => (point.bytes, point.bytes),
            _ => (low.map_or(0, |point| point.bytes), self.from(after)),
        }
    }

    /// Bytes allocated at `ms`, if allocation was even between the points around it.
    pub(crate) fn about(&self, ms: u64) -> u64 {
        let after = self.points.partition_point(|point| point.ms <= ms);
        let low = after.checked_sub(1).map_or(Point { ms: 0, bytes: 0 }, |at| self.points[at]);
        let Some(high) = self.points.get(after) else { return low.bytes };
        let (passed, span) = (ms.saturating_sub(low.ms), high.ms - low.ms);
        let share = u128::from(high.bytes - low.bytes) * u128::from(passed) / u128::from(span.max(1));
        low.bytes + share as u64
    }

    /// Bytes allocated at some moment of the millisecond `ms`: at least and at most.
    pub(crate) fn within(&self, ms: u64) -> (u64, u64) {
        let from = self.points.partition_point(|point| point.ms < ms);
        let after = from + self.points[from..].partition_point(|point| point.ms == ms);
        (from.checked_sub(1).map_or(0, |at| self.points[at].bytes), self.from(after))
    }

    /// Bytes at the point of that index, or at the last one.
    fn from(&self, index: usize) -> u64 {
        self.points.get(index).or(self.points.last()).map_or(0, |point| point.bytes)
    }
}

/// Something noted at a time, which can be left out where the next one takes its place.
pub(crate) trait Thinned {
    fn ms(&self) -> u64;
    /// The one before `self` is left out.
    fn replace(&mut self, _before: &Self) {}
}

impl Thinned for Point {
    fn ms(&self) -> u64 {
        self.ms
    }
}

/// Leaves out items whose neighbours are close together for their age: they may be 1/`coarseness` of it apart, or more if
/// otherwise more than `most` remain.
pub(crate) fn thin<T: Thinned + Copy>(items: &mut Vec<T>, mut coarseness: u64, most: usize) {
    let Some(now_ms) = items.last().map(Thinned::ms) else { return };
    loop {
        let mut kept: Vec<T> = Vec::with_capacity(items.len());
        for at in 0..items.len() {
            let item = items[at];
            let far_apart = |before: &T, after: &T| {
                let gap = after.ms().saturating_sub(before.ms());
                gap > now_ms.saturating_sub(after.ms()) / coarseness
            };
            let neighbours = kept.last().zip(items.get_mut(at + 1));
            match neighbours {
                Some((before, after)) if !far_apart(before, after) => after.replace(&item),
                _ => kept.push(item),
            }
        }
        *items = kept;
        if items.len() <= most || coarseness == 1 {
            return;
        }
        coarseness /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_lies_between_its_neighbours() {
        let mut timeline = Timeline::default();
        timeline.push(10, 100);
        timeline.push(20, 200);
        timeline.push(20, 250);
        assert_eq!(timeline.within(15), (100, 200));
        assert_eq!(timeline.within(20), (100, 250), "before or after the points of that millisecond");
        assert_eq!(timeline.at_event(20), (250, 250));
        assert_eq!(timeline.at_event(12), (100, 200));
        assert_eq!(timeline.within(5), (0, 100));
        assert_eq!(timeline.within(30), (250, 250));
    }

    #[test]
    fn between_two_points_allocation_is_even() {
        let mut timeline = Timeline::default();
        timeline.push(10, 100);
        timeline.push(20, 200);
        assert_eq!([0, 5, 10, 15, 20, 99].map(|ms| timeline.about(ms)), [0, 50, 100, 150, 200, 200]);
        assert_eq!(Timeline::default().about(7), 0);
    }

    #[test]
    fn what_was_missed_is_spread_since_the_last_correction() {
        let mut timeline = Timeline::default();
        timeline.push(10, 100);
        timeline.correct(10, 0);
        timeline.push(20, 100);
        timeline.push(30, 110);
        timeline.correct(30, 1000);
        assert_eq!([10, 20, 30].map(|ms| timeline.at_event(ms).0), [100, 600, 1110]);
    }

    #[test]
    fn memory_is_bounded_and_ages_stay_precise() {
        let mut timeline = Timeline::default();
        // A day, a point each 4 ms; bytes are ten times the milliseconds.
        let now = 86_400_000;
        for ms in (0..=now).step_by(4) {
            timeline.push(ms, ms * 10);
            assert!(timeline.points.len() <= MOST_POINTS);
        }
        for age in [100, 1000, 60_000, 3_600_000, 80_000_000] {
            let (low, high) = timeline.within(now - age);
            let truth = (now - age) * 10;
            assert!(low <= truth && truth <= high);
            assert!(high - low <= age.max(8) * 10 / 8, "at age {age}: {low} to {high}");
        }
    }
}
