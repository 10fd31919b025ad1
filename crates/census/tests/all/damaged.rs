//! Damaged bytes: the census ends, never the program. Reads outside of what is there are refused by the made-up memory, and panic
//! where they are not even aligned.

use mayfly_census::{Collector, Pause};
use proptest::prelude::*;

use crate::made::{GRAIN, HEAP, HEAP_BYTES, Headers, Made, VM};

/// What is damaged, and with what: of the heap and of the JVM's structures.
fn damage() -> impl Strategy<Value = Vec<(bool, u64, u64)>> {
    let word = prop_oneof![
        any::<u64>(),
        (0..HEAP_BYTES).prop_map(|at| HEAP + at),
        (0..HEAP_BYTES).prop_map(|at| (HEAP + at) | 3),
        (0..0x1_0000u64).prop_map(|at| VM + at),
        0..256u64,
    ];
    prop::collection::vec((any::<bool>(), 0..0x1_0000u64 / 8 - 1, word), 0..12)
}

fn headers() -> impl Strategy<Value = Headers> {
    prop_oneof![Just(Headers::Narrow), Just(Headers::Wide), Just(Headers::Compact)]
}

fn apply(made: &Made, damage: &[(bool, u64, u64)]) {
    for &(heap, at, word) in damage {
        if heap { made.write(HEAP + at * 8 % HEAP_BYTES, word) } else { made.put(VM + at * 8, word) }
    }
}

fn filled(headers: Headers) -> Made {
    let made = Made::new(headers);
    let (node, bytes) = (made.class("a/Node", 24), made.class("[B", made.array(0)));
    let mirror = made.class("java/lang/Class", 112 | 1);
    let each = 24 + 64 + 64;
    let length = match headers {
        Headers::Narrow => 48,
        Headers::Wide => 40,
        Headers::Compact => 52,
    };
    for region in 0..4 {
        made.region(region, if region == 3 { 3 } else { 2 }, GRAIN / each * each);
        for at in (0..GRAIN / each).map(|at| HEAP + region * GRAIN + at * each) {
            made.object(at, node, None);
            made.object(at + 24, bytes, Some(length));
            made.object(at + 88, mirror, None);
            made.write(at + 88 + 40, 8);
        }
    }
    let top = GRAIN / each * each;
    made.eden((HEAP, HEAP + top, HEAP + GRAIN));
    made.from((HEAP + 3 * GRAIN, HEAP + 3 * GRAIN + top, HEAP + 4 * GRAIN));
    made
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn it_ends_and_what_it_doubts_is_not_counted(
        (headers, g1, forced) in (headers(), any::<bool>(), any::<bool>()),
        before in damage(),
        after in damage(),
        pause in prop_oneof![Just(Pause::Young), Just(Pause::Full), Just(Pause::Unknown)],
    ) {
        let made = filled(headers);
        let collector = if g1 { Collector::G1 } else { Collector::Parallel };
        let mut census = made.census(collector, vec![]);
        apply(&made, &before);
        census.begins(&made, forced);
        let births = census.totals().births_only;
        apply(&made, &after);
        if !g1 {
            made.eden((HEAP, HEAP, HEAP + GRAIN));
        }
        census.ends(&made, pause);
        let rows = census.take_changed();
        if census.doubt().is_some() && !forced {
            prop_assert!(rows.is_empty() && births == 0);
        }
        let born: u64 = rows.iter().map(|row| row.counts.born().bytes).sum();
        prop_assert!(born <= 4 * GRAIN, "{born}");
    }
}

#[test]
fn undamaged_all_is_counted() {
    for headers in [Headers::Narrow, Headers::Wide, Headers::Compact] {
        let made = filled(headers);
        let mut census = made.census(Collector::G1, vec![]);
        census.begins(&made, false);
        (0..4).for_each(|region| made.region(region, 0, 0));
        census.ends(&made, Pause::Young);
        assert_eq!(census.doubt(), None);
        let born: u64 = census.take_changed().iter().map(|row| row.counts.born().objects).sum();
        // Survivors of no age fill buffers of the collector up.
        assert_eq!(born, 3 * (GRAIN / 152) * 3, "{headers:?}");
    }
}
