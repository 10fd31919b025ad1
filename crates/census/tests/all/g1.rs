//! Heaps of regions, as G1 has them.

use mayfly_census::{Collector, Pause};
use mayfly_counts::Total;

use crate::made::{GRAIN, HEAP, Headers, Made};

const FREE: u32 = 0;
const EDEN: u32 = 2;
const SURVIVOR: u32 = 3;
const OLD: u32 = 8;

fn at(region: u64, bytes: u64) -> u64 {
    HEAP + region * GRAIN + bytes
}

fn sum(objects: u64, bytes: u64) -> Total {
    Total { objects, bytes }
}

#[test]
fn regions_are_read_by_what_they_were_and_copies_judged_by_what_theirs_are() {
    let made = Made::new(Headers::Narrow);
    let node = made.class("a/Node", 24);
    let mut census = made.census(Collector::G1, vec![]);
    (1..=3).for_each(|region| made.region(region, EDEN, 48));
    for region in 1..=3 {
        [0, 24].into_iter().for_each(|bytes| made.object(at(region, bytes), node, None));
    }
    census.begins(&made, false);
    made.object(at(5, 0), node, None);
    made.object(at(6, 0), node, None);
    made.forward(at(1, 0), at(5, 0));
    made.forward(at(1, 24), at(6, 0));
    made.region(1, FREE, 0);
    // Given out again at once.
    made.region(2, EDEN, 512);
    // Could not be emptied.
    made.region(3, OLD, 48);
    made.region(5, SURVIVOR, 24);
    made.region(6, OLD, 24);
    census.ends(&made, Pause::Young);
    assert_eq!(census.doubt(), None);
    let rows = census.take_changed();
    let node = rows[0].counts;
    assert_eq!((node.born(), node.died[0]), (sum(4, 96), sum(2, 48)));
    assert_eq!((node.survived[0], node.promoted[0]), (sum(1, 24), sum(1, 24)));
    let totals = census.totals();
    assert_eq!((totals.partly, totals.read_bytes, totals.unread_bytes), (1, 96, 48));
}

#[test]
fn collections_of_nothing_one_after_the_other_end_it() {
    let made = Made::new(Headers::Narrow);
    let mut census = made.census(Collector::G1, vec![]);
    for number in 1..=4 {
        assert_eq!(census.doubt(), None, "{number}");
        census.begins(&made, false);
        census.ends(&made, Pause::Young);
    }
    assert!(census.doubt().is_some());
}

#[test]
fn a_list_of_regions_that_lies_ends_it() {
    for (region, tag, bytes) in [(1, EDEN, GRAIN + 8), (1, EDEN, 12)] {
        let made = Made::new(Headers::Narrow);
        let mut census = made.census(Collector::G1, vec![]);
        made.region(region, tag, bytes);
        census.begins(&made, false);
        census.ends(&made, Pause::Young);
        assert!(census.doubt().is_some());
    }
}
