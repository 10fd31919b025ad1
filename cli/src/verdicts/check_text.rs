//! The outcome of a check in words for people.

use std::collections::HashSet;

use super::checked_recording::CheckedRecording;
use super::document::Document;
use super::wording::{compared, grounds, judgement, name, offender, remark, ruling};

/// All recordings, each with its limits, who exceeds them, and what the ruling rests on.
pub(crate) fn check_document(all: &[CheckedRecording]) -> Document {
    let mut document = Document::default();
    all.iter().for_each(|one| add(one, &mut document));
    document
}

fn add(one: &CheckedRecording, document: &mut Document) {
    document.heading(ruling(one));
    let outcomes = &one.checked.outcomes;
    let rows = outcomes.iter().map(|outcome| {
        let remark = remark(outcome).map(|remark| format!("; {remark}")).unwrap_or_default();
        vec![format!("  {}", judgement(outcome)), name(outcome), format!("{}{remark}", compared(outcome))]
    });
    document.verdicts(&["", "limit", "measured"], rows);
    let mut shown = HashSet::new();
    for outcome in outcomes.iter().filter(|outcome| !outcome.offenders.is_empty()) {
        let lines = outcome.offenders.iter().flat_map(|one| {
            let is_new = shown.insert((&one.class, &one.stack));
            offender(one, is_new)
        });
        let lines = lines.collect();
        document.details(format!("Most of {}", name(outcome)), lines);
    }
    document.sentence(grounds(one).join("\n"));
}
