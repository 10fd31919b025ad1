//! Where a method is said to be in a comparison.

use mayfly_profile::{ClassProfile, Frame, Profile, SiteProfile, Tally, Tracking};
use mayfly_verdicts::{Side, diff};

/// A program that made so much in one method, at that line.
fn run(line: u32, objects: u64) -> Profile {
    let mut profile = Profile { complete: true, duration_ms: 1_000, ..Profile::default() };
    (profile.run.stacks, profile.run.tracking) = (true, Tracking::EveryObject);
    (profile.trust.accounted_bytes, profile.trust.jvm_allocated_bytes) = (1, Some(1));
    let frame = Frame {
        class: "a.Main".into(),
        method: "make".into(),
        file: Some("Main.java".into()),
        line: Some(line),
    };
    let (class, allocated) = ("[B".to_owned(), Tally::of(objects, 8_208));
    profile.classes = vec![ClassProfile { name: class.clone(), allocated, ..ClassProfile::default() }];
    let stack = [frame].into_iter().collect();
    profile.sites = vec![SiteProfile { class, stack, allocated, ..SiteProfile::default() }];
    profile
}

/// Line 10 was named, where what was left of a buffer was made, for line 8, where 631 MiB of 631 had been.
#[test]
fn a_place_is_where_most_was_on_the_side_that_had_more() {
    let (much, little) = (run(8, 80_000), run(10, 600));
    for ([before, after], line) in
        [([&much, &little], "Main.java:8"), ([&little, &much], "Main.java:8"), ([&little; 2], "Main.java:10")]
    {
        let side = |run| Side { runs: vec![(run, 1.0)] };
        let places = diff(&side(before), &side(after), 0.05, 0.9).expect("comparable").places;
        assert_eq!(places.get("a.Main.make").map(String::as_str), Some(line), "{places:?}");
    }
}
