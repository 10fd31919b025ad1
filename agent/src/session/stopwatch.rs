//! Time during which profiling was on.

use std::time::{Duration, Instant};

/// Runs, or stands still.
#[derive(Debug, Default)]
pub(super) struct Stopwatch {
    before: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    /// Goes on, or stops.
    pub(super) fn run(&mut self, on: bool) {
        self.before = self.elapsed();
        self.since = on.then(Instant::now);
    }

    /// From zero again.
    pub(super) fn restart(&mut self) {
        self.before = Duration::ZERO;
        self.since = self.since.map(|_| Instant::now());
    }

    /// So far.
    pub(super) fn elapsed(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}
