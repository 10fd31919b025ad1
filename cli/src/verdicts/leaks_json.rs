//! Leaks as JSON, schema `mayfly-leaks/1`. Described for users in `docs/guide/leaks.md`.

use mayfly_report::readable_class;
use serde::Serialize;

use super::leaks::{Leaks, Rate, Searched, Survivors, Suspect};

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    searched: SearchedJson<'a>,
    /// Why nothing can be told.
    untold: Option<&'a str>,
    notes: &'a [String],
    /// The slowest leak that would have been seen, in a recording.
    floor_bytes_per_s: Option<f64>,
    suspects: Vec<SuspectJson<'a>>,
    more: usize,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum SearchedJson<'a> {
    Dumps { files: &'a [String] },
    Jvm { pid: u32, dumps: usize, seconds: f64, paused_ms: u64 },
    Recording { file: &'a str, collections: u32, seconds: f64 },
}

#[derive(Serialize)]
struct SuspectJson<'a> {
    verdict: &'static str,
    class: &'a str,
    readable_class: String,
    objects: &'a [u64],
    retained_bytes: &'a [u64],
    off_heap_bytes: &'a [u64],
    held_by: &'a [String],
    holder: Option<&'a str>,
    through: Option<&'a str>,
    holds: &'a [String],
    also: Vec<AlsoJson<'a>>,
    together: Vec<AlsoJson<'a>>,
    containers: Option<u64>,
    path: Option<&'a str>,
    allocated_by: Option<&'a str>,
    allocated_below: Option<&'a str>,
    added_by: &'a [String],
    growth: Option<GrowthJson>,
    survivors: Vec<SurvivorsJson<'a>>,
    doubts: Vec<String>,
}

#[derive(Serialize)]
struct AlsoJson<'a> {
    class: &'a str,
    readable_class: String,
    objects: u64,
}

#[derive(Serialize)]
struct GrowthJson {
    bytes_per_s: f64,
    since_s: f64,
    /// Null: counted.
    samples: Option<f64>,
    /// A standard error, as a share; 0: counted.
    error: f64,
    live_objects: u64,
    live_bytes: u64,
}

#[derive(Serialize)]
struct SurvivorsJson<'a> {
    class: &'a str,
    readable_class: String,
    objects: u64,
    bytes: u64,
    born: [u64; 3],
    died_old: u64,
    stack: &'a [String],
}

/// The document, ending in a newline.
pub(crate) fn leaks_json(leaks: &Leaks) -> String {
    serde_json::to_string_pretty(&leaks_value(leaks)).expect("names and finite numbers") + "\n"
}

/// The document, for another one that has it inside.
pub(crate) fn leaks_value(leaks: &Leaks) -> impl Serialize {
    Document {
        schema: "mayfly-leaks/1",
        searched: match &leaks.searched {
            Searched::Dumps { files } => SearchedJson::Dumps { files },
            &Searched::Jvm { pid, dumps, seconds, paused_ms } => {
                SearchedJson::Jvm { pid, dumps, seconds, paused_ms }
            }
            Searched::Recording { file, collections, seconds } => {
                SearchedJson::Recording { file, collections: *collections, seconds: *seconds }
            }
        },
        untold: leaks.untold.as_deref(),
        notes: &leaks.notes,
        floor_bytes_per_s: leaks.floor.map(|floor| tenths(floor.bytes_per_s)),
        suspects: leaks.suspects.iter().map(|of| suspect(of, &leaks.searched)).collect(),
        more: leaks.more,
    }
}

fn suspect<'a>(suspect: &'a Suspect, searched: &Searched) -> SuspectJson<'a> {
    SuspectJson {
        verdict: suspect.suspicion.name(),
        class: &suspect.what,
        readable_class: readable_class(&suspect.what),
        objects: &suspect.objects,
        retained_bytes: &suspect.bytes,
        off_heap_bytes: &suspect.off_heap,
        held_by: &suspect.held_by,
        holder: suspect.holder.as_deref(),
        through: suspect.through.as_deref(),
        holds: &suspect.holds,
        also: also(&suspect.also),
        together: also(&suspect.together),
        containers: Some(suspect.containers).filter(|&containers| containers > 0),
        path: suspect.path.as_deref(),
        allocated_by: suspect.allocated_by.as_deref(),
        allocated_below: suspect.allocated_below.as_deref(),
        added_by: &suspect.added_by,
        growth: suspect.growth.map(growth),
        survivors: suspect.survivors.iter().map(survivors).collect(),
        doubts: suspect.doubts(searched),
    }
}

fn also(others: &[(String, u64)]) -> Vec<AlsoJson<'_>> {
    let others = others.iter();
    others
        .map(|(class, objects)| AlsoJson { class, readable_class: readable_class(class), objects: *objects })
        .collect()
}

fn growth(rate: Rate) -> GrowthJson {
    GrowthJson {
        bytes_per_s: tenths(rate.bytes_per_s),
        since_s: tenths(rate.since),
        samples: rate.samples.map(tenths),
        error: (rate.error * 1000.0).round() / 1000.0,
        live_objects: rate.objects,
        live_bytes: rate.bytes,
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn survivors(of: &Survivors) -> SurvivorsJson<'_> {
    SurvivorsJson {
        class: &of.class,
        readable_class: readable_class(&of.class),
        objects: of.objects,
        bytes: of.bytes,
        born: of.born,
        died_old: of.died_old,
        stack: &of.stack,
    }
}
