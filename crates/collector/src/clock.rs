//! Three clocks: milliseconds, bytes allocated, collections; and the order of births and collections.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use coarsetime::{Duration, Instant};

/// Collections remembered until the ledger reads them.
const RING: usize = 4096;
/// The byte clock's step: births carry it in this unit.
pub(crate) const BYTES_STEP_LOG2: u32 = 16;

/// A collection's end on the time and byte clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GcTime {
    /// Milliseconds since the clock started.
    pub ms: u32,
    /// Bytes allocated since the clock started, in steps of 64 KiB.
    pub bytes_64k: u32,
}

/// Time since the agent started. All methods may be called from any thread, also inside a GC callback.
///
/// Milliseconds come from the kernel's coarse clock (1 to 4 ms steps, 5 ns to read) and are made to order events:
/// an object born before a collection's end has a stamp up to the collection's, one born after has a later one.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    bytes: AtomicU64,
    last_gc_ms: AtomicU32,
    gcs: AtomicU32,
    ring: Box<[AtomicU64]>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            bytes: AtomicU64::new(0),
            last_gc_ms: AtomicU32::new(0),
            gcs: AtomicU32::new(0),
            ring: bytemuck::zeroed_slice_box(RING),
        }
    }
}

impl Clock {
    /// Milliseconds since the start, stamped after the last collection.
    pub fn now_ms(&self) -> u32 {
        let elapsed: Duration = self.start.elapsed();
        let ms = u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX);
        ms.max(self.last_gc_ms.load(Relaxed).saturating_add(1))
    }

    /// Moves the byte clock on.
    pub fn advance(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// Bytes allocated so far, in steps of 64 KiB.
    pub fn bytes_64k(&self) -> u32 {
        u32::try_from(self.bytes.load(Relaxed) >> BYTES_STEP_LOG2).unwrap_or(u32::MAX)
    }

    /// Notes the end of a collection. Never blocks, allocates or calls the JVM.
    pub fn gc_finished(&self) {
        let ms = self.now_ms();
        let slot = self.gcs.load(Relaxed) as usize % RING;
        self.ring[slot].store(u64::from(ms) << 32 | u64::from(self.bytes_64k()), Relaxed);
        self.last_gc_ms.store(ms, Relaxed);
        // Released last: a reader that sees the new count sees the slot.
        self.gcs.fetch_add(1, std::sync::atomic::Ordering::Release);
    }

    /// Collections so far.
    pub fn gcs(&self) -> u32 {
        self.gcs.load(std::sync::atomic::Ordering::Acquire)
    }

    /// Collections from number `from` on, oldest first; those that fell out of the ring are left out.
    pub fn gcs_since(&self, from: u32) -> Vec<GcTime> {
        let to = self.gcs();
        (from.max(to.saturating_sub(RING as u32))..to)
            .map(|gc| self.ring[gc as usize % RING].load(Relaxed))
            .map(|packed| GcTime { ms: (packed >> 32) as u32, bytes_64k: packed as u32 })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn births_and_collections_are_ordered_even_within_a_millisecond() {
        let clock = Clock::default();
        for _ in 0..50 {
            let before = clock.now_ms();
            clock.gc_finished();
            let after = clock.now_ms();
            let gc = *clock.gcs_since(clock.gcs() - 1).last().unwrap();
            assert!(before <= gc.ms && gc.ms < after);
        }
        assert_eq!(clock.gcs(), 50);
    }

    #[test]
    fn collections_carry_the_byte_clock() {
        let clock = Clock::default();
        clock.advance(3 << BYTES_STEP_LOG2);
        clock.gc_finished();
        clock.advance(1 << BYTES_STEP_LOG2);
        assert_eq!(clock.gcs_since(0)[0].bytes_64k, 3);
        assert_eq!(clock.bytes_64k(), 4);
    }

    #[test]
    fn the_ring_keeps_the_newest() {
        let clock = Clock::default();
        for _ in 0..RING + 10 {
            clock.gc_finished();
        }
        assert_eq!(clock.gcs_since(0).len(), RING);
        assert_eq!(clock.gcs_since(clock.gcs()).len(), 0);
    }
}
