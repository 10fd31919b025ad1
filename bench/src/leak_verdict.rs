//! What a way says of a program, held against what is true of it.

use serde_json::Value;

use crate::leak_truth::{Leak, Program};

/// How right it is. The order is that of the table's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Outcome {
    /// The leak is called one, and named.
    Found,
    /// Something is called a leak, but the leak is not named.
    Misnamed,
    /// It says that it can't tell.
    Unsure,
    /// It says that there is none, and there is one.
    Missed,
    /// There is none, and it says so.
    Silent,
    /// There is none, and it calls something a leak.
    FalseAlarm,
    /// It has no answer.
    Failed,
}

impl Outcome {
    /// In tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Misnamed => "misnamed",
            Self::Unsure => "unsure",
            Self::Missed => "missed",
            Self::Silent => "silent",
            Self::FalseAlarm => "false alarm",
            Self::Failed => "failed",
        }
    }
}

/// What was said, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// How right it is.
    pub(crate) outcome: Outcome,
    /// Beside a leak: how many other things are called leaks.
    pub(crate) others: usize,
    /// What it said, in short.
    pub(crate) summary: String,
}

impl Verdict {
    /// No answer, for this reason.
    pub(crate) fn failed(why: impl Into<String>) -> Self {
        Self { outcome: Outcome::Failed, others: 0, summary: why.into() }
    }
}

/// Of `mayfly leaks --json`: its exit code and what it wrote.
pub(crate) fn of_leaks(program: &Program, exit: Option<i32>, json: &str, stderr: &str) -> Verdict {
    let unreadable = || Verdict::failed(format!("exit {exit:?}: {}", one_line(stderr)));
    let Ok(document) = serde_json::from_str::<Value>(json) else {
        return if exit == Some(2) { unsure(&one_line(stderr)) } else { unreadable() };
    };
    let suspects = document["suspects"].as_array().map(Vec::as_slice).unwrap_or_default();
    let of = |verdict: &str| -> Vec<&Value> {
        suspects.iter().filter(|suspect| suspect["verdict"] == verdict).collect()
    };
    match exit {
        Some(0) => Verdict {
            outcome: if program.leak.is_some() { Outcome::Missed } else { Outcome::Silent },
            others: 0,
            summary: "nothing".into(),
        },
        Some(1) => of_claims(program, &of("leak").iter().map(ToString::to_string).collect::<Vec<_>>()),
        Some(2) => {
            let why = document["untold"].as_str().map(str::to_owned);
            unsure(&why.unwrap_or_else(|| classes(&of("unsure"))))
        }
        _ => unreadable(),
    }
}

/// Of the first screen, as `mayfly run` prints it: what it says grows.
pub(crate) fn of_screen(program: &Program, screen: &str) -> Verdict {
    let blocks = blocks(screen);
    let doubted = |block: &&String| DOUBTS.iter().any(|doubt| block.contains(doubt));
    let claims: Vec<String> = blocks.iter().filter(|block| !doubted(block)).cloned().collect();
    if !claims.is_empty() {
        return of_claims(program, &claims);
    }
    match blocks.first() {
        Some(block) => unsure(&one_line(block)),
        None => Verdict {
            outcome: if program.leak.is_some() { Outcome::Missed } else { Outcome::Silent },
            others: 0,
            summary: "nothing".into(),
        },
    }
}

/// What speaks of growth, and is no claim that something leaks.
const DOUBTS: [&str; 9] = [
    "can't be told",
    "is not known",
    "undecided",
    "to decide",
    "would not have been",
    "may ",
    "perhaps",
    "nothing",
    "no leak",
];

/// Something is called a leak.
fn of_claims(program: &Program, claims: &[String]) -> Verdict {
    let named = |leak: &Leak| claims.iter().filter(|claim| leak.is_named_by(claim)).count();
    let right = program.leak.as_ref().map(named);
    let outcome = match right {
        None => Outcome::FalseAlarm,
        Some(0) => Outcome::Misnamed,
        Some(_) => Outcome::Found,
    };
    let summary = claims.iter().map(|claim| summary(claim)).collect::<Vec<_>>().join("; ");
    Verdict { outcome, others: claims.len() - right.unwrap_or(0), summary }
}

fn unsure(why: &str) -> Verdict {
    Verdict { outcome: Outcome::Unsure, others: 0, summary: one_line(why) }
}

fn classes(suspects: &[&Value]) -> String {
    suspects.iter().filter_map(|suspect| suspect["class"].as_str()).collect::<Vec<_>>().join("; ")
}

/// A suspect's class and maker, or the claim's own words.
fn summary(claim: &str) -> String {
    let Ok(suspect) = serde_json::from_str::<Value>(claim) else { return one_line(claim) };
    let class = suspect["class"].as_str().unwrap_or("?");
    suspect["allocated_by"].as_str().map_or_else(|| class.to_owned(), |by| format!("{class} by {by}"))
}

/// Lines that speak of growth, each with those below it that are further to the right.
fn blocks(text: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    // What names the command says nothing of the program.
    let text = text.replace("mayfly leaks", "");
    let lines: Vec<&str> = text.lines().collect();
    let block = |at: usize| {
        let below = lines[at + 1..].iter().take_while(|line| indent(line) > indent(lines[at]));
        [lines[at]].into_iter().chain(below.copied()).collect::<Vec<_>>().join("\n")
    };
    // Headings hold all below them, so what they say would be said twice.
    let is_heading = |line: &str| line.trim_end().ends_with(':') && indent(line) == 0;
    let speaks =
        |line: &str| line.split(|letter: char| !letter.is_alphabetic()).any(|word| WORDS.contains(&word));
    (0..lines.len()).filter(|&at| !is_heading(lines[at]) && speaks(lines[at])).map(block).collect()
}

/// Whole words, or the names of the programs would be among them.
const WORDS: [&str; 7] = ["grow", "grows", "growing", "grew", "leak", "leaks", "leaking"];

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaking() -> Program {
        let leak = Leak {
            kib_per_s: 1,
            from_s: 0,
            names: vec!["p.A$E".into()],
            holders: vec![("p.A".into(), "ALL".into())],
        };
        Program { name: "A".into(), leak: Some(leak), java: 11 }
    }

    fn clean() -> Program {
        Program { leak: None, ..leaking() }
    }

    fn outcome(program: &Program, exit: i32, suspects: &str) -> Outcome {
        of_leaks(program, Some(exit), &format!("{{\"suspects\":[{suspects}],\"untold\":null}}"), "").outcome
    }

    #[test]
    fn an_exit_code_of_one_counts_as_found_only_if_the_leak_is_named() {
        let (right, wrong) = (r#"{"verdict":"leak","class":"p.A$E"}"#, r#"{"verdict":"leak","class":"p.B"}"#);
        assert_eq!(outcome(&leaking(), 1, right), Outcome::Found);
        assert_eq!(outcome(&leaking(), 1, wrong), Outcome::Misnamed);
        assert_eq!(outcome(&clean(), 1, wrong), Outcome::FalseAlarm);
        let doubted = r#"{"verdict":"unsure","class":"p.A$E"}"#;
        assert_eq!(outcome(&leaking(), 1, &format!("{doubted},{wrong}")), Outcome::Misnamed);
        let both = of_leaks(&leaking(), Some(1), &format!("{{\"suspects\":[{wrong},{right}]}}"), "");
        assert_eq!((both.outcome, both.others), (Outcome::Found, 1));
    }

    #[test]
    fn nothing_and_cant_be_told_are_apart_and_an_unreadable_answer_is_a_failure() {
        assert_eq!(outcome(&leaking(), 0, ""), Outcome::Missed);
        assert_eq!(outcome(&clean(), 0, ""), Outcome::Silent);
        assert_eq!(outcome(&clean(), 2, r#"{"verdict":"unsure","class":"p.C"}"#), Outcome::Unsure);
        assert_eq!(of_leaks(&clean(), Some(4), "", "no file").outcome, Outcome::Failed);
        assert_eq!(of_leaks(&clean(), Some(0), "no JSON", "").outcome, Outcome::Failed);
    }

    #[test]
    fn a_screen_is_judged_by_what_it_says_grows() {
        let screen =
            "Found:\n  1. [B is 90 %\n     p.A$E.<init>\n  2. growing: 1 MiB/s\n     made by p.A$E\n\nmore";
        assert_eq!(of_screen(&leaking(), screen).outcome, Outcome::Found);
        assert_eq!(of_screen(&clean(), screen).outcome, Outcome::FalseAlarm);
        let elsewhere = "Found:\n  1. [B grows\n  2. p.A$E stays";
        assert_eq!(of_screen(&leaking(), elsewhere).outcome, Outcome::Misnamed);
        assert_eq!(of_screen(&leaking(), "Found:\n  1. p.A$E stays").outcome, Outcome::Missed);
        let bound = "a leak below 140 KiB/s would not have been seen";
        assert_eq!(of_screen(&leaking(), bound).outcome, Outcome::Unsure);
        assert_eq!(of_screen(&clean(), "leakbench.LeakBench, read it").outcome, Outcome::Silent);
        assert_eq!(of_screen(&clean(), "who holds them: mayfly leaks PID").outcome, Outcome::Silent);
    }
}
