//! The live histogram, as text: reviewed snapshots at several widths, and that no line is ever too long.

use insta::assert_snapshot;
use mayfly_profile::{Profile, Tally, Tracking};
use mayfly_report::{LiveOptions, live};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use crate::profiles::{counted, only_counts, optimised_away, sampled, with_lifetimes};

fn at(width: usize) -> LiveOptions {
    LiveOptions { width, rows: 3, height: None, unicode: true }
}

/// The same run five seconds earlier, with less of everything.
fn earlier() -> Profile {
    let mut profile = with_lifetimes();
    profile.duration_ms -= 5_000;
    profile.classes[0].allocated = Tally::of(97_000, 1_000);
    profile.classes[1].allocated = Tally::of(100_000, 32);
    profile.classes[2].allocated = Tally::of(4_000, 48);
    profile
}

fn long_names() -> Profile {
    let mut profile = with_lifetimes();
    profile.classes[0].name =
        "com.example.very.deeply.nested.packages.of.a.framework.AbstractFactoryBean$Builder$$Lambda".into();
    profile
}

#[test]
fn eighty_columns() {
    assert_snapshot!(live(&with_lifetimes(), Some(&earlier()), &at(80)));
}

#[test]
fn sixty_columns_with_a_long_name() {
    assert_snapshot!(live(&long_names(), Some(&earlier()), &at(60)));
}

#[test]
fn a_hundred_and_twenty_columns_of_a_sample() {
    let profile = sampled(long_names(), Tracking::ByteSample(512 * 1024));
    assert_snapshot!(live(&profile, None, &at(120)));
}

#[test]
fn ascii() {
    let text = live(&long_names(), Some(&earlier()), &LiveOptions { unicode: false, ..at(80) });
    assert!(text.is_ascii(), "{text}");
    assert_snapshot!(text);
}

#[test]
fn a_low_screen_keeps_what_matters_most() {
    let text = live(&long_names(), Some(&earlier()), &LiveOptions { rows: 12, height: Some(14), ..at(59) });
    assert_snapshot!(text);
}

#[test]
fn without_lifetimes_only_allocation_is_shown() {
    assert_snapshot!(live(&only_counts(), None, &at(80)));
}

#[test]
fn nothing_yet() {
    assert_snapshot!(live(&Profile::default(), None, &LiveOptions::default()));
}

#[test]
fn rates_are_since_the_previous_profile() {
    let text = live(&with_lifetimes(), Some(&earlier()), &at(80));
    // (100,000 - 97,000) objects of 1,000 bytes in 5 s are 600,000 bytes/s.
    let line = text.lines().find(|line| line.starts_with("byte[]")).expect("the fastest class");
    assert!(line.contains("586 KiB"), "{line}");
}

#[test]
fn what_was_optimised_away_is_ranked_by_what_was_allocated() {
    let now = optimised_away();
    let mut before = now.clone();
    before.duration_ms -= 1_000;
    for class in &mut before.classes {
        let Tally { objects, bytes, largest } = class.allocated;
        class.allocated = Tally { objects: objects / 2, bytes: bytes / 2, largest };
    }
    for previous in [None, Some(&before)] {
        let text = live(&now, previous, &at(80));
        let rows: Vec<_> =
            text.lines().skip_while(|line| !line.starts_with("class")).skip(1).take(3).collect();
        let starts: Vec<_> = rows.iter().map(|row| row.split("  ").next().unwrap_or_default()).collect();
        assert_eq!(starts[0], "byte[]", "{text}");
        let string = rows.iter().find(|row| row.starts_with("java.lang.String * "));
        let executed = if previous.is_some() { "458 MiB" } else { "229 MiB" };
        assert!(string.is_some_and(|row| row.contains(executed)), "{text}");
        assert!(text.contains("\n* optimised away: "), "{text}");
    }
}

#[test]
fn after_a_reset_rates_are_since_the_reset() {
    let mut before = with_lifetimes();
    before.duration_ms = 500_000;
    assert_eq!(live(&with_lifetimes(), Some(&before), &at(80)), live(&with_lifetimes(), None, &at(80)));
}

#[test]
fn a_command_line_cannot_steer_the_terminal() {
    let mut profile = only_counts();
    profile.run.jvm.command = "Main \u{1b}[2J\nx".into();
    let text = live(&profile, None, &at(80));
    assert!(!text.contains('\u{1b}') && text.starts_with("mayfly  pid 4711  Main \\u{1b}[2J\\nx"), "{text}");
}

proptest! {
    #[test]
    fn no_line_is_wider_than_asked(
        width in 1usize..200, rows in 0usize..20, height in prop::option::of(1usize..50), unicode: bool,
        names in prop::collection::vec(("\\PC{0,60}", any::<u64>(), any::<u64>()), 0..10),
        duration_ms: u64, jvm_allocated_bytes: Option<u64>, tracked: bool,
    ) {
        let mut profile = if tracked { with_lifetimes() } else { only_counts() };
        profile.classes.extend(names.iter().map(|(name, objects, bytes)| counted(name, *objects, *bytes, 0)));
        profile.duration_ms = duration_ms;
        profile.trust.jvm_allocated_bytes = jvm_allocated_bytes;
        let text = live(&profile, Some(&with_lifetimes()), &LiveOptions { width, rows, height, unicode });
        for line in text.lines() {
            prop_assert!(line.width() <= width, "{} > {width}: {line}", line.width());
        }
        prop_assert!(text.lines().count() <= height.unwrap_or(rows + profile.run.buckets.len() + 11));
        prop_assert!(unicode || text.is_ascii(), "{text}");
    }
}
