//! Which allocations of a place have their stack taken, and what the stacks taken stand for.
//!
//! Each thread's allocations at a place are cut into strata of a power of two; in each, one is chosen at random, and
//! stands for all of them. A stratum's length is decided before it begins, whatever is in it: so the weights of stacks
//! are unbiased (stratified sampling; W. G. Cochran, Sampling Techniques, chapter 5). Lengths grow with the counts of a
//! place, so that the time spent on stacks keeps to a budget.

use std::time::Duration;

use mayfly_profile::SiteId;
use rustc_hash::FxHashMap;

use crate::cpu_budget::{CpuBudget, Fineness};

/// What stacks may take in any case: until then each is taken.
const FREE: Duration = Duration::from_millis(50);
/// So many are taken in any case.
const FREE_STACKS: u64 = 4096;
/// Of the allocations at a place.
const FINENESS: Fineness = Fineness { at_budget: 16.0, least: 1 };
/// Strata per doubling of a place's count that all places share by the bytes that they make, however much was spent: who makes most is known
/// best. At a place of large arrays few stacks have most of the bytes (class files that are read, each for another method).
const BY_BYTES: f64 = 4096.0;
/// Longest stratum, as a power of two.
const MOST_LOG2: u32 = 20;

/// What taking stacks at places may take.
pub fn budget_of_stacks() -> CpuBudget {
    CpuBudget::of_at_least(FREE, FREE_STACKS)
}

/// Length of the next stratum of a place that has counted so much, as a power of two, and what it would be but for its bytes; `share`: its
/// part of the bytes of all places, about.
fn stratum_log2(budget: &CpuBudget, counted: u64, share: f64) -> (u32, u32) {
    if budget.is_free() {
        return (0, 0);
    }
    let strata = FINENESS.strata(budget.pressure());
    let log2 = |strata: u64| (counted / strata).max(1).ilog2().min(MOST_LOG2);
    (log2(strata.max((BY_BYTES * share) as u64)), log2(strata))
}

/// A thread's sampling at one place, as Java keeps it: whether there is one, the length of the stratum whose chosen
/// allocation comes next, and how many follow that one in its stratum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    log2: u32,
    behind: u64,
}

impl State {
    const VALID: u32 = 1 << 31;

    fn of(bits: u32) -> Option<Self> {
        let log2 = bits >> 26 & 31;
        (bits & Self::VALID != 0).then_some(Self { log2, behind: u64::from(bits & ((1 << 26) - 1)) })
    }

    fn bits(self) -> u32 {
        Self::VALID | self.log2 << 26 | self.behind as u32
    }
}

/// What to do about an allocation at which Java asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Whether its stack is to be taken; it stands for two to this power.
    pub take: Option<u32>,
    /// When Java is to ask again, and what it is to keep until then; see `MayflyHooks.due`.
    pub plan: u64,
    /// One in two to this power of such stacks is the budget's; the others are taken for the bytes of their place, and are not to leave
    /// other places without.
    pub unpaid_log2: u32,
}

/// Draws a number from `1..=n`.
pub type Draw<'a> = &'a mut dyn FnMut(u64) -> u64;

/// Draws that are the same in each run of a test.
#[cfg(test)]
pub(crate) fn random(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |n| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1 + (seed >> 33) % n
    }
}

impl Due {
    /// Never again.
    pub const NEVER: Due = Due { take: None, plan: 0, unpaid_log2: 0 };

    /// `all`: the bytes that samples of all places stand for.
    pub(crate) fn at(
        state: u32,
        (budget, all): (&CpuBudget, u64),
        samples: &mut Samples,
        draw: Draw<'_>,
    ) -> Self {
        let Some(State { log2, behind }) = State::of(state) else {
            let (chosen, state, _) = samples.stratum((budget, all), draw);
            return match chosen {
                1 => Self::taken(state, (budget, all), samples, draw),
                _ => Due { plan: plan(chosen - 1, state), ..Self::NEVER },
            };
        };
        Self::taken(State { log2, behind }, (budget, all), samples, draw)
    }

    fn taken(state: State, of: (&CpuBudget, u64), samples: &mut Samples, draw: Draw<'_>) -> Self {
        let (chosen, next, unpaid_log2) = samples.stratum(of, draw);
        Due { take: Some(state.log2), plan: plan(state.behind + chosen, next), unpaid_log2 }
    }
}

fn plan(ahead: u64, state: State) -> u64 {
    u64::from(state.bits()) << 32 | ahead
}

/// All samples of one place and class.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// Allocations in all strata begun, whether or not they are over.
    begun: u64,
    /// Stacks taken.
    taken: u64,
    /// Bytes that they stand for, of objects that are all of one size, too.
    bytes: u64,
    /// Sum of the squares of weights above one.
    squares: f64,
    stacks: FxHashMap<SiteId, Weight>,
}

/// What the samples of one stack stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Weight {
    pub(crate) taken: u64,
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
    pub(crate) largest: u64,
    /// Sum of the squares of objects that samples of a weight above one stand for.
    pub(crate) object_squares: f64,
    /// The same of bytes.
    pub(crate) byte_squares: f64,
}

impl Samples {
    /// Begins a stratum: the chosen one's position in it from 1 on, the state up to it, and [`Due::unpaid_log2`].
    fn stratum(&mut self, (budget, all): (&CpuBudget, u64), draw: Draw<'_>) -> (u64, State, u32) {
        let share = self.bytes as f64 / all.max(1) as f64;
        let (log2, but_for_bytes) = stratum_log2(budget, self.begun, share);
        let length = 1 << log2;
        self.begun += length;
        let chosen = if log2 == 0 { 1 } else { draw(length).clamp(1, length) };
        (chosen, State { log2, behind: length - chosen }, but_for_bytes - log2)
    }

    /// Takes note that a stack stands for so many bytes.
    pub(crate) fn note_bytes(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Books a stack taken.
    pub(crate) fn book(&mut self, site: SiteId, log2: u32, size: u64) {
        let objects = 1u64 << log2;
        let bytes = objects * size;
        let weight = self.stacks.entry(site).or_default();
        weight.taken += 1;
        weight.objects += objects;
        weight.bytes += bytes;
        weight.largest = weight.largest.max(size);
        self.taken += 1;
        if log2 > 0 {
            let square = (objects as f64).powi(2);
            weight.object_squares += square;
            weight.byte_squares += (bytes as f64).powi(2);
            self.squares += square;
        }
    }

    /// Forgets the stacks; strata go on.
    pub(crate) fn reset(&mut self) {
        *self = Samples { begun: self.begun, bytes: self.bytes, ..Samples::default() };
    }

    /// The stacks, in a fixed order.
    pub(crate) fn stacks(&self) -> Vec<(SiteId, Weight)> {
        let mut stacks: Vec<_> = self.stacks.iter().map(|(&site, &weight)| (site, weight)).collect();
        stacks.sort_unstable_by_key(|&(site, _)| site);
        stacks
    }

    /// Relative standard error of what `weight` stands for; 0 if every stack was taken.
    ///
    /// Of objects it is known in two ways, and the larger holds: by the share of stacks that are this one, which also
    /// knows of a stack that long strata missed; and by the strata that chose it (D. G. Horvitz and D. J. Thompson,
    /// 1952), as one that a long stratum chose by luck has a small share of stacks and a large one of what they stand for.
    pub(crate) fn error(&self, weight: &Weight) -> f64 {
        if self.squares == 0.0 || weight.objects == 0 {
            return 0.0;
        }
        // Agresti and Coull's shrunken share: a stack seen each time is not the only one for certain.
        let share = (weight.taken as f64 + 1.0) / (self.taken as f64 + 2.0);
        let objects = (self.squares * share).max(weight.object_squares);
        let relative = |squares: f64, of: u64| (squares * (1.0 - share)).sqrt() / (of as f64).max(1.0);
        relative(objects, weight.objects).max(relative(weight.byte_squares, weight.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `n` allocations of one thread; gives (index, weight) of those taken.
    fn run(n: u64, budget: &CpuBudget, samples: &mut Samples, draw: Draw<'_>) -> Vec<(u64, u64)> {
        let (mut next, mut state, mut taken) = (0, 0, Vec::new());
        for count in 1..=n {
            if count >= next {
                let due = Due::at(state, (budget, 0), samples, draw);
                taken.extend(due.take.map(|log2| (count - 1, 1 << log2)));
                next = count + (due.plan & 0xFFFF_FFFF);
                state = (due.plan >> 32) as u32;
            }
        }
        taken
    }

    fn overspent(factor: f64) -> CpuBudget {
        let budget = budget_of_stacks();
        (0..FREE_STACKS).for_each(|_| spend(&budget, Duration::ZERO));
        spend(&budget, FREE.mul_f64(factor));
        budget
    }

    fn spend(budget: &CpuBudget, time: Duration) {
        budget.spend(time);
    }

    #[test]
    fn every_stack_is_taken_while_the_budget_lasts() {
        let taken = run(1000, &budget_of_stacks(), &mut Samples::default(), &mut |_| 1);
        assert_eq!(taken, (0..1000).map(|i| (i, 1)).collect::<Vec<_>>());
    }

    /// A machine with much else to do: single stacks took a millisecond, as the thread had to wait.
    #[test]
    fn the_first_stacks_are_all_taken_however_long_they_take() {
        let budget = budget_of_stacks();
        (1..FREE_STACKS).for_each(|_| spend(&budget, FREE));
        let taken = run(1000, &budget, &mut Samples::default(), &mut |_| 1);
        assert_eq!(taken, (0..1000).map(|i| (i, 1)).collect::<Vec<_>>());
        spend(&budget, FREE);
        assert!(run(100_000, &budget, &mut Samples::default(), &mut |_| 1).len() < 10_000);
    }

    #[test]
    fn strata_are_disjoint_grow_with_the_count_and_cover_everything() {
        let budget = overspent(1.0);
        // The last of each stratum: what is taken stands for exactly what came since the last one.
        let taken = run(1_000_000, &budget, &mut Samples::default(), &mut |n| n);
        let mut end = 0;
        for &(index, weight) in &taken {
            end += weight;
            assert_eq!(index + 1, end);
        }
        assert!((100..2000).contains(&taken.len()), "{}", taken.len());
        // The first of each: it stands for what follows.
        let mut start = 0;
        for (index, weight) in run(1_000_000, &budget, &mut Samples::default(), &mut |_| 1) {
            assert_eq!(index, start);
            start += weight;
        }
    }

    /// 700 class files that are read, each for another method, beside a million small objects elsewhere: 16 stacks had been taken of them.
    #[test]
    fn a_place_has_stacks_by_its_bytes_however_much_was_spent() {
        let taken = |bytes, all| {
            let budget = overspent(4.0);
            let (mut samples, mut draw) = (Samples { bytes, ..Samples::default() }, random(7));
            let (mut next, mut state, mut taken) = (0, 0, 0);
            for count in 1..=700u64 {
                if count >= next {
                    let due = Due::at(state, (&budget, all), &mut samples, &mut draw);
                    taken += u64::from(due.take.is_some());
                    next = count + (due.plan & 0xFFFF_FFFF);
                    state = (due.plan >> 32) as u32;
                }
            }
            taken
        };
        assert_eq!(taken(6 << 20, 30 << 20), 700);
        // What it has for its bytes is not the budget's: other places have as many as without.
        let (mut samples, budget) =
            (Samples { bytes: 6, begun: 1 << 12, ..Samples::default() }, overspent(4.0));
        let paid = |all, samples: &mut Samples| samples.stratum((&budget, all), &mut |_| 1).2;
        assert_eq!((paid(30, &mut samples), paid(1 << 40, &mut samples)), (10, 0));
        assert!(taken(10 << 10, 30 << 20) < 20, "{}", taken(10 << 10, 30 << 20));
    }

    #[test]
    fn the_more_was_spent_the_fewer_stacks_are_taken() {
        let taken = |factor| run(100_000, &overspent(factor), &mut Samples::default(), &mut |n| n).len();
        assert!(
            taken(1.0) > 2 * taken(2.0) && taken(2.0) > taken(4.0),
            "{} {} {}",
            taken(1.0),
            taken(2.0),
            taken(4.0)
        );
    }

    /// Objects with each of three stacks, and their error, of a program that allocates ninety, nine and one of a hundred there.
    fn estimates(
        samples: &mut Samples,
        taken: impl IntoIterator<Item = (u64, u64)>,
        size: u64,
    ) -> Vec<(f64, f64)> {
        let stack = |index: u64| match index % 100 {
            0..90 => 0,
            90..99 => 1,
            _ => 2,
        };
        for (index, weight) in taken {
            samples.book(SiteId(stack(index)), weight.ilog2(), size);
        }
        let stacks = samples.stacks();
        stacks.iter().map(|(_, weight)| (weight.objects as f64, samples.error(weight))).collect()
    }

    #[test]
    fn weights_estimate_the_shares_of_stacks_within_their_error() {
        let budget = overspent(2f64.sqrt());
        let mut samples = Samples::default();
        let taken = run(1_000_000, &budget, &mut samples, &mut random(12_345));
        let estimates = estimates(&mut samples, taken, 24);
        for ((objects, error), expected) in estimates.into_iter().zip([900_000.0, 90_000.0, 10_000.0]) {
            let off = (objects / expected - 1.0).abs();
            assert!(error > 0.0 && off < 4.0 * error, "{objects} of {expected}: off by {off}, error {error}");
        }
    }

    /// Each stack is taken at first; then strata are so long that a single one decides about a rare stack. Of objects of one size,
    /// which samples don't tell.
    #[test]
    fn errors_hold_where_a_few_long_strata_follow_many_of_one() {
        let (n, first) = (10_000_000, 4_000);
        let mut all = Vec::new();
        for seed in 0..500 {
            let (mut samples, mut draw) = (Samples::default(), random(seed));
            let mut taken = run(first, &budget_of_stacks(), &mut samples, &mut draw);
            let rest = run(n - first, &overspent(1.1), &mut samples, &mut draw);
            taken.extend(rest.into_iter().map(|(index, weight)| (first + index, weight)));
            let estimates = estimates(&mut samples, taken, 0);
            for ((objects, error), expected) in estimates.into_iter().zip([9_000_000.0, 900_000.0, 100_000.0])
            {
                assert!(error > 0.0);
                // The error is relative to the estimate, not to the truth.
                all.push((1.0 - expected / objects).abs() / error);
            }
        }
        let worst = all.iter().copied().fold(0.0, f64::max);
        let within_two = all.iter().filter(|&&errors| errors < 2.0).count();
        assert!(worst < 5.0, "{worst}");
        assert!(within_two * 100 >= all.len() * 95, "{within_two} of {}", all.len());
    }
}
