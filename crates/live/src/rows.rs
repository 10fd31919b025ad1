//! Rows of the tables: a class or a site, what it allocates now, and what became of it since a mark.
//!
//! Not here: their order (`table`), their text (`view/tables`).

use std::cell::OnceCell;

use mayfly_profile::measures::{BYTE_SECONDS, LIVE_BYTES, P50_S, RANK_BYTES};
use mayfly_profile::{ClassProfile, MEASURES, Measure, Needs, SiteProfile};
use mayfly_report::Median;

/// What a table can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Column {
    Rate,
    Of(&'static Measure),
}

impl Column {
    /// In the order in which they are gone through.
    pub(crate) fn all() -> Vec<Self> {
        let mut measures: Vec<_> = MEASURES.iter().filter(|measure| measure.in_view.is_some()).collect();
        measures.sort_by_key(|measure| measure.in_view);
        std::iter::once(Self::Rate).chain(measures.into_iter().map(|&measure| Self::Of(measure))).collect()
    }

    /// Whether a table has it: what deaths tell only where they are followed, what sites do not know of classes alone.
    pub(crate) fn is_in(self, sites: bool, lifetimes: bool) -> bool {
        let Self::Of(measure) = self else { return true };
        let of_sites = *measure == P50_S || Numbers::default().of(measure).is_some();
        (lifetimes || measure.needs == Needs::Counts) && (of_sites || !sites)
    }
}

/// Numbers at the moment of the mark.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Numbers {
    pub(crate) allocated: u64,
    pub(crate) live: u64,
    pub(crate) byte_seconds: f64,
}

impl Numbers {
    /// The measures of which a row keeps how much there was at the mark.
    pub(crate) fn of(&self, measure: &Measure) -> Option<f64> {
        let kept = [
            (&RANK_BYTES, self.allocated as f64),
            (&LIVE_BYTES, self.live as f64),
            (&BYTE_SECONDS, self.byte_seconds),
        ];
        kept.into_iter().find(|(of, _)| *of == measure).map(|(_, number)| number)
    }
}

/// What a row did over time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// Bytes allocated per second.
    pub(crate) rate: u64,
    /// Bytes allocated when the rate was last begun to be measured.
    pub(crate) before: u64,
    pub(crate) marked: Numbers,
}

/// A class.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassRow {
    /// Where it is in the profile; `None` if a reset has emptied it.
    pub(crate) at: Option<usize>,
    pub(crate) now: Numbers,
    pub(crate) pace: Pace,
    /// Looked for only where it is shown, or ranked by: it costs more than all else.
    median: OnceCell<Option<Median>>,
}

impl ClassRow {
    /// The median lifetime of its class.
    pub(crate) fn median(&self, class: &ClassProfile) -> Option<Median> {
        *self.median.get_or_init(|| class.lifetimes.as_ref().and_then(Median::of))
    }

    /// Lifetimes are others than they were.
    pub(crate) fn forget_median(&mut self) {
        self.median.take();
    }
}

/// A site.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteRow {
    /// Class and stack are left empty: they are the stream's.
    pub(crate) counts: SiteProfile,
    pub(crate) pace: Pace,
}

impl SiteRow {
    pub(crate) fn now(&self) -> Numbers {
        Numbers {
            allocated: self.counts.allocated.bytes,
            live: self.counts.live.map_or(0, |live| live.bytes),
            byte_seconds: self.counts.byte_seconds,
        }
    }

    /// The lifetime bucket in which half of its objects are gone; `None` if half of them live, or nothing is known.
    pub(crate) fn median_bucket(&self) -> Option<usize> {
        let dead = self.counts.collected.iter().map(|tally| tally.objects);
        let all = dead.clone().fold(self.counts.live?.objects, u64::saturating_add);
        let mut gone = 0u64;
        dead.enumerate()
            .find(|(_, objects)| {
                gone = gone.saturating_add(*objects);
                *objects > 0 && gone >= all.div_ceil(2)
            })
            .map(|(bucket, _)| bucket)
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::Tally;

    use super::*;

    fn site(live: u64, collected: &[u64]) -> SiteRow {
        let collected = collected.iter().map(|&objects| Tally::of(objects, 16)).collect();
        let counts = SiteProfile { live: Some(Tally::of(live, 16)), collected, ..SiteProfile::default() };
        SiteRow { counts, ..SiteRow::default() }
    }

    #[test]
    fn the_median_of_a_site_is_a_bucket() {
        assert_eq!(site(0, &[1, 1, 8]).median_bucket(), Some(2));
        assert_eq!(site(1, &[2, 1, 0]).median_bucket(), Some(0));
        assert_eq!(site(5, &[2, 2, 0]).median_bucket(), None);
        assert_eq!(site(0, &[0, 0]).median_bucket(), None);
        assert_eq!(SiteRow::default().median_bucket(), None);
    }
}
