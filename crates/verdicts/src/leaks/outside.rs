//! Whether memory outside of the heap leaks, by the JVM's own count of it over a recording.

use mayfly_profile::{OffHeapGrowth, Profile};

use super::suspicion::Suspicion;

/// A shorter recording does not tell growth from what a program sets up at its start.
const LEAST_MS: u64 = 30_000;

/// What is held of such growth.
pub fn grows_outside(profile: &Profile, growth: &OffHeapGrowth) -> Suspicion {
    if !growth.collected {
        return Suspicion::Unsure(
            "no GC of the whole heap has run since it grew, and only one frees buffers that nobody holds: a small heap beside them may hide \
             how many could go (jcmd PID GC.run)"
                .to_owned(),
        );
    }
    if profile.duration_ms < LEAST_MS {
        return Suspicion::Unsure(format!(
            "{} s were recorded, in which a program may set up its buffers: record for longer",
            profile.duration_ms / 1_000
        ));
    }
    Suspicion::Leak
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_called_a_leak_if_a_collection_has_left_them_and_it_was_long() {
        let judged = |collected, duration_ms| {
            let growth =
                OffHeapGrowth { bytes_per_s: 1.0, since_ms: 0, bytes: [0, 1], heap: None, collected };
            grows_outside(&Profile { duration_ms, ..Profile::default() }, &growth)
        };
        assert_eq!(judged(true, 40_000), Suspicion::Leak);
        assert!(judged(false, 40_000).reason().is_some_and(|why| why.contains("no GC of the whole heap")));
        assert!(judged(true, 8_000).reason().is_some_and(|why| why.contains("record for longer")));
    }
}
