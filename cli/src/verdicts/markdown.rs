//! The outcome of a check as Markdown, for a comment on a pull request.

use super::checked_recording::CheckedRecording;
use super::document::escaped as cell;
use super::wording::{compared, grounds, judgement, name, offender, remark, ruling};

/// A table for each recording; who exceeds a limit is folded away below it.
pub(crate) fn markdown(all: &[CheckedRecording]) -> String {
    all.iter().map(of_one).collect::<Vec<_>>().join("\n")
}

fn of_one(one: &CheckedRecording) -> String {
    let mut text = format!("### {}\n\n|  | limit | measured |\n|---|---|---|\n", cell(&ruling(one)));
    for outcome in &one.checked.outcomes {
        let remark = remark(outcome).map(|remark| format!("; {remark}")).unwrap_or_default();
        let said = cell(&format!("{}{remark}", compared(outcome)));
        text += &format!("| **{}** | {} | {said} |\n", judgement(outcome), cell(&name(outcome)));
    }
    for outcome in one.checked.outcomes.iter().filter(|outcome| !outcome.offenders.is_empty()) {
        text += &format!("\n<details><summary>Most of {}</summary>\n\n", cell(&name(outcome)));
        for line in outcome.offenders.iter().flat_map(offender) {
            text += &format!("    {}\n", line.replace(['\n', '\r'], " "));
        }
        text += "\n</details>\n";
    }
    text += &format!("\n{}\n", cell(&grounds(one).join(" ")));
    text
}
