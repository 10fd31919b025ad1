//! What the census read of young collections, for whoever samples: exact counts of each class, and which of the times between two
//! collections they cover.
//!
//! Such a time is a *period*: it ends when Eden is emptied, and for large objects with each pause. Samples of a period that was read say nothing that is not known. Not here:
//! reading (`census`), samples (`sampled`).

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use mayfly_profile::{ClassId, Tally};
use rustc_hash::{FxHashMap, FxHashSet};

/// Periods whose outcome is kept: more than end between two readings of samples.
const PERIODS: usize = 1 << 12;

/// Of one profile.
#[derive(Default)]
pub(crate) struct Young {
    is_read: AtomicBool,
    /// What was allocated before the engine began is read, too.
    from_start: AtomicBool,
    /// They end when Eden is emptied.
    small: Periods,
    /// They end with each pause, and are those of objects larger than that, which the census counts by themselves.
    large: Periods,
    largest: OnceLock<u64>,
    /// Of a period since all counts began not everything was read.
    has_gaps: AtomicBool,
    born: Mutex<Born>,
}

/// Times of which each is read or not.
#[derive(Default)]
struct Periods {
    /// The running one.
    now: AtomicU32,
    /// By period: the share of it that was not read, as the bits of an `f32`. Only there where a census reads.
    unread: OnceLock<Box<[AtomicU32]>>,
}

/// When an object was born, by the census.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Period {
    number: u32,
    is_large: bool,
}

/// The periods that run at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Now {
    small: u32,
    large: u32,
}

impl Now {
    /// Whether a period was over by then.
    pub(crate) fn is_after(self, period: Period) -> bool {
        let now = if period.is_large { self.large } else { self.small };
        now.wrapping_sub(period.number) as i32 > 0
    }

    /// Whether all periods that ran at a moment were over by then.
    pub(crate) fn is_after_all(self, then: Self) -> bool {
        let after = |now: u32, then: u32| now.wrapping_sub(then) as i32 > 0;
        after(self.small, then.small) && after(self.large, then.large)
    }
}

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Born {
    /// The first periods of which nothing is in these counts.
    pub(crate) before: Now,
    /// Counts since the census began, or all counts began again, of the classes of which they changed since they were taken.
    pub(crate) changed: FxHashMap<ClassId, Tally>,
    /// Classes of which others than the program's objects are read, too: samples count these.
    pub(crate) mixed: FxHashSet<ClassId>,
}

impl Periods {
    fn are_kept(&self) {
        self.unread.get_or_init(|| (0..PERIODS).map(|_| AtomicU32::new(0)).collect());
    }

    /// The running one ends. Called in pauses: it neither blocks nor allocates.
    fn end(&self, unread: f64) {
        let period = self.now.load(Relaxed);
        if let Some(share) = self.share_of(period) {
            share.store((unread as f32).to_bits(), Relaxed);
        }
        self.now.store(period.wrapping_add(1), Relaxed);
    }

    fn unread_of(&self, period: u32) -> f64 {
        let is_kept = (1..PERIODS as u32).contains(&self.now.load(Relaxed).wrapping_sub(period));
        let share = self.share_of(period).filter(|_| is_kept);
        share.map_or(1.0, |share| f64::from(f32::from_bits(share.load(Relaxed))))
    }

    fn share_of(&self, period: u32) -> Option<&AtomicU32> {
        Some(&self.unread.get()?[period as usize % PERIODS])
    }
}

impl Young {
    /// A census reads from now on, objects of more bytes than `largest` by themselves; `from_start`: also what was allocated since the
    /// JVM started.
    pub(crate) fn is_read_from_now_on(
        &self,
        mixed: impl IntoIterator<Item = ClassId>,
        largest: Option<u64>,
        from_start: bool,
    ) {
        self.from_start.store(from_start, Relaxed);
        self.has_gaps.store(!from_start, Relaxed);
        self.largest.get_or_init(|| largest.unwrap_or(u64::MAX));
        self.born().mixed = mixed.into_iter().collect();
        self.small.are_kept();
        self.large.are_kept();
        self.is_read.store(true, Relaxed);
    }

    /// Whether there is a census.
    pub(crate) fn is_read(&self) -> bool {
        self.is_read.load(Relaxed)
    }

    /// Whether what was allocated before the engine began is read.
    pub(crate) fn has_start_up(&self) -> bool {
        self.from_start.load(Relaxed)
    }

    /// The running periods.
    pub(crate) fn now(&self) -> Now {
        Now { small: self.small.now.load(Relaxed), large: self.large.now.load(Relaxed) }
    }

    /// The period of an object that was just born; `None`: there is no census.
    pub(crate) fn period_of(&self, bytes: u64, now: Now) -> Option<Period> {
        let is_large = bytes > *self.largest.get()?;
        Some(Period { number: if is_large { now.large } else { now.small }, is_large })
    }

    /// A pause ends: such a share of what had been in Eden was not read, if it was emptied, which was a gap if anything was there; and
    /// large objects are counted, or are not. Called in pauses: it neither blocks nor allocates.
    pub(crate) fn pause_ends(&self, unread: Option<f64>, has_gap: bool, has_large: bool) {
        let counts_large = self.largest.get().is_some_and(|&largest| largest < u64::MAX);
        if has_gap || counts_large && !has_large {
            self.has_gaps.store(true, Relaxed);
        }
        if let Some(unread) = unread {
            self.small.end(unread);
        }
        self.large.end(if has_large { 0.0 } else { 1.0 });
    }

    /// What of a period that ended was not read; nothing is known of one of long ago.
    pub(crate) fn unread_of(&self, period: Period) -> f64 {
        let periods = if period.is_large { &self.large } else { &self.small };
        periods.unread_of(period.number)
    }

    /// Whether of some period since all counts began not everything was read.
    pub(crate) fn has_gaps(&self) -> bool {
        self.has_gaps.load(Relaxed)
    }

    /// Counts as of the end of the last periods before these.
    pub(crate) fn note(&self, before: Now, rows: impl IntoIterator<Item = (ClassId, Tally)>) {
        let mut born = self.born();
        born.before = before;
        for (class, tally) in rows {
            if !born.mixed.contains(&class) {
                born.changed.insert(class, tally);
            }
        }
    }

    /// All counts begin again, in the midst of a period.
    pub(crate) fn restart(&self) {
        let mut born = self.born();
        born.changed.clear();
        born.before = self.now();
        self.has_gaps.store(true, Relaxed);
    }

    pub(crate) fn born(&self) -> MutexGuard<'_, Born> {
        self.born.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_known_once_it_ended_and_for_as_long_as_it_is_kept() {
        let young = Young::default();
        assert_eq!(young.period_of(16, young.now()), None, "nobody reads");
        young.is_read_from_now_on([ClassId(1)], Some(1_000), true);
        let now = young.now();
        let [small, large] =
            [1_000, 1_001].map(|bytes| young.period_of(bytes, now).expect("there is a census"));
        young.pause_ends(None, false, true);
        let [second, third] =
            [16, 2_000].map(|bytes| young.period_of(bytes, young.now()).expect("as before"));
        assert!(second == small && third != large, "Eden was not emptied");
        assert!(young.now().is_after(large) && !young.now().is_after(small) && !young.has_gaps());
        young.pause_ends(Some(0.25), true, true);
        assert_eq!([small, large, third].map(|period| young.unread_of(period)), [0.25, 0.0, 0.0]);
        assert!(young.now().is_after_all(now) && young.has_gaps());
        (0..PERIODS).for_each(|_| young.pause_ends(Some(0.0), false, true));
        assert_eq!(young.unread_of(small), 1.0);
        young.note(young.now(), [(ClassId(1), Tally::of(1, 16)), (ClassId(2), Tally::of(2, 16))]);
        assert_eq!(young.born().changed.len(), 1, "what is mixed is left to samples");
    }

    #[test]
    fn large_objects_that_were_not_counted_are_a_gap_where_they_are_counted_by_themselves() {
        for (largest, has_gap) in [(Some(1_000), true), (None, false)] {
            let young = Young::default();
            young.is_read_from_now_on([], largest, true);
            young.pause_ends(Some(0.0), false, false);
            assert_eq!(young.has_gaps(), has_gap);
        }
        let young = Young::default();
        young.is_read_from_now_on([], None, false);
        assert!(young.has_gaps(), "it was there before");
    }
}
