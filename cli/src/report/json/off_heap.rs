//! What was outside of the heap over time, in the JSON report.

use mayfly_profile::{Holders, OffHeap, Profile};
use serde::Serialize;

use super::ways::frame_text;

/// Moments of the curve: each is the end of as many steps.
const MOMENTS: usize = 200;

#[derive(Debug, Serialize)]
pub(super) struct OffHeapJson<'a> {
    /// Null: direct buffers did not grow all along, or it is not known.
    pub(super) growth: Option<GrowthJson>,
    /// In the order of time.
    pub(super) curve: Vec<MomentJson>,
    /// Who made what is there, most bytes first; null: none of its objects was followed.
    pub(super) made: Option<MadeJson<'a>>,
}

/// As far as the JDK's objects that stand for it were followed.
#[derive(Debug, Serialize)]
pub(super) struct MadeJson<'a> {
    /// Of a part of these objects, which stands for all: of a byte sample's numbers only the proportions tell anything.
    pub(super) estimated: bool,
    pub(super) rows: Vec<RowJson<'a>>,
    /// Rows that are left out, the smallest.
    pub(super) others_number: u64,
    pub(super) others_bytes: u64,
    /// Objects whose size is not known.
    pub(super) unknown_number: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct RowJson<'a> {
    pub(super) class: &'a str,
    pub(super) number: u64,
    pub(super) bytes: u64,
    pub(super) oldest_born_s: f64,
    pub(super) stack: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct GrowthJson {
    pub(super) bytes_per_s: f64,
    pub(super) since_s: f64,
    /// Then, and at the end.
    pub(super) from_bytes: u64,
    pub(super) to_bytes: u64,
    /// What collections had left of the heap then, and at the end; null: not known.
    pub(super) heap_from_bytes: Option<u64>,
    pub(super) heap_to_bytes: Option<u64>,
    pub(super) heap_is_flat: Option<bool>,
    /// Whether the whole heap was collected meanwhile.
    pub(super) whole_heap_collected: bool,
}

/// Each null where it is not known.
#[derive(Debug, Serialize)]
pub(super) struct MomentJson {
    pub(super) at_s: f64,
    pub(super) direct_bytes: Option<u64>,
    pub(super) direct_buffers: Option<u64>,
    pub(super) mapped_bytes: Option<u64>,
    pub(super) resident_bytes: Option<u64>,
}

/// `None` where nothing was read of it.
pub(super) fn off_heap(profile: &Profile) -> Option<OffHeapJson<'_>> {
    let made = profile.holders.as_ref().map(|holders| made(holders, profile.run.tracking.follows_a_part()));
    let is_known = profile.off_heap().is_some() || made.is_some();
    is_known.then(|| OffHeapJson { growth: growth(profile), curve: curve(profile), made })
}

fn made(holders: &Holders, estimated: bool) -> MadeJson<'_> {
    let rows = holders.rows.iter().map(|row| RowJson {
        class: &row.class,
        number: row.held.number,
        bytes: row.held.bytes,
        oldest_born_s: seconds(row.born_ms),
        stack: row.stack.iter().map(frame_text).collect(),
    });
    MadeJson {
        estimated,
        rows: rows.collect(),
        others_number: holders.others.number,
        others_bytes: holders.others.bytes,
        unknown_number: holders.unknown,
    }
}

fn growth(profile: &Profile) -> Option<GrowthJson> {
    let growth = profile.off_heap_growth()?;
    let [from_bytes, to_bytes] = growth.bytes;
    Some(GrowthJson {
        bytes_per_s: growth.bytes_per_s,
        since_s: seconds(growth.since_ms),
        from_bytes,
        to_bytes,
        heap_from_bytes: growth.heap.map(|[from, _]| from),
        heap_to_bytes: growth.heap.map(|[_, to]| to),
        heap_is_flat: growth.is_heap_flat(),
        whole_heap_collected: growth.collected,
    })
}

fn curve(profile: &Profile) -> Vec<MomentJson> {
    let begin = profile.part.during_ms.map_or(0, |(from_ms, _)| from_ms);
    let ends = profile.history.iter().scan(begin, |end, point| {
        *end += point.span_ms;
        Some((*end, point.off_heap))
    });
    let known: Vec<_> = ends.filter_map(|(ms, now)| Some((ms, now?))).collect();
    let each = known.len().div_ceil(MOMENTS).max(1);
    known.chunks(each).filter_map(|chunk| chunk.last()).map(|&(ms, now)| moment(ms, now)).collect()
}

fn moment(ms: u64, now: OffHeap) -> MomentJson {
    MomentJson {
        at_s: seconds(ms),
        direct_bytes: now.direct.map(|direct| direct.bytes),
        direct_buffers: now.direct.map(|direct| direct.number),
        mapped_bytes: now.mapped.map(|mapped| mapped.bytes),
        resident_bytes: now.resident,
    }
}

fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}
