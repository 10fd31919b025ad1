//! What a stream has said so far: always up to date, whether the screen stands still or not.
//!
//! Not here: what of it is on the screen (`shown`).

use std::collections::HashMap;

use mayfly_profile::{ApplyError, ClassId, ProfileBuilder, Progress, SiteId, Update};

use crate::history::{History, Point};

/// A stream, folded.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) builder: ProfileBuilder,
    pub(crate) history: History,
    /// Ids of each row of sites.
    pub(crate) ids: Vec<Vec<SiteId>>,
    /// Rows of sites that changed since they were shown; some more than once.
    pub(crate) changed_sites: Vec<usize>,
    /// Whether there is anything that was not shown.
    pub(crate) changed: bool,
    /// What did not fit, at first.
    pub(crate) fault: Option<ApplyError>,
    /// Whether the agent closed the stream.
    pub(crate) ended: bool,
    /// Live and dead bytes of each class.
    bytes: HashMap<ClassId, (u64, u64)>,
    before: Totals,
    live_after_gc: u64,
}

/// Sums over all classes.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    ms: u64,
    gcs: u32,
    accounted: u64,
    live: u64,
    dead: u64,
}

impl Followed {
    /// Takes the next update.
    pub(crate) fn apply(&mut self, update: Update) {
        self.changed = true;
        let site = match &update {
            Update::Progress(progress) => {
                self.step(progress);
                None
            }
            Update::Reset => {
                self.reset();
                None
            }
            Update::End => {
                self.ended = true;
                None
            }
            Update::Site { id, .. } => Some(*id),
            _ => None,
        };
        if let Err(fault) = self.builder.apply(update) {
            self.fault.get_or_insert(fault);
        }
        if let Some(row) = site.and_then(|id| Some((self.builder.site_row(id)?, id))) {
            self.add_site(row);
        }
    }

    /// Lifetime buckets of the run.
    pub(crate) fn sites(&self) -> usize {
        self.ids.len()
    }

    fn add_site(&mut self, (row, id): (usize, SiteId)) {
        if row >= self.ids.len() {
            self.ids.resize_with(row + 1, Vec::new);
        }
        // Told again to a reader that missed something.
        if !self.ids[row].contains(&id) {
            self.ids[row].push(id);
        }
    }

    /// A point of the history.
    fn step(&mut self, progress: &Progress) {
        let before = self.before;
        let mut now = Totals {
            ms: progress.duration_ms,
            gcs: progress.gcs,
            accounted: progress.trust.accounted_bytes,
            ..before
        };
        for counts in &progress.classes {
            let Some(tracked) = &counts.lifetimes else { continue };
            let dead = tracked.collected.iter().fold(0u64, |sum, tally| sum.saturating_add(tally.bytes));
            let (live_before, dead_before) =
                self.bytes.insert(counts.id, (tracked.live.bytes, dead)).unwrap_or_default();
            now.live = now.live.saturating_add(tracked.live.bytes).saturating_sub(live_before);
            now.dead = now.dead.saturating_add(dead).saturating_sub(dead_before);
        }
        let rows = progress.sites.iter().filter_map(|counts| self.builder.site_row(counts.id));
        self.changed_sites.extend(rows);
        if now.gcs != before.gcs {
            self.live_after_gc = now.live;
        }
        self.before = now;
        // Time stands still while profiling is paused.
        if now.ms > before.ms {
            self.history.push(Point {
                span_ms: now.ms - before.ms,
                allocated: now.accounted.saturating_sub(before.accounted),
                dead: now.dead.saturating_sub(before.dead),
                live: self.live_after_gc,
                gcs: now.gcs.saturating_sub(before.gcs),
            });
        }
    }

    fn reset(&mut self) {
        self.history.clear();
        self.bytes.clear();
        self.live_after_gc = 0;
        self.before = Totals { gcs: self.before.gcs, accounted: self.before.accounted, ..Totals::default() };
        self.changed_sites = (0..self.ids.len()).collect();
    }
}
