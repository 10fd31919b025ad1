//! What happened when: per step of the stream what was allocated, what died, what was live after the last collection.
//!
//! Of all classes, whatever is shown. Bounded: when it is full, neighbours become one. Not here: how it is drawn, and single
//! collections (`collection`).

use crate::update::Progress;

/// Points kept; a power of two.
const MOST: usize = 4096;
/// Points that are recent.
const RECENT: usize = 10;

/// A span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// How long it was, in milliseconds.
    pub span_ms: u64,
    /// Bytes counted meanwhile.
    pub allocated: u64,
    /// Bytes of tracked objects seen dead meanwhile.
    pub dead: u64,
    /// Bytes of tracked objects that were live when the stream told of the last collection so far.
    pub live: u64,
    /// Collections meanwhile.
    pub gcs: u32,
}

impl Point {
    /// Both, one after the other.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            span_ms: self.span_ms + next.span_ms,
            allocated: self.allocated.saturating_add(next.allocated),
            dead: self.dead.saturating_add(next.dead),
            live: next.live,
            gcs: self.gcs.saturating_add(next.gcs),
        }
    }

    /// Bytes allocated per second.
    pub fn allocation_rate(&self) -> u64 {
        per_second(self.allocated, self.span_ms)
    }

    /// Bytes that died per second.
    pub fn death_rate(&self) -> u64 {
        per_second(self.dead, self.span_ms)
    }
}

/// Rounded; nothing in no time.
pub fn per_second(bytes: u64, ms: u64) -> u64 {
    if ms == 0 { 0 } else { (bytes as f64 * 1000.0 / ms as f64).round() as u64 }
}

/// What was live after collections, in bytes, on average over the time of these points; `None` of no time. A point has `meanwhile` of what was
/// live after the last collection before it and after the next: nobody looks between them.
pub(crate) fn mean_live(points: &[Point], meanwhile: impl Fn(u64, u64) -> u64) -> Option<f64> {
    let ms: u64 = points.iter().map(|point| point.span_ms).sum();
    let mut after = points.last()?.live;
    let held = points.iter().enumerate().rev().map(|(at, point)| {
        if point.gcs > 0 {
            after = point.live;
        }
        let before = at.checked_sub(1).map_or(0, |previous| points[previous].live);
        meanwhile(before, after) as f64 * point.span_ms as f64
    });
    let held: f64 = held.sum();
    (ms > 0).then(|| held / ms as f64)
}

/// Points in the order of time.
#[derive(Clone, Debug, Default)]
pub struct History {
    points: Vec<Point>,
    /// Steps that one point stands for.
    steps: usize,
    /// Steps in the last point.
    in_last: usize,
    before: Totals,
    live_after_gc: u64,
}

/// Sums over all classes, and how far the stream was.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    ms: u64,
    gcs: u32,
    accounted: u64,
    live: u64,
    dead: u64,
}

/// What becomes of the bytes of a class at a step: live and dead before, live and dead now.
pub(crate) type Turn = [(u64, u64); 2];

impl History {
    /// Adds the step of this progress, in which such bytes of classes turned.
    pub(crate) fn step(&mut self, progress: &Progress, turns: impl Iterator<Item = Turn>) {
        let before = self.before;
        let mut now = Totals {
            ms: progress.duration_ms,
            gcs: progress.gcs,
            accounted: progress.trust.accounted_bytes,
            ..before
        };
        for [(live_before, dead_before), (live, dead)] in turns {
            now.live = now.live.saturating_add(live).saturating_sub(live_before);
            now.dead = now.dead.saturating_add(dead).saturating_sub(dead_before);
        }
        if now.gcs != before.gcs {
            self.live_after_gc = now.live;
        }
        self.before = now;
        // Time stands still while profiling is paused.
        if now.ms > before.ms {
            self.push(Point {
                span_ms: now.ms - before.ms,
                allocated: now.accounted.saturating_sub(before.accounted),
                dead: now.dead.saturating_sub(before.dead),
                live: self.live_after_gc,
                gcs: now.gcs.saturating_sub(before.gcs),
            });
        }
    }

    /// Adds a point.
    fn push(&mut self, point: Point) {
        let steps = self.steps.max(1);
        match self.points.last_mut().filter(|_| self.in_last < steps) {
            Some(last) => {
                *last = last.then(point);
                self.in_last += 1;
            }
            None => {
                self.points.push(point);
                self.in_last = 1;
            }
        }
        self.steps = steps;
        if self.points.len() == MOST && self.in_last == steps {
            self.points = self.points.chunks(2).map(joined).collect();
            self.steps = steps * 2;
            self.in_last = self.steps;
        }
    }

    /// All counts were set to zero.
    pub(crate) fn reset(&mut self) {
        let Totals { gcs, accounted, .. } = self.before;
        *self = Self { before: Totals { gcs, accounted, ..Totals::default() }, ..Self::default() };
    }

    /// Only what follows is told.
    pub(crate) fn forget(&mut self) {
        *self = Self { before: self.before, live_after_gc: self.live_after_gc, ..Self::default() };
    }

    /// All points.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The last points together: deaths come in lots.
    pub fn recent(&self) -> Point {
        joined(&self.points[self.points.len().saturating_sub(RECENT)..])
    }

    /// The last point.
    pub fn last(&self) -> Point {
        self.points.last().copied().unwrap_or_default()
    }

    /// The last `columns` points, or all of them, joined to at most so many.
    pub fn columns(&self, columns: usize, whole: bool) -> Vec<Point> {
        let columns = columns.max(1);
        if whole {
            return self.points.chunks(self.points.len().div_ceil(columns).max(1)).map(joined).collect();
        }
        self.points[self.points.len().saturating_sub(columns)..].to_vec()
    }
}

fn joined(points: &[Point]) -> Point {
    points.iter().copied().reduce(Point::then).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u64) -> Point {
        Point { span_ms: 1_000, allocated: number, dead: 1, live: number, gcs: 1 }
    }

    #[test]
    fn nothing_is_lost_when_it_is_full() {
        let mut history = History::default();
        let steps = 3 * MOST as u64 + 17;
        (0..steps).for_each(|number| history.push(step(number)));
        assert!(history.points.len() <= MOST);
        let whole = history.columns(1, true);
        assert_eq!(whole.len(), 1);
        let sum = steps * (steps - 1) / 2;
        assert_eq!((whole[0].allocated, whole[0].dead, whole[0].span_ms), (sum, steps, steps * 1_000));
        assert_eq!((whole[0].live, u64::from(whole[0].gcs)), (steps - 1, steps));
    }

    #[test]
    fn the_last_points_or_all_of_them() {
        let mut history = History::default();
        (0..100).for_each(|number| history.push(step(number)));
        assert_eq!(history.columns(3, false), [97, 98, 99].map(step));
        let whole = history.columns(30, true);
        assert!(whole.len() <= 30 && whole.iter().map(|point| point.dead).sum::<u64>() == 100, "{whole:?}");
        assert_eq!(History::default().columns(5, true), []);
    }

    #[test]
    fn live_bytes_are_weighed_by_how_long_they_were() {
        let mut history = History::default();
        assert_eq!(mean_live(history.points(), u64::midpoint), None);
        // Nothing collects in the second of four seconds, nor in the last.
        for (gcs, live) in [(1, 100), (0, 100), (1, 500), (0, 500)] {
            history.push(Point { span_ms: 1_000, live, gcs, ..Point::default() });
        }
        assert_eq!(mean_live(history.points(), u64::min), Some(175.0));
        assert_eq!(mean_live(history.points(), u64::max), Some(400.0));
        assert_eq!(mean_live(history.points(), u64::midpoint), Some(287.5));
    }

    #[test]
    fn steps_tell_what_changed() {
        let mut history = History::default();
        let progress = |ms, gcs, accounted_bytes| Progress {
            duration_ms: ms,
            gcs,
            trust: crate::trust::Trust { accounted_bytes, ..Default::default() },
            ..Progress::default()
        };
        history.step(&progress(1_000, 1, 700), [[(0, 0), (500, 200)]].into_iter());
        history.step(&progress(2_000, 1, 900), [[(500, 200), (700, 200)]].into_iter());
        let point = |allocated, dead, live, gcs| Point { span_ms: 1_000, allocated, dead, live, gcs };
        assert_eq!(
            history.points(),
            [point(700, 200, 500, 1), point(200, 0, 500, 0)],
            "no collection, no news"
        );
        history.forget();
        history.step(&progress(3_000, 2, 950), [[(700, 200), (50, 900)]].into_iter());
        assert_eq!(history.points(), [point(50, 700, 50, 1)]);
        history.reset();
        history.step(&progress(1_000, 3, 960), [[(0, 0), (10, 0)]].into_iter());
        assert_eq!(history.points(), [point(10, 0, 10, 1)]);
    }

    #[test]
    fn rates_are_per_second() {
        let point = Point { span_ms: 500, allocated: 10, dead: 4, ..Point::default() };
        assert_eq!((point.allocation_rate(), point.death_rate()), (20, 8));
        assert_eq!(Point::default().allocation_rate(), 0);
    }
}
