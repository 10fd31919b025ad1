//! The session's side of the update stream: names what is new, counts what changed.

use mayfly_profile::{ClassCounts, ClassId, FrameId, SiteId, Tally, Update};
use mayfly_tracking::{ClassTotal, Ledger};

use crate::tracking::Shared;

/// What the stream has said so far.
#[derive(Debug, Default)]
pub(super) struct Stream {
    classes: usize,
    frames: usize,
    sites: usize,
    /// Last allocated tally said, by class id.
    said: Vec<Tally>,
    /// Totals at the last reset, by class id.
    baseline: Vec<ClassTotal>,
}

impl Stream {
    /// Names for all classes, frames and sites that have none yet.
    pub(super) fn names(&mut self, shared: &Shared) -> Vec<Update> {
        let mut updates = Vec::new();
        while let Some(name) = shared.classes.name(ClassId::of_row(self.classes)) {
            updates.push(Update::Class { id: ClassId::of_row(self.classes), name: name.into() });
            self.classes += 1;
        }
        if !shared.plan.stacks.are_taken() {
            return updates;
        }
        // Sites first: a site read here has its class among those said and its frames among those said below.
        let sites: Vec<_> = shared.sites.sites_since(self.sites).collect();
        for frame in shared.sites.frames_since(self.frames) {
            updates.push(Update::Frame { id: FrameId::of_row(self.frames), frame: frame.clone() });
            self.frames += 1;
        }
        for (class, stack) in sites {
            if class.row() >= self.classes {
                break;
            }
            updates.push(Update::Site { id: SiteId::of_row(self.sites), class, stack });
            self.sites += 1;
        }
        updates
    }

    /// How many classes and sites have names.
    pub(crate) fn named(&self) -> (usize, usize) {
        (self.classes, self.sites)
    }

    /// Counts of the classes that changed, among those named.
    pub(super) fn class_counts(&mut self, totals: &[ClassTotal], ledger: &mut Ledger) -> Vec<ClassCounts> {
        self.said.resize(self.classes, Tally::default());
        let mut changed = Vec::new();
        for (id, said) in self.said.iter_mut().enumerate() {
            let total = totals.get(id).copied().unwrap_or_default();
            let before = self.baseline.get(id).copied().unwrap_or_default();
            let allocated = since(total.counted, before.counted);
            let (lifetimes, deaths_changed) = ledger.class_lifetimes(ClassId::of_row(id));
            if allocated == *said && !deaths_changed {
                continue;
            }
            *said = allocated;
            changed.push(ClassCounts { id: ClassId::of_row(id), allocated, lifetimes });
        }
        changed
    }

    /// Counts start from zero at `totals`.
    pub(super) fn reset(&mut self, totals: Vec<ClassTotal>) {
        self.baseline = totals;
        self.said.clear();
    }
}

/// What was counted since `before`; of nothing there is no largest.
fn since(total: Tally, before: Tally) -> Tally {
    let since = total.without(before);
    if since.is_empty() { Tally::default() } else { since }
}
