//! What the census read of young collections, for whoever samples: exact counts of each class, and which of the times between two
//! collections they cover.
//!
//! Such a time is a *period*: it ends when Eden is emptied. Samples of a period that was read say nothing that is not known. Not here:
//! reading (`census`), samples (`sampled`).

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use mayfly_profile::{ClassId, Tally};
use rustc_hash::{FxHashMap, FxHashSet};

/// Periods whose outcome is kept: more than end between two readings of samples.
const PERIODS: usize = 1 << 12;

/// Of one profile.
pub(crate) struct Young {
    is_read: AtomicBool,
    /// What was allocated before the engine began is read, too.
    from_start: AtomicBool,
    /// The running one.
    period: AtomicU32,
    /// By period: the share of it that was not read, as the bits of an `f32`. Only there where a census reads.
    unread: OnceLock<Box<[AtomicU32]>>,
    /// Larger objects are born old.
    largest: AtomicU64,
    born: Mutex<Born>,
}

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Born {
    /// The first period of which nothing is in these counts.
    pub(crate) before: u32,
    /// Counts since the census began, or all counts began again, of the classes of which they changed since they were taken.
    pub(crate) changed: FxHashMap<ClassId, Tally>,
    /// Classes of which others than the program's objects are read, too: samples count these.
    pub(crate) mixed: FxHashSet<ClassId>,
}

impl Default for Young {
    fn default() -> Self {
        Self {
            is_read: AtomicBool::new(false),
            from_start: AtomicBool::new(false),
            period: AtomicU32::new(0),
            unread: OnceLock::new(),
            largest: AtomicU64::new(u64::MAX),
            born: Mutex::default(),
        }
    }
}

impl Young {
    /// A census reads from now on; `from_start`: also what was allocated since the JVM started.
    pub(crate) fn is_read_from_now_on(&self, mixed: impl IntoIterator<Item = ClassId>, from_start: bool) {
        self.from_start.store(from_start, Relaxed);
        self.born().mixed = mixed.into_iter().collect();
        self.unread.get_or_init(|| (0..PERIODS).map(|_| AtomicU32::new(0)).collect());
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

    /// The running period.
    pub(crate) fn period(&self) -> u32 {
        self.period.load(Relaxed)
    }

    /// Objects of more bytes are born old. Called in pauses, too: it neither blocks nor allocates.
    pub(crate) fn set_largest(&self, bytes: u64) {
        self.largest.store(bytes, Relaxed);
    }

    /// The period of an object that was just born; `None`: it is none that the census reads.
    pub(crate) fn period_of(&self, bytes: u64, period: u32) -> Option<u32> {
        (self.is_read() && bytes <= self.largest.load(Relaxed)).then_some(period)
    }

    /// The running period ends, and such a share of it was not read. Called in pauses: it neither blocks nor allocates.
    pub(crate) fn period_ends(&self, unread: f64) {
        let period = self.period();
        if let Some(share) = self.share_of(period) {
            share.store((unread as f32).to_bits(), Relaxed);
        }
        self.period.store(period.wrapping_add(1), Relaxed);
    }

    /// What of a period that ended was not read; nothing is known of one of long ago.
    pub(crate) fn unread_of(&self, period: u32) -> f64 {
        let is_kept = (1..PERIODS as u32).contains(&self.period().wrapping_sub(period));
        let share = self.share_of(period).filter(|_| is_kept);
        share.map_or(1.0, |share| f64::from(f32::from_bits(share.load(Relaxed))))
    }

    fn share_of(&self, period: u32) -> Option<&AtomicU32> {
        Some(&self.unread.get()?[period as usize % PERIODS])
    }

    /// Counts as of the end of the last period before this one.
    pub(crate) fn note(&self, before: u32, rows: impl IntoIterator<Item = (ClassId, Tally)>) {
        let mut born = self.born();
        born.before = before;
        for (class, tally) in rows {
            if !born.mixed.contains(&class) {
                born.changed.insert(class, tally);
            }
        }
    }

    /// All counts begin again.
    pub(crate) fn restart(&self) {
        let mut born = self.born();
        born.changed.clear();
        born.before = self.period();
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
        assert_eq!(young.period_of(16, young.period()), None, "nobody reads");
        young.is_read_from_now_on([ClassId(1)], true);
        young.set_largest(1_000);
        assert_eq!((young.period_of(1_000, 0), young.period_of(1_001, 0)), (Some(0), None));
        young.period_ends(0.0);
        young.period_ends(0.25);
        assert_eq!([0, 1, 2].map(|period| young.unread_of(period)), [0.0, 0.25, 1.0]);
        (0..PERIODS).for_each(|_| young.period_ends(0.0));
        assert_eq!(young.unread_of(1), 1.0);
        young.note(3, [(ClassId(1), Tally::of(1, 16)), (ClassId(2), Tally::of(2, 16))]);
        assert_eq!(young.born().changed.len(), 1, "what is mixed is left to samples");
    }
}
