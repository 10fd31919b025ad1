//! The outcome of a check as JSON, schema `mayfly-check/1`.

use mayfly_verdicts::{Amount, Outcome, Ruling};
use serde::Serialize;

use super::checked_recording::CheckedRecording;
use super::wording::{judgement, remark, subject};

#[derive(Serialize)]
struct Check<'a> {
    schema: &'static str,
    recordings: Vec<Recording<'a>>,
}

#[derive(Serialize)]
struct Recording<'a> {
    recording: &'a str,
    budget: &'a str,
    ruling: &'static str,
    /// Why nothing is judged; null if it is.
    not_judged: Option<&'a str>,
    /// Of the JVM's bytes; null: it has no counter.
    trust_share: Option<f64>,
    limits: Vec<Limit<'a>>,
}

#[derive(Serialize)]
struct Limit<'a> {
    on: String,
    quantity: &'a str,
    is_least: bool,
    bound: f64,
    judgement: &'static str,
    remark: Option<String>,
    /// Null: not known.
    measured: Option<f64>,
    /// The least and the most that it may be; null: no end.
    band: Option<[Option<f64>; 2]>,
    offenders: Vec<Offender<'a>>,
}

#[derive(Serialize)]
struct Offender<'a> {
    class: &'a str,
    objects: u64,
    bytes: u64,
    /// Innermost first.
    stack: Vec<String>,
}

/// The document, ending in a newline.
pub(crate) fn check_json(all: &[CheckedRecording]) -> String {
    let check = Check { schema: "mayfly-check/1", recordings: all.iter().map(recording).collect() };
    serde_json::to_string_pretty(&check).expect("names and numbers") + "\n"
}

fn recording(one: &CheckedRecording) -> Recording<'_> {
    Recording {
        recording: &one.recording,
        budget: &one.budget,
        ruling: match one.checked.ruling() {
            Ruling::Kept => "kept",
            Ruling::Exceeded => "exceeded",
            Ruling::Unknown => "unknown",
        },
        not_judged: one.checked.distrust.as_deref(),
        trust_share: one.checked.trust,
        limits: one.checked.outcomes.iter().map(limit).collect(),
    }
}

fn limit(outcome: &Outcome) -> Limit<'_> {
    let known = |bound: f64| bound.is_finite().then_some(bound);
    Limit {
        on: subject(&outcome.limit.subject),
        quantity: outcome.limit.quantity.key(),
        is_least: outcome.limit.quantity.is_least(),
        bound: outcome.limit.bound,
        judgement: judgement(outcome),
        remark: remark(outcome),
        measured: outcome.measured.map(|amount| amount.value),
        band: outcome.measured.map(|Amount { low, high, .. }| [known(low), known(high)]),
        offenders: outcome.offenders.iter().map(offender).collect(),
    }
}

fn offender(one: &mayfly_verdicts::Offender) -> Offender<'_> {
    let stack = one.stack.iter().map(super::wording::frame).collect();
    Offender { class: &one.class, objects: one.objects, bytes: one.bytes, stack }
}
