//! What changed as text: one screen, or every row.

use std::cmp::Ordering;

use mayfly_report::{
    class_text, duration, left_aligned, pad, printable, readable_class, right_aligned, size, width,
};
use mayfly_verdicts::{Clock, Difference, Finding, Measure, RowName, Verdict};

use super::compared::Compared;
use super::diff_work::{reason, remarks, unproven, work, would_prove};

/// Frames of a site on one screen.
const FRAMES: usize = 8;
/// Columns of a name at least, however narrow the screen is.
const LEAST: usize = 24;
/// Rows of what is not proven, on one screen.
const UNPROVEN: usize = 4;

/// The text, on a screen of so many columns; names that are longer go on below. In full a row is a line.
pub(crate) fn diff_text(compared: &Compared<'_>, full: bool, columns: usize) -> String {
    let columns = if full { usize::MAX } else { columns };
    let (difference, mut text) = (compared.difference, head(compared));
    for (heading, rows, of) in LISTS {
        let findings = difference.findings.iter().filter(|finding| of(finding)).collect();
        text += &list(compared, heading, (findings, if full { usize::MAX } else { rows }), columns);
    }
    text += &not_proven(compared, columns);
    text + &tail(difference)
}

/// What would be a change if more runs showed it.
fn not_proven(compared: &Compared<'_>, columns: usize) -> String {
    let full = columns == usize::MAX;
    let findings = unproven(compared, if full { usize::MAX } else { UNPROVEN });
    if findings.is_empty() {
        return String::new();
    }
    let mut rows = vec![["before", "after", "change", "proven by", "of", ""].map(str::to_owned).to_vec()];
    rows.extend(findings.into_iter().map(|finding| {
        let mut cells = row(compared, finding, full);
        (cells[2], cells[3]) = (growth(finding), would_prove(finding));
        cells
    }));
    format!("\n{}:\n{}", reason(compared), table(rows, columns))
}

type Wanted = fn(&Finding) -> bool;

/// What is listed under which heading, in how many rows on one screen.
const LISTS: [(&str, usize, Wanted); 6] = [
    (IN_ALL, 2, |finding| finding.row == RowName::Total),
    ("Methods, by the first frame outside the JDK", 5, |finding| matches!(finding.row, RowName::Method(_))),
    ("Through methods, whoever they call", 4, |finding| matches!(finding.row, RowName::Through(_))),
    ("Classes", 4, |finding| matches!(finding.row, RowName::Class(_)) && !is_lifetime(finding)),
    ("Sites", 3, |finding| matches!(finding.row, RowName::Site { .. })),
    ("Lifetimes (medians)", 3, is_lifetime),
];
const IN_ALL: &str = "In all";

fn is_lifetime(finding: &Finding) -> bool {
    matches!(finding.measure, Measure::Lifetime(_))
}

pub(super) fn head(compared: &Compared<'_>) -> String {
    let difference = compared.difference;
    let mut lines: Vec<String> = work(compared).into();
    lines.extend(compared.per());
    lines.extend(remarks(compared));
    let [a, b] = difference.duration_ms;
    if !difference.per_operation && (a.max(b) > 1.1 * a.min(b)) {
        lines.push(
            "The runs took differently long, and are compared as a whole; --per N compares per operation."
                .to_owned(),
        );
    }
    let mut text = lines.join("\n") + "\n";
    text += &if difference.replicated {
        format!(
            "Changed: at most {} % of these are false alarms ({} comparisons). ~: no change was found.\n",
            difference.level * 100.0,
            difference.findings.len()
        )
    } else {
        "Differs: beyond sampling and 5 %, in these runs. ~: no such difference.
How much runs of one program differ is not known: record each side three times or more.\n"
            .to_owned()
    };
    text
}

fn list(
    compared: &Compared<'_>,
    heading: &str,
    (mut findings, most): (Vec<&Finding>, usize),
    columns: usize,
) -> String {
    let full = columns == usize::MAX;
    let is_total = heading == IN_ALL;
    let all = findings.len();
    if !full && !is_total {
        findings.retain(|finding| finding.verdict != Verdict::Same);
    }
    if all == 0 {
        return String::new();
    }
    findings.sort_by(|a, b| order(a, b));
    let changed = findings.len();
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
    rows.extend(findings.iter().map(|finding| row(compared, finding, full)));
    let table = if findings.is_empty() { String::new() } else { table(rows, columns) };
    format!("\n{heading}{counts}:\n{table}")
}

/// Rows as lines of at most so many columns: a name that is longer goes on below where it began.
fn table(rows: Vec<Vec<String>>, columns: usize) -> String {
    let names: Vec<String> = rows.iter().map(|row| row[5].clone()).collect();
    let rows = rows.into_iter().map(|row| [row[..5].to_vec(), vec![String::new()]].concat()).collect();
    let numbers = right_aligned(&named_left(rows), "  ");
    let begin = numbers.lines().map(width).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for (line, name) in numbers.lines().zip(&names) {
        for (at, part) in wrapped(name, columns.saturating_sub(begin).max(LEAST)).iter().enumerate() {
            let before = if at == 0 { line } else { "" };
            text += format!("{}{part}", pad(before, begin)).trim_end();
            text.push('\n');
        }
    }
    text
}

/// A name in lines of at most so many columns: broken between its frames, or else behind a dot, or wherever it has to be.
fn wrapped(name: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in name.split_inclusive(' ') {
        let mut word = word;
        loop {
            let last = lines.last_mut().expect("at least one");
            if width(last) + width(word.trim_end()) <= columns {
                last.push_str(word);
                break;
            }
            // Below it may fit as a whole.
            if last.is_empty() {
                let (fits, rest) = word.split_at(broken_at(word, columns));
                last.push_str(fits);
                word = rest;
            }
            lines.push(String::new());
        }
    }
    lines
}

/// Behind how many bytes a word is broken that is too long.
fn broken_at(word: &str, columns: usize) -> usize {
    let begins = || word.char_indices().map(|(at, c)| at + c.len_utf8());
    let fits = begins().take_while(|&end| width(&word[..end]) <= columns).last();
    let most = fits.or(begins().next()).unwrap_or(word.len());
    word[..most].rfind('.').map(|dot| dot + 1).unwrap_or(most)
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

fn row(compared: &Compared<'_>, finding: &Finding, full: bool) -> Vec<String> {
    vec![
        value(finding, finding.before),
        value(finding, finding.after),
        change(finding),
        if finding.rate < 0.001 { "<0.001".to_owned() } else { format!("{:.3}", finding.rate) },
        what(finding.measure).to_owned(),
        name(compared, &finding.row, full),
    ]
}

/// A median is not known while more than half live.
fn value(finding: &Finding, value: Option<f64>) -> String {
    value.map_or("most live".to_owned(), |value| number(finding.measure, value))
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

fn name(compared: &Compared<'_>, row: &RowName, full: bool) -> String {
    let placed = |method: &String| match compared.difference.places.get(method) {
        Some(place) => printable(&format!("{method} ({place})")).into_owned(),
        None => printable(method).into_owned(),
    };
    match row {
        RowName::Total => "the whole program".to_owned(),
        RowName::Class(name) => class_text(name),
        RowName::Method(method) | RowName::Through(method) => placed(method),
        RowName::Site { class, stack } => {
            let frames = if full { stack.len() } else { FRAMES };
            let more = if stack.len() > frames { " < …" } else { "" };
            let at: Vec<_> = stack.iter().take(frames).map(String::as_str).collect();
            printable(&format!("{} at {}{more}", readable_class(class), at.join(" < "))).into_owned()
        }
    }
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
            ranges: None,
            unproven: false,
            runs_needed: None,
        };
        [value(&finding, finding.before), value(&finding, finding.after), change(&finding)].to_vec()
    }

    #[test]
    fn a_long_name_goes_on_below_and_nothing_of_it_is_lost() {
        let name = "byte[] at com.example.shop.prices.QuoteCache.newFormat < com.example.shop.prices.QuoteCache.price";
        let lines = wrapped(name, 40);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line.trim_end()) <= 40), "{lines:?}");
        assert_eq!(lines.concat(), name);
        assert_eq!(wrapped("a.B", 40), ["a.B"]);
        assert_eq!(wrapped(&"x".repeat(50), 20).concat(), "x".repeat(50));
        let cells = |name: &str| ["1 B", "2 B", "new", "0.5", "allocated", name].map(str::to_owned).to_vec();
        let text = table(vec![cells(""), cells(name)], 80);
        let begin = text.lines().nth(1).and_then(|line| line.find("byte[]")).expect("the name");
        assert!(text.lines().skip(2).all(|line| line[..begin].trim().is_empty()), "{text}");
        assert!(text.lines().all(|line| width(line) <= 80), "{text}");
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
