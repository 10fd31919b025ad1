//! What reading adds to pauses, measured, and how much of each may be read so that it stays within bounds.

use std::time::{Duration, Instant};

/// Without a bound of the user's, reading takes one part in so many of what pauses take without it, all together.
const OF_PAUSES: u32 = 5;
/// And of a pause no more than this: pauses are judged by their longest, too.
const MOST: Duration = Duration::from_millis(4);
/// Of a pause, where others took too much: one part in so many, so that there is none of which nothing can be read.
const OF_PAUSE_AT_LEAST: u32 = 20;
/// Of a pause, where others took little: one part in so many.
const OF_PAUSE_AT_MOST: u32 = 3;
/// Before anything is read: nanoseconds for a byte, as programs of small objects took.
const NS_PER_BYTE: f64 = 1.0;
/// The newest reading counts for one part in so many of what a byte takes.
const NEWEST: f64 = 4.0;
/// So little says nothing of what a byte takes.
const SAYS_NOTHING: u64 = 256 << 10;

/// Times of one census.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pauses {
    /// What reading may take of a pause. `None`: a part of what pauses take without it; zero: as long as it takes.
    most: Option<Duration>,
    /// Of all pauses: what reading took, and the rest.
    pub(super) reading: Duration,
    pub(super) own: Duration,
    /// The longest reading.
    pub(super) longest: Duration,
    /// What reading may have taken in all, less what it took, in nanoseconds.
    left: f64,
    /// What a byte takes; `None`: nothing was read yet.
    ns_per_byte: Option<f64>,
    /// Of the running one: what was read at its begin, and since when the JVM goes on with it.
    begun: Option<(Duration, Instant)>,
}

impl Pauses {
    pub(super) fn new(most: Option<Duration>) -> Self {
        Self {
            most,
            reading: Duration::ZERO,
            own: Duration::ZERO,
            longest: Duration::ZERO,
            left: 0.0,
            ns_per_byte: None,
            begun: None,
        }
    }

    /// All times begin again.
    pub(super) fn restart(&mut self) {
        *self = Self { left: self.left, ns_per_byte: self.ns_per_byte, ..Self::new(self.most) };
    }

    /// The begin of a pause was read.
    pub(super) fn was_begun(&mut self, began: Instant, ended: Instant) {
        self.begun = Some((ended - began, ended));
    }

    /// The JVM is about to end a pause: which share of so many bytes may be read now.
    pub(super) fn share(&self, now: Instant, bytes: u64) -> f64 {
        self.share_of(self.own_until(now), bytes)
    }

    fn share_of(&self, own: Duration, bytes: u64) -> f64 {
        let may = match self.most {
            Some(Duration::ZERO) => return 1.0,
            Some(most) => most,
            None => {
                let left = (self.left + part_of(own)).max(0.0);
                Duration::from_nanos(left as u64)
                    .clamp(own / OF_PAUSE_AT_LEAST, own / OF_PAUSE_AT_MOST)
                    .min(MOST)
            }
        };
        (may.as_nanos() as f64 / (bytes as f64 * self.ns_per_byte.unwrap_or(NS_PER_BYTE))).min(1.0)
    }

    fn own_until(&self, now: Instant) -> Duration {
        self.begun.map_or(Duration::ZERO, |(_, since)| now.saturating_duration_since(since))
    }

    /// The end of a pause was looked at, and so many bytes were read.
    pub(super) fn was_read(&mut self, began: Instant, ended: Instant, bytes: u64) {
        let own = self.own_until(began);
        let (at_begin, _) = self.begun.take().unwrap_or((Duration::ZERO, began));
        self.add((at_begin, ended - began), own, bytes);
    }

    fn add(&mut self, (at_begin, at_end): (Duration, Duration), own: Duration, bytes: u64) {
        let reading = at_begin + at_end;
        self.reading += reading;
        self.own += own;
        self.longest = self.longest.max(reading);
        let may = part_of(own);
        // What was left for long is forgotten: pauses are not made longer by an hour of short ones.
        self.left = (self.left + may - reading.as_nanos() as f64).min(may.max(MOST.as_nanos() as f64));
        if bytes >= SAYS_NOTHING {
            let newest = at_end.as_nanos() as f64 / bytes as f64;
            let known = self.ns_per_byte.unwrap_or(newest);
            self.ns_per_byte = Some(known + (newest - known) / NEWEST);
        }
    }
}

/// What reading may take of pauses that took so long without it, in nanoseconds.
fn part_of(own: Duration) -> f64 {
    own.as_nanos() as f64 / f64::from(OF_PAUSES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What so many pauses of a length have of reading, in all and at most, in milliseconds, where reading all of one takes so long: the
    /// share itself where a part can be read, and else all or nothing, as often.
    fn after(most: Option<u64>, pauses: u32, (full, own): (f64, f64), in_parts: bool) -> (f64, f64) {
        let mut all = Pauses::new(most.map(Duration::from_millis));
        let (bytes, own, mut chance) = (100 << 20, Duration::from_secs_f64(own / 1e3), 0.0);
        for _ in 0..pauses {
            let share = all.share_of(own, bytes);
            chance += share;
            let read = match in_parts {
                true => share,
                false if chance >= 1.0 => 1.0,
                false => 0.0,
            };
            chance -= if read == 1.0 { 1.0 } else { 0.0 };
            let reading = Duration::from_secs_f64(full * read / 1e3);
            all.add((Duration::ZERO, reading), own, (bytes as f64 * read) as u64);
        }
        (all.reading.as_secs_f64() * 1e3, all.longest.as_secs_f64() * 1e3)
    }

    #[test]
    fn a_pause_has_no_more_reading_than_it_may() {
        // The first is read with a guess of what a byte takes.
        let (reading, longest) = after(Some(5), 100, (300.0, 1.0), true);
        assert!((400.0..600.0).contains(&reading) && longest < 16.0, "{reading}, {longest}");
        assert!(after(Some(5), 10, (4.0, 1.0), true).0 > 36.0, "all is read but of the first");
        assert_eq!(after(Some(0), 100, (300.0, 1.0), true).0.round(), 30_000.0, "whatever it takes");
    }

    #[test]
    fn without_a_bound_reading_takes_a_fifth_of_the_rest_of_pauses_and_no_more_than_some_milliseconds() {
        for in_parts in [true, false] {
            let (reading, longest) = after(None, 1_000, (30.0, 12.0), in_parts);
            assert!((1_000.0..=2_500.0).contains(&reading), "{reading}");
            assert!(!in_parts || longest < 8.0, "{longest}");
        }
        let (reading, longest) = after(None, 1_000, (300.0, 100.0), true);
        assert!((3_000.0..=4_500.0).contains(&reading) && longest < 20.0, "{reading}, {longest}");
        assert!(after(None, 100, (1.0, 12.0), true).0 > 99.0, "all is read but of the first");
        let (reading, _) = after(None, 1_000, (30.0, 0.1), true);
        assert!((1.0..=25.0).contains(&reading), "of the shortest pauses something is read: {reading}");
    }

    #[test]
    fn what_took_too_long_is_made_up_for_and_what_was_left_is_no_licence() {
        let mut all = Pauses::new(None);
        let [own, long] = [10, 50].map(Duration::from_millis);
        let bytes = 100 << 20;
        all.add((long, Duration::ZERO), own, 0);
        let after_long = all.share_of(own, bytes);
        for _ in 0..1_000 {
            all.add((Duration::ZERO, Duration::ZERO), own, 0);
        }
        let after_none = all.share_of(own, bytes);
        assert!(after_long > 0.0 && after_none > 2.0 * after_long, "{after_long}, {after_none}");
        assert!(after_none * bytes as f64 * NS_PER_BYTE <= own.as_nanos() as f64 / 2.0);
    }

    #[test]
    fn times_are_those_of_the_whole_pause() {
        let (mut all, at) = (Pauses::new(None), Instant::now());
        let ms = |ms| at + Duration::from_millis(ms);
        all.was_begun(ms(0), ms(1));
        all.was_read(ms(5), ms(8), 0);
        assert_eq!([all.reading, all.own, all.longest].map(|time| time.as_millis()), [4, 4, 4]);
    }
}
