//! How many bytes survived their first collection, over the course of a recording: what the collector says that it kept.
//!
//! More survives than lives: a young collection keeps what dead objects of the old generation refer to. And programs go through phases, in
//! which more survives or less. Lifetimes tell neither. Only collections count here that found nothing that had survived another one: those that
//! come after one of the whole heap, which a recording for advice forces (`#gc-every-BYTES`).

use mayfly_profile::{Collection, GcKind};

/// What was allocated between two points of the clock of bytes, and survived the collection at the second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Look {
    from: f64,
    to: f64,
    /// Of what the curve of lifetimes says.
    share: f64,
}

/// How much more survives a first collection than lifetimes say, and when: in the order of the clock.
#[derive(Clone, Debug, Default)]
pub(super) struct FirstSurvivors(Vec<Look>);

impl FirstSurvivors {
    /// `expected` says how many of so many bytes live still when the last of them is allocated.
    pub(super) fn of(collections: &[Collection], expected: impl Fn(f64) -> f64) -> Self {
        let mut looks = Vec::new();
        // When the young generation was last known to be empty: as the JVM started, unless the agent came later.
        let mut empty_at = collections.first().filter(|gc| is_the_jvms_first(gc)).map(|_| 0);
        for gc in collections.iter().filter(|gc| matches!(gc.kind, GcKind::Young | GcKind::Full)) {
            looks.extend(empty_at.and_then(|from| look(gc, from, &expected)));
            empty_at = gc.young.filter(|young| young.after == 0).map(|_| gc.bytes);
        }
        Self(looks)
    }

    /// For what is allocated between two points of the clock: by those who looked there, or nearest to it; 1 if nobody did.
    pub(super) fn share(&self, from: f64, to: f64) -> f64 {
        let (earlier, rest) = self.0.split_at(self.0.partition_point(|look| look.to <= from));
        let (there, later) = rest.split_at(rest.partition_point(|look| look.from < to));
        let (mut all, mut sum) = (0.0, 0.0);
        for look in there {
            let overlap = look.to.min(to) - look.from.max(from);
            (all, sum) = (all + overlap, sum + overlap * look.share);
        }
        if all > 0.0 {
            return sum / all;
        }
        let nearest = match (earlier.last(), later.first()) {
            (Some(before), Some(after)) if from - before.to <= after.from - to => Some(before),
            (before, after) => after.or(before),
        };
        nearest.map_or(1.0, |look| look.share)
    }
}

/// What the first that is told of found in the young generation is all that was ever allocated, or nearly, and none of it survived before.
fn is_the_jvms_first(gc: &Collection) -> bool {
    let in_young = gc.young.and_then(|young| young.before).unwrap_or(0);
    let older = gc.tenuring.iter().flat_map(|tenuring| tenuring.age_bytes.iter().skip(1));
    gc.number == 0 && gc.bytes <= in_young.saturating_add(in_young / 4) && older.sum::<u64>() == 0
}

fn look(gc: &Collection, from: u64, expected: impl Fn(f64) -> f64) -> Option<Look> {
    let fitted = *gc.tenuring.as_ref()?.age_bytes.first()?;
    // What did not fit the survivor space was promoted at once.
    let survived = fitted.saturating_add(gc.promoted()?) as f64;
    let (from, to) = (from as f64, gc.bytes as f64);
    let expected = expected(to - from);
    (expected > 0.0).then(|| Look { from, to, share: survived / expected })
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{GenerationUse, Tenuring};

    use super::*;

    fn generation(before: u64, after: u64) -> Option<GenerationUse> {
        Some(GenerationUse { before: Some(before), after, capacity: None })
    }

    fn young(number: u32, bytes: u64, survived: u64, promoted: u64) -> Collection {
        Collection {
            number,
            bytes,
            kind: GcKind::Young,
            young: generation(1_000, survived),
            old: generation(0, promoted),
            tenuring: Some(Tenuring { age_bytes: vec![survived, 0], ..Tenuring::default() }),
            ..Collection::default()
        }
    }

    fn full(number: u32, bytes: u64) -> Collection {
        Collection { number, bytes, kind: GcKind::Full, young: generation(500, 0), ..Collection::default() }
    }

    /// A tenth lives.
    fn shares(collections: &[Collection]) -> FirstSurvivors {
        FirstSurvivors::of(collections, |bytes| bytes / 10.0)
    }

    #[test]
    fn only_collections_count_that_found_nothing_older() {
        let all =
            [young(0, 1_000, 100, 0), young(1, 2_000, 700, 0), full(2, 2_500), young(3, 3_500, 150, 50)];
        let expected =
            [Look { from: 0.0, to: 1_000.0, share: 1.0 }, Look { from: 2_500.0, to: 3_500.0, share: 2.0 }];
        assert_eq!(shares(&all).0, expected);
        // Those before it are no longer known; the agent came later.
        assert_eq!(shares(&all[1..]).0, expected[1..]);
        assert_eq!(shares(&[young(0, 9_000, 100, 0)]).0, []);
        let mut older = young(0, 1_000, 100, 0);
        older.tenuring = Some(Tenuring { age_bytes: vec![100, 1], ..Tenuring::default() });
        assert_eq!(shares(&[older]).0, []);
    }

    #[test]
    fn a_pause_of_a_concurrent_collector_between_two_changes_nothing() {
        let pause = Collection {
            number: 2,
            bytes: 700,
            kind: GcKind::ConcurrentPause,
            young: generation(9, 9),
            ..full(2, 700)
        };
        assert_eq!(shares(&[full(1, 500), pause, young(3, 1_500, 100, 0)]).0.len(), 1);
    }

    #[test]
    fn collectors_that_publish_no_ages_tell_nothing() {
        let mut silent = young(1, 1_000, 100, 0);
        silent.tenuring = Some(Tenuring::default());
        assert_eq!(shares(&[full(0, 500), silent]).share(0.0, 100.0), 1.0);
    }

    #[test]
    fn a_share_is_of_those_who_looked_there_or_nearest() {
        let survivors = FirstSurvivors(vec![
            Look { from: 0.0, to: 100.0, share: 1.0 },
            Look { from: 100.0, to: 200.0, share: 2.0 },
            Look { from: 300.0, to: 400.0, share: 5.0 },
        ]);
        assert_eq!(survivors.share(50.0, 200.0), (0.5 * 1.0 + 1.0 * 2.0) / 1.5);
        assert_eq!([survivors.share(210.0, 220.0), survivors.share(900.0, 950.0)], [2.0, 5.0]);
    }
}
