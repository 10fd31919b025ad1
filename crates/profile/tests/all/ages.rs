//! Ages are kept in bounded memory: rounded up, all in the same way, and none is lost.

use mayfly_profile::Ages;
use proptest::prelude::*;

/// Values spread over all magnitudes.
fn any_value() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(value, shift)| value >> shift)
}

fn any_deaths(most: usize) -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
    prop::collection::vec((any_value(), any_value(), 0u64..1000), 0..most)
}

fn of(deaths: &[(u64, u64, u64)], living: &[(u64, u64)]) -> Ages {
    let mut ages = Ages::default();
    deaths.iter().for_each(|&(after, by, weight)| ages.record_deaths(after, by, weight));
    living.iter().for_each(|&(age, weight)| ages.record_living(age, weight));
    ages
}

#[test]
fn small_intervals_are_kept_as_they_are() {
    let ages = of(&[(0, 1, 5), (3, 4, 1), (0, 1, 2), (0, 0, 1), (7, 7, 1)], &[(9, 2), (4, 1), (9, 1)]);
    assert_eq!(ages.deaths().collect::<Vec<_>>(), [(0, 1, 8), (3, 4, 1), (6, 7, 1)]);
    assert_eq!(ages.living().collect::<Vec<_>>(), [(4, 1), (9, 3)]);
    assert_eq!(ages.dead(), 10);
}

#[test]
fn bounds_are_rounded_up() {
    let ages = of(&[(1000, 1030, 1), (1000, 1001, 1)], &[(1000, 1)]);
    assert_eq!(ages.deaths().collect::<Vec<_>>(), [(961, 1024, 1), (993, 1088, 1)]);
    assert_eq!(ages.living().collect::<Vec<_>>(), [(993, 1)]);
}

#[test]
fn the_living_are_replaced_and_the_dead_are_not() {
    let mut ages = of(&[(1, 2, 3)], &[(5, 1)]);
    ages.forget_living();
    assert_eq!(ages, of(&[(1, 2, 3)], &[]));
    assert!(!ages.is_empty());
    assert!(of(&[(1, 2, 0)], &[(3, 0)]).is_empty());
}

/// Every pair of 120 bounds: more than memory is given for.
#[test]
fn very_many_different_intervals_become_coarser() {
    let bounds: Vec<u64> = (0..120).map(|i| 1 << (i / 4) | (i % 4) << (i / 4) >> 2).collect();
    let pairs = bounds.iter().flat_map(|&after| bounds.iter().map(move |&by| (after, by, 1)));
    let deaths: Vec<_> = pairs.filter(|(after, by, _)| after < by).collect();
    let ages = of(&deaths, &[]);
    assert!(deaths.len() > 5_000 && ages.deaths().count() <= 512, "{}", ages.deaths().count());
    assert_eq!(ages.dead(), deaths.len() as u64);
}

#[test]
fn the_extremes_do_not_overflow() {
    let max = u64::MAX;
    let ages = of(&[(max, max, max), (0, max, max), (max, 0, 1)], &[(max, max), (max, 1)]);
    assert_eq!(ages.dead(), max);
    assert!(ages.deaths().all(|(after, by, _)| after < by));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn at_every_bound_kept_as_many_are_gone_and_alive_as_recorded(deaths in any_deaths(1500)) {
        let ages = of(&deaths, &[]);
        prop_assert!(ages.deaths().count() <= 512);
        prop_assert_eq!(ages.dead(), deaths.iter().map(|death| death.2).sum::<u64>());
        // Rounding up keeps order: who was looked at up to a bound before still is.
        let bounds: Vec<_> = ages.deaths().map(|(_, by, _)| by).collect();
        for bound in bounds {
            let gone = |deaths: &[(u64, u64, u64)]| -> u64 {
                deaths.iter().filter(|d| d.1.max(1) <= bound).map(|d| d.2).sum()
            };
            prop_assert_eq!(gone(&ages.deaths().collect::<Vec<_>>()), gone(&deaths), "gone by {}", bound);
        }
    }

    #[test]
    fn merging_keeps_every_weight(a in any_deaths(600), b in any_deaths(600)) {
        let mut merged = of(&a, &[(3, 1)]);
        merged.merge(&of(&b, &[(3, 2), (4, 1)]));
        prop_assert!(merged.deaths().count() <= 512);
        prop_assert_eq!(merged.dead(), a.iter().chain(&b).map(|death| death.2).sum::<u64>());
        prop_assert_eq!(merged.living().collect::<Vec<_>>(), [(3, 3), (4, 1)]);
    }

    #[test]
    fn merging_few_equals_recording(a in any_deaths(40), b in any_deaths(40)) {
        let mut merged = of(&a, &[]);
        merged.merge(&of(&b, &[]));
        prop_assert_eq!(merged, of(&[a, b].concat(), &[]));
    }

    #[test]
    fn how_coarse_a_merge_is_depends_on_no_order(
        a in any_deaths(900),
        b in any_deaths(900),
        c in any_deaths(90),
    ) {
        let merged = |parts: &[&Ages]| {
            let mut all = Ages::default();
            parts.iter().for_each(|part| all.merge(part));
            all
        };
        let whole = of(&[a.clone(), b.clone(), c.clone()].concat(), &[]);
        let [a, b, c] = [of(&a, &[]), of(&b, &[]), of(&c, &[])];
        prop_assert_eq!(&merged(&[&a, &b, &c]), &whole);
        prop_assert_eq!(&merged(&[&c, &b, &a]), &whole);
        prop_assert_eq!(&merged(&[&a, &merged(&[&b, &c])]), &whole);
    }
}
