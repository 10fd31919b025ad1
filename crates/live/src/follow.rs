//! What a stream has said so far: always up to date, whether the screen stands still or not.
//!
//! Not here: what of it is on the screen (`shown`).

use mayfly_profile::{ApplyError, ProfileBuilder, Section, SiteId, Update};

/// A stream, folded.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) builder: ProfileBuilder,
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
}

impl Followed {
    /// Takes the next update.
    pub(crate) fn apply(&mut self, update: Update) {
        self.changed = true;
        let site = match &update {
            Update::Step(step) => {
                step.iter().for_each(|section| self.note_changed(section));
                None
            }
            Update::Reset => {
                self.changed_sites = (0..self.ids.len()).collect();
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

    /// Which sites a section tells of.
    fn note_changed(&mut self, section: &Section) {
        let ids: Vec<_> = match section {
            Section::Progress(progress) => progress.sites.iter().map(|counts| counts.id).collect(),
            Section::Live(live) => live.sites.iter().map(|&(id, _)| id).collect(),
            _ => return,
        };
        let rows = ids.into_iter().filter_map(|id| self.builder.site_row(id));
        self.changed_sites.extend(rows);
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
}
