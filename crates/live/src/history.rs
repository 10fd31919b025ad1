//! What happened when: per step of the stream what was allocated, what died, what was live after the last collection.
//!
//! Bounded: when it is full, neighbours become one. Not here: how it is drawn (`view/charts`).

/// Points kept; a power of two.
const MOST: usize = 4096;
/// Points that are recent.
const RECENT: usize = 10;

/// A span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Point {
    /// How long it was, in milliseconds.
    pub(crate) span_ms: u64,
    /// Bytes counted meanwhile.
    pub(crate) allocated: u64,
    /// Bytes of tracked objects seen dead meanwhile.
    pub(crate) dead: u64,
    /// Bytes of tracked objects that were live when the stream told of the last collection so far.
    pub(crate) live: u64,
    /// Collections meanwhile.
    pub(crate) gcs: u32,
}

impl Point {
    /// Both, one after the other.
    fn then(self, next: Self) -> Self {
        Self {
            span_ms: self.span_ms + next.span_ms,
            allocated: self.allocated.saturating_add(next.allocated),
            dead: self.dead.saturating_add(next.dead),
            live: next.live,
            gcs: self.gcs.saturating_add(next.gcs),
        }
    }

    /// Bytes allocated per second.
    pub(crate) fn allocation_rate(&self) -> u64 {
        per_second(self.allocated, self.span_ms)
    }

    /// Bytes that died per second.
    pub(crate) fn death_rate(&self) -> u64 {
        per_second(self.dead, self.span_ms)
    }
}

/// Rounded; nothing in no time.
pub(crate) fn per_second(bytes: u64, ms: u64) -> u64 {
    if ms == 0 { 0 } else { (bytes as f64 * 1000.0 / ms as f64).round() as u64 }
}

/// Points in the order of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    points: Vec<Point>,
    /// Steps that one point stands for.
    steps: usize,
    /// Steps in the last point.
    in_last: usize,
}

impl History {
    /// Adds a step.
    pub(crate) fn push(&mut self, point: Point) {
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

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The last points together: deaths come in lots.
    pub(crate) fn recent(&self) -> Point {
        joined(&self.points[self.points.len().saturating_sub(RECENT)..])
    }

    /// The last point.
    pub(crate) fn last(&self) -> Point {
        self.points.last().copied().unwrap_or_default()
    }

    /// The last `columns` points, or all of them, joined to at most so many.
    pub(crate) fn columns(&self, columns: usize, whole: bool) -> Vec<Point> {
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
    fn rates_are_per_second() {
        let point = Point { span_ms: 500, allocated: 10, dead: 4, ..Point::default() };
        assert_eq!((point.allocation_rate(), point.death_rate()), (20, 8));
        assert_eq!(Point::default().allocation_rate(), 0);
    }
}
