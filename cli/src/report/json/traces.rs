//! Requests whose objects are still there, in the JSON report.

use mayfly_profile::{Profile, Total, TracedObjects};
use serde::Serialize;

use super::ways::frame_text;

/// What of requests is there.
#[derive(Debug, Serialize)]
pub(super) struct TracesJson<'a> {
    /// Traces of which any object is there; of several JVMs the sum of theirs.
    traces: u64,
    /// All objects.
    live: Total,
    /// Objects of rows that are left out, the smallest.
    others: Total,
    /// Made in requests, and for want of room not known whether they are there.
    unknown: Total,
    /// Threads whose ids were forgotten, as there were too many.
    forgotten_threads: u64,
    /// Most bytes first.
    rows: Vec<TracedJson<'a>>,
}

#[derive(Debug, Serialize)]
struct TracedJson<'a> {
    trace_id: String,
    span_id: String,
    class: &'a str,
    live: Total,
    /// When the oldest was made, in the profiled time.
    oldest_born_s: f64,
    /// Its age at the end; of several JVMs not known.
    oldest_age_s: Option<f64>,
    /// Innermost frame first; empty if it is not known.
    stack: Vec<String>,
}

/// Those of `profile`; `None` if no object was made where a request was known.
pub(super) fn traces(profile: &Profile) -> Option<TracesJson<'_>> {
    let traces = profile.traces.as_ref()?;
    Some(TracesJson {
        traces: traces.traces,
        live: traces.live().into(),
        others: traces.others.into(),
        unknown: traces.unknown.into(),
        forgotten_threads: traces.forgotten,
        rows: traces.rows.iter().map(|row| traced(profile, row)).collect(),
    })
}

fn traced<'a>(profile: &Profile, row: &'a TracedObjects) -> TracedJson<'a> {
    TracedJson {
        trace_id: row.context.trace_hex(),
        span_id: row.context.span_hex(),
        class: &row.class,
        live: row.live.into(),
        oldest_born_s: row.born_ms as f64 / 1000.0,
        oldest_age_s: profile.age_ms(row.born_ms).map(|ms| ms as f64 / 1000.0),
        stack: row.stack.iter().map(frame_text).collect(),
    }
}
