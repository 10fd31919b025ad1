//! Objects that are born in the old generation.

use mayfly_census::{Census, Collector, Doubt, Pause, Row};
use mayfly_counts::Total;

use crate::made::{GRAIN, HEAP, HEAP_BYTES, Headers, Made};

const ALL: [Headers; 3] = [Headers::Narrow, Headers::Wide, Headers::Compact];
const OLD: u64 = HEAP + HEAP_BYTES / 2;
const OLD_END: u64 = HEAP + HEAP_BYTES;
const EDEN_END: u64 = HEAP + 0x4000;
const FREE: u32 = 0;
const LARGE: u32 = 4;

fn sum(objects: u64, bytes: u64) -> Total {
    Total { objects, bytes }
}

fn row(census: &mut Census, name: &str) -> Row {
    let rows = census.take_changed();
    rows.into_iter().find(|row| row.name == name).map(|row| row.counts).unwrap_or_default()
}

/// A heap without regions, with an empty Eden.
fn spaces(headers: Headers) -> Made {
    let made = Made::new(headers);
    made.eden((HEAP, HEAP, EDEN_END));
    made.from((EDEN_END, EDEN_END, EDEN_END + 0x1000));
    made
}

/// A pause that finds so many bytes of the old generation, leaves so many, and has so many when it ends.
fn collects(made: &Made, census: &mut Census, [found, left, after]: [u64; 3], pause: Pause) {
    made.old((OLD, OLD + found, OLD_END));
    census.begins(made, false);
    made.left((0, left));
    made.old((OLD, OLD + after, OLD_END));
    census.ends(made, pause);
}

#[test]
fn what_was_allocated_there_is_counted_and_what_was_promoted_is_not() {
    for headers in ALL {
        let made = spaces(headers);
        let node = made.class("a/Node", 24);
        let mut census = made.census(Collector::Parallel, vec![]);
        made.object(OLD, node, None);
        made.object(OLD + 24, node, None);
        // 48 bytes are promoted behind these two, and one object is allocated within the pause.
        collects(&made, &mut census, [48, 96, 120], Pause::Young);
        assert_eq!(census.doubt(), None, "{headers:?}");
        let counts = row(&mut census, "a.Node");
        assert_eq!((counts.old, counts.born()), (sum(2, 48), sum(2, 48)));
        [96, 120].into_iter().for_each(|at| made.object(OLD + at, node, None));
        collects(&made, &mut census, [144, 144, 144], Pause::Young);
        assert_eq!((census.doubt(), row(&mut census, "a.Node").old), (None, sum(4, 96)), "{headers:?}");
        // Before a full one nothing is read, nor what it left.
        made.object(OLD + 144, node, None);
        collects(&made, &mut census, [168, 24, 24], Pause::Full);
        collects(&made, &mut census, [24, 24, 24], Pause::Young);
        assert_eq!((census.doubt(), census.take_changed()), (None, vec![]), "{headers:?}");
        // A pause that changed nothing is none.
        made.object(OLD + 24, node, None);
        collects(&made, &mut census, [48, 48, 48], Pause::Unknown);
        collects(&made, &mut census, [48, 48, 48], Pause::Young);
        assert_eq!((census.doubt(), row(&mut census, "a.Node").old), (None, sum(5, 120)), "{headers:?}");
    }
}

#[test]
fn where_eden_is_not_read_what_is_born_old_is_not_either() {
    let made = spaces(Headers::Narrow);
    let node = made.class("a/Node", 24);
    let mut census = made.census(Collector::Parallel, vec![]);
    [HEAP, OLD].into_iter().for_each(|at| made.object(at, node, None));
    made.eden((HEAP, HEAP + 24, EDEN_END));
    collects(&made, &mut census, [24, 24, 24], Pause::Young);
    assert_eq!((census.take_changed(), census.emptied()), (vec![], Some(1.0)), "Eden is as full as before");
}

#[test]
fn an_old_generation_that_lies_ends_it() {
    // Smaller than it was left; left with more than there is; not of whole objects.
    for (left, found) in [(24, 0), (48, 48), (24, 40)] {
        let made = spaces(Headers::Narrow);
        let node = made.class("a/Node", 24);
        (0..2).for_each(|at| made.object(OLD + at * 24, node, None));
        let mut census = made.census(Collector::Parallel, vec![]);
        collects(&made, &mut census, [0, left, 24], Pause::Young);
        collects(&made, &mut census, [found, found, found], Pause::Young);
        assert!(census.doubt().is_some(), "{left}, {found}");
    }
}

#[test]
fn without_the_numbers_of_what_collections_leave_there_is_none() {
    let made = spaces(Headers::Narrow);
    let layout = mayfly_census::Layout::find(&made, &made, (Collector::Parallel, 8)).expect("a layout");
    assert!(matches!(Census::new(&made, layout, (vec![], true)), Err(Doubt::Unreadable(_))));
}

#[test]
fn a_census_that_begins_while_all_is_collected_goes_on() {
    let made = spaces(Headers::Narrow);
    let node = made.class("a/Node", 24);
    made.object(OLD + 24, node, None);
    made.old((OLD, OLD + 96, OLD_END));
    let layout = made.layout(Collector::Parallel).expect("a layout");
    let mut census = Census::new(&made, layout, (vec![], false)).expect("a census");
    collects(&made, &mut census, [24, 24, 24], Pause::Young);
    collects(&made, &mut census, [48, 48, 48], Pause::Young);
    assert_eq!((census.doubt(), row(&mut census, "a.Node").old), (None, sum(1, 24)));
}

fn at(region: u64) -> u64 {
    HEAP + region * GRAIN
}

#[test]
fn large_objects_are_counted_at_the_next_pause_of_any_kind() {
    for headers in ALL {
        let made = Made::new(headers);
        let bytes = made.class("[B", made.array(0));
        let mut census = made.census(Collector::G1, vec![]);
        let large = |region| {
            made.region(region, LARGE, GRAIN);
            made.object(at(region), bytes, Some(3_000));
        };
        large(2);
        census.begins(&made, false);
        // It dies; another is allocated in its place before the pause ends, and not written yet.
        (0..3).for_each(|word| made.write(at(2) + word * 8, 0));
        census.ends(&made, Pause::Young);
        assert_eq!((census.doubt(), census.has_large()), (None, true));
        assert_eq!(row(&mut census, "[B").old.objects, 1, "{headers:?}");
        large(2);
        large(5);
        census.begins(&made, false);
        census.ends(&made, Pause::Concurrent);
        assert_eq!(row(&mut census, "[B").old.objects, 3, "{headers:?}");
        // One of them is moved.
        census.begins(&made, false);
        made.region(5, FREE, 0);
        large(4);
        census.ends(&made, Pause::Full);
        census.begins(&made, false);
        census.ends(&made, Pause::Young);
        assert_eq!((census.take_changed(), census.doubt()), (vec![], None), "none is new");
    }
}

#[test]
fn large_objects_that_were_there_before_are_not_counted() {
    let made = Made::new(Headers::Narrow);
    let bytes = made.class("[B", made.array(0));
    let layout = made.layout(Collector::G1).expect("a layout");
    let mut census = Census::new(&made, layout, (vec![], false)).expect("a census");
    let large = |region| {
        made.region(region, LARGE, GRAIN);
        made.object(at(region), bytes, Some(3_000));
    };
    large(1);
    census.begins(&made, false);
    census.ends(&made, Pause::Young);
    assert!(!census.has_large());
    large(2);
    census.begins(&made, false);
    census.ends(&made, Pause::Young);
    assert!(census.has_large());
    assert_eq!(row(&mut census, "[B").old.objects, 1);
    census.restart();
    large(3);
    census.begins(&made, false);
    census.ends(&made, Pause::Young);
    assert_eq!((census.take_changed(), census.has_large()), (vec![], false), "of before, or since");
}

#[test]
fn a_large_object_that_lies_ends_it() {
    let made = Made::new(Headers::Narrow);
    let bytes = made.class("[B", made.array(0));
    let mut census = made.census(Collector::G1, vec![]);
    made.region(2, LARGE, GRAIN);
    made.object(at(2), bytes, Some(u32::MAX));
    census.begins(&made, false);
    assert!(matches!(census.doubt(), Some(Doubt::Overrun { .. })));
}
