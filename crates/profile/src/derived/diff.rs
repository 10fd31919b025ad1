//! What changed from one profile to another, row by row.
//!
//! Compared is what both know, by the rules of merging (`merge`): common buckets only; no deaths, stacks or sites which one of
//! them did not follow. A class or site that one of them does not have counts as zero there. Numbers are not scaled to the
//! times that the profiles took, which are stated. Rows in which nothing changed are left out.

use std::collections::HashMap;
use std::hash::Hash;

use crate::facts::run::RunInfo;
use crate::facts::stack::Stack;
use crate::facts::tally::Tally;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// What changed between two profiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileDiff {
    /// The facts that hold for both runs.
    pub run: RunInfo,
    /// Profiled time, first of the earlier profile, in milliseconds.
    pub durations_ms: (u64, u64),
    /// Classes that changed, by allocated bytes: what changed most first.
    pub classes: Vec<ClassDiff>,
    /// Sites that changed, in the same order; empty unless both took stacks.
    pub sites: Vec<SiteDiff>,
}

/// What changed of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassDiff {
    /// As `Class.getName()` gives it.
    pub name: String,
    /// What changed of it.
    pub change: RowChange,
}

/// What changed of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteDiff {
    /// Class of the allocated objects.
    pub class: String,
    /// Innermost frame first.
    pub stack: Stack,
    /// What changed of it.
    pub change: RowChange,
}

/// What changed of one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowChange {
    /// Of all objects allocated.
    pub allocated: Change,
    /// Of those not yet seen dead; `None` if one profile does not know them.
    pub live: Option<Change>,
    /// Of those seen dead, per common bucket; empty if one profile does not know them.
    pub collected: Vec<Change>,
}

/// So much more (above zero) or less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Number of objects.
    pub objects: i128,
    /// Their bytes.
    pub bytes: i128,
}

impl Change {
    /// From one number to another.
    pub fn between(before: Tally, after: Tally) -> Self {
        Self {
            objects: i128::from(after.objects) - i128::from(before.objects),
            bytes: i128::from(after.bytes) - i128::from(before.bytes),
        }
    }

    /// Whether nothing changed.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

impl RowChange {
    fn between(before: Option<&Counts<'_>>, after: Option<&Counts<'_>>) -> Self {
        let tally = |of: fn(&Counts<'_>) -> Tally| {
            Change::between(before.map(of).unwrap_or_default(), after.map(of).unwrap_or_default())
        };
        let known = [before, after].iter().flatten().all(|counts| counts.live.is_some());
        let dead = |counts: Option<&Counts<'_>>, bucket: usize| {
            counts.and_then(|counts| counts.collected.get(bucket)).copied().unwrap_or_default()
        };
        let buckets = [before, after].iter().flatten().map(|counts| counts.collected.len()).max();
        let bucket = |bucket| Change::between(dead(before, bucket), dead(after, bucket));
        Self {
            allocated: tally(|counts| counts.allocated),
            live: known.then(|| tally(|counts| counts.live.unwrap_or_default())),
            collected: if known { (0..buckets.unwrap_or(0)).map(bucket).collect() } else { Vec::new() },
        }
    }

    /// Whether nothing changed that both know.
    pub fn is_none(&self) -> bool {
        let mut changes = std::iter::once(&self.allocated).chain(self.live.as_ref()).chain(&self.collected);
        changes.all(|change| change.is_none())
    }

    /// What rows are put in order by: allocated bytes, then those still alive.
    fn size(&self) -> (u128, u128) {
        (self.allocated.bytes.unsigned_abs(), self.live.unwrap_or_default().bytes.unsigned_abs())
    }
}

impl Profile {
    /// What changed since `before`.
    pub fn diff(&self, before: &Self) -> ProfileDiff {
        let (run, trust) = (self.run.both(&before.run), self.trust.both(&before.trust));
        let [old, new] = [before, self].map(|profile| profile.clone().reduced(&run, &trust));
        let class = |class: &ClassProfile| class.name.clone();
        let mut classes: Vec<_> = changes(&old.classes, &new.classes, class, class_counts)
            .map(|(name, change)| ClassDiff { name, change })
            .collect();
        classes.sort_by(|a, b| b.change.size().cmp(&a.change.size()).then_with(|| a.name.cmp(&b.name)));
        let site = |site: &SiteProfile| (site.class.clone(), site.stack.clone());
        let mut sites: Vec<_> = changes(&old.sites, &new.sites, site, site_counts)
            .map(|((class, stack), change)| SiteDiff { class, stack, change })
            .collect();
        sites.sort_by(|a, b| {
            let by_size = b.change.size().cmp(&a.change.size());
            by_size.then_with(|| (&a.class, &a.stack).cmp(&(&b.class, &b.stack)))
        });
        ProfileDiff { run, durations_ms: (before.duration_ms, self.duration_ms), classes, sites }
    }
}

/// The counts that classes and sites have in common.
struct Counts<'a> {
    allocated: Tally,
    live: Option<Tally>,
    collected: &'a [Tally],
}

fn class_counts(class: &ClassProfile) -> Counts<'_> {
    Counts { allocated: class.allocated, live: class.live, collected: &class.collected }
}

fn site_counts(site: &SiteProfile) -> Counts<'_> {
    Counts { allocated: site.allocated, live: site.live, collected: &site.collected }
}

/// The rows of either that changed, by key.
fn changes<'a, T, K: Hash + Eq>(
    before: &'a [T],
    after: &'a [T],
    key: impl Fn(&T) -> K,
    counts: impl Fn(&'a T) -> Counts<'a>,
) -> impl Iterator<Item = (K, RowChange)> {
    let mut rows: HashMap<K, [Option<Counts<'a>>; 2]> = HashMap::new();
    for (which, side) in [before, after].into_iter().enumerate() {
        for row in side {
            rows.entry(key(row)).or_default()[which] = Some(counts(row));
        }
    }
    rows.into_iter()
        .map(|(key, [before, after])| (key, RowChange::between(before.as_ref(), after.as_ref())))
        .filter(|(_, change)| !change.is_none())
}
