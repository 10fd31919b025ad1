//! What the runs of a comparison did, in words, before what changed; and differences that they do not prove.
//!
//! Not here: rows (`diff_text`).

use std::collections::BTreeSet;

use mayfly_profile::{Profile, Source};
use mayfly_report::{clock, grouped, printable, size};
use mayfly_verdicts::{Alike, CountedBy, Finding, Measure, RowName, Work};

use super::compared::Compared;

/// Of both sides, a line each.
pub(super) fn work(compared: &Compared<'_>) -> [String; 2] {
    [0, 1].map(|at: usize| {
        let work = &compared.difference.work[at];
        let recordings = if work.len() == 1 { "recording" } else { "recordings" };
        let done = [allocated(work), duration(compared, at), operations(work)];
        let done = done.into_iter().flatten().collect::<Vec<_>>().join(", ");
        format!("{} {} {recordings}, {done}.", ["Before:", "After: "][at], work.len())
    })
}

fn allocated(work: &[Work]) -> Option<String> {
    let of = |work: &Work| work.allocated_bytes as f64;
    Some(format!("{} allocated", range(work.iter().map(of), |bytes| size(bytes.round() as u64))?))
}

fn duration(compared: &Compared<'_>, at: usize) -> Option<String> {
    let of = |(profile, _): &(&Profile, _)| profile.duration_ms as f64;
    let ran = range(compared.sides[at].runs.iter().map(of), |ms| clock(ms.round() as u64))?;
    Some(format!("{ran} each"))
}

/// Nothing unless each run reported some.
fn operations(work: &[Work]) -> Option<String> {
    let known: Option<Vec<f64>> = work.iter().map(|work| work.operations).collect();
    let text = range(known?.into_iter(), |count| grouped(count.round() as u64))?;
    Some(format!("{text} operations"))
}

/// `1.20 GiB`, or `1.20 GiB to 4.10 GiB`.
fn range(values: impl Iterator<Item = f64> + Clone, shown: impl Fn(f64) -> String) -> Option<String> {
    let (least, most) = (values.clone().reduce(f64::min)?, values.reduce(f64::max)?);
    let (from, to) = (shown(least), shown(most));
    Some(if from == to { from } else { format!("{from} to {to}") })
}

/// That the runs did different amounts of work, before all else: nothing that is compared is then of the program alone.
pub(super) fn other_work(compared: &Compared<'_>) -> Option<String> {
    let Alike { share, change, apart } = compared.difference.other_work()?;
    let apart = apart.as_ref().map_or_else(String::new, |method| format!("\n(not {})", printable(method)));
    Some(format!(
        "The runs seem to have done different amounts of work, after {:.2} times that of before:
methods with {:.0} % of the bytes changed alike, by this factor{apart}. Whole runs are compared.
To compare per operation (request, order, ...), give the number of each recording, in the order of
the files: --per N,N,...; or have the program count them: Mayfly.operations(n). Where it has scopes,
mayfly report has bytes per entry.",
        change + 1.0,
        share * 100.0
    ))
}

/// What is to be said of the work before rows are read.
pub(super) fn remarks(compared: &Compared<'_>) -> Vec<String> {
    let difference = compared.difference;
    let mut remarks = Vec::new();
    for &run in &difference.idle {
        let name = compared.files.get(run).map(|name| printable(name).into_owned()).unwrap_or_default();
        remarks.push(format!(
            "{name} seems to have done no work: most methods that allocate in the other recordings allocate nothing in it. The two sides can't be compared."
        ));
    }
    if difference.uneven && compared.counted_by == CountedBy::Nobody {
        remarks.push(
            "The runs of a side did different amounts of work, and whole runs are compared. To compare per operation (request, order, ...), give
the number of each recording, in the order of the files: --per N,N,..."
                .to_owned(),
        );
    }
    remarks.extend(other_jvms(compared));
    remarks.extend(start_ups(compared));
    remarks
}

/// That the sides ran on other releases of the JDK, or under other collectors.
fn other_jvms(compared: &Compared<'_>) -> Option<String> {
    let of = |Source { labels, .. }: Source| {
        let release = format!("JDK {}", labels.get("java")?);
        Some(labels.get("gc").map_or_else(|| release.clone(), |gc| format!("{release} with {gc}")))
    };
    let [before, after] = compared.sides.each_ref().map(|side| {
        let sources = side.runs.iter().flat_map(|(profile, _)| profile.all_sources());
        let all: BTreeSet<String> = sources.filter_map(of).collect();
        all.into_iter().collect::<Vec<_>>().join(", ")
    });
    let differ = before != after && !before.is_empty() && !after.is_empty();
    differ.then(|| {
        format!(
            "The sides ran on different JVMs, {before} before and {after} after: classes of the JDK, what is live, and lifetimes may differ for
that alone."
        )
    })
}

/// Start-ups do not become more with the operations that numbers are divided by: of few operations each has much of it.
fn start_ups(compared: &Compared<'_>) -> Option<String> {
    /// Less of what was allocated is not worth a word.
    const LEAST: f64 = 0.02;
    let profiles =
        || compared.sides.into_iter().flat_map(|side| side.runs.iter().map(|(profile, _)| *profile));
    let of = |profile: &Profile| {
        let started = profile.start_up()?.allocated as f64;
        let all: u64 = profile.history.iter().map(|point| point.allocated).sum();
        Some((started, started / all.max(1) as f64))
    };
    let all: Option<Vec<_>> = profiles().map(of).collect();
    let all =
        all.filter(|all| compared.difference.per_operation && all.iter().any(|(_, share)| *share >= LEAST))?;
    let bytes = range(all.iter().map(|(bytes, _)| *bytes), |bytes| size(bytes.round() as u64))?;
    Some(format!("Start-ups are in these numbers, {bytes} each: --phase work compares what came after them."))
}

/// Differences that are not proven, the largest first, at most so many; nothing if there are none.
pub(super) fn unproven<'f>(compared: &'f Compared<'_>, most: usize) -> Vec<&'f Finding> {
    let of_rows = |finding: &&Finding| !matches!(finding.row, RowName::Site { .. } | RowName::Through(_));
    let findings = compared.difference.findings.iter();
    let mut unproven: Vec<&Finding> = findings.filter(|finding| finding.unproven).filter(of_rows).collect();
    unproven.sort_by(|a, b| b.bytes().abs().total_cmp(&a.bytes().abs()).then_with(|| a.row.cmp(&b.row)));
    unproven.truncate(most);
    unproven
}

/// Why these are not proven.
pub(super) fn reason(compared: &Compared<'_>) -> String {
    let whole = compared
        .difference
        .findings
        .iter()
        .find(|finding| finding.row == RowName::Total && finding.measure == Measure::Allocated);
    let side = |(least, most): (f64, f64)| {
        range([least, most].into_iter(), |bytes| size(bytes.round() as u64)).unwrap_or_default()
    };
    match whole.and_then(|finding| finding.ranges) {
        Some([before, after]) => format!(
            "Not proven by so few runs, which differ by themselves (in all {} before, {} after)",
            side(before),
            side(after)
        ),
        None => "Not proven by so few runs, which differ by themselves".to_owned(),
    }
}

/// `7 a side`: what would prove it.
pub(super) fn would_prove(finding: &Finding) -> String {
    finding.runs_needed.map_or("no number".to_owned(), |runs| format!("{runs} a side"))
}
