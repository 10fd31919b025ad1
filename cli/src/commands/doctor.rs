//! `mayfly doctor`: what works here and in a JVM, and what stands in the way of a recording.
//!
//! Not here: what is looked at (`session/examination`).

use mayfly_report::left_aligned;
use serde_json::json;

use crate::args::running::DoctorArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::session::examination::{self, Finding, State};
use crate::session::jvms;

/// Prints what is found; 0 if a recording could be started, 2 if what is missing is ours, 3 if the JVM is out of reach.
pub(crate) fn run(args: &DoctorArgs) -> Result<u8, Error> {
    let here = examination::here();
    let pid = args.jvm.as_deref().map(jvms::pid_of).transpose()?;
    let there = pid.map(examination::of_jvm).unwrap_or_default();
    let code = code(&here, &there);
    if args.json.is_json() {
        output::json(&as_json(pid, &here, &there, code), None)?;
    } else {
        output::text(&as_text(pid, &here, &there, code), None)?;
    }
    Ok(code)
}

fn code(here: &[Finding], there: &[Finding]) -> u8 {
    let is_bad = |findings: &[Finding]| findings.iter().any(|finding| finding.state == State::Bad);
    match (is_bad(here), is_bad(there)) {
        (true, _) => exit_codes::USAGE,
        (false, true) => exit_codes::UNREACHABLE,
        (false, false) => exit_codes::SUCCESS,
    }
}

fn mark(state: State) -> &'static str {
    match state {
        State::Fine => "ok",
        State::Unsure => "?",
        State::Bad => "NO",
    }
}

fn as_text(pid: Option<u32>, here: &[Finding], there: &[Finding], code: u8) -> String {
    let row = |finding: &Finding| vec![mark(finding.state).into(), finding.name.into(), finding.text.clone()];
    let rows: Vec<_> = here.iter().chain(there).map(row).collect();
    let target = pid.map_or_else(|| "PID".to_owned(), |pid| pid.to_string());
    let end = match (code, pid) {
        (exit_codes::SUCCESS, Some(_)) => {
            format!("A recording can be started: mayfly record {target} --for 60s")
        }
        (exit_codes::SUCCESS, None) => {
            "A recording can be started: mayfly run -- java …; of a JVM that runs: mayfly doctor PID"
                .to_owned()
        }
        _ => "No recording can be started: see NO.".to_owned(),
    };
    format!("{}\n{}{end}\n", crate::args::versions(), left_aligned(&rows))
}

fn as_json(pid: Option<u32>, here: &[Finding], there: &[Finding], code: u8) -> String {
    let row = |finding: &Finding| {
        let state = match finding.state {
            State::Fine => "ok",
            State::Unsure => "unknown",
            State::Bad => "no",
        };
        json!({ "name": finding.name, "state": state, "text": finding.text })
    };
    let value = json!({
        "schema": "mayfly-doctor/1",
        "mayfly": crate::args::versions(),
        "pid": pid,
        "here": here.iter().map(row).collect::<Vec<_>>(),
        "jvm": there.iter().map(row).collect::<Vec<_>>(),
        "can_record": code == exit_codes::SUCCESS,
    });
    serde_json::to_string_pretty(&value).expect("strings and numbers") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(state: State) -> Finding {
        Finding { name: "thing", state, text: "as it is".into() }
    }

    #[test]
    fn what_is_ours_goes_before_what_is_the_jvms() {
        let (fine, unsure, bad) = ([finding(State::Fine)], [finding(State::Unsure)], [finding(State::Bad)]);
        assert_eq!(code(&fine, &unsure), exit_codes::SUCCESS);
        assert_eq!(code(&unsure, &bad), exit_codes::UNREACHABLE);
        assert_eq!(code(&bad, &bad), exit_codes::USAGE);
        let text = as_text(Some(4711), &fine, &bad, exit_codes::UNREACHABLE);
        assert!(
            text.contains("NO  thing  as it is") && text.contains("No recording can be started"),
            "{text}"
        );
        assert!(as_text(None, &fine, &[], 0).contains("A recording can be started"));
        assert!(as_json(None, &fine, &[], 0).contains("\"can_record\": true"));
    }
}
