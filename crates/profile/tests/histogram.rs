//! Error bounds of the lifetime histogram, and that merging equals recording.

use mayfly_profile::LogHistogram;
use proptest::prelude::*;

fn of(values: &[u64]) -> LogHistogram {
    let mut histogram = LogHistogram::default();
    values.iter().for_each(|&value| histogram.record(value, 1));
    histogram
}

/// The value at the same rank in the sorted list.
fn exact_quantile(values: &[u64], q: f64) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (q * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted[rank - 1]
}

/// Values spread over all magnitudes.
fn any_value() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(value, shift)| value >> shift)
}

#[test]
fn an_empty_histogram_has_no_quantile() {
    assert_eq!(LogHistogram::default().quantile(0.5), None);
    assert_eq!(LogHistogram::default().count(), 0);
}

#[test]
fn values_below_sixteen_are_exact() {
    let histogram = of(&(0..16).collect::<Vec<_>>());
    assert_eq!(histogram.quantile(0.0), Some(0.0));
    assert_eq!(histogram.quantile(0.5), Some(7.0));
    assert_eq!(histogram.quantile(1.0), Some(15.0));
}

#[test]
fn weights_count_like_repetition() {
    let mut weighted = LogHistogram::default();
    weighted.record(3, 99);
    weighted.record(1000, 1);
    assert_eq!(weighted.count(), 100);
    assert_eq!(weighted.quantile(0.99), Some(3.0));
    assert!(weighted.quantile(0.995).is_some_and(|value| value > 900.0));
}

#[test]
fn weight_zero_leaves_no_trace() {
    let mut histogram = LogHistogram::default();
    histogram.record(5, 0);
    assert_eq!(histogram, LogHistogram::default());
}

#[test]
fn the_extremes_do_not_overflow() {
    let mut histogram = of(&[u64::MAX]);
    histogram.record(u64::MAX, u64::MAX);
    assert_eq!(histogram.count(), u64::MAX);
    let top = histogram.quantile(1.0).expect("not empty");
    assert!((top / u64::MAX as f64 - 1.0).abs() <= 0.0625, "{top}");
}

proptest! {
    #[test]
    fn a_quantile_is_at_most_6_25_percent_off(
        values in prop::collection::vec(any_value(), 1..200), q in 0.0f64..=1.0,
    ) {
        let exact = exact_quantile(&values, q) as f64;
        let estimate = of(&values).quantile(q).expect("not empty");
        prop_assert!((estimate - exact).abs() <= exact * 0.0625, "{estimate} for {exact}");
    }

    #[test]
    fn merging_equals_recording(
        a in prop::collection::vec(any_value(), 0..100), b in prop::collection::vec(any_value(), 0..100),
    ) {
        let mut merged = of(&a);
        merged.merge(&of(&b));
        prop_assert_eq!(merged, of(&[a, b].concat()));
    }
}
