//! The outcome of a check in words for people.

use std::cmp::Reverse;
use std::collections::HashSet;

use mayfly_verdicts::{Outcome, Ruling, Subject};

use super::checked_recording::CheckedRecording;
use super::document::Document;
use super::wording::{KEPT, compared, grounds, judgement, name, offender, remark, ruling};

/// Limits on one screen; of all that are exceeded each is shown. `--json` has the rest.
const ROWS: usize = 16;

/// All recordings, each with its limits, who exceeds them, and what the ruling rests on.
pub(crate) fn check_document(all: &[CheckedRecording]) -> Document {
    let mut document = Document::default();
    all.iter().for_each(|one| add(one, &mut document));
    document
}

fn add(one: &CheckedRecording, document: &mut Document) {
    document.heading(ruling(one));
    let outcomes = &one.checked.outcomes;
    let (shown, left_out) = most(outcomes);
    // Of what has no end more may have come.
    let verdict = |judgement: &'static str| match judgement {
        KEPT if one.checked.distrust.is_some() => "so far",
        judgement => judgement,
    };
    let row = |outcome: &&Outcome| {
        let remark = remark(outcome).map(|remark| format!("; {remark}")).unwrap_or_default();
        let about = if outcome.is_rough() { " ~" } else { "" };
        let verdict = format!("{}{about}", verdict(judgement(outcome)));
        vec![format!("  {verdict}"), name(outcome), format!("{}{remark}", compared(outcome))]
    };
    let more = left_out.into_iter().map(|(judgement, number)| {
        let limits = if number == 1 { "limit" } else { "limits" };
        vec![format!("  {}", verdict(judgement)), format!("{number} more {limits}"), String::new()]
    });
    document.verdicts(&["", "limit", "measured"], shown.iter().map(row).chain(more));
    let mut shown = HashSet::new();
    for outcome in outcomes.iter().filter(|outcome| !outcome.offenders.is_empty()) {
        let lines = outcome.offenders.iter().flat_map(|one| {
            let is_new = shown.insert((&one.class, &one.stack));
            offender(one, is_new)
        });
        let lines = lines.collect();
        document.details(format!("Most of {}", name(outcome)), lines);
    }
    let rough = outcomes.iter().filter(|outcome| outcome.is_rough()).count();
    if rough > 0 {
        document.sentence(format!(
            "~ {rough} kept roughly: what lives is known from samples, and is no more than in the baseline for sure."
        ));
    }
    document.sentence(grounds(one).join("\n"));
}

/// What is shown of so many limits as fit on a screen: what is not kept first, then the largest; and how many more there are of each judgement.
fn most(outcomes: &[Outcome]) -> (Vec<&Outcome>, Vec<(&'static str, usize)>) {
    let mut shown: Vec<&Outcome> = outcomes.iter().collect();
    if outcomes.len() <= ROWS {
        return (shown, Vec::new());
    }
    shown.sort_by(|a, b| {
        let key = |outcome: &Outcome| (Reverse(outcome.ruling()), outcome.limit.subject != Subject::Total);
        key(a).cmp(&key(b)).then(b.limit.bound.total_cmp(&a.limit.bound))
    });
    let exceeded = shown.iter().filter(|outcome| outcome.ruling() == Ruling::Exceeded).count();
    let mut left_out: Vec<(&'static str, usize)> = Vec::new();
    for outcome in shown.split_off(ROWS.max(exceeded).min(shown.len())) {
        match left_out.last_mut().filter(|(of, _)| *of == judgement(outcome)) {
            Some((_, number)) => *number += 1,
            None => left_out.push((judgement(outcome), 1)),
        }
    }
    (shown, left_out)
}

#[cfg(test)]
mod tests {
    use mayfly_verdicts::{Judgement, Limit, Quantity};

    use super::*;

    #[test]
    fn what_is_not_kept_is_shown_whole_and_first_and_of_the_rest_the_largest() {
        let outcome = |class: usize, judgement| Outcome {
            limit: Limit::without_doubt(
                Subject::Class(format!("a.C{class}")),
                Quantity::Bytes,
                class as f64,
                1,
            ),
            measured: None,
            judgement,
            offenders: Vec::new(),
            seen: true,
        };
        let names = |outcomes: &[Outcome]| {
            let (shown, left_out) = most(outcomes);
            let bounds: Vec<_> = shown.iter().map(|outcome| outcome.limit.bound as usize).collect();
            (bounds, left_out)
        };
        let kept: Vec<_> = (0..ROWS).map(|class| outcome(class, Judgement::Kept)).collect();
        assert_eq!(names(&kept), ((0..ROWS).collect(), vec![]), "as the budget has them");
        let exceeded = (100..120).map(|class| outcome(class, Judgement::Exceeded));
        let (shown, left_out) = names(&kept.clone().into_iter().chain(exceeded).collect::<Vec<_>>());
        assert_eq!((shown, left_out), ((100..120).rev().collect(), vec![("kept", ROWS)]));
        let unknown = outcome(50, Judgement::Unknown("few samples".to_owned()));
        let (shown, left_out) = names(&kept.into_iter().chain([unknown]).collect::<Vec<_>>());
        assert_eq!((shown[..3].to_vec(), left_out), (vec![50, 15, 14], vec![("kept", 1)]));
    }
}
