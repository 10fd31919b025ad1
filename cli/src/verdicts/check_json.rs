//! The outcome of a check as JSON, schema `mayfly-check/1`.

use mayfly_verdicts::{Amount, Outcome, Ruling};
use serde::Serialize;

use super::checked_recording::CheckedRecording;
use super::wording::{judgement, remark, subject};
use crate::json::object;

/// The document, ending in a newline.
pub(crate) fn check_json(all: &[CheckedRecording]) -> String {
    let check =
        object! { schema: "mayfly-check/1", recordings: all.iter().map(recording).collect::<Vec<_>>() };
    serde_json::to_string_pretty(&check).expect("names and numbers") + "\n"
}

fn recording(one: &CheckedRecording) -> impl Serialize {
    object! {
        recording: &one.recording,
        budget: &one.budget,
        ruling: match one.checked.ruling() {
            Ruling::Kept => "kept",
            Ruling::Exceeded => "exceeded",
            Ruling::Unknown => "unknown",
        },
        /// Why nothing is judged; null if it is.
        not_judged: one.checked.distrust.as_deref(),
        /// Of the JVM's bytes; null: it has no counter.
        trust_share: one.checked.trust,
        limits: one.checked.outcomes.iter().map(limit).collect::<Vec<_>>(),
    }
}

fn limit(outcome: &Outcome) -> impl Serialize {
    let known = |bound: f64| bound.is_finite().then_some(bound);
    object! {
        on: subject(&outcome.limit.subject),
        quantity: outcome.limit.quantity.key(),
        is_least: outcome.limit.quantity.is_least(),
        bound: outcome.limit.bound,
        judgement: judgement(outcome),
        remark: remark(outcome),
        /// Null: not known.
        measured: outcome.measured.map(|amount| amount.value),
        /// The least and the most that it may be; null: no end.
        band: outcome.measured.map(|Amount { low, high, .. }| [known(low), known(high)]),
        offenders: outcome.offenders.iter().map(offender).collect::<Vec<_>>(),
    }
}

fn offender(one: &mayfly_verdicts::Offender) -> impl Serialize {
    let stack: Vec<_> = one.stack.iter().map(super::wording::frame).collect();
    object! {
        class: &one.class,
        objects: one.objects,
        bytes: one.bytes,
        /// A standard error of its bytes, as a share; null: counted.
        error: one.error.map(|error| (error * 1000.0).round() / 1000.0),
        stack,
    }
}
