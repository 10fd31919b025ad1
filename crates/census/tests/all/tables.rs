//! The JVM's tables: a field that is missing, or wrong, ends the census before it counts anything.

use mayfly_census::{Census, Collector, Doubt, Pause};

use crate::made::{HEAP, HEAP_BYTES, Headers, Made, needed};

#[test]
fn without_a_field_there_is_no_census_and_the_field_is_named() {
    for collector in [Collector::Parallel, Collector::G1] {
        let names: Vec<_> = needed(collector).collect();
        assert!(names.len() > 15);
        for (class, field) in names {
            let made = Made::new(Headers::Narrow);
            assert!(made.layout(collector).is_ok());
            *made.missing.borrow_mut() = Some((class, field));
            let missing = made.layout(collector).expect_err("a field is missing").to_string();
            assert!(missing.starts_with("this JVM does not export "), "{missing}");
            assert!(
                missing.contains(field.to_str().expect("text").trim_start_matches("_metadata.")),
                "{missing}"
            );
        }
    }
}

#[test]
fn a_wrong_offset_is_doubted_at_the_first_collection_with_nothing_counted() {
    for (field, wrong) in [
        (c"_layout_helper", 16),
        (c"_name", 32),
        (c"_body[0]", 7),
        (c"_top", 16),
        (c"_bottom", 24),
        (c"_eden_space", 64),
        (c"_eden_space", 8),
        (c"_from_space", 0),
        (c"_length", 6),
    ] {
        let made = Made::new(Headers::Narrow);
        let known_class = made.class("Known", 32);
        made.eden((HEAP, HEAP + 64, HEAP + 4096));
        made.from((HEAP + 4096, HEAP + 4096, HEAP + 8192));
        made.object(HEAP, known_class, None);
        made.object(HEAP + 32, known_class, None);
        let old = HEAP + HEAP_BYTES - 64;
        made.object(old, known_class, None);
        let known = made.known(old, 32, "Known");
        made.wrong.borrow_mut().insert(field, wrong);
        let layout = made.layout(Collector::Parallel).expect("nothing is missing");
        let mut census = match Census::new(&made, layout, (vec![known], true)) {
            Ok(census) => census,
            // There is none: as good.
            Err(doubt) => {
                assert!(matches!(doubt, Doubt::Absurd(_)), "{field:?}: {doubt}");
                continue;
            }
        };
        census.begins(&made, false);
        made.eden((HEAP, HEAP, HEAP + 4096));
        census.ends(&made, Pause::Young);
        // A top that is the end looks like an Eden that was not emptied.
        let is_doubted = census.doubt().is_some() || census.totals().unread_bytes > 0;
        assert!(is_doubted, "{field:?}: {:?}", census.take_changed());
        assert_eq!(census.take_changed(), [], "{field:?}");
    }
}

#[test]
fn regions_that_are_free_and_full_end_it() {
    let made = Made::new(Headers::Narrow);
    made.region(1, 2, 48);
    made.wrong.borrow_mut().insert(c"_type", 32);
    let mut census = made.census(Collector::G1, vec![]);
    census.begins(&made, false);
    assert_eq!(census.doubt(), Some(Doubt::Absurd("a region of the heap")));
}

#[test]
fn a_known_object_of_another_size_ends_it() {
    for (bytes, class, fits) in [(32, "Known", true), (40, "Known", false), (32, "Other", false)] {
        let made = Made::new(Headers::Narrow);
        let klass = made.class("Known", 32);
        made.eden((HEAP, HEAP, HEAP + 4096));
        made.from((HEAP + 4096, HEAP + 4096, HEAP + 8192));
        let old = HEAP + HEAP_BYTES - 64;
        made.object(old, klass, None);
        let mut census = made.census(Collector::Parallel, vec![made.known(old, bytes, class)]);
        census.begins(&made, false);
        census.ends(&made, Pause::Young);
        assert_eq!(census.doubt(), (!fits).then_some(Doubt::Unlike(class)));
        // Also where the first collection is one that leaves nothing to read.
        let mut census = made.census(Collector::Parallel, vec![made.known(old, bytes, class)]);
        census.begins(&made, true);
        assert_eq!(census.doubt(), (!fits).then_some(Doubt::Unlike(class)));
    }
}
