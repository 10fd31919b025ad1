//! What code could do, site by site: what dies just after promotion, what could be pooled, what needs regions of its own, and what
//! is not worth a thought because the JIT compiler removes it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mayfly_profile::{Frame, Profile, SiteLifetimes, SiteProfile, Stack};

use super::predict::Young;

/// Rows of each list.
const ROWS: usize = 5;
/// Rows with less than this share of all bytes are left out.
const LEAST_SHARE: f64 = 0.01;
/// Died so soon after promotion: within so many times the age at which they were promoted.
const JUST_AFTER: f64 = 4.0;
/// Objects smaller than this are made faster than they are found in a pool.
const WORTH_POOLING: u64 = 4 << 10;
/// Objects of at least this share of the largest one's size are of one size: what samples say of both is rounded.
const ONE_SIZE: f64 = 0.95;
/// A pool has to be used so often.
const USES: f64 = 20.0;

/// A site whose objects die just after promotion.
#[derive(Clone, Debug, PartialEq)]
pub struct Premature {
    /// Their class.
    pub class: String,
    /// Innermost frame first.
    pub stack: Stack,
    /// Bytes that died between one and four times the age of promotion.
    pub bytes: u64,
}

/// A line that makes many large objects of one size, of which few live at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Their class.
    pub class: String,
    /// Innermost frame first: that by which most are made.
    pub stack: Stack,
    /// Objects made.
    pub objects: u64,
    /// Of so many bytes each.
    pub size: u64,
    /// How many live at once, on average: for sure, and about.
    pub at_once: (f64, f64),
    /// Their share of all bytes.
    pub share: f64,
}

/// A class with objects of half a region of G1 or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Humongous {
    /// The class.
    pub class: String,
    /// Bytes of its largest object.
    pub largest: u64,
    /// From which sites it is allocated, most bytes first.
    pub stacks: Vec<Stack>,
}

/// A class whose objects the JIT compiler removes.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// The class.
    pub class: String,
    /// Bytes executed.
    pub executed: u64,
    /// Bytes of these that were allocated.
    pub allocated: u64,
}

/// Sites whose objects die just after they were promoted by `young` at `threshold`.
pub fn premature(profile: &Profile, young: Young, threshold: f64) -> Vec<Premature> {
    let promoted_at = young.eden as f64 * (threshold + 0.5);
    let least = least_bytes(profile);
    let site = |site: &SiteProfile| {
        let lifetimes = site.lifetimes.as_ref()?;
        let dead = lifetimes.bytes.dead().filter(|&(after, by, _)| {
            let died = if by == u64::MAX { after as f64 } else { f64::midpoint(after as f64, by as f64) };
            (promoted_at..promoted_at * JUST_AFTER).contains(&died)
        });
        let bytes: u64 = dead.map(|(_, _, load)| load.bytes).sum();
        (bytes as f64 >= least).then(|| Premature {
            class: site.class.clone(),
            stack: site.stack.clone(),
            bytes,
        })
    };
    let mut found: Vec<_> = profile.sites.iter().filter_map(site).collect();
    found.sort_by_key(|site| Reverse(site.bytes));
    found.truncate(ROWS);
    found
}

/// Lines whose objects could be used again.
pub fn pools(profile: &Profile) -> Vec<Pool> {
    let (all, bounds) = (profile.allocated_bytes_of_all().max(1) as f64, profile.site_bounds());
    let seconds = (profile.duration_ms as f64 / 1000.0).max(1e-3);
    let mut lines: BTreeMap<(&str, u64, Option<&Frame>), Line<'_>> = BTreeMap::new();
    for site in &profile.sites {
        let (tally, Some(lifetimes)) = (site.allocated, site.lifetimes.as_ref()) else { continue };
        let of_one_size = tally.bytes as f64 >= ONE_SIZE * tally.objects.saturating_mul(tally.largest) as f64;
        if of_one_size && tally.largest >= WORTH_POOLING {
            let line = (&*site.class, tally.largest, site.stack.maker_frame());
            lines.entry(line).or_default().add(site, lifetimes, site.allocated_at_most(&bounds));
        }
    }
    let pool = |((class, size, _), line): ((&str, u64, _), Line<'_>)| {
        let share = line.at_most as f64 / all;
        // Bytes are known better than objects, which are fitted to those of all sizes of the class.
        let objects = line.bytes.div_ceil(size);
        let at_once = line.at_once(size, seconds);
        let used = objects as f64 / at_once.1.max(1.0);
        (share >= LEAST_SHARE && used >= USES).then(|| Pool {
            class: class.to_owned(),
            stack: line.most.map_or(Stack::NONE, |site| site.stack.clone()),
            objects,
            size,
            at_once,
            share,
        })
    };
    let mut found: Vec<_> = lines.into_iter().filter_map(pool).collect();
    found.sort_by_key(|pool| Reverse(pool.objects.saturating_mul(pool.size)));
    found.truncate(ROWS);
    found
}

/// Sites at which one line makes large objects of one class and size.
#[derive(Default)]
struct Line<'p> {
    bytes: u64,
    /// With those that were made where no site was seen.
    at_most: u64,
    /// The site that makes most.
    most: Option<&'p SiteProfile>,
    /// How long they lived, in byte-seconds: at least and at most.
    byte_seconds: (f64, f64),
    /// Of those that were followed: all, and those that a collection found alive.
    followed: (u64, u64),
}

impl<'p> Line<'p> {
    fn add(&mut self, site: &'p SiteProfile, lifetimes: &SiteLifetimes, at_most: u64) {
        self.bytes += site.allocated.bytes;
        self.at_most += at_most;
        if self.most.is_none_or(|most| site.allocated.bytes > most.allocated.bytes) {
            self.most = Some(site);
        }
        let (from, to) = lifetimes.byte_seconds();
        self.byte_seconds = (self.byte_seconds.0 + from, self.byte_seconds.1 + to);
        let found = lifetimes.survived.objects;
        self.followed = (self.followed.0 + found + lifetimes.died_young.objects, self.followed.1 + found);
    }

    /// By Little's law: for sure, and about. Of objects that live for less than the time between two collections, as many as live at once are there at each. If
    /// none was, one may be.
    fn at_once(&self, size: u64, seconds: f64) -> (f64, f64) {
        let of = |byte_seconds: f64| byte_seconds / seconds / size.max(1) as f64;
        let (sure, most) = (of(self.byte_seconds.0), of(self.byte_seconds.1));
        let (all, found) = self.followed;
        let alive = (found.max(1)) as f64 / all.max(1) as f64;
        (sure, (2.0 * alive * most).clamp(sure, most.max(sure)))
    }
}

/// Classes with objects of half a region of so many bytes, or more, largest first.
pub fn humongous(profile: &Profile, region: u64) -> Vec<Humongous> {
    let large = profile.classes.iter().filter(|class| class.allocated.largest >= region / 2);
    let mut found: Vec<_> = large
        .map(|class| {
            let sites = profile.sites.iter().filter(|site| site.class == class.name);
            let sites = sites.filter(|site| site.allocated.largest >= region / 2);
            Humongous {
                class: class.name.clone(),
                largest: class.allocated.largest,
                stacks: sites.take(2).map(|site| site.stack.clone()).collect(),
            }
        })
        .collect();
    found.sort_by_key(|class| Reverse(class.largest));
    found.truncate(ROWS);
    found
}

/// Classes that are not worth optimising, as the JIT compiler does it, most bytes first.
pub fn removed(profile: &Profile) -> Vec<Removed> {
    let least = least_bytes(profile);
    let mut found: Vec<_> = profile
        .removed_by_jit()
        .map(|(class, _)| Removed {
            class: class.name.clone(),
            executed: class.allocated.bytes,
            allocated: profile.allocated_bytes(class),
        })
        .filter(|class| (class.executed - class.allocated) as f64 >= least)
        .collect();
    found.sort_by_key(|class| Reverse(class.executed - class.allocated));
    found.truncate(ROWS);
    found
}

fn least_bytes(profile: &Profile) -> f64 {
    LEAST_SHARE * profile.allocated_bytes_of_all() as f64
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Load, Tally};

    use super::*;

    /// "757 of byte[] by Json.buffer, 7 % of all", and nothing in another run: of one line with three callers, between collections that were seven
    /// seconds apart.
    #[test]
    fn what_one_line_makes_is_one_pool_however_long_it_waits_for_a_collection() {
        const SIZE: u64 = 48 << 10;
        let frame = |class: &str, line| Frame {
            class: class.into(),
            method: "m".into(),
            file: None,
            line: Some(line),
        };
        let site = |caller: u32, objects: u64, survived: u64| {
            let mut lifetimes = SiteLifetimes {
                died_young: Tally::of(objects - survived, SIZE),
                survived: Tally::of(survived, SIZE),
                ..SiteLifetimes::default()
            };
            let bytes = objects * SIZE;
            lifetimes.ms.record_dead(0, 7_000, Load { objects, bytes, byte_ms: (0, bytes * 3_500) });
            SiteProfile {
                class: "[B".into(),
                stack: [frame("java.lang.StringBuilder", 88), frame("a.Json", 35), frame("a.Api", caller)]
                    .into_iter()
                    .collect(),
                allocated: Tally::of(objects, SIZE),
                lifetimes: Some(lifetimes.into()),
                ..SiteProfile::default()
            }
        };
        let profile = |survived| Profile {
            duration_ms: 40_000,
            sites: vec![site(51, 300, 0), site(46, 500, survived), site(53, 200, 0)],
            ..Profile::default()
        };
        let found = pools(&profile(0));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].objects, found[0].size), (1_000, SIZE));
        assert_eq!(found[0].stack.iter().last().and_then(|frame| frame.line), Some(46), "that makes most");
        assert!(found[0].at_once.1 < 1.0, "{:?}", found[0].at_once);
        assert_eq!(pools(&profile(400)), [], "many live at once");
    }
}
