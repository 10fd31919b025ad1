//! The lifetimes of a site's followed objects as those of all that was counted there.

use mayfly_profile::{SiteCounts, Tally};

use super::Ledger;

impl Ledger {
    /// A row of a site with the lifetimes of its followed objects, scaled to all of it: not known where none was followed.
    pub fn with_lifetimes(&self, counted: SiteCounts) -> SiteCounts {
        if !self.lifetimes {
            return counted;
        }
        let SiteCounts { id, allocated, error, .. } = counted;
        let Some(tracked) = self.site(id).filter(|tracked| tracked.allocated.objects > 0) else {
            return SiteCounts { live: allocated.is_empty().then_some(allocated), ..counted };
        };
        if tracked.allocated.objects == allocated.objects {
            return SiteCounts { allocated, error, ..tracked };
        }
        scaled(counted, &tracked)
    }
}

fn scaled(counted: SiteCounts, tracked: &SiteCounts) -> SiteCounts {
    let (all, part) = (counted.allocated, tracked.allocated);
    let factor = |dead: u64, of: u64, all: u64| (dead as f64 * all as f64 / of.max(1) as f64).round() as u64;
    let mut left = all;
    let collected = tracked.collected.iter().map(|dead| {
        let scaled = Tally {
            objects: factor(dead.objects, part.objects, all.objects).min(left.objects),
            bytes: factor(dead.bytes, part.bytes, all.bytes).min(left.bytes),
            largest: dead.largest,
        };
        left = left.without(scaled);
        scaled
    });
    let collected = collected.collect();
    let byte_seconds = tracked.byte_seconds * all.bytes as f64 / (part.bytes as f64).max(1.0);
    SiteCounts { live: Some(left), collected, byte_seconds, ..counted }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mayfly_profile::{BucketBounds, SiteId, Tracking};

    use super::*;
    use crate::GcFamily;
    use crate::budget::Budget;

    #[test]
    fn what_is_live_of_a_row_is_unknown_if_none_of_it_was_followed() {
        let budget = Arc::new(Budget::new(1 << 20));
        let every = Tracking::EveryObject;
        let family = GcFamily::StopTheWorld;
        let ledger = Ledger::new(BucketBounds::default(), every, true, family, budget, Arc::default());
        let counted = |allocated| SiteCounts { id: SiteId::of_row(3), allocated, ..SiteCounts::default() };
        let row = ledger.with_lifetimes(counted(Tally::of(500, 16)));
        assert_eq!((row.allocated, row.live), (Tally::of(500, 16), None));
        let ended = ledger.with_lifetimes(counted(Tally::default()));
        assert_eq!(ended.live, Some(Tally::default()), "nothing was made");
    }
}
