//! What reading adds to pauses, measured, and how much of each may be read so that it stays within bounds.

use std::time::{Duration, Instant};

/// Reading of so much in all is noticed by nobody: before it, and of the last pauses, nothing is left out for its share.
const UNNOTICED: Duration = Duration::from_millis(250);
/// Of what the last pauses took, so many parts are forgotten with each: pauses change.
const FORGOTTEN: u32 = 16;
/// At least one part in so many is read.
const FEWEST: u32 = 64;

/// Times of one census.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pauses {
    /// What reading may take of a pause. `None`: as long as the pause took without it, on average; zero: as long as it takes.
    most: Option<Duration>,
    /// Of all pauses: what reading took, and the rest.
    pub(super) reading: Duration,
    pub(super) own: Duration,
    /// The longest reading.
    pub(super) longest: Duration,
    /// The same two of the last ones.
    last: [Duration; 2],
    /// Of the running one: what was read at its begin, and since when the JVM goes on with it.
    begun: Option<(Duration, Instant)>,
    one_in: u32,
}

impl Pauses {
    pub(super) fn new(most: Option<Duration>) -> Self {
        Self {
            most,
            reading: Duration::ZERO,
            own: Duration::ZERO,
            longest: Duration::ZERO,
            last: [Duration::ZERO; 2],
            begun: None,
            one_in: 1,
        }
    }

    /// All times begin again.
    pub(super) fn restart(&mut self) {
        *self = Self { one_in: self.one_in, last: self.last, ..Self::new(self.most) };
    }

    /// The begin of a pause was read.
    pub(super) fn was_begun(&mut self, began: Instant, ended: Instant) {
        self.begun = Some((ended - began, ended));
    }

    /// Its end was, if `was_read`: one part in how many is to be read from now on.
    pub(super) fn was_read(&mut self, began: Instant, ended: Instant, was_read: bool) -> u32 {
        let (at_begin, since) = self.begun.take().unwrap_or((Duration::ZERO, began));
        self.add(at_begin + (ended - began), began.saturating_duration_since(since), was_read);
        self.one_in
    }

    fn add(&mut self, reading: Duration, own: Duration, was_read: bool) {
        self.reading += reading;
        self.own += own;
        self.longest = self.longest.max(reading);
        for (sum, this) in self.last.iter_mut().zip([reading, own]) {
            *sum = *sum - *sum / FORGOTTEN + this;
        }
        if was_read {
            self.one_in = self.wanted(reading).clamp(1, FEWEST);
        }
    }

    fn wanted(&self, reading: Duration) -> u32 {
        let [read, own] = self.last;
        match self.most {
            Some(Duration::ZERO) => 1,
            Some(most) if reading > most => self.one_in * 2,
            Some(most) if reading < most / 4 => self.one_in / 2,
            None if self.reading > UNNOTICED && read > own => self.one_in * 2,
            None if read < own / 4 => self.one_in / 2,
            _ => self.one_in,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One in how many is read after so many pauses of such a length, where reading all of one takes so long.
    fn after(most: Option<u64>, pauses: u32, (full, own): (u64, u64)) -> (u32, Duration) {
        let mut all = Pauses::new(most.map(Duration::from_millis));
        for _ in 0..pauses {
            let reading = Duration::from_millis(full) / all.one_in;
            all.add(reading, Duration::from_millis(own), true);
        }
        (all.one_in, all.reading)
    }

    #[test]
    fn a_pause_has_no_more_reading_than_it_may() {
        assert_eq!(after(Some(5), 10, (30, 1)).0, 8);
        assert_eq!(after(Some(5), 10, (4, 1)).0, 1);
        assert_eq!(after(Some(0), 1_000, (30, 1)).0, 1, "whatever it takes");
        assert_eq!(after(Some(1), 100, (1_000, 1)).0, FEWEST, "something is read");
    }

    #[test]
    fn without_a_bound_reading_takes_no_longer_than_the_rest_of_pauses() {
        assert_eq!(after(None, 1_000, (10, 12)).0, 1);
        assert_eq!(after(None, 10, (20, 2)).0, 1, "too little to be noticed");
        let (one_in, reading) = after(None, 1_000, (20, 2));
        assert!(one_in >= 8 && reading < Duration::from_millis(2 * 2 * 1_000), "{one_in}, {reading:?}");
    }

    #[test]
    fn times_are_those_of_the_whole_pause() {
        let (mut all, at) = (Pauses::new(None), Instant::now());
        let ms = |ms| at + Duration::from_millis(ms);
        all.was_begun(ms(0), ms(1));
        all.was_read(ms(5), ms(8), true);
        assert_eq!([all.reading, all.own, all.longest].map(|time| time.as_millis()), [4, 4, 4]);
    }
}
