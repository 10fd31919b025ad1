//! Whom a session follows, in words: no other place says it.
//!
//! Not here: the keys of JSON.

use mayfly_profile::{Profile, Tracking};

use crate::units;

/// Whose deaths and stacks are followed, in few words.
pub fn followed_text(tracking: Tracking) -> String {
    match tracking {
        Tracking::Off => "allocations only".to_owned(),
        Tracking::EveryObject | Tracking::EveryNth(0 | 1) => "every object".to_owned(),
        Tracking::EveryNth(n) => format!("1 object in {n}"),
        Tracking::ByteSample(apart) => format!("a sample per {}", units::bytes(apart)),
        Tracking::Balanced => "a share of each class, rare ones object by object".to_owned(),
    }
}

/// How many collections there were: `9 GCs`. Of collectors that pause several times for each the pauses are counted, not the collections.
pub fn gcs(profile: &Profile) -> String {
    let what = if profile.run.jvm.gc.pauses_are_parts() { "GC pauses" } else { "GCs" };
    format!("{} {what}", profile.gcs)
}

/// The same as it was in fact: samples as far apart, and of the objects of which each was to be followed those that there was room for.
pub fn tracking_text(profile: &Profile) -> String {
    match thinned(profile) {
        Some(number) => format!("1 object in {number} at worst"),
        None => followed_text(tracking_measured(profile)),
    }
}

/// Where each object was to be followed, for want of room one in so many was at worst; `None`: each was, or a part was requested.
pub(crate) fn thinned(profile: &Profile) -> Option<u64> {
    let each = matches!(profile.run.tracking, Tracking::EveryObject | Tracking::EveryNth(0 | 1));
    let number = profile.trust.following.thinned_to_one_in;
    (each && number > 1).then_some(number)
}

/// How it was followed; samples as far apart as they were in fact.
pub(crate) fn tracking_measured(profile: &Profile) -> Tracking {
    let apart = profile.bytes_between_samples();
    apart.map_or(profile.run.tracking, |apart| Tracking::ByteSample(apart.round() as u64))
}

/// What estimates rest on; `None`: nothing is estimated.
pub(crate) fn estimated_from(profile: &Profile) -> Option<String> {
    let tracking = tracking_measured(profile);
    match (tracking, profile.shares.len()) {
        (Tracking::Balanced, 0) => None,
        (Tracking::Balanced, 1) => Some("a share of the objects of 1 class, exact of all others".to_owned()),
        (Tracking::Balanced, classes) => {
            Some(format!("a share of the objects of {classes} classes, exact of all others"))
        }
        _ => (tracking.follows_a_part() || thinned(profile).is_some()).then(|| tracking_text(profile)),
    }
}
