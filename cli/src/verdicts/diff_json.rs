//! What changed as JSON, schema `mayfly-diff/1`. Described for users in `docs/guide/diff.md`.

use mayfly_report::readable_class;
use mayfly_verdicts::leaks::{LeakRow, Rate};
use mayfly_verdicts::{Clock, Difference, Finding, Measure, RowName, Verdict, Work};
use serde::Serialize;

use super::compared::Compared;
use crate::json::object;

/// The document, ending in a newline.
pub(crate) fn diff_json(compared: &Compared<'_>) -> String {
    let difference = compared.difference;
    let document = object! {
        schema: "mayfly-diff/1",
        replicated: difference.replicated,
        level: difference.level,
        per_operation: difference.per_operation,
        /// `user` or `program`.
        operations_counted_by: compared.counted_by(),
        operations: compared.operations(),
        duration_s: difference.duration_ms.map(|ms| ms / 1000.0),
        lifetimes_compared: difference.lifetimes,
        sites_compared: difference.stacks,
        small_rows: difference.small,
        /// What each recording did, before and after.
        work: [0, 1].map(|side: usize| difference.work[side].iter().map(work).collect::<Vec<_>>()),
        /// Recordings that seem to have done nothing, by their place in the order of the files.
        idle_recordings: &difference.idle,
        /// Whether recordings of one side did different amounts of work.
        work_differs: difference.uneven,
        /// What nearly all methods changed by, or nearly all that changed: the sides did different amounts of work.
        changed_alike: difference.other_work().map(|alike| object! {
            /// After, as a multiple of before.
            factor: alike.change + 1.0,
            /// Of the bytes before, in methods that changed so.
            share: alike.share,
            /// The method that changed most, if it did by another factor.
            apart: alike.apart.as_deref(),
        }),
        /// What leaks in a recording of either side: bytes a second by each recording that is sure of it, before and after.
        leaks: difference.leaks.as_ref().map(|leaks| object! {
            rows: leaks.rows.iter().map(|row| object! {
                class: &row.class,
                /// The field that holds it; the method that makes it, where that is not known.
                place: &row.place,
                bytes_per_s: of_each(row, |rate| rate.bytes_per_s),
                /// The standard errors of these, as shares of them.
                errors: of_each(row, |rate| rate.error),
                /// Recordings in which it may grow, before and after.
                unsure: [0, 1].map(|side: usize| row.sides[side].unsure),
            }).collect::<Vec<_>>(),
            /// The slowest leak that all recordings of a side would have shown.
            floors: leaks.floors,
        }),
        findings: difference.findings.iter().map(|one| finding(one, difference)).collect::<Vec<_>>(),
    };
    serde_json::to_string_pretty(&document).expect("names and finite numbers") + "\n"
}

/// A number of each rate, before and after.
fn of_each(row: &LeakRow, number: fn(&Rate) -> f64) -> [Vec<f64>; 2] {
    row.sides.each_ref().map(|side| side.rates.iter().map(number).collect())
}

fn work(work: &Work) -> impl Serialize {
    object! {
        duration_s: work.duration_ms as f64 / 1000.0,
        allocated_bytes: work.allocated_bytes,
        operations: work.operations,
        gcs: work.gcs,
    }
}

fn finding(finding: &Finding, difference: &Difference) -> impl Serialize {
    let (row, class, stack) = match &finding.row {
        RowName::Total => ("total", None, None),
        RowName::Class(name) => ("class", Some(name.as_str()), None),
        RowName::Method(method) => ("method", None, Some(std::slice::from_ref(method))),
        RowName::Through(method) => ("through", None, Some(std::slice::from_ref(method))),
        RowName::Site { class, stack } => ("site", Some(class.as_str()), Some(stack.as_slice())),
    };
    // Of time in seconds, as in all JSON of ours.
    let unit = if finding.measure == Measure::Lifetime(Clock::Time) { 1000.0 } else { 1.0 };
    object! {
        /// `total`, `class`, `method`, `through` or `site`.
        row,
        class,
        /// `class` as Java sources spell it.
        readable_class: class.map(readable_class),
        stack,
        measure: match finding.measure {
            Measure::Allocated => "allocated_bytes",
            Measure::Live => "live_bytes",
            Measure::Lifetime(Clock::Time) => "p50_s",
            Measure::Lifetime(Clock::Collections) => "p50_gcs",
            Measure::Lifetime(Clock::Bytes) => "p50_bytes",
        },
        before: finding.before.map(|value| value / unit),
        after: finding.after.map(|value| value / unit),
        growth: finding.growth(),
        chance: finding.chance,
        false_discovery_rate: finding.rate,
        verdict: match finding.verdict {
            Verdict::Same => "same",
            Verdict::Differs => "differs",
            Verdict::Changed => "changed",
        },
        /// File and line of a method, where most of it is.
        place: match &finding.row {
            RowName::Method(method) | RowName::Through(method) => {
                difference.places.get(method).map(String::as_str)
            }
            RowName::Total | RowName::Class(_) | RowName::Site { .. } => None,
        },
        /// Least and most of the recordings, before and after.
        ranges: finding.ranges,
        /// A difference worth naming that is not proven.
        unproven: finding.unproven,
        /// Recordings a side that would prove it.
        runs_needed: finding.runs_needed,
    }
}
