//! Time during which profiling was on.

use std::time::{Duration, Instant};

/// Runs, or stands still. What happened meanwhile has its time on the profiler's clock, which ticks coarser than this one:
/// where that stood at each start is kept, so that the order of the two is known and not guessed.
#[derive(Debug, Default)]
pub(super) struct Stopwatch {
    before: Duration,
    since: Option<Instant>,
    /// The profiler's clock as the profiled time began, in milliseconds; `None` before that.
    began_ms: Option<u64>,
    /// The profiler's clock as it went on the last time, and what it showed then: that holds when it stands still again.
    went_on_ms: u64,
    went_on_at: Duration,
}

impl Stopwatch {
    /// Goes on, or stops, at that time of the profiler's clock.
    pub(super) fn run(&mut self, on: bool, clock_ms: u64) {
        self.before = self.elapsed();
        self.since = on.then(Instant::now);
        if on {
            (self.went_on_ms, self.went_on_at) = (clock_ms, self.before);
            self.began_ms.get_or_insert(clock_ms);
        }
    }

    /// From zero again, at that time of the profiler's clock.
    pub(super) fn restart(&mut self, clock_ms: u64) {
        (self.before, self.went_on_at) = Default::default();
        self.since = self.since.map(|_| Instant::now());
        self.began_ms = self.since.map(|_| clock_ms);
        self.went_on_ms = clock_ms;
    }

    /// So far.
    pub(super) fn elapsed(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Milliseconds of the profiled time at a time of the profiler's clock; `None` before it began. Of a time before the newest
    /// start it is that start: where this stood still, so does what happened.
    pub(super) fn at(&self, clock_ms: u64) -> Option<u64> {
        self.began_ms.filter(|&began| began <= clock_ms)?;
        let gone_on = Duration::from_millis(clock_ms.saturating_sub(self.went_on_ms));
        let most = self.elapsed();
        Some((self.went_on_at + gone_on).min(most).as_millis() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Stopwatch;

    /// As if it had run for so long.
    fn ran(mut watch: Stopwatch, ms: u64) -> Stopwatch {
        watch.since = watch.since.map(|since| since.checked_sub(Duration::from_millis(ms)).unwrap());
        watch
    }

    #[test]
    fn what_happened_has_its_time_since_the_last_restart() {
        let mut watch = Stopwatch::default();
        assert_eq!(watch.at(7), None, "it never ran");
        watch.run(true, 1_000);
        watch = ran(watch, 500);
        assert_eq!((watch.at(999), watch.at(1_000), watch.at(1_300)), (None, Some(0), Some(300)));
        watch.restart(2_000);
        watch = ran(watch, 3_000);
        assert_eq!((watch.at(1_999), watch.at(2_000), watch.at(4_000)), (None, Some(0), Some(2_000)));
        assert_eq!(watch.at(9_000), Some(3_000), "no later than now");
        watch.run(false, 5_000);
        assert_eq!(
            (watch.at(4_000), watch.at(9_000)),
            (Some(2_000), Some(3_000)),
            "at the end it stands still"
        );
    }

    /// The profiler's clock ticks each 4 ms: what it says is 3 ms ago may have been just now.
    #[test]
    fn a_coarse_clock_loses_nothing() {
        let mut watch = Stopwatch::default();
        watch.run(true, 136);
        watch = ran(watch, 1);
        assert_eq!(watch.at(136), Some(0));
        assert_eq!(watch.at(140), Some(1));
    }

    #[test]
    fn a_pause_takes_no_time_and_what_came_before_it_stays_in() {
        let mut watch = Stopwatch::default();
        watch.run(true, 1_000);
        watch = ran(watch, 2_000);
        watch.run(false, 3_000);
        assert_eq!(watch.at(2_500), Some(1_500));
        watch.run(true, 63_000);
        watch = ran(watch, 100);
        assert_eq!((watch.at(2_500), watch.at(63_050), watch.at(999)), (Some(2_000), Some(2_050), None));
    }

    #[test]
    fn after_a_restart_in_a_pause_it_begins_as_it_goes_on() {
        let mut watch = Stopwatch::default();
        watch.run(true, 0);
        watch.run(false, 10);
        watch.restart(20);
        assert_eq!(watch.at(30), None);
        watch.run(true, 40);
        assert_eq!((watch.at(30), watch.at(40)), (None, Some(0)));
    }
}
