//! What code could do, site by site: what dies just after promotion, what could be pooled, what needs regions of its own, and what
//! is not worth a thought because the JIT compiler removes it.

use std::cmp::Reverse;

use mayfly_profile::{Profile, SiteProfile, Stack};

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

/// A site that makes many large objects of one size, of which few live at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Their class.
    pub class: String,
    /// Innermost frame first.
    pub stack: Stack,
    /// Objects made.
    pub objects: u64,
    /// Of so many bytes each.
    pub size: u64,
    /// How many live at once, on average: for sure, and at most, as what waits for its first collection may be dead.
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

/// Sites whose objects could be used again.
pub fn pools(profile: &Profile) -> Vec<Pool> {
    let (all, bounds) = (profile.allocated_bytes_of_all().max(1) as f64, profile.site_bounds());
    let site = |site: &SiteProfile| {
        let (tally, lifetimes) = (site.allocated, site.lifetimes.as_ref()?);
        let of_one_size = tally.bytes as f64 >= ONE_SIZE * tally.objects.saturating_mul(tally.largest) as f64;
        let large = of_one_size && tally.largest >= WORTH_POOLING;
        let share = site.allocated_at_most(&bounds) as f64 / all;
        if !large || share < LEAST_SHARE {
            return None;
        }
        let (from, to) = lifetimes.byte_seconds();
        let seconds = (profile.duration_ms as f64 / 1000.0).max(1e-3);
        // Little's law.
        let of = |byte_seconds: f64| byte_seconds / seconds / tally.largest as f64;
        let at_once = (of(from), of(to));
        // Bytes are known better than objects, which are fitted to those of all sizes of the class.
        let objects = tally.bytes.div_ceil(tally.largest);
        let used = objects as f64 / f64::midpoint(at_once.0, at_once.1).max(1.0);
        let pool = || Pool {
            class: site.class.clone(),
            stack: site.stack.clone(),
            objects,
            size: tally.largest,
            at_once,
            share,
        };
        (used >= USES).then(pool)
    };
    let mut found: Vec<_> = profile.sites.iter().filter_map(site).collect();
    found.sort_by_key(|pool| Reverse(pool.objects.saturating_mul(pool.size)));
    found.truncate(ROWS);
    found
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
