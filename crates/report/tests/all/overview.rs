//! The report on one screen: reviewed snapshots, and that it always fits.

use insta::assert_snapshot;
use mayfly_profile::{
    BlameRules, ClassFilter, ClassProfile, Collection, Flag, FlagValue, Frame, Gc, GcKind, GenerationUse,
    Lifetimes, Link, LinkKind, Point, Profile, RetentionRow, Room, ScopeProfile, SiteProfile, Stack, Tally,
    Tracking, View,
};
use mayfly_report::{COLUMNS, LINES, MOST_COLUMNS, Occasion, Summary, overview};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use crate::profiles::{self, only_counts, optimised_away, sampled, with_lifetimes, with_sites};

/// Lines of [`occasion`].
const HEAD: usize = 3;

pub(crate) fn occasion() -> Occasion {
    Occasion { timestamp: Some("Fri Nov 21 11:15:00 UTC 2025".into()), ..Default::default() }
}

pub(crate) fn shown(profile: &Profile) -> String {
    overview(profile, &View::default(), &occasion(), COLUMNS, "mayfly report --full run.mayfly")
}

pub(crate) fn unbroken(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_was_dropped_in_unknown_numbers_is_said() {
    let mut profile = with_sites();
    profile.trust.dropped =
        vec![mayfly_profile::Dropped { cause: "threads shared counters".into(), objects: 0 }];
    let text = shown(&profile);
    assert!(text.contains("threads shared counters") && !text.contains("Nothing was dropped"), "{text}");
    assert!(!text.contains(" 0 objects"), "{text}");
}

/// Of which class most is live is a finding if errors leave it; and a number of objects that stands on one sample is none.
#[test]
fn what_is_most_of_what_is_live_is_told_as_far_as_errors_leave_it() {
    const MIB: u64 = 1 << 20;
    let class = |name: &str, live: &[Tally]| {
        let mut sum = Tally::default();
        live.iter().for_each(|part| sum.add(*part));
        ClassProfile {
            name: name.into(),
            allocated: Tally::of(300_000, 10_000),
            live: Some(sum),
            ..ClassProfile::default()
        }
    };
    let site = |name: &str, live: Tally| SiteProfile {
        class: name.into(),
        live: Some(live),
        ..SiteProfile::default()
    };
    let mut profile = with_lifetimes();
    profile.run.tracking = Tracking::ByteSample(64 << 10);
    profile.trust.sample_interval = Some(64 << 10);
    profile.live_as_of = mayfly_profile::LiveAsOf::End;
    let (large, small) = (Tally::of(20, MIB), Tally::of(1_024, 64));
    profile.classes = vec![class("[B", &[large, small]), class("a.Small", &[Tally::of(1_000, 24)])];
    profile.sites = vec![site("[B", large), site("[B", small), site("a.Small", Tally::of(1_000, 24))];
    let text = shown(&profile);
    assert!(text.contains("byte[] is >99 % of what was made since and is live: 20.1 MiB (+-2 %)"), "{text}");
    profile.classes[1] = class("a.Small", &[Tally::of(20_000, 1_024)]);
    profile.classes[0] = class("[B", &[Tally::of(20_000, 1_030)]);
    profile.sites.clear();
    let text = shown(&profile);
    let rivals = "byte[] or a.Small is most of what was made since and is live: about 19.6 MiB and 19.5 MiB,";
    let on_one_line = unbroken(&text);
    assert!(on_one_line.contains(&format!("{rivals} too close to tell (+-")), "{text}");
}

/// A JVM that dies before the first sample.
#[test]
fn what_no_sample_fell_on_is_not_called_nothing() {
    let mut profile = only_counts();
    profile.run.engine = mayfly_profile::EngineKind::Sampled;
    profile.classes.clear();
    profile.trust.jvm_allocated_bytes = Some(1_310_720);
    let text = shown(&profile);
    assert!(text.contains("no sample fell on any of 1.25 MiB") && !text.contains("nothing was"), "{text}");
}

/// Of a service that kept 60 KiB/s no sample told anything, and the curve on the screen rose.
#[test]
fn a_heap_that_rises_is_named_where_nothing_that_was_followed_grows() {
    let mut profile = with_lifetimes();
    let point = |s: u64| Point { span_ms: 1_000, live: Some((100 + s) << 20), gcs: 1, ..Point::default() };
    profile.history = (0..80).map(point).collect();
    profile.duration_ms = 80_000;
    let text = shown(&profile);
    assert!(
        text.contains(
            "? the heap in use after GCs rises: 108 MiB at 0:00:09, 171 MiB at 0:01:12\n     by 1.00 MiB/s"
        ),
        "{text}"
    );
    assert!(text.contains("may be old garbage, or a leak") && !text.contains("nothing is seen to grow"));
}

/// Attached for 20 s, young collections alone: what was promoted at once was "256 ms old", the rise of the heap was not on the screen.
#[test]
fn where_no_collection_has_looked_at_what_is_old_its_age_is_a_lower_bound_and_the_heaps_rise_is_told() {
    let seen = shown(&with_lifetimes());
    assert!(
        seen.contains(" are still there, at a median age of at least 59.4 s")
            && seen.contains("    1.0 s  byte[]"),
        "{seen}"
    );
    let mut profile = with_lifetimes();
    let point = |s: u64| Point { span_ms: 1_000, live: Some((100 + s) << 20), gcs: 1, ..Point::default() };
    profile.history = (0..800).map(point).collect();
    profile.duration_ms = 800_000;
    let text = shown(&profile);
    assert!(text.contains("1.14 MiB are not seen dead, at a median age of at least 59.4 s"), "{text}");
    // All that states what is live has it so.
    assert!(text.contains("is not seen dead: at most ") && !text.contains("% of what is live"), "{text}");
    assert!(text.contains("  not seen dead\n") && !text.contains("still there"), "{text}");
    let row = text.lines().find(|line| line.ends_with("  ≥994 ms  byte[]")).expect("a row");
    assert!(row.contains("≤1."), "{row}");
    assert!(!seen.contains('≤') && seen.contains("still there"), "{seen}");
    assert!(text.contains("  767 ms  org.server.Server$Request"), "{text}");
    assert!(text.contains("? the heap in use after GCs rises: "), "{text}");
    assert!(!text.contains("samples show none"), "what grows is not known: {text}");
}

/// A service was recorded for a minute, and its first screen had no word on leaks.
#[test]
fn where_nothing_shows_whether_anything_grows_that_is_stated() {
    let mut profile = with_lifetimes();
    profile.duration_ms = 800_000;
    let text = unbroken(&shown(&profile));
    assert!(
        text.contains("? whether anything grows is not known: no collection of the second half"),
        "{text}"
    );
    assert!(
        text.contains("to know, while it runs: mayfly leaks PID, or mayfly record PID --collect"),
        "{text}"
    );
    profile.run.lifetimes = false;
    assert!(!shown(&profile).contains("anything grows"), "none were recorded");
}

/// "55 % of what survived one" were double[] of one method, beside 62 % in JSON.
#[test]
fn what_collections_work_for_is_a_class_by_its_own_numbers_and_its_largest_maker() {
    let mut profile = with_lifetimes();
    let arrays = profile.classes.iter_mut().find(|class| class.name == "[B").expect("arrays");
    for dead in &mut arrays.collected {
        *dead = Tally { objects: dead.objects * 10, bytes: dead.bytes * 10, largest: dead.largest };
    }
    let all: u64 = profile.classes.iter().map(|class| class.survived().bytes).sum();
    let class = profile.classes.iter().max_by_key(|class| class.survived().bytes).expect("a class");
    let (survived, live) = (class.survived().bytes, class.live.expect("live").bytes);
    let text = unbroken(&shown(&profile));
    let sentence = format!(
        "collections work for byte[]: {:.0} % of what survived one ({}, {:.0} % dead since)",
        100.0 * survived as f64 / all as f64,
        mayfly_report::size(survived),
        100.0 * (survived - live) as f64 / survived as f64
    );
    assert!(class.name == "[B" && text.contains(&sentence), "no\n{sentence}\nin\n{text}");
}

/// Generational ZGC had collected 248 times, and nothing of what was followed was judged.
#[test]
fn what_collections_have_not_judged_is_not_called_uncollected() {
    let mut profile = with_lifetimes();
    profile.live_as_of = mayfly_profile::LiveAsOf::NoCollection;
    for (gcs, why) in [(0, "nothing was collected"), (248, "no collection has said it")] {
        profile.gcs = gcs;
        assert!(
            shown(&profile).contains(&format!("what is live is not known: {why}")),
            "{}",
            shown(&profile)
        );
    }
}

/// Beside a heap that was full before.
#[test]
fn what_is_live_of_a_jvm_that_ran_before_is_not_called_all() {
    let mut profile = with_lifetimes();
    let causes = |profile: &Profile| shown(profile).contains("% of what is live");
    profile.trust.remainder = vec![mayfly_profile::Remainder::exact(mayfly_profile::AT_START_UP, 5)];
    assert!(causes(&profile), "{}", shown(&profile));
    profile.trust.remainder.clear();
    assert!(!causes(&profile) && shown(&profile).contains("% of what was made since and is live"));
}

/// Generational ZGC follows no more than a share of the heap: of twenty arrays five were dropped, and 15 MiB "+-1 %" live.
#[test]
fn beside_dropped_objects_what_is_live_is_a_lower_bound() {
    let mut profile = with_lifetimes();
    let dropped = |objects| vec![mayfly_profile::Dropped { cause: "a share of the heap".into(), objects }];
    profile.trust.dropped = dropped(1);
    assert!(!shown(&profile).contains("at least:"), "{}", shown(&profile));
    profile.trust.dropped = dropped(500);
    assert!(shown(&profile).contains("(at least: 500"), "{}", shown(&profile));
}

#[test]
fn of_several_jvms_each_knows_what_grows_in_it() {
    let mut profile = with_lifetimes();
    profile.gcs = 1;
    profile.duration_ms = 800_000;
    assert!(shown(&profile).contains("whether anything grows is not known"), "{}", shown(&profile));
    profile.sources = vec![mayfly_profile::Source::default(); 2];
    let text = shown(&profile);
    assert!(text.contains("what grows is known of each recording alone: mayfly leaks FOLDER"), "{text}");
    assert!(!text.contains("is not known"), "{text}");
}

/// What died at a hundredth of the time is the longest lived of what is seen, and not long lived.
#[test]
fn what_died_young_is_not_said_to_live_longest() {
    let mut profile = with_lifetimes();
    assert!(shown(&profile).contains("lives longest"), "{}", shown(&profile));
    for site in &mut profile.sites {
        site.live = Some(Tally::default());
    }
    profile.classes.iter_mut().for_each(|class| class.live = Some(Tally::default()));
    profile.duration_ms *= 1_000;
    let text = shown(&profile);
    assert!(text.contains("hardly anything became old") && !text.contains("lives longest"), "{text}");
    // Much else was not seen dead, and no collection looked.
    profile.classes.iter_mut().for_each(|class| class.live = Some(Tally::of(1, 24)));
    let text = shown(&profile);
    assert!(text.contains("what lives longest is not known, no collection looked"), "{text}");
    assert!(!text.contains("hardly anything became old"), "{text}");
}

/// To be copied.
#[test]
fn a_command_stands_on_one_line_with_its_options() {
    let screens = [with_sites(), with_lifetimes(), collected(), leaking()];
    for (profile, columns) in screens.iter().flat_map(|profile| (COLUMNS..130).map(move |of| (profile, of))) {
        let text =
            overview(profile, &View::default(), &occasion(), columns, "mayfly report --full run.mayfly");
        for line in text.lines() {
            assert!(!line.ends_with(" mayfly") && !line.trim_start().starts_with("--"), "{columns}: {line}");
        }
    }
}

#[test]
fn allocations_only() {
    assert_snapshot!(shown(&only_counts()));
}

#[test]
fn lifetimes_of_every_object() {
    assert_snapshot!(shown(&with_lifetimes()));
}

/// "held 24 s" of entries that live for microseconds: young collections keep what is followed until one of the old generation, 46 s later.
#[test]
fn where_lifetimes_are_upper_bounds_so_is_how_long_bytes_were_held() {
    let held = |gc| {
        let mut lifetimes = Lifetimes::default();
        lifetimes.ms.record_deaths(23_000, 25_000, 100);
        let mut profile = with_lifetimes();
        profile.run.jvm.gc = gc;
        let mut collected = vec![Tally::default(); profile.run.buckets.len() - 1];
        collected.push(Tally::of(100, 4_000));
        profile.classes = vec![ClassProfile {
            name: "a.Entry".into(),
            allocated: Tally::of(100, 4_000),
            live: Some(Tally::default()),
            collected,
            lifetimes: Some(lifetimes),
            ..ClassProfile::default()
        }];
        let text = shown(&profile);
        let row = text.lines().find(|line| line.ends_with("a.Entry")).expect(&text).to_owned();
        row.split_whitespace().rev().take(3).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(held(Gc::G1), "a.Entry s 24");
    assert_eq!(held(Gc::GenerationalZgc), "a.Entry s ≤26");
}

/// Four classes, of which one object in a second stays.
fn leaking() -> Profile {
    const SECONDS: u64 = 100;
    let class = |at: u64| {
        let mut lifetimes = Lifetimes::default();
        for age in 1..=SECONDS {
            lifetimes.ms.record_living(age * 1_000, 1);
            lifetimes.bytes.record_living(age << 20, 1);
        }
        ClassProfile {
            name: format!("com.example.very.deeply.nested.packages.of.a.framework.Session{at}"),
            allocated: Tally::of(SECONDS, 4_000 - 100 * at),
            live: Some(Tally::of(SECONDS, 4_000 - 100 * at)),
            lifetimes: Some(lifetimes),
            ..ClassProfile::default()
        }
    };
    let mut profile = with_lifetimes();
    (profile.duration_ms, profile.gcs, profile.complete) = (SECONDS * 1_000, 100, true);
    profile.classes = (0..4).map(class).collect();
    profile.sites.clear();
    (profile.run.stacks, profile.run.tracking) = (false, Tracking::EveryObject);
    profile.trust.following = mayfly_profile::Following::default();
    profile
}

#[test]
fn what_grows_is_named_with_its_rate_and_that_of_all() {
    let screen = shown(&leaking());
    let lines: Vec<_> = screen.lines().skip_while(|line| !line.starts_with("Found")).take(6).collect();
    let [found, first, live, _, _, more] = lines[..] else { panic!("{screen}") };
    assert_eq!(found, "Found:");
    assert_eq!(
        first,
        "  ! growing: c.e.v.d.nested.packages.of.a.framework.Session0, lately 3.89 KiB/s (+-29 %)"
    );
    assert_eq!(live, "     391 KiB live since the start, 100 objects");
    assert_eq!(
        more,
        "     2 more grow, by 7.30 KiB/s: mayfly leaks FILE; who holds them: mayfly leaks PID, in a new run",
        "by themselves"
    );
}

#[test]
fn the_head_says_how_many_were_followed() {
    let mut profile = with_lifetimes();
    let thinned = unbroken(&shown(&profile));
    assert!(thinned.contains("14 GCs, 1 object in 16 at worst Found"), "{thinned}");
    assert!(thinned.contains("Live and lifetimes: estimates from 1 object in 16 at worst."), "{thinned}");
    assert!(thinned.contains("~188 KiB"), "{thinned}");
    profile.trust.following.thinned_to_one_in = 1;
    let each = unbroken(&shown(&profile));
    assert!(each.contains("14 GCs, every object Found") && !each.contains("estimates"), "{each}");
}

/// What lived so long is known of what was followed, and between collections.
#[test]
fn what_lived_so_long_is_not_called_counted() {
    let seconds = std::time::Duration::from_secs;
    let shown_of = |from: u64, to: u64, thinned| {
        let mut profile = with_lifetimes();
        profile.trust.following.thinned_to_one_in = thinned;
        let band = mayfly_profile::LifeBand::new(seconds(from), Some(seconds(to))).expect("not empty");
        shown(&profile.lived(band))
    };
    let first = |screen: &str| {
        let line = screen.lines().position(|line| line.starts_with("  1. ")).expect("a finding");
        unbroken(&screen.lines().skip(line).take(2).collect::<Vec<_>>().join(" "))
    };
    let (sampled, followed) = (shown_of(1, 100, 16), shown_of(1, 100, 1));
    assert!(!sampled.contains("(counted)") && first(&sampled).contains("(+-"), "{sampled}");
    assert!(first(&sampled).contains("of what lived so long: "), "{sampled}");
    assert!(first(&followed).contains("(by when last seen alive)"), "{followed}");
    assert!(!followed.contains("(counted)"), "{followed}");
}

/// Where it is known of all that are named, nobody is sent to look for it.
#[test]
fn who_holds_what_grows_is_named() {
    let mut profile = leaking();
    let held = |class: &ClassProfile| RetentionRow {
        class: class.name.clone(),
        stack: Stack::NONE,
        looked: 20,
        path: vec![
            Link {
                class: "[La.Session;".into(),
                by: LinkKind::Element,
                holders: 1,
                room: None,
                expiry: None,
            },
            Link {
                class: "a.Web".into(),
                by: LinkKind::StaticField(format!("OPEN{}", class.name.chars().last().unwrap_or_default())),
                holders: 1,
                room: None,
                expiry: None,
            },
        ],
    };
    profile.retention = profile.classes.iter().take(2).map(held).collect();
    let screen = shown(&profile);
    assert_eq!(screen.matches("     held by a.Web.OPEN").count(), 2, "{screen}");
    assert!(screen.contains("     2 more grow, by 7.30 KiB/s: mayfly leaks FILE\n"), "{screen}");
    profile.retention.truncate(1);
    assert!(shown(&profile).contains("mayfly leaks FILE; who holds them: mayfly leaks PID, in a new run"));
    profile.retention[0].path[0].room = Some(Room { used: 5, length: 9 });
    let screen = shown(&profile);
    assert!(!screen.contains("held by a.Web.OPEN"), "it may be a ring");
    assert!(screen.contains("  ? one more may grow: mayfly leaks FILE\n"), "{screen}");
}

/// What may grow does not hide how blind the recording was for others.
#[test]
fn what_may_grow_stands_beside_what_would_not_have_been_seen() {
    /// Each object that is followed stands for so many.
    const ONE_IN: u64 = 4096;
    let mut profile = leaking();
    profile.classes.truncate(1);
    let made = profile.classes[0].lifetimes.as_mut().expect("known");
    *made = Lifetimes::default();
    for age in [10, 30, 60, 90, 100] {
        made.ms.record_living(age * 1_000, ONE_IN);
        made.bytes.record_living(age << 20, ONE_IN);
    }
    profile.trust.following.thinned_to_one_in = ONE_IN;
    profile.classes[0].live = Some(Tally::of(5 * ONE_IN, 400));
    let screen = shown(&profile);
    assert!(screen.contains("? may be growing: "), "{screen}");
    assert!(unbroken(&screen).contains("? a leak below "), "{screen}");
    // A test of some seconds.
    profile.duration_ms = 5_000;
    let screen = shown(&profile);
    assert!(!screen.contains("may be growing") && !screen.contains("a leak below"), "{screen}");
}

/// Who asked for scopes asked what survives them.
#[test]
fn scopes_are_shown_however_much_grows() {
    let mut profile = leaking();
    let scope = |at: u64| ScopeProfile {
        threads: None,
        path: vec![format!("com.acme.Handler.handle{at}")],
        entries: 500,
        ended: 500,
        classes: vec![],
        outlived: Some(mayfly_profile::Ages::default()),
    };
    profile.scopes = (0..3).map(scope).collect();
    let screen = shown(&profile);
    assert!(screen.contains("com.acme.Handler.handle2"), "{screen}");
}

#[test]
fn sites_of_a_sample() {
    assert_snapshot!(shown(&sampled(with_sites(), Tracking::ByteSample(512 * 1024))));
}

#[test]
fn a_class_of_few_samples_is_not_said_to_live_long() {
    // A thousand objects of 32 bytes.
    let found = |interval| shown(&sampled(with_sites(), Tracking::ByteSample(interval)));
    let (many, few) = (found(1 << 10), found(32 << 10));
    assert!(many.contains("Request lives longest"), "{many}");
    assert!(!few.contains("lives longest") && !few.contains("Longest lived"), "{few}");
}

#[test]
fn where_samples_are_few_a_nearer_interval_is_named() {
    // 1,997 MB.
    let shown_at = |interval| shown(&sampled(with_sites(), Tracking::ByteSample(interval)));
    let few = shown_at(4 << 20);
    assert!(few.contains("about 476 samples, which is little: --sample 512k would draw more"), "{few}");
    assert!(!shown_at(512 << 10).contains("samples, which"));
}

#[test]
fn what_was_optimised_away() {
    assert_snapshot!(shown(&optimised_away()));
}

#[test]
fn nothing_recorded() {
    assert_snapshot!(overview(&Profile::default(), &View::default(), &Occasion::default(), COLUMNS, ""));
}

/// Names in the table whose last column is of that name, in order.
fn rows(text: &str, column: &str) -> Vec<String> {
    let is_it = |part: &&str| {
        let heading = part.lines().next().unwrap_or_default();
        heading.trim_start().starts_with("allocated  ") && heading.contains(&format!("  {column}"))
    };
    let table = text.split("\n\n").find(is_it).expect("the table");
    table.lines().skip(1).map(|line| line.rsplit("  ").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn what_was_optimised_away_does_not_rank_first_though_most_of_it_was_executed() {
    let text = shown(&optimised_away());
    let classes = rows(&text, "class");
    assert_eq!(classes, ["byte[]", "java.lang.String (optimised away)", "a.Kept"], "{text}");
    // Executed: 960 MB of strings, of which 50 MiB were allocated, at this method.
    let methods = rows(&text, "method");
    assert_eq!(methods, ["a.Main.buffers", "a.Main.join (optimised away)"], "{text}");
}

#[test]
fn methods_are_charged_across_classes_by_the_first_frame_outside_the_jdk() {
    let mut profile = with_sites();
    for site in &mut profile.sites {
        let copy = profiles::frame("java.util.Arrays", "copyOf", None);
        site.stack = std::iter::once(copy).chain(site.stack.iter().cloned()).collect();
    }
    assert_eq!(
        rows(&shown(&profile), "method"),
        ["com.yourorg.App.handle:7", "com.yourorg.App$Storage.store", "org.server.ServerThread.run:19"]
    );
    let rules = BlameRules { ignore: vec!["com.".into(), "org.".into()], ..BlameRules::default() };
    let by_jdk = View { rules, ..View::default() };
    let text = overview(&profile, &by_jdk, &occasion(), COLUMNS, "");
    assert_eq!(rows(&text, "method"), ["java.util.Arrays.copyOf"], "{text}");
    let rules = BlameRules { target: vec!["org.".into()], ..BlameRules::default() };
    let target = View { rules, ..View::default() };
    let text = overview(&profile, &target, &occasion(), COLUMNS, "");
    assert_eq!(rows(&text, "method"), ["org.server.ServerThread.run:19"], "{text}");
}

#[test]
fn of_each_ranking_the_first_are_shown() {
    let mut profile = with_lifetimes();
    let many = (0..40).map(|n| profiles::class(&format!("a.Garbage{n}"), 4096, 0, [50_000, 0, 0, 0]));
    profile.classes.splice(0..0, many);
    let classes = rows(&shown(&profile), "class");
    // Neither is among the forty that allocated most.
    for held in ["byte[]", "org.server.Cache$Entry"] {
        assert!(classes.iter().any(|class| class.starts_with(held)), "{held} in {classes:?}");
    }
}

/// Rows that allocated less than one that is left out are there for another reason, and marked with it.
#[test]
fn what_allocated_most_is_shown_without_gaps() {
    let mut profile = with_lifetimes();
    let many = (0..40).map(|n| profiles::class(&format!("a.Garbage{n}"), 4096, 0, [50_000, 0, 0, 0]));
    profile.classes.splice(0..0, many);
    let classes = rows(&shown(&profile), "class");
    let marked = |row: &&String| row.contains(" (much live)") || row.contains(" (much held)");
    assert_eq!(classes.iter().filter(marked).count(), 2, "{classes:?}");
    assert!(classes.iter().take(classes.len() - 2).all(|row| row.starts_with("a.Garbage")), "{classes:?}");
    let few = rows(&shown(&with_lifetimes()), "class");
    assert!(few.iter().all(|row| !marked(&row)), "all are shown: {few:?}");
}

/// A service by a JVM that says what its collections did: 40 young ones, 8 MiB promoted, 48 MiB made in the old generation, a full one.
fn collected() -> Profile {
    let used = |before: u64, after: u64| {
        Some(GenerationUse { before: Some(before << 20), after: after << 20, capacity: None })
    };
    let mut profile = sampled(with_sites(), Tracking::ByteSample(1 << 10));
    let young = |number: u64| Collection {
        number: number as u32,
        at_ms: 1_000 * number,
        pause_us: 2_500,
        kind: GcKind::Young,
        cause: "G1 Evacuation Pause".into(),
        young: used(100, 2),
        old: used(number, number),
        ..Collection::default()
    };
    profile.collections = (0..56).map(young).collect();
    for collection in &mut profile.collections[..8] {
        collection.old = used(u64::from(collection.number), u64::from(collection.number) + 1);
    }
    let full = Collection {
        kind: GcKind::Full,
        cause: "System.gc()".into(),
        old: used(56, 6),
        pause_us: 30_000,
        ..young(56)
    };
    profile.collections.push(full);
    let number = |name: &str, number| Flag { name: name.into(), value: FlagValue::Number(number) };
    profile.flags = vec![number("MaxHeapSize", 256 << 20), number("G1HeapRegionSize", 1 << 20)];
    profile.classes[1].allocated.largest = 600 << 10;
    profile
}

#[test]
fn what_collections_did_is_on_the_screen_with_its_causes() {
    for columns in [80, COLUMNS, MOST_COLUMNS] {
        let text = overview(&collected(), &View::default(), &occasion(), columns, "mayfly report --full x");
        let on_one_line = unbroken(&text);
        for part in [
            "Collections: stopped for 170 ms in all, the longest 30 ms (0.2 % of the time)",
            "56 young (G1 Evacuation Pause): 140 ms, the longest 2 ms, promoted 8.00 MiB",
            "1 full (System.gc()): 30 ms, the longest 30 ms",
            "in use after the last: 8.00 MiB of 256 MiB (3 %); humongous: char[] up to 600 KiB",
            "50.0 MiB of 56.0 MiB that came into the old generation died there (89 %)",
            "at least 8.00 MiB of it by promotion, 48.0 MiB humongous",
            "How long bytes lived",
        ] {
            let has_room = columns >= COLUMNS || !part.starts_with("1 full") && !part.starts_with("in use");
            assert!(!has_room || on_one_line.contains(part), "{part} in {columns}:\n{text}");
        }
        assert!(
            text.lines().count() <= LINES + HEAD && !text.contains("..."),
            "nothing is cut in {columns}:\n{text}"
        );
        assert!(!text.contains("[C") && !text.contains("[B"), "{text}");
    }
}

#[test]
fn bursts_are_a_finding_with_the_time_to_look_at() {
    let mut profile = with_sites();
    profile.history = (0..90)
        .map(|second| Point {
            span_ms: 1_000,
            allocated: if second % 9 == 4 { 800 << 20 } else { 20 << 20 },
            ..Point::default()
        })
        .collect();
    let text = shown(&profile);
    assert!(
        text.contains("allocates in bursts of 800 MiB/s, every 9.00 s (10 of them; else 20.0 MiB/s)"),
        "{text}"
    );
    assert!(text.contains("mayfly report --during 85s..86s"), "{text}");
}

#[test]
fn a_part_is_not_taken_for_the_whole() {
    let classes = ClassFilter { include: vec!["org.server".into(), "[B".into()], ..ClassFilter::default() };
    let view = View { classes, min_bytes: 33, ..View::default() };
    let text = overview(&with_lifetimes(), &view, &occasion(), COLUMNS, "");
    assert!(text.contains("Shown: only org.server,[B, objects of at least 33 B\n"), "{text}");
    assert!(!text.contains("Server$Request"), "{text}");
}

#[test]
fn no_name_steers_the_terminal() {
    let mut profile = with_sites();
    profile.classes[0].name = "evil\n\u{1b}[2J".into();
    profile.sites[0].stack = vec![profiles::frame("e\u{1b}[2J", "m\n", None)].into();
    profile.run.jvm.command = "Main \u{1b}[2J\nx".into();
    profile.trust.dropped = vec![mayfly_profile::Dropped { cause: "\u{1b}c".into(), objects: 1 }];
    let text = shown(&profile);
    assert!(!text.contains('\u{1b}') && !text.contains("evil\n"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn it_fits_on_the_screen(
        columns in 0usize..300,
        names in prop::collection::vec(("\\PC{0,200}", any::<u64>(), any::<u64>()), 0..60),
        command in "\\PC{0,300}", duration_ms: u64, jvm_allocated_bytes: Option<u64>, tracked: bool,
    ) {
        let mut profile = if tracked { with_sites() } else { optimised_away() };
        for (name, objects, bytes) in &names {
            let allocated = Tally { objects: *objects, bytes: *bytes, largest: 0 };
            profile.classes.push(profiles::counted(name, *objects, *bytes, 0));
            let stack = vec![profiles::frame(name, name, None)].into();
            profile.sites.push(SiteProfile { class: name.clone(), stack, allocated, live: Some(allocated), ..Default::default() });
        }
        profile.run.jvm.command = command;
        profile.duration_ms = duration_ms;
        profile.trust.jvm_allocated_bytes = jvm_allocated_bytes;
        profile = sampled(profile, Tracking::ByteSample(4096));
        let classes = ClassFilter { exclude: vec!["never".repeat(30)], ..ClassFilter::default() };
        let view = View { classes, ..View::default() };
        let text = overview(&profile, &view, &occasion(), columns, "mayfly report --full x");
        let most = columns.clamp(60, MOST_COLUMNS);
        for line in text.lines() {
            prop_assert!(line.width() <= most, "{} > {most}: {line}", line.width());
        }
        prop_assert!(text.lines().count() <= LINES + HEAD, "{text}");
    }
}

/// Neo4j in the program: what its parser allocates is the program's query.
#[test]
fn what_a_library_allocates_is_said_with_the_programs_line_below_which_it_does() {
    let frame = |class: &str, line| Frame {
        class: class.into(),
        method: "m".into(),
        line: Some(line),
        ..Frame::default()
    };
    let stack = ["scala.List", "org.neo4j.Parser", "social.Friends", "social.Social"];
    let sites = (0..2).map(|at| SiteProfile {
        class: "x.Token".into(),
        stack: stack[at..].iter().map(|class| frame(class, 30)).collect(),
        allocated: Tally::of(10, 100),
        ..SiteProfile::default()
    });
    let class =
        ClassProfile { name: "x.Token".into(), allocated: Tally::of(20, 100), ..ClassProfile::default() };
    let mut profile =
        Profile { sites: sites.collect(), classes: vec![class], duration_ms: 1_000, ..Profile::default() };
    let found = |profile: &Profile| {
        Summary::of(profile, &View::default(), &Occasion::default())
            .found
            .into_iter()
            .map(|found| found.next)
            .collect::<Vec<_>>()
            .join("\n")
    };
    profile.run.jvm.command = "social.Social 8200".into();
    let text = found(&profile);
    assert!(text.contains("100 % of all is allocated below social.Friends.m:30, 50 % by"), "{text}");
    let mut lines = profile.clone();
    let stack = ["scala.List", "social.Feed", "social.Social"].map(|class| frame(class, 31));
    lines.sites.push(SiteProfile { stack: stack.into_iter().collect(), ..lines.sites[0].clone() });
    let text = found(&lines);
    assert!(
        text.contains(
            "of all, by line of the program with what it calls of others: Friends.m:30 67 %, Feed.m:31 33 %;"
        ),
        "{text}"
    );
    profile.run.jvm.command = "app.jar".into();
    assert!(!found(&profile).contains("below social"), "nobody knows whose code it is");
}

/// On JDK 25 no hook saw one of 2.30 MiB of classes: "0 B", of which a byte was held for 123,763 hours.
#[test]
fn what_the_jvm_makes_is_estimated_where_more_lives_than_was_counted() {
    let mut profile = with_lifetimes();
    let class = ClassProfile {
        name: "java.lang.Class".into(),
        live: Some(Tally { objects: 19_000, bytes: 900 << 20, largest: 128 }),
        ..profile.classes[0].clone()
    };
    profile.classes.push(ClassProfile { allocated: Tally::default(), ..class });
    let screen = shown(&profile);
    let row =
        screen.lines().find(|line| line.ends_with("java.lang.Class")).unwrap_or_else(|| panic!("{screen}"));
    assert!(row.trim_start().starts_with("~900 MiB"), "{row}");
    assert!(!row.contains(" h "), "{row}");
}
