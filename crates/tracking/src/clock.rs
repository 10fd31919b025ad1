//! Three clocks: milliseconds, bytes allocated, collections; and the order of births and collections.
//!
//! Not here: what a collection proves (`history`), nor how a birth is kept (`tracked`).

use std::sync::PoisonError;

use coarsetime::{Duration, Instant};
use mayfly_profile::GcKind;

use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, fence};
use crate::sync::{Mutex, MutexGuard};
use crate::timeline::Timeline;

/// Collections remembered until the ledger reads them, and one that may end at that moment. Few where every order of steps is tried.
const RING: usize = if cfg!(mayfly_loom) { 2 } else { 4096 };
/// Least time between two points of the timeline beside the collections.
const SAMPLE_MS: u64 = 4;
/// Bits of a slot of the ring that hold the kind; above them are milliseconds.
const KIND_BITS: u32 = 3;

fn kind_of_bits(bits: u64) -> GcKind {
    GcKind::ALL.get((bits & ((1 << KIND_BITS) - 1)) as usize).copied().unwrap_or_default()
}

/// A pause of the collector that has ended.
///
/// It is stamped by its start: the program stands still from then on, so what is found alive in it was alive, and what is
/// found dead was dead. Stamped by its end, each object would be said to be looked at right after a time in which none
/// could die, and lifetimes would come out too long by the pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    /// Its number; the first is 0.
    pub number: u32,
    /// Milliseconds since the clock started, when it began.
    pub ms: u64,
    /// Bytes allocated since the clock started, when it began.
    pub bytes: u64,
    /// What it did.
    pub kind: GcKind,
}

/// Time since the agent started. All methods may be called from any thread; [`Clock::gc_finished`] also inside a GC
/// callback.
///
/// Milliseconds come from the kernel's coarse clock (1 to 4 ms steps, 5 ns to read) and are made to order events:
/// an object born before a collection has a stamp up to the collection's, one born after has a later one. They are kept
/// in 64 bits, of which a birth has 40: 34 years.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    bytes: AtomicU64,
    /// Bytes that the byte clock was ahead of the JVM's count when that was last known, less estimates that were left out for it.
    ahead: AtomicU64,
    /// The start of the running pause, or of the newest one.
    last_gc_ms: AtomicU64,
    last_gc_bytes: AtomicU64,
    /// Whether a pause has begun and not ended.
    pausing: AtomicBool,
    gcs: AtomicU32,
    ring: Box<[RingSlot]>,
    timeline: Mutex<Timeline>,
    sampled_ms: AtomicU64,
    /// One more than the number of collections before the newest collection forced by us that has ended.
    forced: AtomicU32,
    forcing: AtomicBool,
    #[cfg(test)]
    by_hand: ByHand,
}

#[derive(Debug, Default)]
struct RingSlot {
    ms_and_kind: AtomicU64,
    bytes: AtomicU64,
}

/// Time as tests set it.
#[cfg(test)]
#[derive(Debug, Default)]
struct ByHand {
    on: std::sync::atomic::AtomicBool,
    ms: std::sync::atomic::AtomicU64,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            bytes: AtomicU64::new(0),
            ahead: AtomicU64::new(0),
            last_gc_ms: AtomicU64::new(0),
            last_gc_bytes: AtomicU64::new(0),
            pausing: AtomicBool::new(false),
            gcs: AtomicU32::new(0),
            ring: (0..RING).map(|_| RingSlot::default()).collect(),
            timeline: Mutex::default(),
            sampled_ms: AtomicU64::new(0),
            forced: AtomicU32::new(0),
            forcing: AtomicBool::new(false),
            #[cfg(test)]
            by_hand: ByHand::default(),
        }
    }
}

impl Clock {
    /// Milliseconds since the start, stamped after the last collection.
    pub fn now_ms(&self) -> u64 {
        self.elapsed_ms().max(self.last_gc_ms.load(Relaxed).saturating_add(1))
    }

    fn elapsed_ms(&self) -> u64 {
        #[cfg(test)]
        if self.by_hand.on.load(Relaxed) {
            return self.by_hand.ms.load(Relaxed);
        }
        let elapsed: Duration = self.start.elapsed();
        elapsed.as_millis()
    }

    /// Moves the byte clock on.
    pub fn advance(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
        let ms = self.now_ms();
        if ms.saturating_sub(self.sampled_ms.load(Relaxed)) >= SAMPLE_MS
            && let Ok(mut timeline) = self.timeline.try_lock()
        {
            self.sampled_ms.store(ms, Relaxed);
            timeline.push(ms, self.bytes.load(Relaxed));
        }
    }

    /// Moves the byte clock on by an estimate: only by what it is not ahead of the JVM's count by earlier ones, which would otherwise
    /// add up, as it never goes back.
    pub fn advance_by_estimate(&self, bytes: u64) {
        let less = |ahead: u64| Some(ahead.saturating_sub(bytes));
        let ahead = self.ahead.fetch_update(Relaxed, Relaxed, less).unwrap_or_else(|ahead| ahead);
        self.advance(bytes.saturating_sub(ahead));
    }

    /// Sets the byte clock to the JVM's own count, if that is ahead: not every allocation comes by here.
    pub fn correct(&self, jvm_bytes: u64) {
        let mut timeline = self.timeline();
        let bytes = self.bytes.load(Relaxed);
        self.ahead.store(bytes.saturating_sub(jvm_bytes), Relaxed);
        let missed = jvm_bytes.saturating_sub(bytes);
        self.bytes.fetch_add(missed, Relaxed);
        let ms = self.now_ms();
        timeline.correct(ms, missed);
        timeline.push(ms, self.bytes.load(Relaxed));
    }

    /// Bytes allocated so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Notes the start of a collector's pause: the program stands still. Never blocks, allocates or calls the JVM.
    pub fn gc_started(&self) {
        self.last_gc_ms.store(self.now_ms(), Relaxed);
        self.last_gc_bytes.store(self.bytes(), Relaxed);
        self.pausing.store(true, Relaxed);
    }

    /// Notes the end of a collector's pause. Never blocks, allocates or calls the JVM.
    pub fn gc_finished(&self, kind: GcKind) {
        if !self.pausing.swap(false, Relaxed) {
            self.gc_started();
            self.pausing.store(false, Relaxed);
        }
        let slot = &self.ring[self.gcs.load(Relaxed) as usize % RING];
        // Who reads what is written from here on finds that the one before it has ended.
        fence(Release);
        slot.ms_and_kind.store(self.last_gc_ms.load(Relaxed) << KIND_BITS | kind as u64, Relaxed);
        slot.bytes.store(self.last_gc_bytes.load(Relaxed), Relaxed);
        // Released last: a reader that sees the new count sees the slot.
        self.gcs.fetch_add(1, Release);
    }

    /// Collections so far.
    pub fn gcs(&self) -> u32 {
        self.gcs.load(Acquire)
    }

    /// Runs `collect`, which collects the whole heap before it returns.
    pub fn while_forcing(&self, collect: impl FnOnce()) {
        let before = self.gcs();
        self.forcing.store(true, Relaxed);
        collect();
        self.forcing.store(false, Relaxed);
        self.forced.fetch_max(before + 1, Release);
    }

    /// Whether a collection of the whole heap was asked for, and has not ended.
    pub fn is_forcing(&self) -> bool {
        self.forcing.load(Relaxed)
    }

    /// Number of collections that had ended when the newest forced one, which has ended, was begun.
    pub(crate) fn before_forced(&self) -> Option<u32> {
        self.forced.load(Acquire).checked_sub(1)
    }

    /// Collections from number `from` on, oldest first; those that fell out of the ring are left out.
    pub(crate) fn gcs_since(&self, from: u32) -> Vec<Pause> {
        let to = self.gcs();
        let read = |number: u32| {
            let slot = &self.ring[number as usize % RING];
            let ms_and_kind = slot.ms_and_kind.load(Relaxed);
            let (ms, kind) = (ms_and_kind >> KIND_BITS, kind_of_bits(ms_and_kind));
            Pause { number, ms, bytes: slot.bytes.load(Relaxed), kind }
        };
        let mut pauses: Vec<_> = (from.max(to.saturating_sub(RING as u32))..to).map(read).collect();
        // The slot of the next one, which may end now, was that of the oldest.
        fence(Acquire);
        let next = self.gcs.load(Relaxed);
        pauses.retain(|pause| pause.number + RING as u32 > next);
        pauses
    }

    /// About how many bytes had been allocated at `ms`, as far as [`Self::correct`] has told by now.
    pub fn bytes_at(&self, ms: u64) -> u64 {
        self.timeline().about(ms)
    }

    pub(crate) fn timeline(&self) -> MutexGuard<'_, Timeline> {
        self.timeline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on it is `ms` until set again.
    #[cfg(test)]
    pub(crate) fn set_ms(&self, ms: u64) {
        self.by_hand.ms.store(ms, Relaxed);
        self.by_hand.on.store(true, Relaxed);
    }
}

/// Every order of the steps of two threads (`just loom`).
#[cfg(all(test, mayfly_loom))]
mod in_every_order {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// Collections end while the ring is read, which is too small for all of them: what is read is whole.
    #[test]
    fn no_collection_is_read_that_another_one_overwrites() {
        loom::model(|| {
            let clock = Arc::new(Clock::default());
            let end = |clock: &Clock, number: u64| {
                clock.set_ms(10 * (number + 1));
                clock.correct(100 * (number + 1));
                clock.gc_started();
                clock.gc_finished(GcKind::Full);
            };
            end(&clock, 0);
            end(&clock, 1);
            let collector = {
                let clock = Arc::clone(&clock);
                thread::spawn(move || end(&clock, 2))
            };
            for pause in clock.gcs_since(0) {
                let expected = u64::from(pause.number) + 1;
                assert_eq!((pause.ms, pause.bytes), (10 * expected, 100 * expected), "{pause:?}");
            }
            collector.join().expect("no panic");
            let numbers: Vec<_> = clock.gcs_since(0).iter().map(|pause| pause.number).collect();
            assert_eq!(numbers, [2]);
        });
    }
}

#[cfg(all(test, not(mayfly_loom)))]
mod tests {
    use super::*;

    #[test]
    fn births_and_collections_are_ordered_even_within_a_millisecond() {
        let clock = Clock::default();
        for _ in 0..50 {
            let before = clock.now_ms();
            clock.gc_finished(GcKind::Young);
            let after = clock.now_ms();
            let gc = *clock.gcs_since(clock.gcs() - 1).last().unwrap();
            assert!(before <= gc.ms && gc.ms < after);
        }
        assert_eq!(clock.gcs(), 50);
    }

    #[test]
    fn collections_carry_their_number_kind_and_the_byte_clock() {
        let clock = Clock::default();
        clock.advance(300);
        clock.gc_finished(GcKind::Young);
        clock.advance(100);
        clock.gc_finished(GcKind::Full);
        let gcs = clock.gcs_since(0);
        assert_eq!(gcs.iter().map(|gc| (gc.number, gc.bytes)).collect::<Vec<_>>(), [(0, 300), (1, 400)]);
        assert_eq!((gcs[0].kind, gcs[1].kind), (GcKind::Young, GcKind::Full));
    }

    #[test]
    fn every_kind_survives_the_ring() {
        let clock = Clock::default();
        GcKind::ALL.into_iter().for_each(|kind| clock.gc_finished(kind));
        assert_eq!(clock.gcs_since(0).iter().map(|gc| gc.kind).collect::<Vec<_>>(), GcKind::ALL);
    }

    #[test]
    fn the_ring_keeps_the_newest() {
        let clock = Clock::default();
        for _ in 0..RING + 10 {
            clock.gc_finished(GcKind::Unknown);
        }
        assert_eq!((clock.gcs_since(0).len(), clock.gcs_since(0)[0].number), (RING - 1, 11));
        assert_eq!(clock.gcs_since(clock.gcs()).len(), 0);
    }

    #[test]
    fn the_jvm_s_count_only_moves_the_byte_clock_forward() {
        let clock = Clock::default();
        clock.advance(1000);
        clock.correct(5000);
        assert_eq!(clock.bytes(), 5000);
        clock.correct(100);
        assert_eq!(clock.bytes(), 5000);
    }

    #[test]
    fn a_pause_is_stamped_by_its_start() {
        let clock = Clock::default();
        clock.set_ms(100);
        clock.advance(500);
        clock.gc_started();
        // A thread in native code is not stopped.
        clock.set_ms(160);
        clock.advance(70);
        clock.gc_finished(GcKind::Full);
        clock.set_ms(200);
        clock.gc_finished(GcKind::Young);
        let stamps: Vec<_> = clock.gcs_since(0).iter().map(|pause| (pause.ms, pause.bytes)).collect();
        assert_eq!(stamps, [(100, 500), (200, 570)], "one whose start was not told has its end's");
    }

    #[test]
    fn collections_keep_their_time_for_years() {
        const DAY_MS: u64 = 86_400_000;
        let clock = Clock::default();
        for (number, days) in [50, 500, 5000].into_iter().enumerate() {
            clock.set_ms(days * DAY_MS);
            clock.gc_finished(GcKind::MarkEnd);
            let pause = clock.gcs_since(number as u32)[0];
            assert_eq!((pause.ms, pause.kind), (days * DAY_MS, GcKind::MarkEnd));
            assert_eq!(clock.now_ms(), days * DAY_MS + 1);
        }
    }

    #[test]
    fn what_was_forced_is_known_only_after_it_has_ended() {
        let clock = Clock::default();
        clock.gc_finished(GcKind::Unknown);
        clock.while_forcing(|| {
            assert_eq!(clock.before_forced(), None);
            clock.gc_finished(GcKind::Unknown);
        });
        assert_eq!(clock.before_forced(), Some(1));
    }

    #[test]
    fn estimates_that_are_too_high_do_not_add_up() {
        let clock = Clock::default();
        for round in 1..=100 {
            clock.advance_by_estimate(if round % 2 == 0 { 500 } else { 1500 });
            clock.correct(1000 * round);
            assert!(
                (1000 * round..=1000 * round + 500).contains(&clock.bytes()),
                "{} in {round}",
                clock.bytes()
            );
        }
    }
}
