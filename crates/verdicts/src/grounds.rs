//! What a judgement rests on: how much of the truth a profile has, and what it can't tell.
//!
//! Everything fails closed: what is not known is not taken for kept.

use mayfly_profile::{ClassFilter, Profile};

use crate::amount::Amount;
use crate::budget::{Limit, Quantity, Subject};

/// Bytes of the smallest object of any JVM, one with a compact header.
const SMALLEST_OBJECT: f64 = 8.0;

/// Share of the JVM's bytes that was counted, or is known exactly not to have been (before counting began, while paused, at
/// the end). Estimates count as missing. `None`: the JVM has no counter to compare with.
pub fn trust_share(profile: &Profile) -> Option<f64> {
    let trust = &profile.trust;
    let allocated = trust.jvm_allocated_bytes.filter(|&bytes| bytes > 0)? as f64;
    Some((known_bytes(profile) / allocated).min(1.0))
}

fn known_bytes(profile: &Profile) -> f64 {
    let trust = &profile.trust;
    let exact = trust.remainder.iter().filter(|part| part.named && part.error_bytes.is_none());
    let known: f64 = exact.map(|part| part.bytes.max(0) as f64).sum();
    trust.accounted_bytes as f64 + known
}

/// Bytes that the JVM allocated and nobody counted, of objects that may be any: what the JIT compiler removed was counted in their place.
fn not_counted(profile: &Profile) -> f64 {
    let allocated = profile.trust.jvm_allocated_bytes.unwrap_or(0) as f64;
    let removed: f64 = profile.classes.iter().map(|class| profile.removed_bytes(class) as f64).sum();
    (allocated - known_bytes(profile) + removed).max(0.0)
}

/// Why no judgement on `profile` would hold, if at least `least` of the JVM's bytes have to be known.
pub(crate) fn distrust(profile: &Profile, least: f64) -> Option<String> {
    distrust_of_all(profile, least).or_else(|| too_little(profile, least))
}

/// Why not even what was counted says anything.
pub(crate) fn distrust_of_all(profile: &Profile, least: f64) -> Option<String> {
    if !profile.complete {
        return Some("the recording has no end: the JVM was killed, or still runs".to_owned());
    }
    no_counter(profile, least)
}

/// As [`distrust`], of what holds without the end.
pub(crate) fn distrust_so_far(profile: &Profile, least: f64) -> Option<String> {
    no_counter(profile, least).or_else(|| too_little(profile, least))
}

/// Without a counter nothing can be said of the share; that any share will do has been said.
fn no_counter(profile: &Profile, least: f64) -> Option<String> {
    (trust_share(profile).is_none() && least > 0.0)
        .then(|| "this JVM has no counter to compare with; set trust = 0 to check without it".to_owned())
}

fn too_little(profile: &Profile, least: f64) -> Option<String> {
    let share = trust_share(profile).filter(|&share| share < least)?;
    Some(format!(
        "{:.2} % of what the JVM allocated is known, and {:.2} % are required",
        (share * 1e4).floor() / 1e2,
        least * 1e2
    ))
}

/// Of a profile of which less is known than is required: why, and what may be missing.
pub(crate) struct Shortage {
    why: String,
    bytes: f64,
    seconds: f64,
}

impl Shortage {
    /// `None`: enough is known.
    pub(crate) fn of(profile: &Profile, least: f64) -> Option<Self> {
        let why = too_little(profile, least)?;
        Some(Self { why, bytes: not_counted(profile), seconds: profile.duration_ms as f64 / 1e3 })
    }

    /// An amount with all that may be missing of it, per so many operations; `None`: nobody knows how much.
    pub(crate) fn added_to(&self, amount: Amount, quantity: Quantity, operations: f64) -> Option<Amount> {
        let more = match quantity {
            Quantity::Bytes | Quantity::LiveBytes => self.bytes,
            Quantity::Objects | Quantity::Live => self.bytes / SMALLEST_OBJECT,
            Quantity::BytesPerOperation => self.bytes / operations,
            Quantity::ObjectsPerOperation => self.bytes / SMALLEST_OBJECT / operations,
            Quantity::ByteSeconds => self.bytes * self.seconds,
            Quantity::Percentile(_) | Quantity::DiedBeforeFirstGc | Quantity::Measure(_) => return None,
        };
        Some(Amount { high: amount.high + more, ..amount })
    }

    /// Why a limit may not be kept, if what is missing decides, and by how much.
    pub(crate) fn why(&self, limit: &Limit, with_missing: Option<Amount>) -> String {
        match with_missing.filter(|amount| amount.high > limit.bound && limit.bound > 0.0) {
            Some(amount) => {
                let beyond = 100.0 * (amount.high / limit.bound - 1.0);
                format!("{}: with what is not, the limit may be exceeded by {beyond:.2} %", self.why)
            }
            None => self.why.clone(),
        }
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
