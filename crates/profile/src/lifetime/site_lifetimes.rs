//! What became of the objects of one site: sparse histograms of their lifetimes on two clocks, in bounded memory.
//!
//! The grid has two steps per octave. Cells of the dead are intervals in which they died; of the living, ages at which they
//! were last known alive. Each has objects, bytes and byte-milliseconds, the last at least and at most. Not here: classes,
//! whose ages are finer (`ages`).

use serde::{Deserialize, Serialize};

use crate::facts::tally::Tally;
use crate::lifetime::ages::rounded;
use crate::lifetime::cells;
use crate::lifetime::grid::{TOP, step_up, value_of};

/// Cells of the dead kept per clock; above it, all become coarser.
const MOST_CELLS: usize = 40;
/// Steps of the grid of ages that are one step here: eight of sixteen per octave.
const UNIT_LOG2: u8 = 3;
/// At this coarseness fewer than [`MOST_CELLS`] cells exist.
const COARSEST: u8 = 7;

/// Objects, and how much they held for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// How many.
    pub objects: u64,
    /// Their shallow sizes.
    pub bytes: u64,
    /// Bytes times milliseconds from birth to death, or so far: at least and at most.
    pub byte_ms: (u64, u64),
}

impl Load {
    /// Objects that were held for a time between these, in milliseconds.
    pub fn held(tally: Tally, (least_ms, most_ms): (u64, u64)) -> Self {
        let times = |ms: u64| tally.bytes.saturating_mul(ms);
        Self { objects: tally.objects, bytes: tally.bytes, byte_ms: (times(least_ms), times(most_ms)) }
    }

    /// For how long a byte was held on average, in milliseconds: at least and at most. `None` of no bytes.
    pub(crate) fn mean_ms(&self) -> Option<(u64, u64)> {
        let mean = |byte_ms: u64| byte_ms.checked_div(self.bytes);
        Some((mean(self.byte_ms.0)?, mean(self.byte_ms.1)?))
    }

    fn add(&mut self, other: Self) {
        self.objects = self.objects.saturating_add(other.objects);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.byte_ms.0 = self.byte_ms.0.saturating_add(other.byte_ms.0);
        self.byte_ms.1 = self.byte_ms.1.saturating_add(other.byte_ms.1);
    }

    fn without(self, other: Self) -> Self {
        Self {
            objects: self.objects.saturating_sub(other.objects),
            bytes: self.bytes.saturating_sub(other.bytes),
            byte_ms: (
                self.byte_ms.0.saturating_sub(other.byte_ms.0),
                self.byte_ms.1.saturating_sub(other.byte_ms.1),
            ),
        }
    }
}

/// Lifetimes on one clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Spread {
    /// Bounds of the dead are rounded up to multiples of 2^this many steps of two per octave.
    coarseness: u8,
    /// (after, by, load): steps of the grid, after < by, strictly ascending.
    dead: Vec<(u16, u16, Load)>,
    /// (age, load): steps of the grid, strictly ascending.
    living: Vec<(u16, Load)>,
}

impl Spread {
    /// Counts objects that were alive at age `after` and gone at age `by`.
    pub fn record_dead(&mut self, after: u64, by: u64, load: Load) {
        if load.objects > 0 {
            self.add_dead(step_up(after), step_up(by), load);
        }
    }

    /// Counts objects that were last known alive at this age.
    pub fn record_living(&mut self, age: u64, load: Load) {
        if load.objects > 0 {
            self.add_living(step_up(age).next_multiple_of(1 << UNIT_LOG2).min(TOP), load);
        }
    }

    /// Forgets the living, to count them again.
    pub fn forget_living(&mut self) {
        self.living.clear();
    }

    /// Adds all that `other` knows.
    pub fn merge(&mut self, other: &Self) {
        self.coarsen_to(self.coarseness.max(other.coarseness));
        if other.coarseness < self.coarseness {
            let mut other = other.clone();
            other.coarsen_to(self.coarseness);
            self.add_all(&other);
        } else {
            self.add_all(other);
        }
    }

    /// Adds all that `other` knows, whose bounds are rounded alike.
    fn add_all(&mut self, other: &Self) {
        let bounds = |&(after, by, _): &(u16, u16, Load)| (after, by);
        cells::add_all(&mut self.dead, &other.dead, bounds, |cell, other| cell.2.add(other.2));
        cells::add_all(&mut self.living, &other.living, |cell| cell.0, |cell, other| cell.1.add(other.1));
        self.coarsen_to_the_most_kept();
    }

    /// The dead as (after, by, load), ascending; `by` is `u64::MAX` where it is not known.
    pub fn dead(&self) -> impl Iterator<Item = (u64, u64, Load)> + '_ {
        let unit = 1 << (UNIT_LOG2 + self.coarseness);
        self.dead.iter().map(move |&(after, by, load)| (least(after, unit), value_of(by), load))
    }

    /// The living as (age, load), ascending: at least so old.
    pub fn living(&self) -> impl Iterator<Item = (u64, Load)> + '_ {
        self.living.iter().map(|&(age, load)| (least(age, 1 << UNIT_LOG2), load))
    }

    /// The living as (ages, load), ascending: last known alive at an age from the first to the second.
    pub(crate) fn living_between(&self) -> impl Iterator<Item = ((u64, u64), Load)> + '_ {
        self.living.iter().map(|&(age, load)| ((least(age, 1 << UNIT_LOG2), value_of(age)), load))
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.dead.len() + self.living.len()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes cells of the dead twice as wide, if they can be.
    pub fn coarsen(&mut self) {
        self.coarsen_to((self.coarseness + 1).min(COARSEST));
    }

    /// As of so much later on this clock: the living are older. Bytes were held longer by at least and at most so many
    /// milliseconds.
    pub(crate) fn later(&self, by_age: u64, held_ms: (u64, u64)) -> Self {
        let mut later = Self { living: Vec::new(), ..self.clone() };
        for &(age, load) in &self.living {
            let mut load = load;
            let held = Load::held(Tally { objects: 0, bytes: load.bytes, largest: 0 }, held_ms);
            load.add(Load { bytes: 0, ..held });
            match by_age {
                0 => later.add_living(age, load),
                by_age => later.record_living(least(age, 1 << UNIT_LOG2).saturating_add(by_age), load),
            }
        }
        later
    }

    /// What was counted since `earlier`, which is what was known then; the living are those of now.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        let mut before = earlier.clone();
        self.coarsen_to(self.coarseness.max(before.coarseness));
        before.coarsen_to(self.coarseness);
        for (after, by, load) in before.dead {
            if let Ok(at) = self.dead.binary_search_by_key(&(after, by), |&(after, by, _)| (after, by)) {
                self.dead[at].2 = self.dead[at].2.without(load);
            }
        }
        self.dead.retain(|(_, _, load)| load.objects > 0);
        self
    }

    /// What is left if `takes` decides by the bounds that [`Self::dead`] and [`Self::living`] give.
    pub(crate) fn filtered(mut self, takes: impl Fn(u64, Option<u64>) -> bool) -> Self {
        let dead: Vec<_> = self.dead().map(|(after, by, _)| takes(after, Some(end(after, by)))).collect();
        let living: Vec<_> = self.living().map(|(age, _)| takes(age, None)).collect();
        let (mut dead, mut living) = (dead.into_iter(), living.into_iter());
        self.dead.retain(|_| dead.next().unwrap_or_default());
        self.living.retain(|_| living.next().unwrap_or_default());
        self
    }

    fn add_living(&mut self, age: u16, load: Load) {
        match self.living.binary_search_by_key(&age, |&(step, _)| step) {
            Ok(at) => self.living[at].1.add(load),
            Err(at) => self.living.insert(at, (age, load)),
        }
    }

    fn add_dead(&mut self, after: u16, by: u16, load: Load) {
        let (after, by) = rounded(UNIT_LOG2 + self.coarseness, after, by);
        match self.dead.binary_search_by_key(&(after, by), |&(after, by, _)| (after, by)) {
            Ok(at) => self.dead[at].2.add(load),
            Err(at) => self.dead.insert(at, (after, by, load)),
        }
        self.coarsen_to_the_most_kept();
    }

    fn coarsen_to_the_most_kept(&mut self) {
        while self.dead.len() > MOST_CELLS && self.coarseness < COARSEST {
            self.coarsen();
        }
    }

    fn coarsen_to(&mut self, coarseness: u8) {
        if coarseness == self.coarseness {
            return;
        }
        self.coarseness = coarseness;
        for (after, by, load) in std::mem::take(&mut self.dead) {
            self.add_dead(after, by, load);
        }
    }

    fn is_sound(&self) -> bool {
        let shift = UNIT_LOG2 + self.coarseness;
        let on_grid = |&(after, by, load): &(u16, u16, Load)| {
            after < by && by <= TOP && load.objects > 0 && rounded(shift, after, by) == (after, by)
        };
        let age_on_grid = |&(age, load): &(u16, Load)| {
            age <= TOP && (age == TOP || age.is_multiple_of(1 << UNIT_LOG2)) && load.objects > 0
        };
        self.dead.iter().all(on_grid)
            && self.dead.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1))
            && self.living.iter().all(age_on_grid)
            && self.living.windows(2).all(|pair| pair[0].0 < pair[1].0)
    }
}

/// An age by which somebody died, or the one at which they were seen last if that is not known.
pub(crate) fn end(after: u64, by: u64) -> u64 {
    if by == u64::MAX { after } else { by }
}

/// The least age that was rounded up to a step, a multiple of `unit`.
fn least(step: u16, unit: u16) -> u64 {
    if step == 0 { 0 } else { value_of(step.saturating_sub(1) / unit * unit) + 1 }
}

/// What became of the tracked objects of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteLifetimes {
    /// By milliseconds.
    pub ms: Spread,
    /// By bytes that the JVM allocated meanwhile.
    pub bytes: Spread,
    /// Died at the first collection after their birth.
    pub died_young: Tally,
    /// Known to have survived a collection, dead since or not.
    pub survived: Tally,
}

impl SiteLifetimes {
    /// Adds all that `other` knows.
    pub fn merge(&mut self, other: &Self) {
        self.ms.merge(&other.ms);
        self.bytes.merge(&other.bytes);
        self.died_young.add(other.died_young);
        self.survived.add(other.survived);
    }

    /// Bytes times seconds held by all of them so far: at least and at most.
    pub fn byte_seconds(&self) -> (f64, f64) {
        let loads = self.ms.dead.iter().map(|cell| cell.2).chain(self.ms.living.iter().map(|cell| cell.1));
        let sum = loads.fold((0.0, 0.0), |sum: (f64, f64), load| {
            (sum.0 + load.byte_ms.0 as f64, sum.1 + load.byte_ms.1 as f64)
        });
        (sum.0 / 1000.0, sum.1 / 1000.0)
    }

    /// Bytes times seconds held by the living, up to when they were last known alive.
    pub(crate) fn living_byte_seconds(&self) -> f64 {
        self.ms.living.iter().map(|(_, load)| load.byte_ms.0 as f64).sum::<f64>() / 1000.0
    }

    /// All objects, dead and living.
    pub(crate) fn tracked(&self) -> Tally {
        let loads = self.ms.dead.iter().map(|cell| cell.2).chain(self.ms.living.iter().map(|cell| cell.1));
        loads.fold(Tally::default(), |mut sum, load| {
            sum.add(Tally { objects: load.objects, bytes: load.bytes, largest: 0 });
            sum
        })
    }

    pub(crate) fn since(self, earlier: &Self) -> Self {
        Self {
            ms: self.ms.since(&earlier.ms),
            bytes: self.bytes.since(&earlier.bytes),
            died_young: self.died_young.without(earlier.died_young),
            survived: self.survived.without(earlier.survived),
        }
    }

    /// These lifetimes, told at `then`, as of `now`.
    pub(crate) fn as_of(&self, then: Stamp, now: Stamp) -> Self {
        let alive = now.alive.0.saturating_sub(then.alive.0);
        let held = (alive, now.ms.saturating_sub(then.ms));
        Self {
            ms: self.ms.later(alive, held),
            bytes: self.bytes.later(now.alive.1.saturating_sub(then.alive.1), held),
            ..self.clone()
        }
    }
}

/// A moment on the agent's clocks, as of which the living are described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Milliseconds.
    pub ms: u64,
    /// The last moment at which it was known who is alive, in milliseconds and in bytes allocated by then.
    pub alive: (u64, u64),
}

/// [`Spread`] as it is written: small numbers, which take few bytes.
#[derive(Serialize, Deserialize)]
struct Packed {
    coarseness: u8,
    /// Steps since the last cell's first bound, width, load.
    dead: Vec<(u16, u16, PackedLoad)>,
    /// Steps since the last cell's, load.
    living: Vec<(u16, PackedLoad)>,
}

/// Objects, bytes, least byte-milliseconds, how many more at most.
type PackedLoad = (u64, u64, u64, u64);

fn pack(load: Load) -> PackedLoad {
    let (least, most) = load.byte_ms;
    (load.objects, load.bytes, least, most.saturating_sub(least))
}

fn unpack((objects, bytes, least, more): PackedLoad) -> Load {
    Load { objects, bytes, byte_ms: (least, least.saturating_add(more)) }
}

impl From<Spread> for Packed {
    fn from(spread: Spread) -> Self {
        let (mut last, mut last_age) = (0, 0);
        let since = |last: &mut u16, step: u16| step - std::mem::replace(last, step);
        let dead =
            spread.dead.iter().map(|&(after, by, load)| (since(&mut last, after), by - after, pack(load)));
        let living = spread.living.iter().map(|&(age, load)| (since(&mut last_age, age), pack(load)));
        Self { coarseness: spread.coarseness, dead: dead.collect(), living: living.collect() }
    }
}

impl TryFrom<Packed> for Spread {
    type Error = &'static str;

    fn try_from(packed: Packed) -> Result<Self, Self::Error> {
        const FAULT: &str = "lifetimes of a site out of order or out of range";
        if packed.coarseness > COARSEST {
            return Err(FAULT);
        }
        let mut spread = Self { coarseness: packed.coarseness, ..Self::default() };
        let (mut after, mut age) = (0u16, 0u16);
        for (step, width, load) in packed.dead {
            after = after.checked_add(step).ok_or(FAULT)?;
            spread.dead.push((after, after.checked_add(width).ok_or(FAULT)?, unpack(load)));
        }
        for (step, load) in packed.living {
            age = age.checked_add(step).ok_or(FAULT)?;
            spread.living.push((age, unpack(load)));
        }
        if spread.is_sound() { Ok(spread) } else { Err(FAULT) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn load(objects: u64, ms: (u64, u64)) -> Load {
        Load::held(Tally::of(objects, 16), ms)
    }

    fn spread(deaths: &[(u64, u64, u64)]) -> Spread {
        let mut spread = Spread::default();
        for &(after, width, objects) in deaths {
            spread.record_dead(after, after.saturating_add(width), load(objects, (after, after + width)));
            spread.record_living(after, load(objects, (after, after + width)));
        }
        spread
    }

    fn total(spread: &Spread) -> Load {
        spread.dead().map(|cell| cell.2).fold(Load::default(), |mut sum, load| {
            sum.add(load);
            sum
        })
    }

    /// Where memory is short, cells are made as wide as can be.
    #[test]
    fn the_coarsest_lifetimes_are_read_as_they_were_written() {
        let mut spread = spread(&[(0, 5, 3), (90, 1_000, 2), (4, u64::MAX - 4, 1)]);
        for _ in 0..=COARSEST {
            spread.coarsen();
            assert_eq!(Spread::try_from(Packed::from(spread.clone())), Ok(spread.clone()));
        }
        assert_eq!((spread.len(), total(&spread).objects), (4, 6));
    }

    #[test]
    fn there_are_two_steps_per_octave() {
        let mut spread = Spread::default();
        for ms in 1_024..4_096 {
            spread.record_dead(0, ms, load(1, (0, ms)));
        }
        let ends: Vec<_> = spread.dead().map(|(_, by, _)| by).collect();
        assert_eq!(ends, [1_024, 1_536, 2_048, 3_072, 4_096]);
    }

    #[test]
    fn the_living_grow_older_and_their_bytes_are_held_longer() {
        let mut lifetimes = SiteLifetimes::default();
        lifetimes.ms.record_living(100, load(2, (100, 150)));
        let then = Stamp { ms: 1_000, alive: (950, 5_000) };
        assert_eq!(lifetimes.as_of(then, then), lifetimes);
        let later = lifetimes.as_of(then, Stamp { ms: 11_000, alive: (10_950, 9_000) });
        let (age, load) = later.ms.living().next().expect("alive");
        assert!((8_192..=10_100).contains(&age), "{age}");
        assert_eq!(load.byte_ms, (32 * 10_100, 32 * 10_150));
    }

    proptest! {
        #[test]
        fn cells_are_few_and_no_object_is_lost(
            deaths in prop::collection::vec((0u64..1 << 40, 0u64..1 << 40, 1u64..9), 0..300),
        ) {
            let spread = spread(&deaths);
            prop_assert!(spread.dead.len() <= MOST_CELLS && spread.is_sound());
            let objects: u64 = deaths.iter().map(|death| death.2).sum();
            prop_assert_eq!(total(&spread).objects, objects);
            let least: u64 = deaths.iter().map(|death| death.2 * 16 * death.0).sum();
            prop_assert_eq!(total(&spread).byte_ms.0, least);
            for (after, by, load) in spread.dead() {
                prop_assert!(after <= by && load.byte_ms.0 <= load.byte_ms.1);
            }
        }

        #[test]
        fn no_order_of_merging_matters(
            deaths in prop::collection::vec((0u64..1 << 30, 0u64..1 << 30, 1u64..9), 0..200),
            cut in 0usize..200,
        ) {
            let (few, rest) = deaths.split_at(cut.min(deaths.len()));
            let (a, b) = (spread(few), spread(rest));
            let (mut ab, mut ba) = (a.clone(), b.clone());
            ab.merge(&b);
            ba.merge(&a);
            prop_assert_eq!(&ab, &ba);
            prop_assert_eq!(&ab, &spread(&deaths));
            prop_assert_eq!(total(&ab.since(&a)).objects, total(&b).objects);
        }

        #[test]
        fn what_is_packed_is_the_same_unpacked(
            deaths in prop::collection::vec((0u64..1 << 50, 0u64..1 << 50, 1u64..9), 0..200),
        ) {
            let spread = spread(&deaths);
            prop_assert_eq!(Spread::try_from(Packed::from(spread.clone())), Ok(spread));
        }
    }
}
