//! What was measured, as Bencher Metric Format: `{benchmark: {measure: {value, lower_value, upper_value}}}`.
//!
//! Bencher judges by thresholds of its own, so nothing is in it that can't be trusted.

use std::collections::BTreeMap;

use mayfly_verdicts::Amount;
use serde::Serialize;

use super::checked_recording::CheckedRecording;
use super::wording::subject;

#[derive(Serialize)]
struct Metric {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

impl Metric {
    fn of(amount: Amount) -> Self {
        let bound = |bound: f64| (bound.is_finite() && !amount.is_exact()).then_some(bound);
        Self { value: amount.value, lower_value: bound(amount.low), upper_value: bound(amount.high) }
    }
}

/// The document, ending in a newline.
pub(crate) fn bmf(all: &[CheckedRecording]) -> String {
    let mut benchmarks: BTreeMap<String, BTreeMap<&str, Metric>> = BTreeMap::new();
    for one in all.iter().filter(|one| one.checked.is_trusted) {
        for outcome in &one.checked.outcomes {
            let Some(amount) = outcome.measured else { continue };
            let subject = subject(&outcome.limit.subject);
            let name = if all.len() == 1 { subject } else { format!("{}: {subject}", one.recording) };
            benchmarks.entry(name).or_default().insert(outcome.limit.quantity.key(), Metric::of(amount));
        }
    }
    serde_json::to_string_pretty(&benchmarks).expect("names and finite numbers") + "\n"
}
