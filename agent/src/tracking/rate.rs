//! At most so many samples a second: where there are more, the JVM is told to sample less often, and where fewer, more often again,
//! but never more often than the interval that was asked for. Where taking one costs little, there may be more.
//!
//! What a sample stands for goes by the interval at which it was drawn, so estimates stay right. Not here: telling the JVM.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::plan::SampleRate;

/// How long samples are counted before the interval is set by them.
const WINDOW: Duration = Duration::from_secs(1);
/// Far fewer than there may be are seen earlier: after so long, by so many.
const EARLY: Duration = Duration::from_millis(100);
const FEW: u64 = 8;
/// An interval shrinks by no more at a time.
const MOST_SHRINKING: f64 = 0.25;
/// What samples beyond the rate may cost: 2 % of a core, in nanoseconds a second.
const CHEAP_NS: u64 = 20_000_000;
/// What a sample costs until it is known.
const FIRST_COST_NS: u64 = 20_000;
/// The cost that is held to be usual moves by such a part with each sample; it is no less nanoseconds than these.
const COST_STEPS: u64 = 64;
/// After the first, dense samples there are this part of those that may be: while the JVM starts each costs most, and in a short program nothing
/// is worth it.
const AFTER_OPENING: f64 = 0.25;
/// What the JVM takes.
const MOST_INTERVAL: f64 = i32::MAX as f64;

/// The interval, and what changes it.
#[derive(Debug)]
pub(crate) struct Rate {
    interval: AtomicU64,
    least: u64,
    /// The largest that is set, whatever the samples.
    largest: u64,
    /// The largest that was set so far.
    worst: AtomicU64,
    /// Samples a second; `None`: however many there are.
    limit: Option<SampleRate>,
    /// What one costs the thread that it is taken on: the median, as some threads have to wait meanwhile.
    cost_ns: AtomicU64,
    /// Samples that are still drawn at a smaller interval, how many there are of these, and the interval that comes then if there is no limit.
    opening: AtomicU64,
    openings: u64,
    opened: u64,
    window: Mutex<Option<Window>>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    began: Instant,
    samples: u64,
}

impl Rate {
    /// Begins with the least interval.
    pub(crate) fn new(least: u64, limit: Option<SampleRate>) -> Self {
        let largest = (MOST_INTERVAL as u64).max(least);
        let [interval, worst] = [least; 2].map(AtomicU64::new);
        let (opening, cost_ns) = (AtomicU64::new(0), AtomicU64::new(FIRST_COST_NS));
        let window = Mutex::default();
        Self { interval, least, largest, worst, limit, cost_ns, opening, openings: 0, opened: least, window }
    }

    /// The same, with intervals up to this one, however many samples there are then.
    pub(crate) fn up_to(self, largest: u64) -> Self {
        Self { largest: largest.max(self.least), ..self }
    }

    /// The same, beginning with the largest interval: what a program does in its first second costs no more than needed.
    pub(crate) fn begun_at_largest(self) -> Self {
        self.interval.store(self.largest, Relaxed);
        self.worst.store(self.largest, Relaxed);
        self
    }

    /// The same, but for the first samples, which are drawn at this interval if it is smaller: a short program has few others. Those that come then
    /// go by how fast these came, if there is a limit.
    pub(crate) fn begun_densely(self, samples: u64, interval: u64) -> Self {
        let opened = self.interval();
        if interval >= opened {
            return self;
        }
        self.interval.store(interval, Relaxed);
        if self.limit.is_some() {
            self.worst.store(interval, Relaxed);
        }
        Self { opening: AtomicU64::new(samples), openings: samples, opened, ..self }
    }

    /// The largest interval so far.
    pub(crate) fn worst(&self) -> u64 {
        self.worst.load(Relaxed)
    }

    /// Mean bytes between two samples, for draws from now on.
    pub(crate) fn interval(&self) -> u64 {
        self.interval.load(Relaxed)
    }

    /// A sample was taken between these moments; the new interval, if it changes.
    pub(crate) fn sampled(&self, began: Instant, now: Instant) -> Option<u64> {
        self.note_cost(now.saturating_duration_since(began));
        let opening = self.opening.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        if opening == Ok(1) && self.limit.is_none() {
            self.interval.store(self.opened, Relaxed);
            return Some(self.opened);
        }
        let most = self.most()?;
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = window.get_or_insert(Window { began: now, samples: 0 });
        if let Ok(left) = opening {
            if left > 1 {
                return None;
            }
            let seconds = now.saturating_duration_since(counted.began).as_secs_f64().max(1e-3);
            *window = Some(Window { began: now, samples: 0 });
            drop(window);
            return self.set(self.openings as f64 / seconds / (AFTER_OPENING * most as f64));
        }
        counted.samples += 1;
        let elapsed = now.saturating_duration_since(counted.began);
        let rate = counted.samples as f64 / elapsed.as_secs_f64().max(1e-3);
        let far_fewer = elapsed >= EARLY && counted.samples >= FEW && rate < most as f64 / 2.0;
        // A window that is full early ends early: in the rest of it there would be too many.
        if elapsed < WINDOW && counted.samples < most && !(far_fewer && self.interval() > self.least) {
            return None;
        }
        *window = Some(Window { began: now, samples: 0 });
        drop(window);
        self.set(rate / most as f64)
    }

    /// Samples come so many times as fast as they may; the new interval, if it changes.
    fn set(&self, factor: f64) -> Option<u64> {
        let interval = self.fitting(factor);
        self.worst.fetch_max(interval, Relaxed);
        (self.interval.swap(interval, Relaxed) != interval).then_some(interval)
    }

    /// Moves the median. Threads that come at once may lose a step.
    fn note_cost(&self, took: Duration) {
        let usual = self.cost_ns.load(Relaxed);
        let step = usual / COST_STEPS;
        let is_more = took.as_nanos() > u128::from(usual);
        let usual = if is_more { usual + step } else { usual - step };
        self.cost_ns.store(usual.max(COST_STEPS), Relaxed);
    }

    fn most(&self) -> Option<u64> {
        let SampleRate { paid, cheap } = self.limit?;
        let affordable = CHEAP_NS / self.cost_ns.load(Relaxed);
        Some(affordable.clamp(paid, cheap))
    }

    fn fitting(&self, factor: f64) -> u64 {
        let interval = self.interval() as f64 * factor.max(MOST_SHRINKING);
        (interval as u64).clamp(self.least, self.largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: u64 = 512 << 10;

    fn limit(paid: u64, cheap: u64) -> Option<SampleRate> {
        Some(SampleRate { paid, cheap })
    }

    /// A program that allocates so many bytes a second, sampled for so many seconds; samples of each.
    fn samples_of_each_second(rate: &Rate, bytes_a_second: f64, seconds: u32, began: Instant) -> Vec<u64> {
        samples_that_cost(Duration::from_micros(100), rate, bytes_a_second, seconds, began)
    }

    fn samples_that_cost(
        cost: Duration,
        rate: &Rate,
        bytes_a_second: f64,
        seconds: u32,
        began: Instant,
    ) -> Vec<u64> {
        let mut counts = vec![0; seconds as usize];
        let mut at = 0.0;
        loop {
            at += rate.interval() as f64 / bytes_a_second;
            let Some(count) = counts.get_mut(at as usize) else { return counts };
            *count += 1;
            let at = began + Duration::from_secs_f64(at);
            rate.sampled(at - cost, at);
        }
    }

    #[test]
    fn there_are_no_more_than_asked_for_once_it_has_settled() {
        let rate = Rate::new(LEAST, limit(100, 100));
        let began = Instant::now();
        // A gigabyte a second, 2,000 samples at the least interval.
        let counts = samples_of_each_second(&rate, 1e9, 10, began);
        assert!(counts[0] <= 400, "{counts:?}");
        assert!(counts[1..].iter().all(|&count| (80..=110).contains(&count)), "{counts:?}");
    }

    #[test]
    fn where_a_sample_costs_little_there_are_more() {
        let counts_at = |micros| {
            let rate = Rate::new(LEAST, limit(100, 1_000));
            samples_that_cost(Duration::from_micros(micros), &rate, 1e9, 10, Instant::now())
        };
        for (micros, least, most) in [(2, 900, 1_100), (40, 430, 550), (180, 90, 130), (500, 90, 130)] {
            let counts = counts_at(micros);
            assert!(counts[2..].iter().all(|count| (least..=most).contains(count)), "{micros}: {counts:?}");
        }
    }

    #[test]
    fn it_is_never_further_apart_than_the_largest_interval() {
        let rate = Rate::new(LEAST, limit(100, 100)).up_to(4 * LEAST);
        let began = Instant::now();
        let counts = samples_of_each_second(&rate, 1e9, 10, began);
        assert_eq!((rate.interval(), rate.worst()), (4 * LEAST, 4 * LEAST), "{counts:?}");
        samples_of_each_second(&rate, 1e6, 60, began + Duration::from_secs(10));
        assert_eq!((rate.interval(), rate.worst()), (LEAST, 4 * LEAST));
    }

    #[test]
    fn it_may_begin_with_few_samples() {
        let rate = Rate::new(LEAST, limit(1000, 1000)).up_to(64 * LEAST).begun_at_largest();
        assert_eq!((rate.interval(), rate.worst()), (64 * LEAST, 64 * LEAST));
        let counts = samples_of_each_second(&rate, 1e8, 10, Instant::now());
        assert!(counts[0] < 5 && rate.interval() == LEAST, "{counts:?}");
    }

    #[test]
    fn a_program_of_a_second_is_sampled_as_densely_as_it_may_be_from_its_middle_on() {
        let rate = Rate::new(8 << 10, limit(500, 500)).up_to(512 << 10).begun_at_largest();
        let counts = samples_of_each_second(&rate, 1e7, 3, Instant::now());
        // By the second it would be 19.
        assert!(counts[0] > 100 && counts[1..].iter().all(|count| (250..=550).contains(count)), "{counts:?}");
    }

    #[test]
    fn its_first_samples_may_be_drawn_more_densely() {
        let now = Instant::now();
        let rate = Rate::new(LEAST, None).begun_densely(3, 16 << 10);
        assert_eq!((rate.interval(), rate.worst()), (16 << 10, LEAST));
        let changes: Vec<_> = (0..5).map(|_| rate.sampled(now, now)).collect();
        assert_eq!((changes, rate.interval()), (vec![None, None, Some(LEAST), None, None], LEAST));
        let dense = Rate::new(8 << 10, None).begun_densely(3, 16 << 10);
        assert_eq!((dense.interval(), dense.sampled(now, now)), (8 << 10, None), "it is denser anyway");
    }

    /// After 128 samples at 16 KiB the next stood for 512 KiB each: a leak of 1.5 MiB was 1.9 +-0.8 in a run of 20 s.
    #[test]
    fn what_comes_after_the_first_samples_goes_by_how_fast_these_came() {
        let rate = |bytes_a_second: f64| {
            let rate = Rate::new(8 << 10, limit(500, 500)).up_to(512 << 10).begun_at_largest();
            let rate = rate.begun_densely(128, 16 << 10);
            let seconds = 129.0 * f64::from(16 << 10) / bytes_a_second;
            let cost = Duration::from_micros(100);
            let mut at = Instant::now();
            for _ in 0..128 {
                at += Duration::from_secs_f64(seconds / 129.0);
                rate.sampled(at - cost, at);
            }
            (rate.interval() >> 10, rate.worst() >> 10)
        };
        assert_eq!([1e6, 4e6, 1e9].map(rate), [(8, 16), (31, 31), (512, 512)]);
    }

    #[test]
    fn it_goes_back_to_what_was_asked_for_and_not_beyond() {
        let rate = Rate::new(LEAST, limit(100, 100));
        let began = Instant::now();
        samples_of_each_second(&rate, 1e9, 5, began);
        assert!(rate.interval() > 10 * LEAST);
        samples_of_each_second(&rate, 1e6, 600, began + Duration::from_secs(5));
        assert_eq!(rate.interval(), LEAST);
    }

    #[test]
    fn without_a_limit_nothing_changes() {
        let rate = Rate::new(LEAST, None);
        let now = Instant::now();
        assert!((0..10_000).all(|_| rate.sampled(now, now).is_none()));
        assert_eq!(rate.interval(), LEAST);
    }
}
