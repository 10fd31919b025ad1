//! What a judgement rests on: how much of the truth a profile has, and what it can't tell.
//!
//! Everything fails closed: what is not known is not taken for kept.

use mayfly_profile::{ClassFilter, Profile};

use crate::budget::{Limit, Subject};

/// Share of the JVM's bytes that was counted, or is known exactly not to have been (before counting began, while paused, at
/// the end). Estimates count as missing. `None`: the JVM has no counter to compare with.
pub fn trust_share(profile: &Profile) -> Option<f64> {
    let trust = &profile.trust;
    let allocated = trust.jvm_allocated_bytes.filter(|&bytes| bytes > 0)? as f64;
    let exact = trust.remainder.iter().filter(|part| part.named && part.error_bytes.is_none());
    let known: f64 = exact.map(|part| part.bytes.max(0) as f64).sum();
    Some(((trust.accounted_bytes as f64 + known) / allocated).min(1.0))
}

/// Why no judgement on `profile` would hold, if at least `least` of the JVM's bytes have to be known.
pub(crate) fn distrust(profile: &Profile, least: f64) -> Option<String> {
    if !profile.complete {
        return Some("the recording has no end: the JVM was killed, or still runs".to_owned());
    }
    distrust_so_far(profile, least)
}

/// As [`distrust`], of what holds without the end.
pub(crate) fn distrust_so_far(profile: &Profile, least: f64) -> Option<String> {
    match trust_share(profile) {
        // Without a counter nothing can be said of the share; that any share will do has been said.
        None if least > 0.0 => {
            Some("this JVM has no counter to compare with; set trust = 0 to check without it".to_owned())
        }
        Some(share) if share < least => Some(format!(
            "{:.2} % of what the JVM allocated is known, and {:.2} % are required",
            (share * 1e4).floor() / 1e2,
            least * 1e2
        )),
        _ => None,
    }
}

/// What was not recorded that `limit` needs.
pub(crate) fn missing(profile: &Profile, limit: &Limit) -> Option<String> {
    let needs_lifetimes = limit.quantity.needs_lifetimes();
    if needs_lifetimes && !profile.run.lifetimes {
        return Some("no lifetimes were recorded".to_owned());
    }
    if matches!(limit.subject, Subject::Site(_)) && !profile.run.stacks {
        return Some("no stacks were recorded".to_owned());
    }
    let dropped = profile.trust.dropped_objects();
    if needs_lifetimes && dropped > 0 {
        return Some(format!("{dropped} objects were not followed (dropped)"));
    }
    let view = &profile.run.view;
    let followed = needs_lifetimes || matches!(limit.subject, Subject::Site(_));
    if followed && (!admits(&view.classes, &limit.subject) || view.min_bytes > 0) {
        return Some("the run's filters left objects out that this limit is on".to_owned());
    }
    None
}

/// Whether a filter lets through all that is meant.
fn admits(filter: &ClassFilter, subject: &Subject) -> bool {
    match subject {
        Subject::Class(name) => match name.strip_suffix('*') {
            // What a longer name would be told apart by is not known.
            Some(prefix) => {
                filter.admits(prefix) && filter.exclude.iter().all(|entry| !entry.starts_with(prefix))
            }
            None => filter.admits(name),
        },
        Subject::Total | Subject::Site(_) => filter.admits_all(),
    }
}
