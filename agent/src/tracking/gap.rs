//! What a thread allocated between two of its samples, inside of its buffers and outside of them, by the JVM's exact counters.
//!
//! Up to JDK 24 the sampler loses count where an object is allocated outside of a buffer ([how](
//! ../../../docs/design/sampling.md#0045-why-totals-of-samples-were-off-and-what-sets-them-right)): those objects are picked too rarely, and others a little. Not here: how
//! estimates are set right by it (`calibration` of the sampled engine).

use mayfly_jvmti::Buffer;

/// Where a thread stood at one of its samples.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stand {
    pub(crate) buffer: Buffer,
    /// Collections so far.
    pub(crate) gcs: u32,
}

/// Bytes allocated from after one sample to the end of the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) inside: u64,
    pub(crate) outside: u64,
    /// Either: a collection came between.
    pub(crate) unsplit: u64,
}

impl Gap {
    /// Between two samples of a thread, the second of which is an object of so many bytes, allocated outside or not.
    pub(crate) fn between(before: &Stand, now: &Stand, size: u64, is_outside: bool) -> Self {
        let (old, new) = (&before.buffer, &now.buffer);
        let all = new.allocated().saturating_sub(old.allocated());
        if before.gcs != now.gcs || new.refills < old.refills || new.outside < old.outside {
            return Self { unsplit: all, ..Self::default() };
        }
        let least = if is_outside { size.min(all) } else { 0 };
        let outside = if new.outside == old.outside { 0 } else { Self::outside(old, new) };
        let outside = outside.clamp(least, all);
        Self { inside: all - outside, outside, unsplit: 0 }
    }

    /// What was settled and is not the contents of buffers that were given up, which were full but for a sixty-fourth.
    fn outside(old: &Buffer, new: &Buffer) -> u64 {
        let settled = new.settled.saturating_sub(old.settled);
        let given_up = match new.refills - old.refills {
            0 => 0,
            times => old.capacity + u64::from(times - 1) * old.next_capacity,
        };
        settled.saturating_sub(given_up)
    }

    /// Without the object at its end, of so many bytes.
    pub(crate) fn before(self, size: u64, is_outside: bool) -> Self {
        match self.unsplit {
            0 if is_outside => Self { outside: self.outside.saturating_sub(size), ..self },
            0 => Self { inside: self.inside.saturating_sub(size), ..self },
            unsplit => Self { unsplit: unsplit.saturating_sub(size), ..self },
        }
    }

    /// All of it.
    pub(crate) fn bytes(self) -> u64 {
        self.inside + self.outside + self.unsplit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: u64 = 64 << 10;

    fn stand(settled: u64, used: u64, refills: u32, outside: u32) -> Stand {
        let buffer = Buffer {
            settled,
            used,
            capacity: 1 << 20,
            next_capacity: 1 << 20,
            refills,
            outside,
            ..Buffer::default()
        };
        Stand { buffer, gcs: 0 }
    }

    #[test]
    fn within_one_buffer_what_is_settled_is_outside() {
        let gap = Gap::between(&stand(500, 1000, 3, 1), &stand(500 + OBJECT, 5000, 3, 2), OBJECT, true);
        assert_eq!(gap, Gap { inside: 4000, outside: OBJECT, unsplit: 0 });
    }

    #[test]
    fn buffers_that_were_given_up_are_inside() {
        let full = 1 << 20;
        let gap = Gap::between(&stand(0, 1000, 3, 0), &stand(2 * full, 5000, 5, 0), 16, false);
        assert_eq!(gap, Gap { inside: 2 * full + 4000, outside: 0, unsplit: 0 });
        let gap = Gap::between(&stand(0, 1000, 3, 0), &stand(2 * full + OBJECT, 5000, 5, 1), 16, false);
        assert_eq!(gap, Gap { inside: 2 * full + 4000, outside: OBJECT, unsplit: 0 });
    }

    #[test]
    fn an_object_outside_is_outside_whatever_was_wasted() {
        let gap = Gap::between(&stand(0, 1000, 3, 0), &stand((1 << 20) - 99, 0, 4, 1), OBJECT, true);
        assert_eq!(gap.outside, OBJECT);
    }

    #[test]
    fn across_a_collection_nobody_knows() {
        let later = Stand { gcs: 1, ..stand(9000, 100, 1, 0) };
        assert_eq!(
            Gap::between(&stand(0, 100, 0, 0), &later, 16, false),
            Gap { unsplit: 9000, ..Gap::default() }
        );
        assert_eq!(Gap::between(&stand(0, 100, 2, 0), &stand(9000, 100, 1, 0), 16, false).bytes(), 9000);
    }
}
