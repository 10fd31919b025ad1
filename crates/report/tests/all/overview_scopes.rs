//! What survives scopes, on one screen and in full.

use insta::assert_snapshot;
use mayfly_profile::{Outcome, Profile, ScopeClass, ScopeProfile, Tally, View};
use mayfly_report::{overview, post_run};

use crate::overview::{occasion, shown, unbroken};
use crate::profiles::with_lifetimes;

/// A program with a scope of which two classes survive.
fn with_survivors() -> Profile {
    let survivors = |objects, live| Outcome {
        tracked: Tally::of(1_000, 24),
        between: Tally::of(1_000 - objects, 24),
        survived: Tally::of(objects, 24),
        survived_live: Tally::of(live, 24),
        ..Outcome::default()
    };
    let class = |name: &str, objects, live| ScopeClass {
        name: name.into(),
        allocated: Tally::of(1_000, 24),
        outcome: Some(survivors(objects, live)),
        ..ScopeClass::default()
    };
    let mut outlived = mayfly_profile::Ages::default();
    outlived.record_deaths(100, 200, 40);
    outlived.record_living(5_000, 60);
    let scope = ScopeProfile {
        threads: None,
        path: vec!["com.acme.Handler.handle".into()],
        entries: 500,
        ended: 500,
        classes: vec![
            class("[B", 90, 50),
            class("com.acme.Outer$Session", 10, 10),
            class("com.acme.Brief", 0, 0),
        ],
        outlived: Some(outlived),
    };
    let mut profile = with_lifetimes();
    profile.scopes = vec![scope];
    profile
}

/// The program's own class is named to be looked for.
#[test]
fn what_survives_a_scope_comes_first() {
    let text = shown(&with_survivors());
    assert!(text.contains("--to 'com.acme.Outer$Session'"), "{text}");
    assert_snapshot!(text);
}

#[test]
fn sentences_of_a_scope_are_whole_and_name_no_process_that_has_ended() {
    let mut profile = with_survivors();
    profile.scopes[0].path = vec!["com.acme.web.Handler.handleAnyOfAllTheRequests".into()];
    for class in ["a.very.long.package.of.a.Class", "a.very.long.package.of.another.Class"] {
        let class = ScopeClass {
            name: class.into(),
            allocated: Tally::of(1, 16),
            outcome: None,
            ..ScopeClass::default()
        };
        profile.scopes[0].classes.push(class);
    }
    let screen = overview(&profile, &View::default(), &occasion(), 60, "mayfly report --full run.mayfly");
    let whole = unbroken(&screen);
    assert!(whole.contains("Requests: 4 B per entry (+-82 %); they outlive it by:"), "{screen}");
    assert!(
        whole.contains("not known, too few were followed: a.very.long.package.of.a.Class, a.very"),
        "{screen}"
    );
    assert!(!screen.contains("≥2.34"), "32 bytes do not matter: {screen}");
    assert!(whole.contains("mayfly heap paths PID --to 'com.acme.Outer$Session'"), "{screen}");
    assert!(whole.contains("--include 'com.acme.Outer$Session' FILE"), "{screen}");
    profile.complete = false;
    assert!(shown(&profile).contains("mayfly heap paths 4711 --to"), "{}", shown(&profile));
}

/// "194 KiB survived" of 2.1 MB: most was of a class of which too few objects were followed.
#[test]
fn survivors_of_a_scope_are_a_lower_bound_where_much_is_of_classes_that_are_not_known() {
    let mut profile = with_survivors();
    let class = ScopeClass {
        name: "[C".into(),
        allocated: Tally::of(1_000, 4_096),
        outcome: None,
        ..ScopeClass::default()
    };
    profile.scopes[0].classes.push(class);
    let (screen, full) = (shown(&profile), post_run(&profile, &View::default(), &occasion()));
    assert!(screen.contains("≥2.34 KiB") && screen.contains("≥4 B per entry"), "{screen}");
    assert!(full.contains("survived: at least 100 objects, 2400 bytes"), "{full}");
}

/// A service's logins survived most, and the leak was of its orders, of which nothing was shown.
#[test]
fn survivors_of_each_scope_are_shown_those_that_are_sure_first() {
    let mut profile = with_survivors();
    profile.trust.following.thinned_to_one_in = 1;
    let mut orders = profile.scopes[0].clone();
    orders.path = vec!["com.acme.Orders.place".to_owned()];
    let made = |objects| Outcome {
        survived: Tally::of(objects, 24),
        survived_live: Tally::of(objects, 24),
        ..Outcome::default()
    };
    let class = |name: &str, objects| ScopeClass {
        name: name.into(),
        allocated: Tally::of(objects, 24),
        outcome: Some(made(objects)),
        ..ScopeClass::default()
    };
    orders.classes = vec![class("[B", 30), class("[C", 20), class("com.acme.Listener", 10)];
    profile.scopes.push(orders);
    let screen = shown(&profile);
    let lines: Vec<_> =
        screen.lines().skip_while(|line| !line.contains("Survivors of com.acme.Orders")).collect();
    assert!(lines[0].contains("com.acme.Orders.place: 2 B per entry, 1 more classes"), "{screen}");
    let rows: Vec<_> =
        lines.iter().filter(|line| line.starts_with("    ") && line.contains(" B  ")).collect();
    assert!(rows[0].ends_with("  byte[]") && rows[1].ends_with("  com.acme.Listener"), "its own: {screen}");
}

#[test]
fn survivors_of_a_scope_have_an_error_where_they_rest_on_samples() {
    let mut profile = with_survivors();
    let both = |profile: &Profile| (shown(profile), post_run(profile, &View::default(), &occasion()));
    let row = |text: &str, of: &str| {
        let is_row = |line: &&str| line.ends_with(of);
        unbroken(text.lines().rev().find(is_row).unwrap_or_else(|| panic!("no {of} in {text}")))
    };
    // One in 16: ten of them stand on less than one sample.
    let (screen, full) = both(&profile);
    assert!(screen.contains("4 B per entry (+-82 %)"), "{screen}");
    assert_eq!(
        row(&screen, "  com.acme.Outer$Session"),
        "240 B few samples 10 0.02 ? com.acme.Outer$Session"
    );
    assert!(unbroken(&screen).contains(" 2.11 KiB +-87 % 90 0.18 ? byte[]"), "{screen}");
    assert!(full.contains("survived: 100 objects, 2400 bytes (±"), "{full}");
    profile.trust.following.thinned_to_one_in = 1;
    let (screen, full) = both(&profile);
    assert!(unbroken(&screen).contains("144 B 2.34 KiB 1.41 KiB com"), "{screen}");
    assert_eq!(row(&screen, "  com.acme.Outer$Session"), "240 B 10 0.02 240 B com.acme.Outer$Session");
    assert!(full.contains("survived: 100 objects, 2400 bytes; live of these"), "{full}");
    profile.scopes[0].classes.iter_mut().for_each(|class| class.outcome = None);
    let screen = shown(&profile);
    assert_eq!(row(&screen, "Handler.handle"), "500 70.3 KiB 144 B ? ? com.acme.Handler.handle");
}
