//! What leaks by a recording alone: survivors of every age.
//!
//! The end of a recording tells more than its steps: before a full collection has looked, objects that are long dead count as
//! live. Those that are alive after the last one, by when they were born, are the growth that is there to stay. Who holds them
//! is in no recording.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mayfly_profile::{ClassProfile, Profile, SiteProfile, Spread, Stack, Tally, is_of_the_jdk};

use super::shape::Shape;
use super::suspicion::Suspicion;
use crate::counted::Picked;
use crate::grounds::distrust;

/// Collections from which on survivors have ages to speak of.
const COLLECTIONS: u32 = 8;
/// Bytes lately kept that are too few to speak of, and the share of all that is live.
const LEAST_BYTES: f64 = 8192.0;
const LEAST_SHARE: f64 = 0.001;
/// Half as many soft references lately kept: a cache that the collector empties.
const SOFT: f64 = 0.5;
const SOFT_REFERENCE: &str = "java.lang.ref.SoftReference";
/// Of the dead of a site so many are taken for typical; of its living, so many have to be older than they became.
const MOST_DEAD: f64 = 0.9;
const FLAT: f64 = 0.25;

/// What allocates objects that stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Keeper {
    /// The first frame that is no part of the JDK, as `class.method`; `None` where no stacks were recorded.
    pub method: Option<String>,
    /// The objects, most bytes first.
    pub kept: Vec<Kept>,
    /// The worst of them.
    pub suspicion: Suspicion,
}

/// Objects of one class that stay, allocated by one keeper.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Their class.
    pub class: String,
    /// Where they are allocated; empty without stacks. Innermost frame first.
    pub stack: Stack,
    /// All that are live at the end.
    pub live: Tally,
    /// Bytes of those that were born in the second half.
    pub late_bytes: f64,
    /// When they were born.
    pub shape: Shape,
    /// What is held of them.
    pub suspicion: Suspicion,
}

impl Keeper {
    /// Bytes of all that was born in the second half and is kept.
    pub fn late_bytes(&self) -> f64 {
        self.kept.iter().map(|kept| kept.late_bytes).sum()
    }
}

/// Who keeps more and more, leaks first, then by bytes kept lately. Harmless ones are left out.
///
/// # Errors
/// Why it can't be told.
pub fn recorded(profile: &Profile, trust: f64) -> Result<Vec<Keeper>, String> {
    if !profile.run.lifetimes {
        return Err("no lifetimes were recorded".to_owned());
    }
    if let Some(why) = distrust(profile, trust) {
        return Err(why);
    }
    if profile.gcs < COLLECTIONS {
        return Err(format!(
            "{} collections are too few to tell what stays from what was not looked at yet: record for longer, or with \
             #gc-every-64m",
            profile.gcs
        ));
    }
    let judged = Judged::new(profile);
    let classes: Vec<Kept> = profile.classes.iter().filter_map(|class| judged.class(class)).collect();
    let mut keepers: BTreeMap<Option<String>, Vec<Kept>> = BTreeMap::new();
    if profile.run.stacks && profile.sites.iter().any(|site| site.fates.is_some()) {
        for site in &profile.sites {
            let class = classes.iter().find(|class| class.class == site.class);
            let kept = class.and_then(|class| judged.site(site, class));
            keepers.entry(charged(&site.stack)).or_default().extend(kept);
        }
    } else {
        keepers.extend(classes.into_iter().map(|kept| (Some(kept.class.clone()), vec![kept])));
    }
    let mut found: Vec<_> = keepers.into_iter().filter_map(|(method, kept)| keeper(method, kept)).collect();
    found.sort_by(|a, b| {
        let rank = |keeper: &Keeper| keeper.suspicion.rank();
        rank(a).cmp(&rank(b)).then_with(|| b.late_bytes().total_cmp(&a.late_bytes()))
    });
    if !profile.run.stacks {
        found.iter_mut().for_each(|keeper| keeper.method = None);
    }
    Ok(found)
}

fn keeper(method: Option<String>, mut kept: Vec<Kept>) -> Option<Keeper> {
    kept.sort_by_key(|kept| (kept.suspicion.rank(), Reverse(kept.late_bytes as u64)));
    let suspicion = kept.first()?.suspicion.clone();
    kept.retain(|kept| kept.suspicion.rank() == suspicion.rank());
    Some(Keeper { method, kept, suspicion })
}

/// The first frame that is not the JDK's; else the innermost.
fn charged(stack: &Stack) -> Option<String> {
    let frame = stack.iter().find(|frame| !is_of_the_jdk(&frame.class)).or(stack.first())?;
    Some(format!("{}.{}", frame.class, frame.method))
}

/// What all rows of a profile are judged by.
struct Judged<'a> {
    profile: &'a Profile,
    /// The oldest age on the clock of allocated bytes.
    whole_bytes: f64,
    /// Soft references of the second half.
    soft: f64,
    least_bytes: f64,
    picked: Picked,
}

impl<'a> Judged<'a> {
    fn new(profile: &'a Profile) -> Self {
        let ages = profile.classes.iter().filter_map(|class| class.lifetimes.as_ref());
        let oldest = ages.flat_map(|known| known.bytes.living().map(|(age, _)| age)).max().unwrap_or(0);
        let live: u64 = profile.classes.iter().filter_map(|class| class.live).map(|live| live.bytes).sum();
        let mut judged = Self {
            profile,
            whole_bytes: oldest.max(1) as f64,
            soft: 0.0,
            least_bytes: LEAST_BYTES.max(live as f64 * LEAST_SHARE),
            picked: Picked::tracked(profile),
        };
        let soft = profile.classes.iter().filter(|class| class.name == SOFT_REFERENCE);
        judged.soft = soft.map(|class| judged.shape_of_class(class)).map(|s| s.recent + s.middle).sum();
        judged
    }

    fn shape_of_class(&self, class: &ClassProfile) -> Shape {
        let Some(known) = &class.lifetimes else { return Shape::default() };
        let dead = known.gcs.deaths().map(|(after, _, number)| (after, number));
        Shape::of(f64::from(self.profile.gcs), known.gcs.living(), dead)
    }

    /// `None` if it is harmless, or too little.
    fn class(&self, class: &ClassProfile) -> Option<Kept> {
        let (live, shape) = (class.live.unwrap_or_default(), self.shape_of_class(class));
        let late_bytes = live.bytes as f64 * shape.late_share();
        let size = live.bytes as f64 / live.objects.max(1) as f64;
        let mut suspicion = shape.suspicion(self.picked.one_in(size));
        if late_bytes < self.least_bytes || matches!(suspicion, Suspicion::Harmless(_)) {
            return None;
        }
        if self.soft >= SOFT * (shape.recent + shape.middle) {
            let why = "as many soft references were kept: it may be a cache that the collector empties";
            suspicion = Suspicion::Unsure(why.to_owned());
        }
        Some(Kept { class: class.name.clone(), stack: Stack::NONE, live, late_bytes, shape, suspicion })
    }

    /// What of a class that may leak is allocated there; `None` if its objects die all the same, or none were born lately.
    fn site(&self, site: &SiteProfile, of: &Kept) -> Option<Kept> {
        let fates = site.fates.as_ref()?;
        let dead = fates.bytes.dead().map(|(after, _, load)| (after, load.objects));
        let shape = Shape::of(self.whole_bytes, aged(&fates.bytes), dead);
        let live = site.live.unwrap_or_default();
        let late_bytes = live.bytes as f64 * shape.late_share();
        // Start-up, or a busy end, may fill the clock of bytes: what one phase of the program keeps is so by both clocks.
        let by_time = Shape::of(self.profile.duration_ms as f64, aged(&fates.ms), std::iter::empty());
        let both = |is: fn(&Shape) -> bool| is(&shape) && is(&by_time);
        let is_of_a_phase = both(Shape::has_begun_lately) || both(Shape::has_stopped);
        if late_bytes < self.least_bytes || is_of_a_phase || !outlives_its_dead(&fates.bytes) {
            return None;
        }
        let (class, stack, suspicion) = (of.class.clone(), site.stack.clone(), of.suspicion.clone());
        Some(Kept { class, stack, live, late_bytes, shape, suspicion })
    }
}

/// The living by age.
fn aged(ages: &Spread) -> impl Iterator<Item = (u64, u64)> + '_ {
    ages.living().map(|(age, load)| (age, load.objects))
}

/// Whether the living are older than most that died were then: the curve of survival has become flat.
fn outlives_its_dead(ages: &Spread) -> bool {
    let all: u64 = ages.dead().map(|(_, _, load)| load.objects).sum();
    let mut left = all as f64 * (1.0 - MOST_DEAD);
    let mut ends: Vec<_> =
        ages.dead().map(|(after, by, load)| (by.min(after.saturating_mul(2)), load)).collect();
    ends.sort_by_key(|&(end, _)| Reverse(end));
    let typical = ends.into_iter().find(|(_, load)| {
        left -= load.objects as f64;
        left < 0.0
    });
    let typical = typical.map_or(0, |(end, _)| end);
    let count = |of: &dyn Fn(u64) -> bool| -> u64 {
        ages.living().filter(|&(age, _)| of(age)).map(|(_, load)| load.objects).sum()
    };
    count(&|age| age > typical) as f64 >= FLAT * count(&|_| true) as f64
}
