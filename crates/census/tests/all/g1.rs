//! Heaps of regions, as G1 has them.

use mayfly_census::{Collector, LargeObjects, Pause};
use mayfly_counts::Total;

use crate::made::{self, GRAIN, HEAP, Headers, Made};

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
fn a_large_object_is_there_while_its_region_says_that_one_begins() {
    const LARGE: u32 = 4;
    let made = Made::new(Headers::Narrow);
    let large =
        LargeObjects::of(&made, &made.layout(Collector::G1).expect("a layout")).expect("it has regions");
    assert_eq!(large.more_than_bytes(), GRAIN / 2);
    let is_there = |address| large.is_there(&made, address);
    made.region(3, LARGE, GRAIN);
    assert_eq!(is_there(at(3, 0)), Some(true));
    assert_eq!(
        (is_there(at(3, 8)), is_there(HEAP.wrapping_sub(GRAIN)), is_there(0)),
        (Some(false), Some(false), Some(false))
    );
    for tag in [FREE, EDEN, OLD] {
        made.region(3, tag, GRAIN);
        assert_eq!(is_there(at(3, 0)), Some(false), "{tag}");
    }
    let spaces = made.layout(Collector::Parallel).expect("a layout");
    assert!(LargeObjects::of(&made, &spaces).is_none());
}

#[test]
fn collections_of_nothing_one_after_the_other_end_it() {
    let made = Made::new(Headers::Narrow);
    let mut census = made.census(Collector::G1, vec![]);
    for number in 1..=4 {
        assert_eq!(census.doubt(), None, "{number}");
        census.begins(&made, false);
        census.ends(&made, Pause::Young);
        // If a sample fell in that time nevertheless, nobody else counted its object.
        assert_eq!(census.emptied(), Some(1.0), "{number}");
        assert_eq!(census.has_gap(), number == 4);
    }
    assert!(census.doubt().is_some());
}

#[test]
fn of_a_part_of_the_regions_all_that_is_read_is_right_and_the_rest_is_said() {
    let made = Made::new(Headers::Narrow);
    let node = made.class("a/Node", 24);
    let mut census = made.census(Collector::G1, vec![]);
    census.thin_to(0.25);
    let (mut unread, mut born) = (0.0, 0);
    for _ in 0..50 {
        for region in 0..8 {
            made.region(region, EDEN, 48);
            [0, 24].into_iter().for_each(|bytes| made.object(at(region, bytes), node, None));
        }
        census.begins(&made, false);
        (0..8).for_each(|region| made.region(region, FREE, 0));
        census.ends(&made, Pause::Young);
        unread += census.emptied().expect("Eden was emptied");
        born = census.take_changed().first().map_or(born, |row| row.counts.born().objects);
    }
    // 400 regions of two nodes.
    assert_eq!(
        (born, census.totals().read_bytes),
        ((800.0 * (1.0 - unread / 50.0)).round() as u64, born * 24)
    );
    assert!((100..300).contains(&born) && census.totals().thinned > 40, "{born}, {:?}", census.totals());
    census.begins(&made, false);
    census.ends(&made, Pause::Concurrent);
    assert_eq!(census.emptied(), None, "Eden is as it was");
}

#[test]
fn regions_where_none_can_be_end_it() {
    // The list's base and its length; a region's bottom outside of the heap, between two, and its structure nowhere.
    let lies: [fn(&Made); 6] = [
        |made| made.put(made::REGION_LIST, 0x1000),
        |made| made.region_at(1, HEAP - GRAIN),
        |made| made.region_at(1, HEAP + 64 * GRAIN),
        |made| made.region_at(1, HEAP + GRAIN + 8),
        |made| made.put(made::REGION_TABLE + 8, 0x1000),
        // No region at all.
        |made| (0..made::HEAP_BYTES / GRAIN).for_each(|region| made.put(made::REGION_TABLE + region * 8, 0)),
    ];
    for (number, lie) in lies.into_iter().enumerate() {
        let made = Made::new(Headers::Narrow);
        let mut census = made.census(Collector::G1, vec![]);
        lie(&made);
        census.begins(&made, false);
        census.ends(&made, Pause::Young);
        assert!(census.doubt().is_some(), "lie {number}");
        assert_eq!(census.emptied(), Some(1.0), "samples count for it");
    }
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
