//! The tables of one recording among many: each row says of which recording it is, and one table has a row of each.
//!
//! Not here: in which folder the files go.

use std::io;

use mayfly_profile::{Profile, Source};

use super::file::encoded;
use super::tables::{Table, tables};
use crate::choice::Choice;
use crate::columns::{Column, Columns};

/// All tables of a recording, and `recordings`, with `recording` as the first column of each. Deterministic.
///
/// # Errors
/// A page would exceed what the format can say.
pub fn fleet_tables(profile: &Profile, choice: &Choice, recording: &str) -> io::Result<Vec<Table>> {
    let named = |(name, columns): (&'static str, Columns)| {
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        let of = Column::Text(vec![recording.into(); rows]);
        let columns = std::iter::once(("recording", of)).chain(columns).collect();
        Ok(Table { name, bytes: encoded(&columns)? })
    };
    [("recordings", sources(profile))].into_iter().chain(tables(profile, choice)).map(named).collect()
}

/// What it is, and its totals, in a row for each recording that is in it. A label that is not known is an empty text.
fn sources(profile: &Profile) -> Columns {
    let sources = profile.all_sources();
    let text = |of: &dyn Fn(&Source) -> String| Column::texts(sources.iter().map(of));
    let whole = |of: &dyn Fn(&Source) -> Option<u64>| Column::Whole(sources.iter().map(of).collect());
    let label = |name| move |source: &Source| source.labels.get(name).cloned().unwrap_or_default();
    let labels = |source: &Source| {
        source.labels.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
    };
    let mut columns: Columns =
        ["application", "version", "host", "pid", "java", "gc"].map(|name| (name, text(&label(name)))).into();
    columns.extend([
        ("labels", text(&labels)),
        ("started_unix_ms", whole(&|source| Some(source.started_unix_ms).filter(|&ms| ms > 0))),
        ("duration_ms", whole(&|source| Some(source.duration_ms))),
        ("complete", whole(&|source| Some(source.complete.into()))),
        ("collections", whole(&|source| Some(source.gcs.into()))),
        ("allocated_objects", whole(&|source| Some(source.allocated.objects))),
        ("allocated_bytes", whole(&|source| Some(source.allocated.bytes))),
        ("live_objects", whole(&|source| Some(source.live?.objects))),
        ("live_bytes", whole(&|source| Some(source.live?.bytes))),
        ("jvm_allocated_bytes", whole(&|source| source.jvm_allocated_bytes)),
        ("coverage", Column::Real(sources.iter().map(Source::coverage).collect())),
    ]);
    columns
}
