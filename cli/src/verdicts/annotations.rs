//! What is not kept as workflow commands of GitHub Actions: each is shown at the limit's line in the budget.

use mayfly_verdicts::Judgement;

use super::checked_recording::CheckedRecording;
use super::wording::{compared, name, offender, remark, ruling};

/// A line for each limit that is not known to be kept, and one for a recording that can't be trusted.
pub(crate) fn annotations(all: &[CheckedRecording]) -> String {
    all.iter().flat_map(of_one).map(|line| line + "\n").collect()
}

fn of_one(one: &CheckedRecording) -> Vec<String> {
    let command = |line: usize, title: &str, message: &str| {
        let (file, title) = (property(&one.budget), property(title));
        format!("::error file={file},line={line},title={title}::{}", data(message))
    };
    if one.checked.distrust.is_some() {
        return vec![command(1, "mayfly check", &ruling(one))];
    }
    let outcomes = one.checked.outcomes.iter().filter(|outcome| outcome.judgement != Judgement::Kept);
    let annotated = outcomes.map(|outcome| {
        let mut message = format!("{}: {}", one.recording, compared(outcome));
        for line in
            remark(outcome).into_iter().chain(outcome.offenders.iter().flat_map(|one| offender(one, true)))
        {
            message += &format!("\n{line}");
        }
        command(outcome.limit.line, &name(outcome), &message)
    });
    annotated.collect()
}

/// As the runner takes a message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// As it takes a property, which commas end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
