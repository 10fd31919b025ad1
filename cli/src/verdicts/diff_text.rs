//! What changed, as a document: what matters most, or every row.

use std::cmp::Ordering;

use mayfly_profile::is_of_the_jdk;
use mayfly_report::{class_text, duration, plus_minus, printable, readable_class, size};
use mayfly_verdicts::leaks::{LeakSide, LeaksChanged};
use mayfly_verdicts::{Clock, Difference, Finding, Measure, RowName, Verdict};

use super::compared::Compared;
use super::diff_work::{other_work, reason, remarks, unproven, work, would_prove};
use super::document::Document;

/// Frames of a site on one screen.
const FRAMES: usize = 8;
/// The column of chances.
const CHANCE: usize = 3;
/// Leaks, on one screen.
const LEAKS: usize = 4;
/// Rows of what is not proven, on one screen.
const UNPROVEN: usize = 4;

/// What changed: the rows that matter most, or in full all of them.
pub(crate) fn diff_document(compared: &Compared<'_>, full: bool) -> Document {
    let mut document = Document::default();
    head(compared, &mut document);
    if let Some(changed) = &compared.difference.leaks {
        leaks(changed, &mut document, full);
    }
    let mut unchanged = Vec::new();
    for (heading, rows, of) in LISTS {
        let findings = compared.difference.findings.iter().filter(|finding| of(finding)).collect();
        let most = if full { None } else { Some(rows) };
        list(compared, &mut document, heading, findings, most, &mut unchanged);
    }
    if !unchanged.is_empty() {
        document.note(format!("No change was found of: {}.", unchanged.join("; ")));
    }
    not_proven(compared, &mut document, full);
    tail(compared.difference, &mut document);
    document
}

/// What leaks on one side or both, and what of each recording tells so.
fn leaks(LeaksChanged { rows, floors }: &LeaksChanged, document: &mut Document, full: bool) {
    let shown = if full { rows.len() } else { rows.len().min(LEAKS) };
    let cell = |side: &LeakSide, floor: Option<f64>| match side.rate() {
        _ if is_unknown(side, floor) => "?".to_owned(),
        Some(rate) => {
            let sureness = match side.rates.len() {
                some if some < side.of => format!(", in {some} of {}", side.of),
                _ => format!(" {}", plus_minus(rate.error)),
            };
            format!("{}/s{sureness}", size(rate.bytes_per_s.round() as u64))
        }
        None if side.unsure == 0 => "none".to_owned(),
        None => "may grow".to_owned(),
    };
    let mut table = vec![["before", "after", "of"].map(str::to_owned).to_vec()];
    table.extend(rows.iter().take(shown).map(|row| {
        let [before, after] = &row.sides;
        let class = class_text(&row.class);
        let of = if row.place.is_empty() { class } else { format!("{class} in {}", printable(&row.place)) };
        vec![cell(before, floors[0]), cell(after, floors[1]), of]
    }));
    let more = if shown < rows.len() { format!(" ({} more)", rows.len() - shown) } else { String::new() };
    document.table(format!("Leaks, as mayfly leaks finds them in each recording{more}"), table);
    if rows.iter().take(shown).any(|row| (0..2).any(|at| is_unknown(&row.sides[at], floors[at]))) {
        document.note("?: a recording of that side cannot tell what leaks; mayfly leaks FILE says why.");
    }
}

/// Whether nothing is known of a leak on a side: a recording of it tells nothing of leaks.
fn is_unknown(side: &LeakSide, floor: Option<f64>) -> bool {
    side.rates.is_empty() && side.unsure == 0 && floor.is_none()
}

/// What would be a change if more runs showed it.
fn not_proven(compared: &Compared<'_>, document: &mut Document, full: bool) {
    let findings = unproven(compared, if full { usize::MAX } else { UNPROVEN });
    if findings.is_empty() {
        return;
    }
    let mut rows = vec![["before", "after", "change", "proven by", "of", ""].map(str::to_owned).to_vec()];
    rows.extend(findings.into_iter().map(|finding| {
        let mut cells = row(compared, finding, full);
        (cells[2], cells[CHANCE]) = (growth(finding), would_prove(finding));
        cells
    }));
    document.table(reason(compared), rows);
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

fn head(compared: &Compared<'_>, document: &mut Document) {
    let difference = compared.difference;
    other_work(compared).into_iter().for_each(|text| document.fact(text));
    work(compared).into_iter().for_each(|side| document.fact(side));
    match compared.per() {
        Some(per) if difference.per_operation => document.fact(per),
        per => per.into_iter().for_each(|per| document.sentence(per)),
    }
    remarks(compared).into_iter().for_each(|remark| document.sentence(remark));
    let [a, b] = difference.duration_ms;
    if !difference.per_operation && difference.other_work().is_none() && a.max(b) > 1.1 * a.min(b) {
        document.sentence(
            "The runs took differently long, and are compared as a whole; --per N compares per operation.",
        );
    }
    document.sentence(if difference.replicated {
        format!(
            "Changed: at most {} % of these are false alarms ({} comparisons). ~: no change was found.",
            difference.level * 100.0,
            difference.findings.len()
        )
    } else {
        "Differs: beyond sampling and 5 %, in these runs. ~: no such difference.
How much runs of one program differ is not known: record each side three times or more."
            .to_owned()
    });
}

/// At most so many rows; `None`: all, also of what did not change.
fn list(
    compared: &Compared<'_>,
    document: &mut Document,
    heading: &str,
    mut findings: Vec<&Finding>,
    most: Option<usize>,
    unchanged: &mut Vec<String>,
) {
    findings.retain(|finding| !is_nothing(finding));
    let full = most.is_none();
    let is_total = heading == IN_ALL;
    // Below the program's frames the JVM chooses the JDK's: the same objects have another one in the next run.
    let of_program =
        |finding: &&Finding| !matches!(&finding.row, RowName::Method(method) if is_of_the_jdk(method));
    if !full && findings.iter().any(of_program) {
        findings.retain(of_program);
    }
    let all = findings.len();
    if !full && !is_total {
        let by_pace = of_pace(&findings);
        findings.retain(|finding| finding.verdict != Verdict::Same && !by_pace.contains(&&finding.row));
    }
    if all == 0 {
        return;
    }
    // Of a library's methods between the program's line and what allocates, each changed by as much.
    let family = compared.sides[1].runs.first().and_then(|(profile, _)| profile.own_family());
    let others = |finding: &Finding| match (&finding.row, family) {
        (RowName::Through(method), Some(family)) => !method.starts_with(family),
        _ => false,
    };
    let whole = Whole::of(&compared.difference.findings, compared.difference.per_operation);
    findings.sort_by(|a, b| order(a, b, whole));
    findings.sort_by_key(|finding| (finding.verdict == Verdict::Same, others(finding)));
    let changed = findings.len();
    findings.truncate(most.unwrap_or(usize::MAX));
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
    if findings.is_empty() {
        unchanged.push(format!("{heading}{counts}"));
        return;
    }
    let mut rows = vec![["before", "after", "change", "chance", "of", ""].map(str::to_owned).to_vec()];
    rows.extend(findings.iter().map(|finding| row(compared, finding, full)));
    if !compared.difference.replicated {
        // Of sampling alone: read as the chance of a change it would be far too small.
        rows.iter_mut().for_each(|cells| drop(cells.remove(CHANCE)));
    }
    document.table(format!("{heading}{counts}"), rows);
}

/// Classes that live as long as before: fewer collections or bytes meanwhile say only that less was allocated.
fn of_pace<'f>(findings: &[&'f Finding]) -> Vec<&'f RowName> {
    let by_time = findings.iter().filter(|finding| finding.measure == Measure::Lifetime(Clock::Time));
    by_time.filter(|finding| finding.verdict == Verdict::Same).map(|finding| &finding.row).collect()
}

/// What a change in bytes is a share of, where what is allocated is per operation: what is live is not, and any of it is more than one operation
/// allocates.
#[derive(Clone, Copy, Default)]
struct Whole {
    allocated: Option<f64>,
    live: Option<f64>,
}

impl Whole {
    fn of(findings: &[Finding], per_operation: bool) -> Self {
        let total = |measure: Measure| {
            let is_it = |finding: &&Finding| finding.row == RowName::Total && finding.measure == measure;
            let finding = findings.iter().find(is_it).filter(|_| per_operation)?;
            let most = finding.before.unwrap_or_default().max(finding.after.unwrap_or_default());
            Some(most).filter(|&most| most > 0.0)
        };
        Self { allocated: total(Measure::Allocated), live: total(Measure::Live) }
    }

    /// How much it is, for ranking.
    fn weight(self, finding: &Finding) -> f64 {
        let of = if finding.measure == Measure::Live { self.live } else { self.allocated };
        finding.bytes().abs() / of.unwrap_or(1.0)
    }
}

/// Sure changes first, the largest of them first; lifetimes by how sure they are.
fn order(a: &Finding, b: &Finding, whole: Whole) -> Ordering {
    let unsure = |finding: &Finding| finding.verdict == Verdict::Same;
    unsure(a)
        .cmp(&unsure(b))
        .then(whole.weight(b).total_cmp(&whole.weight(a)))
        .then(a.rate.total_cmp(&b.rate))
        .then_with(|| a.row.cmp(&b.row))
}

/// Whether nothing is shown of either side.
fn is_nothing(finding: &Finding) -> bool {
    let is_zero = |value: Option<f64>| {
        value.is_some_and(|value| number(finding.measure, value) == number(finding.measure, 0.0))
    };
    is_zero(finding.before) && is_zero(finding.after)
}

fn row(compared: &Compared<'_>, finding: &Finding, full: bool) -> Vec<String> {
    let [change, chance] = match is_work(compared.difference, finding) {
        true => [format!("{}, other work", growth(finding)), String::new()],
        false => [change(finding), chance(finding, compared.difference.level)],
    };
    vec![
        value(finding, finding.before),
        value(finding, finding.after),
        change,
        chance,
        what(finding.measure).to_owned(),
        name(compared, &finding.row, full),
    ]
}

/// Whether it is the whole of runs that did different amounts of work: that it changed, or did not, says nothing of the program.
pub(super) fn is_work(difference: &Difference, finding: &Finding) -> bool {
    let is_whole = finding.row == RowName::Total && finding.measure == Measure::Allocated;
    is_whole && difference.other_work().is_some()
}

/// Nothing of what is beyond chance and no difference for another reason: too small between single runs.
fn chance(finding: &Finding, level: f64) -> String {
    match finding.rate {
        rate if finding.verdict == Verdict::Same && rate <= level => String::new(),
        rate if rate < 0.001 => "<0.001".to_owned(),
        rate => format!("{rate:.3}"),
    }
}

/// A median is not known while more than half live; what is live is not where no sample met a class that the JVM makes.
fn value(finding: &Finding, value: Option<f64>) -> String {
    let unknown = if is_lifetime(finding) { "most live" } else { "?" };
    value.map_or(unknown.to_owned(), |value| number(finding.measure, value))
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

fn tail(difference: &Difference, document: &mut Document) {
    if !difference.lifetimes {
        document.note("Live objects and lifetimes are not compared: not every recording has them.");
    }
    if !difference.stacks {
        document.note("Sites are not compared: not every recording has stacks.");
    }
    if difference.small > 0 {
        document.note(format!("{} rows below 0.05 % of all bytes were not compared.", difference.small));
    }
}

#[cfg(test)]
mod tests {
    use mayfly_verdicts::leaks::{LeakRow, Rate};

    use super::*;

    fn changed(measure: Measure, before: Option<f64>, after: Option<f64>, row: RowName) -> Finding {
        Finding {
            row,
            measure,
            before,
            after,
            chance: 0.0,
            rate: 0.0,
            verdict: Verdict::Changed,
            ranges: None,
            unproven: false,
            runs_needed: None,
        }
    }

    fn shown(clock: Clock, before: Option<f64>, after: Option<f64>) -> Vec<String> {
        let finding = changed(Measure::Lifetime(clock), before, after, RowName::Class("a.Session".into()));
        [value(&finding, finding.before), value(&finding, finding.after), change(&finding)].to_vec()
    }

    #[test]
    fn what_an_operation_allocates_is_not_ranked_below_what_a_run_leaves() {
        let of = |measure, before: f64, after: f64, row| changed(measure, Some(before), Some(after), row);
        let method = |name: &str| RowName::Method(name.to_owned());
        let render = of(Measure::Allocated, 60e3, 10e3, method("a.Page.render"));
        let cache = of(Measure::Live, 1e6, 3e6, method("a.Cache.put"));
        let totals = [
            of(Measure::Allocated, 200e3, 150e3, RowName::Total),
            of(Measure::Live, 30e6, 32e6, RowName::Total),
        ];
        assert_eq!(order(&render, &cache, Whole::of(&totals, true)), Ordering::Less);
        assert_eq!(
            order(&render, &cache, Whole::of(&totals, false)),
            Ordering::Greater,
            "bytes against bytes"
        );
    }

    /// "672 MiB, 162 MiB, -75.9 % differs" of messages that lived for 20 s on both sides.
    #[test]
    fn what_lives_as_long_by_time_is_not_listed_for_the_pace_of_others() {
        let of = |clock, verdict, class: &str| {
            let row = RowName::Class(class.to_owned());
            Finding { verdict, ..changed(Measure::Lifetime(clock), Some(5.0), Some(3.0), row) }
        };
        let all = [
            of(Clock::Time, Verdict::Same, "a.Message"),
            of(Clock::Bytes, Verdict::Changed, "a.Message"),
            of(Clock::Time, Verdict::Changed, "a.Entry"),
        ];
        let all: Vec<_> = all.iter().collect();
        assert_eq!(of_pace(&all), [&all[0].row]);
    }

    /// "234 KiB/s +-15 %, ?", and on the whole screen no word of what `?` is.
    #[test]
    fn a_side_of_which_no_leak_can_be_told_is_explained() {
        let known = LeakSide { rates: vec![Rate { bytes_per_s: 1024.0, error: 0.1 }], unsure: 0, of: 1 };
        let row = |after| LeakRow {
            class: "a.Session".into(),
            place: "a.Sessions.all".into(),
            sides: [known.clone(), after],
        };
        let shown = |after, floor| {
            let mut document = Document::default();
            leaks(&LeaksChanged { rows: vec![row(after)], floors: [Some(1.0), floor] }, &mut document, false);
            document.text(100)
        };
        let explained = |text: &str| (text.contains("  ?  "), text.contains("mayfly leaks FILE says why"));
        assert_eq!(explained(&shown(LeakSide::default(), None)), (true, true));
        assert_eq!(explained(&shown(LeakSide::default(), Some(1.0))), (false, false), "none");
        let may = LeakSide { unsure: 1, of: 1, ..LeakSide::default() };
        assert_eq!(explained(&shown(may, None)), (false, false), "may grow");
    }

    #[test]
    fn what_is_nothing_on_both_sides_is_no_row() {
        let of = |measure, before, after| {
            is_nothing(&changed(measure, before, after, RowName::Class("a.Session".into())))
        };
        assert!(of(Measure::Lifetime(Clock::Collections), Some(0.0), Some(0.4)));
        assert!(of(Measure::Live, Some(0.0), Some(0.2)), "per operation");
        assert!(!of(Measure::Live, Some(0.0), Some(24.0)) && !of(Measure::Live, None, Some(0.0)));
    }

    #[test]
    fn no_chance_stands_beside_no_difference() {
        let sure = changed(Measure::Allocated, Some(210.0), Some(200.0), RowName::Total);
        let same = |rate| Finding { rate, verdict: Verdict::Same, ..sure.clone() };
        let shown = |finding: &Finding| [change(finding), chance(finding, 0.05)];
        assert_eq!(shown(&same(0.0)), ["~", ""], "below 5 %");
        assert_eq!(shown(&same(0.106)), ["~", "0.106"]);
        assert_eq!(shown(&sure), ["-4.8 %", "<0.001"]);
    }

    #[test]
    fn what_is_live_of_what_no_sample_met_is_a_question_mark() {
        let class = changed(Measure::Live, Some(4096.0), None, RowName::Class("java.lang.Class".into()));
        assert_eq!([value(&class, class.before), value(&class, class.after)], ["4.00 KiB", "?"]);
    }

    #[test]
    fn a_median_that_most_outlive_is_not_a_question_mark() {
        assert_eq!(shown(Clock::Time, Some(414.0), None), ["414 ms", "most live", "longer"]);
        assert_eq!(shown(Clock::Bytes, None, Some(2048.0)), ["most live", "2.00 KiB", "shorter"]);
        assert_eq!(shown(Clock::Collections, Some(0.0), Some(1.0)), ["0 GCs", "1 GC", "longer"]);
        assert_eq!(shown(Clock::Time, Some(100.0), Some(150.0)), ["100 ms", "150 ms", "+50.0 %"]);
    }
}
