//! Recordings compared by a label: a row for each of its values.
//!
//! Not here: reading them (`recordings`), and whether a difference is more than chance, which is `mayfly diff`'s.

use std::collections::BTreeSet;

use mayfly_profile::{Lifetimes, LiveAsOf, Profile, Tally, View};
use mayfly_report::{clock, duration, right_aligned, size};
use serde::Serialize;

/// Recordings of one value.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// Of the label; `None`: these have no such label.
    pub(crate) value: Option<String>,
    pub(crate) recordings: usize,
    /// Profiled time of all of them.
    pub(crate) duration_s: f64,
    pub(crate) gcs: u32,
    pub(crate) allocated_objects: u64,
    pub(crate) allocated_bytes: u64,
    /// `None`: it is not known.
    pub(crate) live_bytes: Option<u64>,
    /// Less may be live: no collection has looked at what became old.
    pub(crate) live_at_most: bool,
    pub(crate) not_judged_bytes: u64,
    pub(crate) died_young_share: Option<f64>,
    /// Of all that was followed, a mixture of its classes and JVMs.
    pub(crate) lifetime_p50_s: Option<f64>,
    pub(crate) lifetime_p99_s: Option<f64>,
    pub(crate) coverage: Option<f64>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    label: &'a str,
    rows: &'a [Row],
}

impl Row {
    /// The row of a profile, of which the classes of the view count.
    pub(crate) fn of(value: Option<String>, profile: &Profile, view: &View) -> Self {
        let shown = view.part_of(profile.clone());
        let (mut allocated, mut live, mut unjudged) = (Tally::default(), Tally::default(), Tally::default());
        let mut lifetimes = Lifetimes::default();
        for class in &shown.classes {
            allocated.add(class.allocated);
            live.add(class.live.unwrap_or_default());
            unjudged.add(class.unjudged);
            class.lifetimes.iter().for_each(|known| lifetimes.merge(known));
        }
        let knows_live = profile.run.lifetimes && profile.live_as_of != LiveAsOf::NoCollection;
        let time = lifetimes.in_time();
        let quantile = |q: f64| time.as_ref().and_then(|time| time.quantile(q).point).map(|ms| ms / 1_000.0);
        Self {
            value,
            recordings: profile.all_sources().len(),
            duration_s: profile.duration_ms as f64 / 1_000.0,
            gcs: profile.gcs,
            allocated_objects: allocated.objects,
            allocated_bytes: allocated.bytes,
            live_bytes: knows_live.then_some(live.bytes),
            live_at_most: shown.live_is_at_most(),
            not_judged_bytes: unjudged.bytes,
            died_young_share: lifetimes.died_before_first_gc_share(),
            lifetime_p50_s: quantile(0.5),
            lifetime_p99_s: quantile(0.99),
            coverage: profile.trust.share(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
        let rate = self.allocated_bytes as f64 / self.duration_s.max(0.001);
        let percent = |share: f64| format!("{:.1} %", (share * 1_000.0).floor() / 10.0);
        let seconds = |s: f64| duration(s * 1_000.0);
        let at_most = if self.live_at_most { "≤" } else { "" };
        vec![
            self.recordings.to_string(),
            clock((self.duration_s * 1_000.0) as u64),
            size(self.allocated_bytes),
            format!("{}/s", size(rate as u64)),
            or_unknown(self.live_bytes.map(|bytes| format!("{at_most}{}", size(bytes)))),
            or_unknown(self.died_young_share.map(percent)),
            or_unknown(self.lifetime_p50_s.map(seconds)),
            or_unknown(self.lifetime_p99_s.map(seconds)),
            or_unknown(self.coverage.map(percent)),
            self.value.clone().unwrap_or_else(|| "(none)".to_owned()),
        ]
    }
}

/// The rows as a table.
pub(crate) fn text(label: &str, rows: &[Row]) -> String {
    let head =
        ["recordings", "JVM time", "allocated", "per second", "live", "died young", "p50", "p99", "coverage"];
    let head = head.map(str::to_owned).into_iter().chain([label.to_owned()]).collect();
    let rows: Vec<_> = std::iter::once(head).chain(rows.iter().map(Row::cells)).collect();
    right_aligned(&rows, "")
}

/// The rows as JSON, schema `mayfly-by/1`.
pub(crate) fn json(label: &str, rows: &[Row]) -> String {
    let document = Document { schema: "mayfly-by/1", label, rows };
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// The value of a label that all recordings in a profile have: `Err` if they have several.
pub(crate) fn value_of(label: &str, profile: &Profile) -> Result<Option<String>, Vec<String>> {
    let sources = profile.all_sources();
    let mut all: BTreeSet<_> = sources.iter().map(|source| source.labels.get(label).cloned()).collect();
    if all.len() > 1 {
        return Err(all.into_iter().flatten().collect());
    }
    Ok(all.pop_first().flatten())
}
