//! The outcome of a check as text for people.

use mayfly_report::left_aligned;

use super::checked_recording::CheckedRecording;
use super::wording::{compared, grounds, judgement, name, offender, remark, ruling};

/// All recordings, each with its limits, who exceeds them, and what the ruling rests on.
pub(crate) fn text(all: &[CheckedRecording]) -> String {
    all.iter().map(of_one).collect::<Vec<_>>().join("\n")
}

fn of_one(one: &CheckedRecording) -> String {
    let rows: Vec<Vec<String>> = one
        .checked
        .outcomes
        .iter()
        .map(|outcome| {
            let remark = remark(outcome).map(|remark| format!("; {remark}")).unwrap_or_default();
            vec![format!("  {}", judgement(outcome)), name(outcome), format!("{}{remark}", compared(outcome))]
        })
        .collect();
    let mut text = format!("{}\n{}", ruling(one), left_aligned(&rows));
    for outcome in one.checked.outcomes.iter().filter(|outcome| !outcome.offenders.is_empty()) {
        text += &format!("Most of {}:\n", name(outcome));
        for line in outcome.offenders.iter().flat_map(offender) {
            text += &format!("  {line}\n");
        }
    }
    for line in grounds(one) {
        text += &format!("{line}\n");
    }
    text
}
