//! What older runs allow another run of the same program.

use mayfly_profile::{ClassProfile, Profile, Tally};
use mayfly_verdicts::{Checked, Judgement, Quantity, Ruling, Subject, baseline, check};

/// A run that makes so many sessions, so many objects of a generated class, and holds so many sessions in the end.
fn run(sessions: u64, lambdas: u64, live: u64) -> Profile {
    let mut profile = Profile { complete: true, ..Profile::default() };
    profile.run.lifetimes = true;
    profile.run.tracking = mayfly_profile::Tracking::EveryObject;
    (profile.trust.accounted_bytes, profile.trust.jvm_allocated_bytes) = (1_000, Some(1_000));
    let class = |name: &str, objects, live| ClassProfile {
        name: name.to_owned(),
        allocated: Tally::of(objects, 100),
        live: Some(Tally::of(live, 100)),
        ..ClassProfile::default()
    };
    // The JVM numbers it anew in each run.
    let lambda = format!("a.B$$Lambda$14/0x{sessions:016x}");
    profile.classes = vec![class("a.Session", sessions, live), class(&lambda, lambdas, 0)];
    profile
}

fn checked(old: &[Profile], new: &Profile) -> Checked {
    let old: Vec<_> = old.iter().collect();
    check(new, &baseline(&old, 0.05, 0.99).expect("trusted"))
}

fn old() -> [Profile; 3] {
    [run(10_000, 1_000, 50), run(10_010, 1_001, 50), run(9_990, 999, 50)]
}

#[test]
fn runs_that_do_the_same_are_kept_and_more_is_exceeded() {
    assert_eq!(checked(&old(), &run(10_005, 1_000, 50)).ruling(), Ruling::Kept);
    assert_eq!(checked(&old(), &run(5_000, 100, 0)).ruling(), Ruling::Kept, "less is no fault");
    for (what, new) in [
        ("sessions", run(11_000, 1_000, 50)),
        ("objects of a class that is named otherwise", run(10_000, 1_200, 50)),
        ("what is held", run(10_000, 1_000, 60)),
    ] {
        let checked = checked(&old(), &new);
        assert_eq!(checked.ruling(), Ruling::Exceeded, "{what}: {checked:#?}");
    }
}

#[test]
fn what_differs_between_runs_anyway_is_allowed() {
    let spread = [9_900, 10_100, 10_050, 9_950, 10_000, 10_150].map(|count| run(count, count / 10, 50));
    assert_eq!(checked(&spread, &run(10_300, 1_030, 50)).ruling(), Ruling::Kept);
}

/// Runs of different amounts of work: a limit would be a multiple of what they did, and anything passed.
#[test]
fn runs_that_differ_too_much_tell_nothing() {
    let spread = [run(10_000, 1_000, 50), run(13_000, 1_300, 70), run(4_000, 400, 30)];
    for new in [run(14_000, 1_400, 80), run(30_000, 3_000, 50), run(300, 30, 0)] {
        let checked = checked(&spread, &new);
        assert_eq!(checked.ruling(), Ruling::Unknown, "{checked:#?}");
        let why = format!("{:?}", checked.outcomes[0].judgement);
        assert!(
            why.contains("differ too much, or are known too roughly, for a limit")
                && why.contains("the same amount of work would tell"),
            "{why}"
        );
    }
    assert_eq!(checked(&spread, &run(1_000_000, 3_000, 50)).ruling(), Ruling::Exceeded);
}

/// "The runs of the baseline differ too much (192000 to 192000 bytes live)", exit 2, of a run that only got better.
#[test]
fn what_lives_at_the_end_is_kept_if_it_is_no_more_for_sure() {
    let spread = [run(10_000, 1_000, 50), run(10_010, 1_001, 400), run(9_990, 999, 220)];
    let of_session = |checked: &Checked| {
        let outcome = checked.outcomes.iter().find(|outcome| {
            outcome.limit.quantity == Quantity::LiveBytes && outcome.limit.subject != Subject::Total
        });
        let outcome = outcome.expect("a limit");
        (outcome.judgement.clone(), outcome.is_rough())
    };
    let fewer = checked(&spread, &run(8_000, 900, 300));
    assert_eq!((fewer.ruling(), of_session(&fewer)), (Ruling::Kept, (Judgement::Kept, true)), "{fewer:#?}");
    let more = checked(&spread, &run(8_000, 900, 600));
    assert_eq!(more.ruling(), Ruling::Unknown, "more than in any, and less than a limit that lets all pass");
    assert_eq!(checked(&spread, &run(8_000, 900, 7_000)).ruling(), Ruling::Exceeded);
}

#[test]
fn one_run_does_not_tell_what_runs_differ_by() {
    let one = &old()[..1];
    assert_eq!(checked(one, &run(10_100, 1_010, 51)).ruling(), Ruling::Kept);
    assert_eq!(checked(one, &run(12_000, 1_000, 50)).ruling(), Ruling::Unknown);
}

#[test]
fn a_baseline_has_to_be_trusted() {
    let mut runs = old();
    runs[1].trust.jvm_allocated_bytes = Some(2_000);
    let error = baseline(&runs.iter().collect::<Vec<_>>(), 0.05, 0.99).expect_err("half is not known");
    assert_eq!(error.run, 1);
    assert!(baseline(&[], 0.05, 0.99).is_err());
}
