//! What changed as text: one screen, or every row.

use std::cmp::Ordering;

use mayfly_report::{clock, duration, left_aligned, printable, right_aligned, size};
use mayfly_verdicts::{Clock, Difference, Finding, Measure, RowName, Verdict};

use super::compared::Compared;

/// Rows of a list on one screen.
const ROWS: usize = 6;
/// Characters of a name on one screen.
const NAME: usize = 60;
/// Frames of a site.
const FRAMES: usize = 2;

/// The text.
pub(crate) fn diff_text(compared: &Compared<'_>, full: bool) -> String {
    let (difference, mut text) = (compared.difference, head(compared));
    for (heading, of) in LISTS {
        let findings = difference.findings.iter().filter(|finding| of(finding)).collect();
        text += &list(heading, findings, full);
    }
    text + &tail(difference)
}

type Wanted = fn(&Finding) -> bool;

/// What is listed under which heading.
const LISTS: [(&str, Wanted); 5] = [
    ("In all", |finding| finding.row == RowName::Total),
    ("Classes", |finding| matches!(finding.row, RowName::Class(_)) && !is_lifetime(finding)),
    ("Methods", |finding| matches!(finding.row, RowName::Method { .. })),
    ("Sites", |finding| matches!(finding.row, RowName::Site { .. })),
    ("Lifetimes (medians)", is_lifetime),
];

fn is_lifetime(finding: &Finding) -> bool {
    matches!(finding.measure, Measure::Lifetime(_))
}

pub(super) fn head(compared: &Compared<'_>) -> String {
    let (difference, counts) = (compared.difference, compared.sizes());
    let side = |count: usize, ms: f64| {
        let recordings = if count == 1 { "recording" } else { "recordings" };
        format!("{count} {recordings}, {} each", clock(ms.round() as u64))
    };
    let [before, after] = [0, 1].map(|at: usize| side(counts[at], difference.duration_ms[at]));
    let mut text = format!("Before: {before}. After: {after}.\n");
    if let Some(per) = compared.per() {
        text += &(per + "\n");
    }
    let [a, b] = difference.duration_ms;
    if !difference.per_operation && (a.max(b) > 1.1 * a.min(b)) {
        text +=
            "The runs took differently long, and are compared as a whole; --per N compares per operation.\n";
    }
    text += &if difference.replicated {
        format!(
            "Changed: at most {} % of these are false alarms ({} comparisons). ~: no change is to be seen.\n",
            difference.level * 100.0,
            difference.findings.len()
        )
    } else {
        "Differs: beyond sampling and 5 %, in these runs. ~: no difference to speak of.
How much runs differ by themselves is not known: take three recordings or more of each side.\n"
            .to_owned()
    };
    text
}

fn list(heading: &str, mut findings: Vec<&Finding>, full: bool) -> String {
    let is_total = heading == LISTS[0].0;
    let all = findings.len();
    if !full && !is_total {
        findings.retain(|finding| finding.verdict != Verdict::Same);
    }
    if all == 0 {
        return String::new();
    }
    findings.sort_by(|a, b| order(a, b));
    let (changed, most) = (findings.len(), if full { usize::MAX } else { ROWS });
    findings.truncate(most);
    let more = changed - findings.len();
    let same = all - changed;
    let mut counts = Vec::new();
    if more > 0 {
        counts.push(format!("{more} more"));
    }
    if same > 0 {
        counts.push(format!("{same} ~"));
    }
    let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    let mut rows = vec![["before", "after", "change", "chance", "of", ""].map(str::to_owned).to_vec()];
    rows.extend(findings.iter().map(|finding| row(finding, full)));
    let table = if findings.is_empty() { String::new() } else { right_aligned(&named_left(rows), "  ") };
    format!("\n{heading}{counts}:\n{table}")
}

/// The last two columns read from the left.
fn named_left(rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let names: Vec<_> = rows.iter().map(|row| row[4..].to_vec()).collect();
    let names = left_aligned(&names);
    let lines: Vec<_> = names.lines().map(str::to_owned).collect();
    rows.into_iter().zip(lines).map(|(row, name)| [row[..4].to_vec(), vec![name]].concat()).collect()
}

/// Sure changes first, the largest of them first; lifetimes by how sure they are.
fn order(a: &Finding, b: &Finding) -> Ordering {
    let unsure = |finding: &Finding| finding.verdict == Verdict::Same;
    unsure(a)
        .cmp(&unsure(b))
        .then(b.bytes().abs().total_cmp(&a.bytes().abs()))
        .then(a.rate.total_cmp(&b.rate))
        .then_with(|| a.row.cmp(&b.row))
}

fn row(finding: &Finding, full: bool) -> Vec<String> {
    // A median is not known while more than half live.
    let value =
        |value: Option<f64>| value.map_or("most live".to_owned(), |value| number(finding.measure, value));
    vec![
        value(finding.before),
        value(finding.after),
        change(finding),
        if finding.rate < 0.001 { "<0.001".to_owned() } else { format!("{:.3}", finding.rate) },
        what(finding.measure).to_owned(),
        name(&finding.row, full),
    ]
}

fn change(finding: &Finding) -> String {
    match finding.verdict {
        Verdict::Same => "~".to_owned(),
        Verdict::Differs => format!("{} differs", growth(finding)),
        Verdict::Changed => growth(finding),
    }
}

/// By how much, however sure that is.
pub(super) fn growth(finding: &Finding) -> String {
    match (finding.growth(), finding.before, finding.after) {
        (Some(growth), ..) if growth >= 9.995 => format!("x{:.1}", growth + 1.0),
        (Some(growth), ..) => format!("{:+.1} %", growth * 100.0),
        (None, Some(_), Some(_)) if !is_lifetime(finding) => "new".to_owned(),
        // From 0, or to or from a median that is not known.
        (None, before, after) if before == after => "changed".to_owned(),
        (None, Some(_), _) => "longer".to_owned(),
        (None, None, _) => "shorter".to_owned(),
    }
}

pub(super) fn what(measure: Measure) -> &'static str {
    match measure {
        Measure::Allocated => "allocated",
        Measure::Live => "live",
        Measure::Lifetime(Clock::Time) => "time",
        Measure::Lifetime(Clock::Collections) => "collections",
        Measure::Lifetime(Clock::Bytes) => "bytes",
    }
}

fn number(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Allocated | Measure::Live | Measure::Lifetime(Clock::Bytes) => size(value.round() as u64),
        Measure::Lifetime(Clock::Time) => duration(value),
        Measure::Lifetime(Clock::Collections) if value.round() == 1.0 => "1 GC".to_owned(),
        Measure::Lifetime(Clock::Collections) => format!("{value:.0} GCs"),
    }
}

fn name(row: &RowName, full: bool) -> String {
    let text = match row {
        RowName::Total => "the whole program".to_owned(),
        RowName::Class(name) => printable(name).into_owned(),
        RowName::Method { class, method } => printable(&format!("{class} at {method}")).into_owned(),
        RowName::Site { class, stack } => {
            let frames = if full { stack.len() } else { FRAMES };
            let at: Vec<_> = stack.iter().take(frames).map(String::as_str).collect();
            printable(&format!("{class} at {}", at.join(" < "))).into_owned()
        }
    };
    let long = !full && text.chars().count() > NAME;
    if long { text.chars().take(NAME - 1).chain(['…']).collect() } else { text }
}

pub(super) fn tail(difference: &Difference) -> String {
    let mut text = String::new();
    if !difference.lifetimes {
        text += "\nLive objects and lifetimes are not compared: not every recording has them.\n";
    }
    if !difference.stacks {
        text += "\nSites are not compared: not every recording has stacks.\n";
    }
    if difference.small > 0 {
        text += &format!("\n{} rows below 0.05 % of all bytes were not compared.\n", difference.small);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(clock: Clock, before: Option<f64>, after: Option<f64>) -> Vec<String> {
        let finding = Finding {
            row: RowName::Class("a.Session".into()),
            measure: Measure::Lifetime(clock),
            before,
            after,
            chance: 0.0,
            rate: 0.0,
            verdict: Verdict::Changed,
        };
        row(&finding, false)[..3].to_vec()
    }

    #[test]
    fn a_median_that_most_outlive_is_not_a_question_mark() {
        assert_eq!(shown(Clock::Time, Some(414.0), None), ["414 ms", "most live", "longer"]);
        assert_eq!(shown(Clock::Bytes, None, Some(2048.0)), ["most live", "2.00 KiB", "shorter"]);
        assert_eq!(shown(Clock::Collections, Some(0.0), Some(1.0)), ["0 GCs", "1 GC", "longer"]);
        assert_eq!(shown(Clock::Collections, Some(0.0), Some(0.0)), ["0 GCs", "0 GCs", "changed"]);
        assert_eq!(shown(Clock::Time, Some(100.0), Some(150.0)), ["100 ms", "150 ms", "+50.0 %"]);
    }
}
