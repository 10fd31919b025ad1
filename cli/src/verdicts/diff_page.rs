//! What changed as a page for a browser: all parts of both sides, and the verdicts on classes in words.
//!
//! Not here: what is in a page (`mayfly-formats`).

use std::collections::HashMap;

use mayfly_formats::{DiffPage, DiffPart, Verdicts};
use mayfly_report::COLUMNS;
use mayfly_verdicts::{Finding, Measure, Part, RowName, Verdict, parts};

use super::compared::Compared;
use super::diff_text::{diff_document, growth, is_work, what};

/// The page of that name.
pub(crate) fn diff_page(title: String, compared: &Compared<'_>) -> DiffPage {
    let (difference, sides) = (compared.difference, compared.sides);
    let mut verdicts: HashMap<&RowName, Vec<&Finding>> = HashMap::new();
    for finding in &difference.findings {
        verdicts.entry(&finding.row).or_default().push(finding);
    }
    let mut total = verdicts.get(&RowName::Total).map(|findings| words(findings)).unwrap_or_default();
    if let Some(whole) = difference.findings.iter().find(|finding| is_work(difference, finding)) {
        total.allocated = format!("{} (other work)", growth(whole));
    }
    let classes = verdicts.iter().filter_map(|(row, findings)| match row {
        RowName::Class(name) => Some((name.clone(), words(findings))),
        RowName::Total | RowName::Method(_) | RowName::Through(_) | RowName::Site { .. } => None,
    });
    let document = diff_document(compared, false);
    DiffPage {
        title,
        facts: document.facts(),
        words: document.words(),
        summary: document.text(COLUMNS),
        live: difference.lifetimes,
        total,
        classes: classes.collect(),
        parts: parts(sides[0], sides[1], difference.stacks).into_iter().map(part).collect(),
    }
}

fn part(part: Part) -> DiffPart {
    let mut path = part.stack;
    path.reverse();
    DiffPart {
        path,
        class: part.class,
        allocated: [part.before.allocated, part.after.allocated],
        live: [part.before.live, part.after.live],
    }
}

/// The findings on one row.
fn words(findings: &[&Finding]) -> Verdicts {
    let mut words = Verdicts::default();
    let mut clocks = Vec::new();
    for finding in findings {
        match finding.measure {
            Measure::Allocated => words.allocated = amount(finding),
            Measure::Live => words.live = amount(finding),
            Measure::Lifetime(_) => clocks.push(*finding),
        }
    }
    let said: Vec<String> = clocks
        .iter()
        .filter(|finding| finding.verdict != Verdict::Same)
        .map(|finding| lived(finding))
        .collect();
    words.lived = match (clocks.is_empty(), said.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "~".to_owned(),
        (false, false) => said.join("; "),
    };
    words
}

/// `more, +10.0 %`, `fewer, -5.0 % (differs)`, `~`.
fn amount(finding: &Finding) -> String {
    let which = if finding.bytes() < 0.0 { "fewer" } else { "more" };
    match finding.verdict {
        Verdict::Same => "~".to_owned(),
        Verdict::Changed => format!("{which}, {}", growth(finding)),
        Verdict::Differs => format!("{which}, {} (differs)", growth(finding)),
    }
}

/// `longer by time, +50.0 %`.
fn lived(finding: &Finding) -> String {
    let (growth, clock) = (growth(finding), what(finding.measure));
    let sure = if finding.verdict == Verdict::Differs { " (differs)" } else { "" };
    match finding.growth() {
        Some(share) if share > 0.0 => format!("longer by {clock}, {growth}{sure}"),
        Some(share) if share < 0.0 => format!("shorter by {clock}, {growth}{sure}"),
        // Of other lengths with one median, or without.
        Some(_) => format!("changed by {clock}{sure}"),
        None => format!("{growth} by {clock}{sure}"),
    }
}

#[cfg(test)]
mod tests {
    use mayfly_verdicts::Clock;

    use super::*;

    fn finding(measure: Measure, before: Option<f64>, after: Option<f64>, verdict: Verdict) -> Finding {
        Finding {
            row: RowName::Total,
            measure,
            before,
            after,
            chance: 0.0,
            rate: 0.0,
            verdict,
            ranges: None,
            unproven: false,
            runs_needed: None,
        }
    }

    #[test]
    fn verdicts_are_more_fewer_longer_shorter_or_a_tilde() {
        let said = |measure, before, after, verdict| {
            let words = words(&[&finding(measure, before, after, verdict)]);
            [words.allocated, words.live, words.lived].concat()
        };
        let (bytes, time) = (Measure::Allocated, Measure::Lifetime(Clock::Time));
        assert_eq!(said(bytes, Some(10.0), Some(11.0), Verdict::Changed), "more, +10.0 %");
        assert_eq!(said(Measure::Live, Some(10.0), Some(5.0), Verdict::Differs), "fewer, -50.0 % (differs)");
        assert_eq!(said(bytes, Some(0.0), Some(5.0), Verdict::Changed), "more, new");
        assert_eq!(said(bytes, Some(10.0), Some(11.0), Verdict::Same), "~");
        assert_eq!(said(time, Some(10.0), Some(15.0), Verdict::Changed), "longer by time, +50.0 %");
        assert_eq!(said(time, None, Some(15.0), Verdict::Differs), "shorter by time (differs)");
        assert_eq!(said(time, Some(5.0), Some(5.0), Verdict::Changed), "changed by time");
        assert_eq!(said(time, Some(5.0), Some(9.0), Verdict::Same), "~");
    }
}
