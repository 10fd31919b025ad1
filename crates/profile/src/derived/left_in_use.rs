//! What the last collections left in use, with their moment and kind: a young one leaves the garbage of the old generation.
//!
//! Not here: the curve over time ([`Point::live`]), and what is live of tracked objects.
//!
//! [`Point::live`]: crate::stream::point::Point::live

use crate::facts::collection::{Collection, GcKind};
use crate::stream::profile::Profile;

/// Bytes of the heap in use after a collection, as the JVM says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftInUse {
    /// So many.
    pub bytes: u64,
    /// When the collection began, in milliseconds of the profiled time.
    pub at_ms: u64,
    /// What it did.
    pub kind: GcKind,
}

impl LeftInUse {
    /// Whether garbage of the old generation is in it, so that less may be live.
    pub fn is_at_most(&self) -> bool {
        self.kind != GcKind::Full
    }
}

impl Profile {
    /// The end of the curve of what collections left; `None` where it does not come from the JVM, or not from a collection that is known.
    pub fn last_left(&self) -> Option<LeftInUse> {
        let curve_ends = self.history.iter().rev().find_map(|point| point.live)?;
        self.left_by_the_last().filter(|left| left.bytes == curve_ends)
    }

    /// What the last collection left of which the JVM says it.
    pub fn left_by_the_last(&self) -> Option<LeftInUse> {
        self.left_by(|_| true)
    }

    /// What the last collection of the whole heap left.
    pub fn last_left_in_full(&self) -> Option<LeftInUse> {
        self.left_by(|kind| kind == GcKind::Full)
    }

    fn left_by(&self, kind: impl Fn(GcKind) -> bool) -> Option<LeftInUse> {
        let gc = self.run.jvm.gc;
        let left = |one: &Collection| {
            Some(LeftInUse { bytes: one.used_after(gc)?, at_ms: one.at_ms, kind: one.kind })
        };
        self.collections.iter().rev().filter(|one| kind(one.kind)).find_map(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::collection::GenerationUse;
    use crate::facts::gc::Gc;
    use crate::stream::point::Point;

    #[test]
    fn what_a_young_collection_left_is_at_most_what_lives() {
        let gc = |kind, at_ms, after| {
            let old = Some(GenerationUse { before: None, after, capacity: None });
            Collection { kind, at_ms, old, ..Collection::default() }
        };
        let mut profile = Profile {
            collections: vec![
                gc(GcKind::Full, 3_000, 5),
                gc(GcKind::Young, 9_000, 60),
                gc(GcKind::MarkEnd, 9_500, 70),
            ],
            history: vec![Point { span_ms: 10_000, live: Some(60), ..Point::default() }],
            ..Profile::default()
        };
        profile.run.jvm.gc = Gc::G1;
        let young = LeftInUse { bytes: 60, at_ms: 9_000, kind: GcKind::Young };
        let full = LeftInUse { bytes: 5, at_ms: 3_000, kind: GcKind::Full };
        assert_eq!((profile.last_left(), profile.last_left_in_full()), (Some(young), Some(full)));
        assert!(young.is_at_most() && !full.is_at_most());
        // The curve is of tracked objects, as with ZGC.
        profile.run.jvm.gc = Gc::Zgc;
        assert_eq!((profile.last_left(), profile.last_left_in_full()), (None, None));
        profile.run.jvm.gc = Gc::G1;
        profile.history[0].live = Some(61);
        assert_eq!(profile.last_left(), None, "of a part whose last collection is another");
    }
}
