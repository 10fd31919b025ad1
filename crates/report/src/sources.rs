//! The recordings that a merged profile was made of, in words.
//!
//! Not here: comparing them by a label, which is the command's.

use std::collections::BTreeSet;

use mayfly_profile::{Profile, Source};

use crate::table::right_aligned;
use crate::text::printable;
use crate::units;

/// Labels that a line has room for: what tells recordings apart for most people, the rest after it.
const FIRST: [&str; 3] = ["application", "version", "host"];
/// Values of a label that are named.
const NAMED: usize = 3;
/// Recordings of which each has a row.
const ROWS: usize = 20;

/// What a merged profile is of, in one line: `3 recordings: application shop; host a, b`. `None`: it is of one JVM.
pub fn sources_line(profile: &Profile) -> Option<String> {
    if !profile.is_of_several_jvms() {
        return None;
    }
    let given: BTreeSet<&str> =
        profile.sources.iter().flat_map(|source| source.labels.keys().map(String::as_str)).collect();
    let values = |name: &str| {
        let values: BTreeSet<&str> =
            profile.sources.iter().filter_map(|source| source.labels.get(name)).map(String::as_str).collect();
        let named: Vec<_> = values.iter().take(NAMED).copied().collect();
        let more = values.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{name} {}{more}", named.join(", "))
    };
    let named: Vec<_> = FIRST.into_iter().filter(|name| given.contains(name)).map(values).collect();
    let labels = if named.is_empty() { String::new() } else { format!(": {}", named.join("; ")) };
    Some(printable(&format!("{} recordings{labels}", profile.sources.len())).into_owned())
}

/// A block with a row for each recording, the largest first, if there are several.
pub(crate) fn sources_block(profile: &Profile) -> String {
    if !profile.is_of_several_jvms() {
        return String::new();
    }
    let mut sources: Vec<&Source> = profile.sources.iter().collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.allocated.bytes));
    let head = ["time", "GCs", "allocated", "live", "coverage", "recording"].map(str::to_owned).to_vec();
    let rows: Vec<_> =
        std::iter::once(head).chain(sources.iter().take(ROWS).map(|source| row(source))).collect();
    let more = sources.len().saturating_sub(ROWS);
    let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
    format!(
        "Recordings: {}; lifetimes are mixtures of theirs\n{}{more}\n",
        sources.len(),
        right_aligned(&rows, "  ")
    )
}

fn row(source: &Source) -> Vec<String> {
    let labels: Vec<_> = source.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let end = if source.complete { "" } else { " (not closed)" };
    vec![
        units::clock(source.duration_ms),
        source.gcs.to_string(),
        units::bytes(source.allocated.bytes),
        source.live.map_or_else(|| "?".to_owned(), |live| units::bytes(live.bytes)),
        source
            .coverage()
            .map_or_else(|| "?".to_owned(), |share| format!("{:.1} %", (share * 1_000.0).floor() / 10.0)),
        format!("{}{end}", labels.join(" ")),
    ]
}
