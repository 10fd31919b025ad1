//! One span of time of a run: what was allocated and died in it, what was in use at its end.
//!
//! Not here: how points come about (`history`), and how they are written (`course`).

use crate::facts::off_heap::OffHeap;

/// A span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// How long it was, in milliseconds.
    pub span_ms: u64,
    /// Bytes counted meanwhile.
    pub allocated: u64,
    /// Bytes of tracked objects seen dead meanwhile.
    pub dead: u64,
    /// Bytes that the last collection so far left in use, as the JVM says; where it does not, those of the tracked objects that it
    /// left. `None` before there was one.
    pub live: Option<u64>,
    /// Collections meanwhile.
    pub gcs: u32,
    /// Soft references allocated meanwhile.
    pub soft: u64,
    /// Classes that were loaded meanwhile, or met for the first time where the JVM does not say.
    pub classes: u64,
    /// What was outside of the heap at its end; `None` where nothing is known.
    pub off_heap: Option<OffHeap>,
}

impl Point {
    /// Bytes of direct buffers and arenas at its end.
    pub fn direct_bytes(&self) -> Option<u64> {
        self.off_heap.and_then(OffHeap::direct_bytes)
    }

    /// Both, one after the other.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            span_ms: self.span_ms + next.span_ms,
            allocated: self.allocated.saturating_add(next.allocated),
            dead: self.dead.saturating_add(next.dead),
            live: next.live.or(self.live),
            gcs: self.gcs.saturating_add(next.gcs),
            soft: self.soft.saturating_add(next.soft),
            classes: self.classes.saturating_add(next.classes),
            off_heap: next.off_heap.or(self.off_heap),
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

/// The mean of a value in so many equal parts of the whole time.
pub fn by_time(points: &[Point], parts: usize, value: impl Fn(&Point) -> u64) -> Vec<f64> {
    let all: u64 = points.iter().map(|point| point.span_ms).sum();
    let width = all as f64 / parts as f64;
    let mut sums = vec![0.0; parts];
    let mut from = 0.0;
    for point in points {
        let to = from + point.span_ms as f64;
        let first = (from / width) as usize;
        for (part, sum) in sums.iter_mut().enumerate().skip(first) {
            let (left, right) = (part as f64 * width, (part + 1) as f64 * width);
            if left >= to {
                break;
            }
            *sum += value(point) as f64 * (right.min(to) - left.max(from)).max(0.0);
        }
        from = to;
    }
    sums.iter().map(|sum| sum / width).collect()
}
