//! Heaps of contiguous spaces, as Serial and Parallel have them.

use mayfly_census::{Census, Collector, Doubt, Pause, Row, UNKNOWN_AGE};
use mayfly_counts::Total;

use crate::made::{HEAP, Headers, Made, THREADS};

const ALL: [Headers; 3] = [Headers::Narrow, Headers::Wide, Headers::Compact];
const EDEN_END: u64 = HEAP + 0x4000;
const FROM: u64 = EDEN_END;
const TO: u64 = EDEN_END + 0x1000;
const OLD: u64 = EDEN_END + 0x4000;

fn sum(objects: u64, bytes: u64) -> Total {
    Total { objects, bytes }
}

/// A JVM with two classes and such a fill of Eden.
struct Jvm {
    made: Made,
    node: u64,
    bytes: u64,
}

impl Jvm {
    fn new(headers: Headers) -> Self {
        let made = Made::new(headers);
        let (node, bytes) = (made.class("a/Node", 24), made.class("[B", made.array(0)));
        made.from((FROM, FROM, FROM + 0x1000));
        made.eden((HEAP, HEAP, EDEN_END));
        Self { made, node, bytes }
    }

    /// Bytes of a `byte[]` of such a length.
    fn size(&self, length: u64) -> u64 {
        let header = match self.made.headers {
            Headers::Narrow => 16,
            Headers::Wide => 24,
            Headers::Compact => 12,
        };
        (header + length).next_multiple_of(8)
    }

    fn collects(&self, census: &mut Census, top: u64, meanwhile: impl FnOnce()) {
        self.made.eden((HEAP, top, EDEN_END));
        census.begins(&self.made, false);
        meanwhile();
        self.made.eden((HEAP, HEAP, EDEN_END));
        census.ends(&self.made, Pause::Young);
    }
}

fn row(census: &mut Census, name: &str) -> Row {
    let rows = census.take_changed();
    rows.into_iter().find(|row| row.name == name).map(|row| row.counts).unwrap_or_default()
}

#[test]
fn births_deaths_and_promotions_are_counted_by_class() {
    for headers in ALL {
        let jvm = Jvm::new(headers);
        let mut census = jvm.made.census(Collector::Parallel, vec![]);
        let size = jvm.size(100);
        let top = HEAP + 4 * 24 + 2 * size;
        jvm.collects(&mut census, top, || {
            (0..4).for_each(|at| jvm.made.object(HEAP + at * 24, jvm.node, None));
            (0..2).for_each(|at| jvm.made.object(HEAP + 96 + at * size, jvm.bytes, Some(100)));
            // One node survives, one is promoted, and so is an array.
            jvm.made.object(TO, jvm.node, None);
            jvm.made.object(OLD, jvm.node, None);
            jvm.made.object(OLD + 64, jvm.bytes, Some(100));
            jvm.made.forward(HEAP + 24, TO);
            jvm.made.forward(HEAP + 48, OLD);
            jvm.made.forward(HEAP + 96, OLD + 64);
            // It is measured where it was: the length of its copy, which is far away, is not loaded.
            if headers == Headers::Narrow {
                jvm.made.write(OLD + 64 + 8, (jvm.bytes - crate::made::VM) >> 3 | 7 << 32);
            }
            jvm.made.from((TO, TO + 24, TO + 0x1000));
        });
        assert_eq!(census.doubt(), None, "{headers:?}");
        let rows = census.take_changed();
        let of = |name: &str| rows.iter().find(|row| row.name == name).expect("a row").counts;
        let node = of("a.Node");
        assert_eq!((node.born(), node.died[0]), (sum(4, 96), sum(2, 48)), "{headers:?}");
        assert_eq!((node.survived[0], node.promoted[0]), (sum(1, 24), sum(1, 24)));
        let bytes = of("[B");
        assert_eq!((bytes.born(), bytes.promoted[0]), (sum(2, 2 * size), sum(1, size)), "{headers:?}");
        assert_eq!((census.totals().read, census.totals().read_bytes), (1, top - HEAP));
    }
}

#[test]
fn ages_are_those_before_the_collection_and_of_objects_born_in_the_census() {
    for headers in ALL {
        let jvm = Jvm::new(headers);
        let mut census = jvm.made.census(Collector::Parallel, vec![]);
        jvm.collects(&mut census, HEAP, || {});
        jvm.collects(&mut census, HEAP, || {});
        jvm.made.from((FROM, FROM + 6 * 24, FROM + 0x1000));
        let ages = [1, 2, 2, 1, 5, 1];
        jvm.collects(&mut census, HEAP, || {
            for (at, age) in (0..).zip(ages) {
                jvm.made.object(FROM + at * 24, jvm.node, None);
                jvm.made.set_age(FROM + at * 24, age);
            }
            // The third is copied, and is a collection older; the fourth is promoted as it was; the last is locked.
            jvm.made.object(TO, jvm.node, None);
            jvm.made.set_age(TO, 3);
            jvm.made.object(OLD, jvm.node, None);
            jvm.made.set_age(OLD, 1);
            jvm.made.forward(FROM + 2 * 24, TO);
            jvm.made.forward(FROM + 3 * 24, OLD);
            if headers != Headers::Compact {
                jvm.made.write(FROM + 5 * 24, 0x7fff_0000_0000);
            }
            jvm.made.from((TO, TO + 24, TO + 0x1000));
        });
        assert_eq!(census.doubt(), None);
        let node = row(&mut census, "a.Node");
        let locked = usize::from(headers != Headers::Compact);
        assert_eq!(node.died[UNKNOWN_AGE].objects, locked as u64);
        assert_eq!((node.died[1].objects, node.died[2].objects), (2 - locked as u64, 1), "{headers:?}");
        assert_eq!((node.survived[2], node.promoted[1]), (sum(1, 24), sum(1, 24)));
        assert_eq!(
            (node.died[5], node.born()),
            (Total::default(), Total::default()),
            "it was there before the census"
        );
    }
}

#[test]
fn what_does_not_end_with_its_space_ends_the_census_and_its_collection_is_not_counted() {
    let jvm = Jvm::new(Headers::Narrow);
    let mut census = jvm.made.census(Collector::Parallel, vec![]);
    let fill = || (0..2).for_each(|at| jvm.made.object(HEAP + at * 24, jvm.node, None));
    jvm.collects(&mut census, HEAP + 48, fill);
    assert_eq!(row(&mut census, "a.Node").born(), sum(2, 48));
    jvm.collects(&mut census, HEAP + 40, fill);
    assert_eq!(census.doubt(), Some(Doubt::Overrun { at: HEAP + 24, words: 3 }));
    assert_eq!(census.take_changed(), [], "what was read of it is not counted");
    jvm.collects(&mut census, HEAP + 48, fill);
    assert_eq!((census.take_changed(), census.totals().read), (vec![], 1), "it has ended");
}

#[test]
fn a_space_that_was_given_back_is_left_out() {
    let jvm = Jvm::new(Headers::Narrow);
    let mut census = jvm.made.census(Collector::Parallel, vec![]);
    jvm.made.object(HEAP, jvm.node, None);
    jvm.made.from((FROM, FROM + 24, FROM + 0x1000));
    jvm.collects(&mut census, HEAP + 24, || *jvm.made.committed.borrow_mut() = FROM);
    assert_eq!((census.doubt(), row(&mut census, "a.Node").died[0]), (None, sum(1, 24)));
    let totals = census.totals();
    assert_eq!((totals.read, totals.partly, totals.unread_bytes), (0, 1, 24));
}

#[test]
fn an_eden_that_was_not_emptied_is_left_out() {
    let jvm = Jvm::new(Headers::Narrow);
    let mut census = jvm.made.census(Collector::Parallel, vec![]);
    jvm.made.object(HEAP, jvm.node, None);
    jvm.made.eden((HEAP, HEAP + 24, EDEN_END));
    census.begins(&jvm.made, false);
    census.ends(&jvm.made, Pause::Young);
    assert_eq!((census.totals().partly, census.totals().unread_bytes), (1, 24));
    assert_eq!(census.take_changed(), []);
    // That is so now and then; always, it is a top that is none.
    for _ in 1..4 {
        assert_eq!(census.doubt(), None);
        census.begins(&jvm.made, false);
        census.ends(&jvm.made, Pause::Young);
    }
    assert!(census.doubt().is_some());
}

#[test]
fn after_a_full_collection_only_what_is_born_later_is_counted() {
    let jvm = Jvm::new(Headers::Narrow);
    let mut census = jvm.made.census(Collector::Parallel, vec![]);
    (0..4).for_each(|at| jvm.made.object(HEAP + at * 24, jvm.node, None));
    jvm.made.eden((HEAP, HEAP + 72, EDEN_END));
    census.begins(&jvm.made, false);
    // One object stays in Eden, and one was allocated behind it before the pause ended: for want of room for it there was one.
    jvm.made.left((24, 0));
    jvm.made.eden((HEAP, HEAP + 48, EDEN_END));
    census.ends(&jvm.made, Pause::Full);
    assert_eq!((census.totals().unread, census.totals().unread_bytes), (1, 72 + 24));
    jvm.collects(&mut census, HEAP + 96, || {});
    assert_eq!(row(&mut census, "a.Node").born(), sum(3, 72));
    jvm.collects(&mut census, HEAP + 96, || {});
    assert_eq!(row(&mut census, "a.Node").born(), sum(7, 168), "all of the next Eden");
}

#[test]
fn before_a_full_collection_that_we_ask_for_births_are_read_around_what_threads_have_not_used() {
    let jvm = Jvm::new(Headers::Narrow);
    let mut census = jvm.made.census(Collector::Parallel, vec![]);
    let thread = THREADS + 0x100;
    jvm.made.put(THREADS, 1);
    jvm.made.put(THREADS + 8, THREADS + 0x80);
    jvm.made.put(THREADS + 0x80, thread);
    // Two objects in a buffer of 0x100 bytes, of which 16 are kept free, and one behind it.
    let buffer = [(16, HEAP), (24, HEAP + 48), (40, HEAP + 0x60), (48, HEAP + 0xf0)];
    buffer.into_iter().for_each(|(at, word)| jvm.made.put(thread + at, word));
    [0, 24, 0x100].into_iter().for_each(|at| jvm.made.object(HEAP + at, jvm.node, None));
    jvm.made.write(HEAP + 48, 0xdead_beef);
    jvm.made.eden((HEAP, HEAP + 0x118, EDEN_END));
    census.begins(&jvm.made, true);
    jvm.made.eden((HEAP, HEAP, EDEN_END));
    census.ends(&jvm.made, Pause::Full);
    let node = row(&mut census, "a.Node");
    assert_eq!((node.born(), node.undecided), (sum(3, 72), sum(3, 72)));
    let totals = census.totals();
    assert_eq!((totals.births_only, totals.unread, totals.unread_bytes), (1, 0, 0));
    // A buffer that cannot be: what is in Eden was not read, and the census goes on.
    jvm.made.put(thread + 24, HEAP + 0x1000);
    jvm.made.eden((HEAP, HEAP + 0x118, EDEN_END));
    census.begins(&jvm.made, true);
    jvm.made.eden((HEAP, HEAP, EDEN_END));
    census.ends(&jvm.made, Pause::Full);
    assert_eq!((census.take_changed(), census.totals().unread_bytes, census.doubt()), (vec![], 0x118, None));
}

#[test]
fn births_are_counted_once_whatever_comes_instead_of_the_collection_that_we_ask_for() {
    let jvm = Jvm::new(Headers::Narrow);
    let mut census = jvm.made.census(Collector::Parallel, vec![]);
    jvm.made.put(THREADS, 0);
    jvm.made.put(THREADS + 8, THREADS + 0x80);
    [0, 24].into_iter().for_each(|at| jvm.made.object(HEAP + at, jvm.node, None));
    for pause in [Pause::Concurrent, Pause::Concurrent, Pause::Young] {
        jvm.made.eden((HEAP, HEAP + 48, EDEN_END));
        census.begins(&jvm.made, true);
        if pause == Pause::Young {
            jvm.made.eden((HEAP, HEAP, EDEN_END));
        }
        census.ends(&jvm.made, pause);
        assert_eq!(census.emptied(), (pause == Pause::Young).then_some(0.0));
    }
    assert_eq!(row(&mut census, "a.Node").born(), sum(2, 48));
}

#[test]
fn a_census_that_begins_later_begins_with_a_collection() {
    let jvm = Jvm::new(Headers::Narrow);
    let layout = jvm.made.layout(Collector::Parallel).expect("a layout");
    let mut census = Census::new(&jvm.made, layout, (vec![], false)).expect("spaces");
    jvm.made.object(HEAP, jvm.node, None);
    jvm.collects(&mut census, HEAP + 24, || {});
    assert_eq!((census.take_changed(), census.totals().read), (vec![], 0));
    jvm.collects(&mut census, HEAP + 24, || {});
    assert_eq!((row(&mut census, "a.Node").born(), census.totals().read), (sum(1, 24), 1));
    census.restart();
    jvm.collects(&mut census, HEAP + 24, || {});
    assert_eq!((census.take_changed(), census.totals().read), (vec![], 0));
}

#[test]
fn pauses_of_concurrent_collections_leave_all_as_it_was() {
    let jvm = Jvm::new(Headers::Narrow);
    let mut census = jvm.made.census(Collector::Parallel, vec![]);
    jvm.made.object(HEAP, jvm.node, None);
    jvm.made.eden((HEAP, HEAP + 24, EDEN_END));
    for pause in [Pause::Concurrent, Pause::Unknown] {
        census.begins(&jvm.made, false);
        census.ends(&jvm.made, pause);
    }
    jvm.collects(&mut census, HEAP + 24, || {});
    assert_eq!(row(&mut census, "a.Node").born(), sum(1, 24));
    // One of which nobody says what it was, though it was a collection.
    jvm.made.eden((HEAP, HEAP + 24, EDEN_END));
    census.begins(&jvm.made, false);
    jvm.made.collected(9);
    jvm.made.eden((HEAP, HEAP, EDEN_END));
    census.ends(&jvm.made, Pause::Unknown);
    assert_eq!((census.totals().unread, census.totals().unread_bytes), (1, 24));
}

#[test]
fn a_class_at_the_address_of_one_that_was_unloaded_is_another() {
    let jvm = Jvm::new(Headers::Narrow);
    let mut census = jvm.made.census(Collector::Parallel, vec![]);
    jvm.made.object(HEAP, jvm.node, None);
    jvm.collects(&mut census, HEAP + 24, || {});
    census.begins(&jvm.made, false);
    census.ends(&jvm.made, Pause::Concurrent);
    jvm.made.put(jvm.node + 72, u64::from_le_bytes(*b"ther\0\0\0\0"));
    jvm.collects(&mut census, HEAP + 24, || {});
    let mut rows: Vec<_> =
        census.take_changed().into_iter().map(|row| (row.name, row.counts.born())).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(rows, [("a.Node".to_owned(), sum(1, 24)), ("a.ther".to_owned(), sum(1, 24))]);
}
