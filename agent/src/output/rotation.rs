//! When a recording goes on in a new file, and which older files are removed: `#loop` and `#keep`.
//!
//! By the monotonic clock alone: whatever becomes of the time of day, files are as old as they are. Not here: their names, and how they
//! are opened and removed (`numbered`).

use std::collections::VecDeque;
use std::time::Duration;

use crate::options::Bounds;

/// After a file could not be written, another one is tried so much later.
const RETRY: Duration = Duration::from_secs(10);
/// Under a bound on all files together, one has no more than this part of it.
const PART: u64 = 4;

/// The files of a recording.
pub(super) struct Rotation<F> {
    every: Bounds,
    keep: Bounds,
    ended: VecDeque<Ended<F>>,
    ended_bytes: u64,
    present: Present,
}

/// A file that is whole.
struct Ended<F> {
    file: F,
    at: Duration,
    bytes: u64,
}

/// What is written to.
enum Present {
    /// A file that began then, and the bytes that were in it from its begin.
    Open { began: Duration, first_bytes: u64 },
    /// None: the last one could not be written. The next is tried at that time.
    Lost { retry: Duration },
}

impl<F> Rotation<F> {
    /// The first file begins.
    pub(super) fn new(every: Bounds, keep: Bounds) -> Self {
        let present = Present::Open { began: Duration::ZERO, first_bytes: 0 };
        Self { every, keep, ended: VecDeque::new(), ended_bytes: 0, present }
    }

    /// Whether it is time for another file, where the present one has so many bytes.
    pub(super) fn is_due(&self, now: Duration, bytes: u64) -> bool {
        let Present::Open { began, first_bytes } = self.present else {
            return matches!(self.present, Present::Lost { retry } if retry <= now);
        };
        let most =
            self.every.bytes.unwrap_or(u64::MAX).min(self.keep.bytes.map_or(u64::MAX, |all| all / PART));
        // What a file begins with is no reason for the next one.
        let is_large = bytes >= most.max(first_bytes.saturating_mul(2));
        is_large || self.every.time.is_some_and(|every| now.saturating_sub(began) >= every)
    }

    /// A file begins, with so many bytes.
    pub(super) fn begins(&mut self, now: Duration, first_bytes: u64) {
        self.present = Present::Open { began: now, first_bytes };
    }

    /// The present file has ended.
    pub(super) fn ends(&mut self, file: F, now: Duration, bytes: u64) {
        self.ended.push_back(Ended { file, at: now, bytes });
        self.ended_bytes = self.ended_bytes.saturating_add(bytes);
    }

    /// No file could be written.
    pub(super) fn is_lost(&mut self, now: Duration) {
        self.present = Present::Lost { retry: now + RETRY };
    }

    /// The oldest file, if it is not to be kept where the present one has so many bytes. It is no longer among them.
    pub(super) fn outdated(&mut self, now: Duration, bytes: u64) -> Option<F> {
        let oldest = self.ended.front()?;
        let is_old = self.keep.time.is_some_and(|kept| now.saturating_sub(oldest.at) >= kept);
        let is_too_much = self.keep.bytes.is_some_and(|most| self.ended_bytes.saturating_add(bytes) > most);
        if !is_old && !is_too_much {
            return None;
        }
        self.ended_bytes = self.ended_bytes.saturating_sub(oldest.bytes);
        self.ended.pop_front().map(|oldest| oldest.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn bounds(seconds: u64, mb: u64) -> Bounds {
        Bounds { time: (seconds > 0).then(|| secs(seconds)), bytes: (mb > 0).then_some(mb << 20) }
    }

    #[test]
    fn a_file_ends_after_its_time_or_at_its_size_whichever_comes_first() {
        let mut rotation = Rotation::<u32>::new(bounds(3_600, 64), Bounds::default());
        assert!(!rotation.is_due(secs(3_599), 1 << 20) && rotation.is_due(secs(3_600), 1 << 20));
        assert!(rotation.is_due(secs(101), 64 << 20));
        rotation.begins(secs(3_700), 50 << 20);
        assert!(!rotation.is_due(secs(3_701), 99 << 20), "it began with nearly as much");
        assert!(rotation.is_due(secs(3_701), 100 << 20));
    }

    #[test]
    fn what_could_not_be_written_is_tried_again_later() {
        let mut rotation = Rotation::<u32>::new(bounds(3_600, 0), Bounds::default());
        rotation.is_lost(secs(50));
        assert!(!rotation.is_due(secs(59), 0) && rotation.is_due(secs(60), 0));
        rotation.begins(secs(60), 10);
        assert!(!rotation.is_due(secs(70), 10));
    }

    #[test]
    fn the_oldest_go_first_by_age_and_by_size() {
        let mut rotation = Rotation::new(bounds(10, 0), bounds(25, 8));
        for number in 1..=3u32 {
            rotation.ends(number, secs(u64::from(number) * 10), 2 << 20);
        }
        assert_eq!(rotation.outdated(secs(34), 2 << 20), None);
        assert_eq!(rotation.outdated(secs(35), 2 << 20), Some(1), "it ended 25 s ago");
        assert_eq!(rotation.outdated(secs(35), 2 << 20), None);
        assert_eq!(rotation.outdated(secs(35), 5 << 20), Some(2), "9 MiB");
        assert_eq!(rotation.outdated(secs(35), 50 << 20), Some(3));
        assert_eq!(rotation.outdated(secs(35), 50 << 20), None, "the present one stays");
        assert!(
            !rotation.is_due(secs(9), 1 << 20) && rotation.is_due(secs(9), 2 << 20),
            "a quarter of 8 MiB"
        );
    }
}
