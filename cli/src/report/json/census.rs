//! What was read of young collections in the JSON report: its keys, and where their values come from.

use mayfly_profile::{Census, Profile, Total};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct CensusJson<'a> {
    /// Why nothing more is read; null: it went on until the end.
    ended: Option<&'a str>,
    from_start: bool,
    collections: CollectionsJson,
    read_bytes: u64,
    /// Bytes of young objects that could not be read.
    unread_bytes: u64,
    born: Total,
    fillers: Total,
    /// Bytes of counts of classes that samples tell of; null where samples count nothing.
    sampled_bytes: Option<u64>,
    pause_ms: f64,
    longest_pause_ms: f64,
    /// What the same pauses took without the reading.
    own_pause_ms: f64,
    classes: Vec<ClassCensusJson<'a>>,
}

#[derive(Debug, Serialize)]
struct CollectionsJson {
    read: u32,
    partly: u32,
    births_only: u32,
    unread: u32,
    /// Of which a part was left out for time.
    thinned: u32,
}

#[derive(Debug, Serialize)]
struct ClassCensusJson<'a> {
    name: &'a str,
    born: Total,
    /// By age: collections survived before. The seventeenth is that of objects whose age was not known.
    died: &'a [Total],
    survived: &'a [Total],
    promoted: &'a [Total],
    copied: Total,
    /// Born, and not known what became of them.
    undecided: Total,
    /// Born in the old generation.
    old: Total,
    /// Whether arrays that fill buffers up are among them.
    with_fillers: bool,
}

/// The census of a profile, with at most `limit` classes, most bytes first.
pub(super) fn census(profile: &Profile, limit: Option<usize>) -> Option<CensusJson<'_>> {
    let census @ Census { reach, classes } = profile.census.as_ref()?;
    let mut rows: Vec<_> = classes.iter().collect();
    rows.sort_by_key(|(name, class)| (std::cmp::Reverse(class.born().bytes), name.as_str()));
    rows.truncate(limit.unwrap_or(usize::MAX));
    Some(CensusJson {
        ended: (!reach.ended.is_empty()).then_some(&reach.ended),
        from_start: reach.from_start,
        collections: CollectionsJson {
            read: reach.read,
            partly: reach.partly,
            births_only: reach.births_only,
            unread: reach.unread,
            thinned: reach.thinned,
        },
        read_bytes: reach.read_bytes,
        unread_bytes: reach.unread_bytes,
        born: census.born(),
        fillers: reach.fillers,
        sampled_bytes: profile.sampled_rest(),
        pause_ms: reach.pause_us as f64 / 1e3,
        longest_pause_ms: reach.longest_us as f64 / 1e3,
        own_pause_ms: reach.own_us as f64 / 1e3,
        classes: rows
            .into_iter()
            .map(|(name, class)| ClassCensusJson {
                name,
                born: class.born(),
                died: &class.died,
                survived: &class.survived,
                promoted: &class.promoted,
                copied: class.copied(),
                undecided: class.undecided,
                old: class.old,
                with_fillers: census.has_fillers(name),
            })
            .collect(),
    })
}
