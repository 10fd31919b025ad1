//! The state that a stream had at an earlier moment, as what was replaced since: as large as what changed, not as all that is
//! known.
//!
//! Not here: which moments are wanted (`slicing`).

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::estimate::ClassEstimate;
use crate::facts::ids::{ClassId, SiteId};
use crate::facts::share::Share;
use crate::facts::stack::StackIndex;
use crate::facts::tally::Tally;
use crate::lifetime::ages::Ages;
use crate::lifetime::lifetimes::ByteAges;
use crate::lifetime::site_lifetimes::{SiteLifetimes, Spread, Stamp};
use crate::stream::builder::ProfileBuilder;
use crate::stream::dictionary::SiteKey;
use crate::stream::kinds::Facts;
use crate::stream::kinds::operations::Operations;
use crate::stream::update::{ClassCounts, LifetimeCounts, Progress, SiteCounts};
use crate::stream::versions::Replaced;

/// Bytes that a cell of [`SiteLifetimes`] takes, and an interval of ages, about.
const CELL_BYTES: usize = 40;
const INTERVAL_BYTES: usize = 16;

/// Where a stream stands, without its counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moment {
    newest: Progress,
    operations: Operations,
    stamp: Stamp,
}

impl Moment {
    /// Profiled time by then.
    pub(crate) fn ms(&self) -> u64 {
        self.newest.duration_ms
    }
}

/// A moment, and the counts that were replaced since.
#[derive(Debug)]
pub(crate) struct Earlier {
    moment: Moment,
    classes: Replaced<ClassId, ClassCounts>,
    sites: Replaced<SiteId, SiteCounts>,
    estimates: Replaced<ClassId, ClassEstimate>,
    ages: Replaced<ClassId, ByteAges>,
    shares: Replaced<ClassId, Share>,
    between_samples: (Replaced<ClassId, u64>, Replaced<SiteId, u64>),
    lifetimes: Replaced<SiteId, (Stamp, SiteLifetimes)>,
}

impl ProfileBuilder {
    /// A builder that keeps what is replaced, until it is taken.
    pub(crate) fn keeping_replaced() -> Self {
        let mut builder = Self::default();
        builder.facts.counts.classes.keep_replaced();
        builder.facts.counts.sites.keep_replaced();
        builder.facts.counts.estimates.keep_replaced();
        builder.facts.lifetimes.classes.keep_replaced();
        builder.facts.shares.keep_replaced();
        builder.facts.between_samples.classes.keep_replaced();
        builder.facts.between_samples.sites.keep_replaced();
        builder.facts.lifetimes.sites.keep_replaced();
        builder
    }

    /// Where the stream stands.
    pub(crate) fn moment(&self) -> Moment {
        let Facts { counts, operations, lifetimes, .. } = &self.facts;
        Moment { newest: counts.newest.clone(), operations: *operations, stamp: lifetimes.stamp }
    }

    /// How things were at this moment, the one when this was asked the last time, or the begin.
    pub(crate) fn as_of(&mut self, moment: Moment) -> Earlier {
        Earlier {
            moment,
            classes: self.facts.counts.classes.take_replaced(),
            sites: self.facts.counts.sites.take_replaced(),
            estimates: self.facts.counts.estimates.take_replaced(),
            ages: self.facts.lifetimes.classes.take_replaced(),
            shares: self.facts.shares.take_replaced(),
            between_samples: (
                self.facts.between_samples.classes.take_replaced(),
                self.facts.between_samples.sites.take_replaced(),
            ),
            lifetimes: self.facts.lifetimes.sites.take_replaced(),
        }
    }

    /// Goes back to that moment, the latest one that was not gone back to yet; done again, it goes forward again.
    pub(crate) fn exchange(&mut self, earlier: &mut Earlier) {
        let moment = self.moment();
        let then = std::mem::replace(&mut earlier.moment, moment);
        (self.facts.counts.newest, self.facts.operations) = (then.newest, then.operations);
        self.facts.lifetimes.stamp = then.stamp;
        self.facts.counts.classes.exchange(&mut earlier.classes);
        self.facts.counts.sites.exchange(&mut earlier.sites);
        self.facts.counts.estimates.exchange(&mut earlier.estimates);
        self.facts.lifetimes.classes.exchange(&mut earlier.ages);
        self.facts.shares.exchange(&mut earlier.shares);
        self.facts.between_samples.classes.exchange(&mut earlier.between_samples.0);
        self.facts.between_samples.sites.exchange(&mut earlier.between_samples.1);
        self.facts.lifetimes.sites.exchange(&mut earlier.lifetimes);
    }

    /// Takes the stacks of all sites but so many of those with most bytes for none: of a class these are then one, without
    /// frames. What ids stood for before, if there were more.
    pub(crate) fn without_small_stacks(&mut self, most: usize) -> Option<Vec<(SiteId, usize)>> {
        let mut bytes: FxHashMap<usize, u64> = FxHashMap::default();
        for counts in self.facts.counts.sites.values() {
            if let Some(index) = self.names.sites.index(counts.id) {
                let sum = bytes.entry(index).or_default();
                *sum = sum.saturating_add(counts.allocated.bytes);
            }
        }
        if bytes.len() <= most {
            return None;
        }
        let mut order: Vec<_> = bytes.into_iter().map(|(index, bytes)| (Reverse(bytes), index)).collect();
        order.sort_unstable();
        let kept: FxHashSet<_> = order.into_iter().take(most).map(|(_, index)| index).collect();
        let before = self.names.sites.ids();
        for &(id, index) in &before {
            if let (false, Some(key)) = (kept.contains(&index), self.names.sites.value(index)) {
                let without_frames = SiteKey { class: key.class, stack: StackIndex::NONE };
                self.names.sites.set(id, without_frames);
            }
        }
        Some(before)
    }
}

impl Earlier {
    /// This moment still, after what was replaced since a later one was added.
    pub(crate) fn absorb(&mut self, later: Self) {
        self.classes.absorb(later.classes);
        self.sites.absorb(later.sites);
        self.estimates.absorb(later.estimates);
        self.ages.absorb(later.ages);
        self.shares.absorb(later.shares);
        self.between_samples.0.absorb(later.between_samples.0);
        self.between_samples.1.absorb(later.between_samples.1);
        self.lifetimes.absorb(later.lifetimes);
    }

    /// How much memory it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        let cells = |spread: &Spread| spread.len() * CELL_BYTES;
        let tallies = |buckets: &[Tally]| size_of_val(buckets);
        let intervals = |[ms, gcs, bytes]: [&Ages; 3]| (ms.len() + gcs.len() + bytes.len()) * INTERVAL_BYTES;
        let classes = self.classes.bytes(|counts| {
            counts.lifetimes.as_ref().map_or(0, |LifetimeCounts { collected, lifetimes, .. }| {
                tallies(collected) + intervals([&lifetimes.ms, &lifetimes.gcs, &lifetimes.bytes])
            })
        });
        let ages = self.ages.bytes(|ages| intervals([&ages.ms, &ages.gcs, &ages.bytes]));
        let sites = self.sites.bytes(|counts| tallies(&counts.collected));
        let lifetimes = self.lifetimes.bytes(|(_, lifetimes)| cells(&lifetimes.ms) + cells(&lifetimes.bytes));
        let between = self.between_samples.0.bytes(|_| 0) + self.between_samples.1.bytes(|_| 0);
        let of_classes = self.estimates.bytes(|_| 0) + self.shares.bytes(|_| 0);
        classes + ages + sites + lifetimes + between + of_classes
    }
}
