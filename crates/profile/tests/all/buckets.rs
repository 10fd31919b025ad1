//! Bucket boundaries: an object belongs to the first bucket whose bound is above its lifetime.

use mayfly_profile::BucketBounds;

#[test]
fn a_lifetime_equal_to_a_bound_belongs_to_the_next_bucket() {
    let bounds = BucketBounds::new(vec![5, 15]).expect("ascending");
    let indexes: Vec<_> = [0, 4_999, 5_000, 14_999, 15_000, u64::MAX].map(|ms| bounds.index_of(ms)).into();
    assert_eq!(indexes, [0, 0, 1, 1, 2, 2]);
    let ranges: Vec<_> = bounds.ranges().collect();
    assert_eq!(ranges, [(0, Some(5)), (5, Some(15)), (15, None)]);
    assert_eq!(bounds.len(), 3);
}

#[test]
fn bounds_that_do_not_ascend_from_above_zero_are_refused() {
    for bounds in [vec![], vec![0], vec![0, 5], vec![30, 5], vec![5, 5]] {
        assert_eq!(BucketBounds::new(bounds.clone()), None, "{bounds:?}");
    }
}

#[test]
fn a_bound_beyond_milliseconds_does_not_overflow() {
    let bounds = BucketBounds::new(vec![u64::MAX]).expect("one bound");
    assert_eq!(bounds.index_of(u64::MAX - 1), 0);
}
