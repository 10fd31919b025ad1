//! A heap that becomes fuller all along, whoever fills it: where samples are too few to name who does, the JVM's own numbers show that
//! somebody may.

use crate::derived::rising::{PARTS, known, rises};
use crate::stream::profile::Profile;

/// What comes before is no part: a program that is up still warms up.
const BEFORE: usize = 1;
/// Collections from which on the numbers say something.
const LEAST_GCS: u32 = 2 * PARTS as u32;
/// It rose by this share of what was in use, at least.
const LEAST_SHARE: f64 = 0.1;

/// How what collections leave in use becomes more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeapRise {
    /// When least was in use in the first of the compared parts, in milliseconds of the profiled time.
    pub from_ms: u64,
    /// How much that was, in bytes.
    pub from_bytes: u64,
    /// When least was in use in the last of them.
    pub to_ms: u64,
    /// How much that was.
    pub to_bytes: u64,
}

/// So many times what grows by samples is more than their errors.
const MUCH_FASTER: f64 = 2.0;

impl HeapRise {
    /// Bytes more in each second, from the one to the other.
    pub fn bytes_per_s(self) -> f64 {
        let seconds = (self.to_ms - self.from_ms) as f64 / 1000.0;
        (self.to_bytes - self.from_bytes) as f64 / seconds.max(0.001)
    }

    /// Whether it is much faster than what is known to grow, by so many bytes a second: more than the errors of these explain.
    pub fn is_more_than(self, known_per_s: f64) -> bool {
        self.bytes_per_s() > MUCH_FASTER * known_per_s
    }
}

impl Profile {
    /// Whether what collections left in use rose all along, once the program was up; `None` also where collections were too few to tell. What
    /// young ones leave may be garbage: the lowest numbers of the parts are compared, and it is in none of these if one collection of
    /// each part took it away.
    pub fn heap_rises(&self) -> Option<HeapRise> {
        let up_ms = self.start_up().map_or(0, |start_up| start_up.ends_ms);
        let to_ms: u64 = self.history.iter().map(|point| point.span_ms).sum();
        let part_ms = to_ms.saturating_sub(up_ms) / (BEFORE + PARTS) as u64;
        let from_ms = up_ms + BEFORE as u64 * part_ms;
        let (mut least, mut gcs, mut at_ms) = ([None; PARTS], 0, 0);
        for point in &self.history {
            at_ms += point.span_ms;
            let Some(since_ms) = at_ms.checked_sub(from_ms).filter(|_| part_ms > 0) else { continue };
            gcs += point.gcs;
            let part = &mut least[usize::try_from(since_ms / part_ms).unwrap_or(PARTS).min(PARTS - 1)];
            *part = part.iter().copied().chain(point.live.map(|bytes| (bytes, at_ms))).min();
        }
        // Each part has its own collections, or repeats the number of the part before.
        let [Some((first, from_ms)), .., Some((last, to_ms))] = least else { return None };
        let numbers = known(least.map(|moment| moment.map(|(bytes, _)| bytes)))?;
        let is_rise = gcs >= LEAST_GCS && rises(numbers, LEAST_SHARE * first as f64);
        is_rise.then_some(HeapRise { from_ms, from_bytes: first, to_ms, to_bytes: last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::point::Point;

    /// A collection a second, which leaves so much, in KiB.
    fn of(left: impl Fn(u64) -> u64) -> Option<HeapRise> {
        let point = |s| Point { span_ms: 1_000, live: Some(left(s) << 10), gcs: 1, ..Point::default() };
        Profile { history: (0..80).map(point).collect(), ..Profile::default() }.heap_rises()
    }

    #[test]
    fn a_heap_that_becomes_fuller_all_along_rises_and_no_other_does() {
        let rise = of(|s| 4_000 + 50 * s).expect("it rises");
        assert!((rise.bytes_per_s() / 1024.0 - 50.0).abs() < 2.0, "{rise:?}");
        // The numbers are those of their moments: what is shown gives the rate.
        let at = |ms: u64| (4_000 + 50 * (ms / 1_000 - 1)) << 10;
        assert_eq!((rise.from_bytes, rise.to_bytes), (at(rise.from_ms), at(rise.to_ms)), "{rise:?}");
        assert!((4_300 << 10..4_500 << 10).contains(&rise.from_bytes), "{rise:?}");
        // The last is a full one.
        assert!(of(|s| if s < 79 { 4_000 + 50 * s } else { 7_000 }).is_some());
        // Garbage in it, which each seventh collection takes away.
        assert!(of(|s| 4_000 + 50 * s + 300 * (s % 7)).is_some());
        assert_eq!(of(|_| 4_000), None);
        assert_eq!(of(|s| 4_000 + 300 * (s % 7)), None, "garbage alone");
        assert_eq!(of(|s| 4_000 + 200 * s.min(20)), None, "a cache that is full");
        let filling = |s: u64| 4_000 + (4_000.0 * (1.0 - (-(s as f64) / 25.0).exp())) as u64;
        assert_eq!(of(filling), None, "one that fills ever more slowly");
        assert_eq!(of(|s| if s < 40 { 4_000 } else { 8_000 }), None, "a step");
        assert_eq!(of(|s| 4_000 + s), None, "hardly any");
        let few = Point { span_ms: 10_000, live: Some(1), gcs: 1, ..Point::default() };
        let history = (1..=8).map(|s| Point { live: Some(s << 20), ..few }).collect();
        assert_eq!(Profile { history, ..Profile::default() }.heap_rises(), None, "few collections");
        assert_eq!(Profile::default().heap_rises(), None);
    }
}
