//! The post-run report, as text: reviewed snapshots of hand-made profiles.

use insta::assert_snapshot;
use mayfly_profile::{
    BlameRules, ClassEstimate, ClassFilter, EngineKind, Estimate, Gc, Profile, Remainder, SiteProfile, Tally,
    Tracking, Trust, View,
};
use mayfly_report::{Occasion, post_run, trust_block, trust_line};

use crate::profiles::{only_counts, optimised_away, sampled, trust, with_lifetimes, with_sites};

fn occasion() -> Occasion {
    Occasion { timestamp: Some("Fri Nov 21 11:15:00 UTC 2025".into()), ..Default::default() }
}

#[test]
fn allocations_only() {
    assert_snapshot!(post_run(&only_counts(), &View::default(), &occasion()));
}

#[test]
fn lifetimes_of_every_object() {
    assert_snapshot!(post_run(&with_lifetimes(), &View::default(), &occasion()));
}

#[test]
fn sites_and_blame() {
    let rules = BlameRules { ignore: vec!["org.server".into()], ..BlameRules::default() };
    assert_snapshot!(post_run(&with_sites(), &View { rules, ..View::default() }, &occasion()));
}

#[test]
fn of_very_many_sites_the_largest_are_written_and_the_rest_is_summed_up() {
    let mut profile = with_sites();
    let pattern = profile.sites.pop().expect("a site");
    profile.sites =
        (1..=1030).map(|n| SiteProfile { allocated: Tally::of(n, 16), ..pattern.clone() }).collect();
    let written = |rows| post_run(&profile, &View { rows, ..View::default() }, &occasion());
    let smallest = "%:16:1\n";
    let all = written(Some(2000));
    assert!(all.contains(smallest) && !all.contains("smaller sites"), "{all}");
    let largest = written(None);
    // 16 bytes of each of 1 to 30 objects.
    assert!(largest.contains(":7440 at 30 smaller sites\n"), "{largest}");
    assert!(!largest.contains(smallest) && largest.contains("%:496:31\n"), "{largest}");
}

#[test]
fn a_byte_sample_says_so_where_it_applies() {
    let profile = sampled(with_sites(), Tracking::ByteSample(512 * 1024));
    assert_snapshot!(post_run(&profile, &View { blame: false, ..View::default() }, &occasion()));
}

#[test]
fn nothing_recorded() {
    assert_snapshot!(post_run(&Profile::default(), &View::default(), &Occasion::default()));
}

#[test]
fn operations_are_told_where_the_program_reported_any() {
    let operations = |operations| {
        let text = post_run(&Profile { operations, ..only_counts() }, &View::default(), &occasion());
        let run = text.split("\nRun:\n").nth(1).expect("facts of the run").to_owned();
        run.lines().find(|line| line.contains("operations")).map(str::to_owned)
    };
    let told = operations(12_000).expect("a line");
    assert!(told.starts_with("  operations: 12,000 (") && told.ends_with(" objects each)"), "{told}");
    assert_eq!(operations(0), None);
}

#[test]
fn one_in_n_says_by_how_much_it_was_scaled() {
    let text = post_run(&sampled(with_lifetimes(), Tracking::EveryNth(20)), &View::default(), &occasion());
    let note = "  Sizes and counts are estimates from 1 object in 20, scaled to the whole (about 10 % off at 2.00 k objects";
    for section in ["Live objects:\n", "Collected objects:\n"] {
        assert!(text.contains(&format!("{section}{note}")), "{text}");
    }
    assert!(text.contains("Allocated objects:\n  %:size"), "allocation counts are exact: {text}");
}

#[test]
fn what_was_optimised_away_keeps_its_count_and_loses_its_rank() {
    let text = post_run(&optimised_away(), &View { blame: false, ..View::default() }, &occasion());
    let rows = "   78%:240000000:10000000:(24) - byte[]\n";
    assert!(text.contains(rows), "{text}");
    let string = "   17%:960000000:40000000:(24) - java.lang.String\n        optimised away: executed as above, about 50.0 MiB of it allocated\n";
    assert!(text.contains(string), "{text}");
    assert!(text.find(rows) < text.find(string), "{text}");
    assert!(text.contains("Allocated objects summary:\n  1216000000:51000000\n"), "{text}");
}

#[test]
fn a_filter_is_stated_and_applied() {
    let classes = ClassFilter { include: vec!["org.server".into(), "[B".into()], ..ClassFilter::default() };
    let view = View { classes, min_bytes: 33, ..View::default() };
    let text = post_run(&with_lifetimes(), &view, &occasion());
    assert!(
        text.contains("\nOnly classes starting with: org.server, [B\nOnly objects of at least 33 bytes\n")
    );
    assert!(!text.contains("- org.server.Server$Request"), "32 bytes are less than 33: {text}");
    assert!(text.contains("- org.server.Cache$Entry"));
}

#[test]
fn names_cannot_break_lines() {
    let mut profile = only_counts();
    profile.classes[0].name = "evil\nTrust:\u{1b}[2J".into();
    let text = post_run(&profile, &View::default(), &occasion());
    assert!(text.contains("- evil\\nTrust:\\u{1b}[2J\n"));
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn more_counted_than_allocated_is_explained() {
    let trust = Trust { accounted_bytes: 2_000_000_000, remainder: vec![], ..trust() };
    let text = trust_block(&trust, EngineKind::Exact);
    assert!(text.contains("(coverage 100.13 %)"), "{text}");
    assert!(
        text.contains("optimised away: at least 2.48 MiB of what was counted was executed and not allocated"),
        "{text}"
    );
    assert!(!text.contains("unknown cause"), "{text}");
}

#[test]
fn what_no_cause_explains_is_said_to_be_of_unknown_cause() {
    let text = trust_block(&trust(), EngineKind::Exact);
    assert!(text.contains("remainder: 381 KiB before the agent could count\n"), "{text}");
    assert!(text.contains("remainder: 9.77 KiB of unknown cause\n"), "{text}");
    let explained =
        Trust { remainder: vec![Remainder::exact("before the agent could count", 400_000)], ..trust() };
    assert!(!trust_block(&explained, EngineKind::Exact).contains("unknown cause"));
}

#[test]
fn estimates_are_told_with_their_error_and_exact_numbers_without() {
    let mut profile = only_counts();
    let mut unseen = Estimate::default();
    (0..100).for_each(|_| unseen.add(Estimate::of_sample(24, 512 << 10)));
    profile.trust = Trust {
        accounted_bytes: 900_000_000,
        jvm_allocated_bytes: Some(1_000_000_000),
        remainder: vec![
            Remainder::exact("before counting began", 1_000_000),
            Remainder::estimated("made by native code (JNI)", unseen),
        ],
        sample_interval: Some(512 << 10),
        ..Trust::default()
    };
    profile.estimates.insert("[B".into(), ClassEstimate { allocated: unseen, unseen });
    profile.classes[0].name = "a.Removed".into();
    profile.classes[0].allocated = Tally::of(10_000_000, 24);
    let text = post_run(&profile, &View::default(), &occasion());
    for line in [
        "counted or explained: 95.34 %; ± is the standard error of an estimate",
        "remainder: 977 KiB before counting began",
        "remainder: 50.0 MiB ± 5.00 MiB made by native code (JNI)",
        "remainder: 44.4 MiB of unknown cause",
        "not seen by the hooks: 50.0 MiB ± 5.00 MiB of byte[]",
        "optimised away: 229 MiB of a.Removed executed, 0 B ± 0 B allocated",
    ] {
        assert!(text.contains(&format!("  {line}\n")), "{line} in:\n{text}");
    }
}

#[test]
fn what_is_estimated_is_not_said_to_be_counted_or_optimised_away() {
    let trust = Trust { accounted_bytes: 2_050_000_000, remainder: vec![], ..trust() };
    let text = trust_block(&trust, EngineKind::Sampled);
    assert!(text.contains("trust: 1.91 GiB estimated of 1.86 GiB the JVM allocated"), "{text}");
    assert!(!text.contains("counted") && !text.contains("optimised away"), "{text}");
}

#[test]
fn rows_of_the_sampled_engine_state_their_errors() {
    let mut profile = with_lifetimes();
    profile.run.engine = EngineKind::Sampled;
    profile.run.tracking = Tracking::ByteSample(512 << 10);
    let name = profile.classes[0].name.clone();
    let readable = mayfly_report::readable_class(&name);
    let allocated = Estimate::of_bytes(
        profile.classes[0].allocated.bytes as f64,
        0.06 * profile.classes[0].allocated.bytes as f64,
    );
    profile.estimates.insert(name.clone(), ClassEstimate { allocated, ..ClassEstimate::default() });
    let text = post_run(&profile, &View::default(), &occasion());
    let allocated = text.split("Live objects:").next().expect("a section");
    let row = allocated.lines().find(|line| line.contains(&format!("- {readable}"))).expect("the class");
    assert!(row.ends_with(" (±12%)"), "{row}");
    assert!(allocated.contains("Sizes and counts are estimates from a sample"), "{allocated}");
}

#[test]
fn the_trust_line() {
    assert_eq!(
        trust_line(&trust(), EngineKind::Exact),
        "trust: 1.86 GiB counted of 1.86 GiB the JVM allocated (coverage 99.97 %)"
    );
    let without = Trust { jvm_allocated_bytes: None, ..trust() };
    assert_eq!(
        trust_line(&without, EngineKind::Exact),
        "trust: 1.86 GiB counted; the JVM gave no number of its own to compare with"
    );
}

#[test]
fn generational_zgc_lifetimes_are_labelled() {
    let mut profile = with_lifetimes();
    assert!(!post_run(&profile, &View::default(), &occasion()).contains("Generational ZGC"));
    profile.run.jvm.gc = Gc::GenerationalZgc;
    assert!(
        post_run(&profile, &View::default(), &occasion())
            .contains("Generational ZGC: young collections keep tracked objects")
    );
}

#[test]
fn what_is_known_from_above_only_is_said_so() {
    let mut profile = with_lifetimes();
    assert!(!post_run(&profile, &View::default(), &occasion()).contains("<="));
    for gc in [Gc::Shenandoah, Gc::GenerationalShenandoah, Gc::GenerationalZgc, Gc::Unknown] {
        profile.run.jvm.gc = gc;
        let text = post_run(&profile, &View::default(), &occasion());
        assert!(
            text.contains("<= upper bounds") && text.contains("  <=0.113  0.000-0.124  <=0.118  "),
            "{text}"
        );
    }
}
