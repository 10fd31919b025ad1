//! What happened when: per step of the stream what was allocated, what died, what was in use after the last collection.
//!
//! Of all classes, whatever is shown. Bounded: when it is full, neighbours become one. Not here: how it is drawn, and single
//! collections (`collection`).

use std::mem;

use crate::facts::off_heap::OffHeap;
use crate::stream::point::Point;
use crate::stream::update::Progress;

/// Points kept; a power of two.
const MOST: usize = 4096;
/// Points that are recent.
const RECENT: usize = 10;
/// A shorter step is told with its neighbour: what a rate says of some milliseconds is not what goes on in a second.
const LEAST_MS: u64 = 500;

/// What was live after collections, in bytes, on average over the time of these points; `None` of no time. A point has `meanwhile` of what was
/// live after the last collection before it and after the next: nobody looks between them.
pub(crate) fn mean_live(points: &[Point], meanwhile: impl Fn(u64, u64) -> u64) -> Option<f64> {
    let ms: u64 = points.iter().map(|point| point.span_ms).sum();
    let live_at = |at: usize| points[at].live.unwrap_or(0);
    let mut after = live_at(points.len().checked_sub(1)?);
    let held = points.iter().enumerate().rev().map(|(at, point)| {
        if point.gcs > 0 {
            after = live_at(at);
        }
        let before = at.checked_sub(1).map_or(0, live_at);
        meanwhile(before, after) as f64 * point.span_ms as f64
    });
    let held: f64 = held.sum();
    (ms > 0).then(|| held / ms as f64)
}

/// Soft references allocated after that time, as far as points tell.
pub(crate) fn soft_since(points: &[Point], ms: u64) -> u64 {
    let ends = points.iter().scan(0, |end, point| {
        *end += point.span_ms;
        Some((*end, point.soft))
    });
    ends.filter(|&(end, _)| end > ms).fold(0, |sum, (_, soft)| sum.saturating_add(soft))
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
    live_after_gc: Option<u64>,
    off_heap: Option<OffHeap>,
    /// Soft references allocated since the last point.
    soft: u64,
    /// Classes met since the last point, or loaded.
    classes: u64,
    /// Classes that were loaded at the last step, where the JVM says so.
    loaded: Option<u64>,
    /// Whether the JVM says what collections leave.
    by_jvm: bool,
}

/// Sums over all classes, and how far the stream was.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    ms: u64,
    gcs: u32,
    accounted: u64,
    dead: u64,
}

impl History {
    /// Adds the step of this progress: of each class that changed, bytes that were dead before, and that are now.
    pub(crate) fn step(&mut self, progress: &Progress, dead: impl Iterator<Item = (u64, u64)>) {
        let before = self.before;
        let mut now = Totals {
            ms: progress.duration_ms,
            gcs: progress.gcs,
            accounted: progress.trust.accounted_bytes,
            ..before
        };
        for (dead_before, dead) in dead {
            now.dead = now.dead.saturating_add(dead).saturating_sub(dead_before);
        }
        self.before = now;
        // Time stands still while profiling is paused.
        if now.ms > before.ms {
            let (soft, classes) = (mem::take(&mut self.soft), mem::take(&mut self.classes));
            self.push(Point {
                span_ms: now.ms - before.ms,
                allocated: now.accounted.saturating_sub(before.accounted),
                dead: now.dead.saturating_sub(before.dead),
                live: self.live_after_gc,
                gcs: now.gcs.saturating_sub(before.gcs),
                soft,
                classes,
                off_heap: self.off_heap,
            });
        }
    }

    /// The whole of it in finer points than steps were seen; nothing changes if these are of another time.
    pub(crate) fn is_known_as(&mut self, points: Vec<Point>) {
        let ms = |points: &[Point]| points.iter().map(|point| point.span_ms).sum::<u64>();
        if ms(&points) == ms(&self.points) && points.len() > self.points.len() {
            self.points = points;
            self.in_last = self.steps;
        }
    }

    /// So many soft references were allocated in the step that comes.
    pub(crate) fn soft_references(&mut self, made: u64) {
        self.soft = self.soft.saturating_add(made);
    }

    /// A class was met in the step that comes. Where the JVM says how many it loaded, that counts: samples meet few.
    pub(crate) fn class_met(&mut self) {
        if self.loaded.is_none() {
            self.classes += 1;
        }
    }

    /// The JVM has loaded so many by the end of the last step, but for those that it unloaded.
    pub(crate) fn classes_loaded(&mut self, now: u64) {
        if self.loaded.is_none() {
            self.classes = 0;
            self.points.iter_mut().for_each(|point| point.classes = 0);
        }
        let more = now.saturating_sub(self.loaded.unwrap_or(0));
        *self.points.last_mut().map_or(&mut self.classes, |last| &mut last.classes) += more;
        self.loaded = Some(now);
    }

    /// The JVM says what a collection of the last step has left in use.
    pub(crate) fn used_after_gc(&mut self, bytes: u64) {
        if !self.by_jvm {
            self.by_jvm = true;
            self.points.iter_mut().for_each(|point| point.live = None);
        }
        self.left(bytes);
    }

    /// The collections up to the last step have left so many bytes of tracked objects. Where the JVM says what they left of all,
    /// that counts.
    pub(crate) fn tracked_after_gc(&mut self, bytes: u64) {
        if !self.by_jvm {
            self.left(bytes);
        }
    }

    /// What was outside of the heap at the end of the last step.
    pub(crate) fn off_heap(&mut self, now: OffHeap) {
        self.off_heap = Some(now);
        if let Some(last) = self.points.last_mut() {
            last.off_heap = Some(now);
        }
    }

    fn left(&mut self, bytes: u64) {
        self.live_after_gc = Some(bytes);
        if let Some(last) = self.points.last_mut() {
            last.live = Some(bytes);
        }
    }

    /// Adds a point.
    fn push(&mut self, point: Point) {
        let steps = self.steps.max(1);
        let short = |last: &Point| last.span_ms < LEAST_MS || point.span_ms < LEAST_MS;
        match self.points.last_mut().filter(|last| self.in_last < steps || short(last)) {
            Some(last) => {
                self.in_last += usize::from(self.in_last < steps);
                *last = last.then(point);
            }
            None => {
                self.points.push(point);
                self.in_last = 1;
            }
        }
        self.steps = steps;
        if self.points.len() >= MOST && self.in_last == steps {
            self.points = self.points.chunks(2).map(joined).collect();
            self.steps = steps * 2;
            self.in_last = self.steps;
        }
    }

    /// All counts were set to zero.
    pub(crate) fn reset(&mut self) {
        let Totals { gcs, accounted, .. } = self.before;
        let before = Totals { gcs, accounted, ..Totals::default() };
        *self = Self { before, by_jvm: self.by_jvm, loaded: self.loaded, ..Self::default() };
    }

    /// Only what follows is told.
    pub(crate) fn forget(&mut self) {
        let Self { before, live_after_gc, off_heap, by_jvm, loaded, .. } = *self;
        *self = Self { before, live_after_gc, off_heap, by_jvm, loaded, ..Self::default() };
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
        Point { span_ms: 1_000, allocated: number, dead: 1, live: Some(number), gcs: 1, ..Point::default() }
    }

    #[test]
    fn soft_references_are_counted_by_time_in_little_room() {
        let mut history = History::default();
        for second in 1..=20_000 {
            history.soft_references(2);
            let progress = Progress { duration_ms: second * 1_000, ..Progress::default() };
            history.step(&progress, [].into_iter());
        }
        assert!(history.points().len() <= MOST);
        let late = soft_since(history.points(), 10_000_000);
        assert!(late.abs_diff(2 * 10_000) < 60, "{late}");
        assert_eq!(soft_since(&[], 0), 0);
    }

    /// A service of which a sample is taken per 512 KiB: "start-up 29.6 s, 116 classes", of 4.6 s and 4,200.
    #[test]
    fn classes_are_those_that_the_jvm_has_loaded_where_it_says_so() {
        let mut history = History::default();
        let mut step = |ms, met: u64, loaded: Option<u64>| {
            (0..met).for_each(|_| history.class_met());
            history.step(&Progress { duration_ms: ms, ..Progress::default() }, [].into_iter());
            loaded.into_iter().for_each(|now| history.classes_loaded(now));
            history.points().iter().map(|point| point.classes).collect::<Vec<_>>()
        };
        assert_eq!(step(1_000, 3, None), [3]);
        assert_eq!(step(2_000, 5, Some(600)), [0, 600]);
        assert_eq!(step(3_000, 2, Some(900)), [0, 600, 300]);
        assert_eq!(step(4_000, 0, Some(850)), [0, 600, 300, 0], "some were unloaded");
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
        assert_eq!((whole[0].live, u64::from(whole[0].gcs)), (Some(steps - 1), steps));
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
            history.push(Point { span_ms: 1_000, live: Some(live), gcs, ..Point::default() });
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
            trust: crate::facts::trust::Trust { accounted_bytes, ..Default::default() },
            ..Progress::default()
        };
        history.step(&progress(1_000, 1, 700), [(0, 200)].into_iter());
        history.tracked_after_gc(500);
        history.step(&progress(2_000, 1, 900), [(200, 200)].into_iter());
        let point = |allocated, dead, live, gcs| Point {
            span_ms: 1_000,
            allocated,
            dead,
            live,
            gcs,
            ..Point::default()
        };
        assert_eq!(
            history.points(),
            [point(700, 200, Some(500), 1), point(200, 0, Some(500), 0)],
            "no collection, no news"
        );
        history.forget();
        history.step(&progress(3_000, 2, 950), [(200, 900)].into_iter());
        history.tracked_after_gc(50);
        assert_eq!(history.points(), [point(50, 700, Some(50), 1)]);
        history.reset();
        history.step(&progress(1_000, 3, 960), [(0, 0)].into_iter());
        assert_eq!(history.points(), [point(10, 0, None, 1)], "not known until it is told");
    }

    #[test]
    fn what_the_jvm_says_is_left_counts_and_not_what_was_not_seen_dead() {
        let mut history = History::default();
        for second in 1..=3 {
            history.step(
                &Progress { duration_ms: second * 1_000, gcs: 1, ..Progress::default() },
                [].into_iter(),
            );
            history.tracked_after_gc(9_000);
            if second > 1 {
                history.used_after_gc(20);
            }
        }
        let live: Vec<_> = history.points().iter().map(|point| point.live).collect();
        assert_eq!(live, [None, Some(20), Some(20)]);
    }

    #[test]
    fn a_step_of_some_milliseconds_has_no_rate_of_its_own() {
        let mut history = History::default();
        for (span_ms, dead) in [(3, 5), (1_000, 10), (1_000, 10), (4, 800)] {
            history.push(Point { span_ms, dead, ..Point::default() });
        }
        let rates: Vec<_> =
            history.points().iter().map(|point| (point.span_ms, point.death_rate())).collect();
        assert_eq!(rates, [(1_003, 15), (1_004, 807)]);
    }

    #[test]
    fn rates_are_per_second() {
        let point = Point { span_ms: 500, allocated: 10, dead: 4, ..Point::default() };
        assert_eq!((point.allocation_rate(), point.death_rate()), (20, 8));
        assert_eq!(Point::default().allocation_rate(), 0);
    }
}
