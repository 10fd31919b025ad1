//! The outcome of a check as JUnit XML: a suite for each recording, a case for each limit.
//!
//! An exceeded limit is a failure. One that can't be told is an error, so that nothing which reads this takes it for kept.

use mayfly_verdicts::{Judgement, Outcome};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::checked_recording::CheckedRecording;
use super::wording::{compared, name, offender, remark, ruling, subject};

/// The document.
pub(crate) fn junit(all: &[CheckedRecording]) -> String {
    let mut report = Report::new("mayfly check");
    report.add_test_suites(all.iter().map(suite));
    report.to_string().expect("a document in memory is written")
}

fn suite(one: &CheckedRecording) -> TestSuite {
    let mut suite = TestSuite::new(one.recording.as_str());
    suite.add_test_cases(one.checked.outcomes.iter().map(|outcome| case(one, outcome)));
    suite
}

fn case(one: &CheckedRecording, outcome: &Outcome) -> TestCase {
    let (kind, reason) = match (&one.checked.distrust, &outcome.judgement) {
        (Some(_), _) => (Some(NonSuccessKind::Error), ruling(one)),
        (None, Judgement::Kept) => (None, String::new()),
        (None, Judgement::Exceeded) => (Some(NonSuccessKind::Failure), compared(outcome)),
        (None, Judgement::Unknown(why)) => (Some(NonSuccessKind::Error), why.clone()),
    };
    let status = kind.map_or_else(TestCaseStatus::success, |kind| {
        let mut status = TestCaseStatus::non_success(kind);
        let lines: Vec<_> = outcome.offenders.iter().flat_map(|one| offender(one, true)).collect();
        let type_name = if kind == NonSuccessKind::Failure { "exceeded" } else { "unknown" };
        status.set_message(reason).set_type(type_name).set_description(lines.join("\n"));
        status
    });
    let mut case = TestCase::new(name(outcome), status);
    case.set_classname(format!("{}:{} {}", one.budget, outcome.limit.line, subject(&outcome.limit.subject)));
    if let Some(remark) = remark(outcome) {
        case.set_system_out(remark);
    }
    case
}
