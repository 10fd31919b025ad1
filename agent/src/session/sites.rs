//! Rows of sites: what an engine counted there, with what became of the objects followed.

use mayfly_profile::{SiteCounts, SiteId, Tracking};
use rustc_hash::FxHashSet;

use super::Session;
use crate::plan::Stacks;

impl Session {
    /// Sites of which lifetimes changed, where an engine counts by place.
    pub(super) fn sites_with_news(&mut self) -> FxHashSet<SiteId> {
        match self.shared.plan.stacks {
            Stacks::ByPlace => self.deaths.ledger().take_changed_sites(),
            Stacks::None | Stacks::OfFollowed | Stacks::OfEach => FxHashSet::default(),
        }
    }

    /// Rows of sites: counted by place, with the lifetimes of those that were followed; or of the followed themselves.
    pub(super) fn site_rows(&mut self, counted: Vec<SiteCounts>) -> Vec<SiteCounts> {
        let (ledger, sites) = (self.deaths.ledger(), &self.shared.sites);
        match self.shared.plan.stacks {
            Stacks::None => Vec::new(),
            // Without frames it is no place: who was followed there is not known.
            Stacks::ByPlace => counted
                .into_iter()
                .map(|row| if sites.has_frames(row.id) { ledger.with_lifetimes(row) } else { row })
                .collect(),
            // Objects followed whose stack was not taken: it is in the stacks of others.
            Stacks::OfFollowed if self.shared.plan.tracking == Tracking::Balanced => {
                ledger.changed_sites().into_iter().filter(|row| sites.has_frames(row.id)).collect()
            }
            Stacks::OfFollowed | Stacks::OfEach => ledger.changed_sites(),
        }
    }
}
