//! Single sites of a stream that is still being folded: for a display of many that follows what changed.
//!
//! Numbers are those of the stream. Not here: making estimates of sites agree with their class, which takes all of them
//! ([`ProfileBuilder::profile`]).

use std::sync::Arc;

use crate::facts::frame::Frame;
use crate::facts::ids::{FrameId, SiteId};
use crate::facts::tally::Tally;
use crate::stream::builder::ProfileBuilder;
use crate::stream::update::SiteCounts;

impl ProfileBuilder {
    /// The row of a site: the same for all ids of one class name and stack, and less than the number of sites named.
    pub fn site_row(&self, id: SiteId) -> Option<usize> {
        self.names.sites.index(id)
    }

    /// Class of the objects of a row.
    pub fn class_of_site(&self, row: usize) -> Option<&str> {
        self.names.classes.value(self.names.sites.value(row)?.class).map(String::as_str)
    }

    /// Stack of a row, innermost frame first.
    pub fn stack_of_site(&self, row: usize) -> impl Iterator<Item = &Frame> {
        let frames = self.names.sites.value(row).map(|key| self.names.stacks.frames(key.stack));
        let frame = |id: FrameId| self.names.frames.value(id.row()).map(Arc::as_ref);
        frames.into_iter().flatten().filter_map(frame)
    }

    /// What was counted under one id, if anything was since the last reset.
    pub fn counts_of_site(&self, id: SiteId) -> Option<&SiteCounts> {
        self.facts.counts.sites.get(&id)
    }

    /// How many of its objects the last collection has left; `None` where the stream does not tell it.
    pub fn live_of_site(&self, id: SiteId) -> Option<Tally> {
        self.facts.live.of_site(id)
    }
}
