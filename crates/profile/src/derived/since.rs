//! The part of a profile between two of its moments: what the later one has more.
//!
//! Counts are cumulative, so what was allocated meanwhile is exact, and so are the deaths that were noticed meanwhile,
//! whenever those objects were born: births and deaths of a time can't be told to belong together. The living are those of the
//! later moment. Not here: which moments there are, which is the stream's (`window`).

use rustc_hash::FxHashMap;

use crate::facts::stack::Stack;
use crate::facts::tally::Tally;
use crate::facts::trust::{Remainder, Trust};
use crate::lifetime::lifetimes::{ByteAges, Lifetimes};
use crate::stream::kinds::Facts;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

impl Profile {
    /// What happened since `earlier`, an older state of the same profile. Rows of which nothing changed, and nothing lives, are
    /// left out. Trust stays that of the whole.
    pub fn since(mut self, earlier: &Self) -> Self {
        // Of a file of several both are times of the whole run.
        let (begins_ms, to_ms) = self.part.during_ms.unwrap_or((0, self.duration_ms));
        let from_ms = earlier.part.during_ms.map_or(earlier.duration_ms, |(_, to_ms)| to_ms).max(begins_ms);
        self.part.during_ms = Some((from_ms, to_ms));
        Facts::default().all().into_iter().for_each(|kind| kind.since(&mut self, earlier));
        let before: FxHashMap<&str, &ClassProfile> =
            earlier.classes.iter().map(|class| (class.name.as_str(), class)).collect();
        self.classes.retain_mut(|class| {
            if let Some(before) = before.get(class.name.as_str()) {
                class.subtract(before);
            }
            !is_idle(class.allocated, class.not_seen_dead(), &class.collected)
        });
        let before: FxHashMap<(&str, &Stack), &SiteProfile> =
            earlier.sites.iter().map(|site| ((site.class.as_str(), &site.stack), site)).collect();
        self.sites.retain_mut(|site| {
            if let Some(before) = before.get(&(site.class.as_str(), &site.stack)) {
                site.subtract(before);
            }
            !is_idle(site.allocated, site.not_seen_dead(), &site.collected)
        });
        self.ranked()
    }
}

impl Profile {
    /// What happened in the time of a file of several, which began at `base`: all is its own, the share of the trust line, too. What was
    /// left out of the following, or could not be rewritten, still is.
    pub(crate) fn since_base(mut self, base: &Self) -> Self {
        self.trust = self.trust.since(&base.trust);
        self.resets = self.resets.saturating_sub(base.resets);
        self.since(base)
    }
}

impl Trust {
    fn since(mut self, before: &Self) -> Self {
        self.accounted_bytes = self.accounted_bytes.saturating_sub(before.accounted_bytes);
        let then = before.jvm_allocated_bytes.unwrap_or(0);
        self.jvm_allocated_bytes = self.jvm_allocated_bytes.map(|now| now.saturating_sub(then));
        for part in &mut self.remainder {
            let then = before.remainder.iter().find(|old| old.is_of_cause(part)).map_or(0, |old| old.bytes);
            part.bytes = part.bytes.saturating_sub(then);
        }
        // A cause that was there before, and is not any more, gave its bytes to others.
        let gone =
            before.remainder.iter().filter(|old| !self.remainder.iter().any(|part| part.is_of_cause(old)));
        let gone: Vec<_> =
            gone.map(|old| Remainder { bytes: 0i64.saturating_sub(old.bytes), ..old.clone() }).collect();
        self.remainder.extend(gone);
        self.remainder.retain(|part| part.bytes != 0);
        self.following = self.following.since(before.following);
        self.cost.cpu_ms = self.cost.cpu_ms.saturating_sub(before.cost.cpu_ms);
        self.cost.rewrite_ms = self.cost.rewrite_ms.saturating_sub(before.cost.rewrite_ms);
        self
    }
}

fn is_idle(allocated: Tally, not_seen_dead: Tally, collected: &[Tally]) -> bool {
    allocated.is_empty() && not_seen_dead.is_empty() && collected.iter().all(Tally::is_empty)
}

impl ClassProfile {
    fn subtract(&mut self, before: &Self) {
        self.allocated = self.allocated.without(before.allocated);
        subtract(&mut self.collected, &before.collected);
        if let (Some(lifetimes), Some(before)) = (&mut self.lifetimes, &before.lifetimes) {
            *lifetimes = std::mem::take(lifetimes).since(before);
        }
        if let (Some(ages), Some(before)) = (&mut self.byte_ages, &before.byte_ages) {
            *ages = std::mem::take(ages).since(before);
        }
    }
}

impl SiteProfile {
    fn subtract(&mut self, before: &Self) {
        self.allocated = self.allocated.without(before.allocated);
        subtract(&mut self.collected, &before.collected);
        self.byte_seconds = (self.byte_seconds - before.byte_seconds).max(0.0);
        if let (Some(lifetimes), Some(before)) = (self.lifetimes.as_deref_mut(), &before.lifetimes) {
            *lifetimes = std::mem::take(lifetimes).since(before);
        }
    }
}

fn subtract(tallies: &mut [Tally], before: &[Tally]) {
    for (tally, &before) in tallies.iter_mut().zip(before) {
        *tally = tally.without(before);
    }
}

impl ByteAges {
    fn since(self, before: &Self) -> Self {
        Self {
            ms: self.ms.since(&before.ms),
            gcs: self.gcs.since(&before.gcs),
            bytes: self.bytes.since(&before.bytes),
        }
    }
}

impl Lifetimes {
    fn since(self, before: &Self) -> Self {
        Self {
            ms: self.ms.since(&before.ms),
            gcs: self.gcs.since(&before.gcs),
            bytes: self.bytes.since(&before.bytes),
            died_before_first_gc: self.died_before_first_gc.saturating_sub(before.died_before_first_gc),
            cohorts: self.cohorts.since(before.cohorts),
        }
    }
}
