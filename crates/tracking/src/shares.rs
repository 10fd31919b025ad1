//! Balanced tracking: which objects of a class are followed, of which the stack is taken, and for how many each stands.
//!
//! As stacks are sampled at a place (`sampling`): each thread cuts the objects of a class into strata of a power of two, in the
//! order in which it makes them. One of each, drawn when the stratum begins, is followed and stands for all of them, so numbers
//! are right on average, wherever a stratum is cut off. Strata grow with the number of the class's objects: while it is small
//! each object is followed, whatever other classes do, and of a large one a share that the budget of CPU time allows. Of the
//! objects followed the same is done once more to choose those whose stack is taken. In each scope a class is small again: what
//! survives a request is known of the requests, however much is made elsewhere. Beside a byte sample there are the scopes' alone.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use mayfly_profile::ClassId;

use crate::budget::Budget;
use crate::cpu_budget::{CpuBudget, Fineness};
use crate::mapped::Mapped;
use crate::sampling::Draw;
use crate::scopes::{MOST_NODES, NodeId};
use crate::slab_layout::{LARGE_ARRAY, MOST_CLASSES};

/// Longest stratum, as a power of two.
const MOST_LOG2: u32 = 20;
/// A thread's first stratum of a class is no longer than this power of two, a later one than what came before it: threads that end
/// soon would otherwise begin many strata, and finish none.
const FIRST_LOG2: u32 = 6;
/// One stack of so many, as a power of two, is taken of objects that the JVM's sampler picked, however much was spent.
const MOST_PICKED_LOG2: u32 = 4;
/// What following objects, and taking their stacks, may take in any case.
const FREE: Duration = Duration::from_millis(25);

/// A class is frequent once the JVM's sampler would have picked so many of its objects, on average: what it tells is then right to 12 %.
const ENOUGH: f64 = 64.0;
/// Fineness of that.
const PICK: f64 = 4_294_967_296.0;
/// Or once it is made so fast, in objects per millisecond, while it doubles from so many objects on: before C2 compiles the code.
const FAST: u64 = 250;
const FIRST_LOOK: u64 = 8_192;
/// The same of a class whose objects are chosen in scopes: each test that is left costs more than it tells.
const FAST_BESIDE_SCOPES: u64 = 150;
/// And for so long, in milliseconds: a request makes many at once.
const NO_BURST_MS: u64 = 100;
/// Of a class that is fast, in what is counted of its picks.
const IS_FAST: u64 = 1 << 63;
/// A thread looks again after so many objects of a frequent class whether it makes them fast.
const LOOK_AGAIN: u32 = 1 << 18;

/// Of objects: the first 1,024 of a class are followed one by one, whatever the load.
const OBJECTS: Fineness = Fineness { at_budget: 2048.0, least: 512 };
/// Of their stacks: the first 128 of a class are taken.
const STACKS: Fineness = Fineness { at_budget: 512.0, least: 64 };
/// Of objects made in a scope: of those of one request few survive.
const IN_SCOPES: Fineness = Fineness { at_budget: 4096.0, least: 256 };
/// What following them may take in any case.
const FREE_IN_SCOPES: Duration = Duration::from_millis(100);
/// A service that has little to do may spend so many times as much on them, and on stacks, as on other objects.
const WHERE_IDLE: u64 = 4;

/// What was spent, relative to what may be, up to which each large array is followed.
const MOST_FOR_LARGE: f64 = 2.0;

/// A stratum whose chosen object comes next: its length as a power of two, and how many of it follow that one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stratum {
    log2: u32,
    behind: u64,
}

/// What is kept of a class.
fn word(words: &Mapped<AtomicU64>, class: ClassId) -> Option<&AtomicU64> {
    words.words().get(class.row())
}

/// Whether so many objects of a class are made fast, at a time in milliseconds: it took them little to double. `look`: the last power of
/// two that they reached, as far as it was seen, and when (above the six lowest bits).
fn is_fast(look: &AtomicU64, objects: u64, ms: u64, (per_ms, least_ms): (u64, u64)) -> bool {
    let (log2, before) = (objects.checked_ilog2().unwrap_or(0), look.load(Relaxed));
    if objects < FIRST_LOOK || u64::from(log2) <= before & 63 {
        return false;
    }
    look.store(ms << 6 | u64::from(log2), Relaxed);
    let since = ms.saturating_sub(before >> 6).max(1);
    before & 63 == u64::from(log2) - 1 && since >= least_ms && objects / 2 >= per_ms * since
}

fn zero(words: &Mapped<AtomicU64>) {
    words.words().iter().filter(|word| word.load(Relaxed) != 0).for_each(|word| word.store(0, Relaxed));
}

/// How far a thread has come with one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Walk {
    /// The stratum that it is in; `None` before the first.
    stratum: Option<Stratum>,
    /// The length of all strata that it began.
    begun: u64,
}

/// One choice among many, for all classes.
#[derive(Debug)]
struct Choice {
    budget: CpuBudget,
    fineness: Fineness,
}

impl Choice {
    fn new(fineness: Fineness) -> Self {
        Self { budget: CpuBudget::of_at_least(FREE, 0), fineness }
    }

    /// Begins a stratum of a class that has `begun` so many: the chosen one's position in it, from 1 on. With each halving of the room that is left
    /// (which adds two to `thinning`) there are a quarter of the strata.
    fn begin(&self, begun: Option<&AtomicU64>, walk: &mut Walk, thinning: u32, draw: Draw<'_>) -> u64 {
        let strata = self.fineness.strata(self.budget.pressure()).unbounded_shr(thinning).max(1);
        let of_class = begun.map_or(0, |begun| begun.load(Relaxed));
        let most_log2 = walk.begun.checked_ilog2().unwrap_or(0).clamp(FIRST_LOG2, MOST_LOG2);
        let log2 = (of_class / strata).checked_ilog2().unwrap_or(0).min(most_log2);
        let length = 1 << log2;
        if let Some(begun) = begun {
            begun.fetch_add(length, Relaxed);
        }
        walk.begun += length;
        let chosen = if log2 == 0 { 1 } else { draw(length).clamp(1, length) };
        walk.stratum = Some(Stratum { log2, behind: length - chosen });
        chosen
    }

    /// One comes that may be chosen: for how many it stands then (a power of two), and which one from it on is the next.
    fn next(
        &self,
        begun: Option<&AtomicU64>,
        walk: &mut Walk,
        thinning: u32,
        draw: Draw<'_>,
    ) -> (Option<u32>, u64) {
        if walk.stratum.is_none() {
            let at = self.begin(begun, walk, thinning, draw);
            if at > 1 {
                return (None, at - 1);
            }
        }
        let Stratum { log2, behind } = walk.stratum.take().unwrap_or_default();
        let at = self.begin(begun, walk, thinning, draw);
        (Some(log2), behind + at)
    }
}

/// How far a thread has come with the objects of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progression {
    epoch: u32,
    objects: Walk,
    stacks: Walk,
    /// Objects to be followed up to the one whose stack is taken next.
    stack_ahead: u64,
    /// When it was last looked whether it makes them fast, in milliseconds.
    looked_ms: u64,
}

/// What to do about an object that is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Whether it is followed; it stands for two to this power.
    pub follow: Option<u32>,
    /// Which of its class from it on is due next.
    pub ahead: u32,
}

/// The choices of a session: objects of each class, and stacks of these.
#[derive(Debug)]
pub struct Shares {
    objects: Choice,
    in_scopes: Choice,
    stacks: Choice,
    /// By class: objects in all strata begun, whether or not they are over.
    begun: Mapped<AtomicU64>,
    /// The same of those in a scope, by scope, of those in which an object was due.
    begun_in_scopes: Box<[OnceLock<Option<Mapped<AtomicU64>>>; MOST_NODES]>,
    /// By class: the same of objects followed, for their stacks.
    stacks_begun: Mapped<AtomicU64>,
    /// By class: the last look at how fast objects come ([`is_fast`]).
    looks: Mapped<AtomicU64>,
    /// By class: how many objects the JVM's sampler would have picked of those followed and those that they stand for, in 1/[`PICK`].
    picked: Mapped<AtomicU64>,
    /// Outside of scopes the JVM's sampler chooses, whatever is made.
    in_scopes_alone: bool,
    /// Counts resets.
    epoch: AtomicU32,
}

impl Shares {
    /// Nothing yet. `in_scopes_alone`: the objects of scopes alone are chosen here.
    pub fn new(in_scopes_alone: bool) -> Self {
        let by_class = || Mapped::new(MOST_CLASSES).expect("address space for classes");
        let budget = CpuBudget::of_at_least(FREE_IN_SCOPES, 0).where_idle(WHERE_IDLE);
        let stacks = CpuBudget::of_at_least(FREE, 0).where_idle(WHERE_IDLE);
        Self {
            objects: Choice::new(OBJECTS),
            in_scopes: Choice { budget, fineness: IN_SCOPES },
            stacks: Choice { budget: stacks, fineness: STACKS },
            begun: by_class(),
            begun_in_scopes: Box::new([const { OnceLock::new() }; MOST_NODES]),
            stacks_begun: by_class(),
            looks: by_class(),
            picked: by_class(),
            in_scopes_alone,
            epoch: AtomicU32::new(0),
        }
    }

    /// Whether the objects of scopes alone are chosen here.
    pub fn are_of_scopes_alone(&self) -> bool {
        self.in_scopes_alone
    }

    /// An object of a class is due, of which this thread has come so far in this scope, or outside of any.
    pub fn turn(
        &self,
        (class, scope): (ClassId, Option<NodeId>),
        reached: &mut Progression,
        room: &Budget,
        draw: Draw<'_>,
    ) -> Turn {
        let epoch = self.epoch.load(Relaxed);
        if reached.epoch != epoch {
            *reached = Progression { epoch, ..Progression::default() };
        }
        let choice = self.choice(scope);
        let begun = word(self.begun_in(scope), class);
        let (follow, ahead) = choice.next(begun, &mut reached.objects, room.thinning(), draw);
        Turn { follow, ahead: u32::try_from(ahead).unwrap_or(u32::MAX) }
    }

    /// Whether an array of so many bytes is followed, whosever turn it is: few such may be most of a class's bytes, and a share of all its arrays
    /// would miss them. Not while following costs more than it may.
    pub fn follows_each_large(&self, bytes: u64, scope: Option<NodeId>) -> bool {
        bytes >= LARGE_ARRAY && self.choice(scope).budget.pressure() < MOST_FOR_LARGE
    }

    fn choice(&self, scope: Option<NodeId>) -> &Choice {
        if scope.is_some() { &self.in_scopes } else { &self.objects }
    }

    /// Of objects made there; without address space for a scope's own words, all of the class.
    fn begun_in(&self, scope: Option<NodeId>) -> &Mapped<AtomicU64> {
        let of_scope =
            |node: NodeId| self.begun_in_scopes[node.row()].get_or_init(|| Mapped::new(MOST_CLASSES).ok());
        scope.and_then(|node| of_scope(node).as_ref()).unwrap_or(&self.begun)
    }

    fn scopes(&self) -> impl Iterator<Item = &Mapped<AtomicU64>> {
        self.begun_in_scopes.iter().filter_map(|scope| scope.get()?.as_ref())
    }

    /// An object is followed that stands for two to this power of its class, in such a scope or outside of any, and that the JVM's sampler
    /// would have picked with probability `p`. `ms`: when, if it matters whether the class is fast.
    pub fn note_followed(
        &self,
        (class, scope): (ClassId, Option<NodeId>),
        log2: u32,
        p: f64,
        ms: Option<u64>,
    ) {
        let of_class =
            (word(&self.picked, class), word(&self.looks, class), word(self.begun_in(scope), class));
        let (Some(picked), Some(look), Some(begun)) = of_class else { return };
        let fast = if scope.is_some() { (FAST_BESIDE_SCOPES, NO_BURST_MS) } else { (FAST, 0) };
        if ms.is_some_and(|ms| is_fast(look, begun.load(Relaxed), ms, fast)) {
            self.note_fast(class);
        } else if !self.is_frequent(class) {
            picked.fetch_add((p * f64::from(log2).exp2() * PICK) as u64, Relaxed);
        }
    }

    /// Objects of a class are made fast, or might be: they are to be counted without a test.
    pub fn note_fast(&self, class: ClassId) {
        word(&self.picked, class).into_iter().for_each(|picked| {
            picked.fetch_or(IS_FAST, Relaxed);
        });
    }

    /// Whether that was noted; once it is so, it stays so.
    pub fn is_fast(&self, class: ClassId) -> bool {
        word(&self.picked, class).is_some_and(|picked| picked.load(Relaxed) & IS_FAST != 0)
    }

    /// A thread makes objects of a frequent class: after how many it is to say so again, if it does not make them fast. `None`: it does.
    pub fn look_again(&self, class: ClassId, reached: &mut Progression, ms: u64) -> Option<u32> {
        // At the first look nothing is known of when it began.
        let before = std::mem::replace(&mut reached.looked_ms, ms.max(1));
        let since = ms.saturating_sub(before);
        if before > 0 && since.saturating_mul(FAST_BESIDE_SCOPES) <= u64::from(LOOK_AGAIN) {
            self.note_fast(class);
        }
        (!self.is_fast(class)).then_some(LOOK_AGAIN)
    }

    /// Whether so many objects of a class are made, or so fast, that the JVM's sampler is to choose them from now on: it needs none where
    /// they are counted. Once it is so, it stays so.
    pub fn is_frequent(&self, class: ClassId) -> bool {
        self.in_scopes_alone
            || word(&self.picked, class).is_some_and(|picked| picked.load(Relaxed) >= (ENOUGH * PICK) as u64)
    }

    /// For two to which power of its class an object stands that was picked with probability `p`: on average 1/p. `None`: it is not
    /// followed, for want of room or of the CPU time that following may take. `draw`: from 0 to below 1, each time anew.
    pub fn stands_for(&self, p: f64, room: &Budget, draw: &mut dyn FnMut() -> f64) -> Option<u32> {
        let over_budget = self.objects.budget.pressure().max(1.0).log2().ceil() as u32;
        let thinning = (room.thinning() + over_budget).min(MOST_LOG2);
        if draw() * f64::from(1 << thinning) >= 1.0 {
            return None;
        }
        let weight = 1.0 / p.clamp(f64::MIN_POSITIVE, 1.0);
        let below = weight.log2().floor().clamp(0.0, f64::from(MOST_LOG2 + FIRST_LOG2));
        // Between two powers the one or the other.
        let above = draw() < weight / below.exp2() - 1.0;
        Some(below as u32 + u32::from(above) + thinning)
    }

    /// An object is followed: whether its stack is taken, which stands for those of two to this power of objects followed.
    pub fn stack_turn(&self, class: ClassId, reached: &mut Progression, draw: Draw<'_>) -> Option<u32> {
        reached.stack_ahead = reached.stack_ahead.saturating_sub(1);
        if reached.stack_ahead > 0 {
            return None;
        }
        let (take, ahead) = self.stacks.next(word(&self.stacks_begun, class), &mut reached.stacks, 0, draw);
        reached.stack_ahead = ahead;
        take
    }

    /// An object is followed that the JVM's sampler picked: whether its stack is taken, which stands for those of two to this power of such
    /// objects. They are far apart, and each is as many bytes of its class: all are worth a stack, as far as the budget pays. `draw`: as above.
    pub fn stack_of_picked(&self, draw: &mut dyn FnMut() -> f64) -> Option<u32> {
        // As the square, so that what was spent stays near to what may be.
        let log2 = (2.0 * self.stacks.budget.pressure().max(1.0).log2()).ceil() as u32;
        let log2 = log2.min(MOST_PICKED_LOG2);
        (draw() * f64::from(1 << log2) < 1.0).then_some(log2)
    }

    /// What following objects takes.
    pub fn objects(&self) -> &CpuBudget {
        &self.objects.budget
    }

    /// What following objects of scopes takes.
    pub fn in_scopes(&self) -> &CpuBudget {
        &self.in_scopes.budget
    }

    /// What taking their stacks takes.
    pub fn stacks(&self) -> &CpuBudget {
        &self.stacks.budget
    }

    /// All classes are small again.
    pub fn reset(&self) {
        [&self.begun, &self.stacks_begun].into_iter().chain(self.scopes()).for_each(zero);
        self.epoch.fetch_add(1, Relaxed);
    }

    /// Memory mapped, in bytes, at most: of so many classes.
    pub fn mapped_bytes(&self, classes: usize) -> u64 {
        ((4 + self.scopes().count()) * classes * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::random;

    const HOT: ClassId = ClassId(3);
    const RARE: ClassId = ClassId(7);

    /// A thread that makes objects of one class, as Java counts them: which are followed, and what each stands for.
    #[derive(Default)]
    struct Maker {
        count: u64,
        due: u64,
        reached: Progression,
        scope: Option<NodeId>,
    }

    impl Maker {
        fn make(&mut self, shares: &Shares, class: ClassId, room: &Budget, draw: Draw<'_>) -> Option<u64> {
            self.count += 1;
            if self.count < self.due {
                return None;
            }
            let turn = shares.turn((class, self.scope), &mut self.reached, room, draw);
            self.due = self.count + u64::from(turn.ahead);
            turn.follow.map(|log2| 1 << log2)
        }
    }

    fn overspent(factor: u32) -> Shares {
        let shares = Shares::new(false);
        shares.objects().spend(FREE * factor);
        shares.in_scopes().spend(FREE * factor);
        shares.stacks().spend(FREE * factor);
        shares
    }

    #[test]
    fn stacks_of_what_the_sampler_picked_are_taken_while_they_are_paid_for_and_stand_for_all() {
        let mut random = random(7);
        let mut draw = || (random(1 << 30) - 1) as f64 / f64::from(1 << 30);
        let shares = Shares::new(false);
        assert!((0..1_000).all(|_| shares.stack_of_picked(&mut draw) == Some(0)));
        for (factor, log2) in [(3, 4), (1_000, MOST_PICKED_LOG2)] {
            let shares = overspent(factor);
            let taken: Vec<_> = (0..100_000).filter_map(|_| shares.stack_of_picked(&mut draw)).collect();
            assert!(taken.iter().all(|&taken| taken == log2), "{factor}: {:?}", taken.first());
            let all = taken.len() as f64 * f64::from(1 << log2);
            assert!((all / 100_000.0 - 1.0).abs() < 0.2, "{factor}: {all}");
        }
    }

    fn room() -> Budget {
        Budget::new(1 << 30)
    }

    #[test]
    fn rare_classes_are_followed_one_by_one_however_hot_others_are_and_however_much_was_spent() {
        let (shares, room, mut draw) = (overspent(1000), room(), random(1));
        let (mut hot, mut rare) = (Maker::default(), Maker::default());
        let (mut followed, mut seen) = (0, Vec::new());
        for at in 0..10_000_000u64 {
            followed += u64::from(hot.make(&shares, HOT, &room, &mut draw).is_some());
            if at % 10_000 == 0 {
                seen.extend(rare.make(&shares, RARE, &room, &mut draw));
            }
        }
        assert_eq!(seen, [1; 1000]);
        assert!((1_000..20_000).contains(&followed), "{followed}");
    }

    #[test]
    fn each_large_array_is_followed_while_that_is_paid_for() {
        let large = |shares: &Shares, bytes| {
            [None, Some(NodeId(0))].map(|scope| shares.follows_each_large(bytes, scope))
        };
        assert_eq!(large(&Shares::new(false), LARGE_ARRAY), [true; 2]);
        assert_eq!(large(&Shares::new(false), LARGE_ARRAY - 1), [false; 2]);
        assert_eq!(large(&overspent(10), LARGE_ARRAY), [false; 2]);
    }

    #[test]
    fn all_are_followed_while_little_was_spent() {
        let (shares, room, mut draw) = (Shares::new(false), room(), random(1));
        let mut hot = Maker::default();
        assert!((0..100_000).all(|_| hot.make(&shares, HOT, &room, &mut draw) == Some(1)));
    }

    #[test]
    fn what_is_followed_stands_for_all_on_average_in_any_part_and_at_any_moment() {
        // Many threads that end somewhere in a stratum; one object in seven is of the part.
        let (room, mut draw) = (room(), random(99));
        let (mut all, mut part, mut squares) = (0.0, 0.0, 0.0);
        let shares = overspent(4);
        let (threads, each) = (4_000u64, 997u64);
        for _ in 0..threads {
            let mut thread = Maker::default();
            for at in 0..each {
                if let Some(weight) = thread.make(&shares, HOT, &room, &mut draw) {
                    let weight = weight as f64;
                    all += weight;
                    squares += weight * (weight - 1.0);
                    part += if at % 7 == 0 { weight } else { 0.0 };
                }
            }
        }
        let made = (threads * each) as f64;
        let of_part = (threads * each.div_ceil(7)) as f64;
        // Fixed seed; independent draws would have this error, strata a smaller one.
        assert!((all - made).abs() < 4.0 * squares.sqrt(), "{all} of {made}, error {}", squares.sqrt());
        let error = (squares / 7.0).sqrt();
        assert!((part - of_part).abs() < 4.0 * error, "{part} of {of_part}, error {error}");
        assert!(squares > 0.0, "all were followed");
    }

    #[test]
    fn the_more_was_spent_the_fewer_are_followed() {
        let followed = |factor| {
            let (shares, room, mut draw) = (overspent(factor), room(), random(5));
            let mut hot = Maker::default();
            (0..1_000_000).filter(|_| hot.make(&shares, HOT, &room, &mut draw).is_some()).count()
        };
        assert!(followed(1) > 2 * followed(2), "{} {}", followed(1), followed(2));
    }

    #[test]
    fn as_room_gets_short_large_classes_are_thinned_and_small_ones_are_not() {
        let (shares, mut draw) = (Shares::new(false), random(5));
        shares.objects().spend(FREE);
        let room = Budget::new(1000 * crate::budget::BYTES_PER_OBJECT);
        let made = |room: &Budget, class: ClassId, draw: Draw<'_>| {
            let mut maker = Maker::default();
            (0..200_000).filter(|_| maker.make(&shares, class, room, draw).is_some()).count()
        };
        let ample = made(&room, ClassId(1), &mut draw);
        assert!(room.reserve(800));
        let short = made(&room, ClassId(2), &mut draw);
        assert!(short * 4 < ample, "{short} of {ample}");
        let mut rare = Maker::default();
        assert!((0..200).all(|_| rare.make(&shares, RARE, &room, &mut draw) == Some(1)));
    }

    #[test]
    fn in_a_scope_a_class_is_small_again_and_grows_there_alone() {
        let (shares, room, mut draw) = (overspent(1000), room(), random(7));
        let mut elsewhere = Maker::default();
        let mut followed_of = |maker: &mut Maker, objects: u64| {
            (0..objects).filter_map(|_| maker.make(&shares, HOT, &room, &mut draw)).collect::<Vec<_>>()
        };
        assert!(followed_of(&mut elsewhere, 1_000_000).len() < 20_000);
        let [mut request, mut report] =
            [0, 1].map(|node| Maker { scope: Some(NodeId(node)), ..Maker::default() });
        assert_eq!(followed_of(&mut request, 500), [1; 500]);
        let later = followed_of(&mut request, 1_000_000);
        let all: u64 = later.iter().sum();
        assert!(later.len() < 20_000 && all.abs_diff(1_000_000) < 20_000, "{} for {all}", later.len());
        assert_eq!(followed_of(&mut report, 500), [1; 500], "each scope is one of its own");
        shares.reset();
        request.due = 0;
        assert!(
            (0..500).all(|_| request.make(&shares, HOT, &room, &mut draw) == Some(1)),
            "a reset is for scopes, too"
        );
    }

    #[test]
    fn a_class_is_frequent_by_what_a_sampler_would_have_picked_or_by_how_fast_it_grows() {
        let (shares, mut draw) = (Shares::new(false), random(5));
        let mut follow = |class: ClassId, p: f64, objects: u64, per_ms: u64| {
            let mut walk = Walk::default();
            for at in 0..objects {
                shares.objects.begin(word(&shares.begun, class), &mut walk, 0, &mut draw);
                shares.note_followed((class, None), 0, p, Some(at / per_ms));
            }
            shares.is_frequent(class)
        };
        assert!(!follow(ClassId(1), 1e-3, 63_000, 100), "few would have been picked");
        assert!(follow(ClassId(2), 1e-3, 65_000, 100));
        assert!(!follow(ClassId(3), 1e-6, 30_000, FAST / 2), "slow");
        assert!(!follow(ClassId(4), 1e-6, FIRST_LOOK, 2 * FAST), "few");
        assert!(follow(ClassId(5), 1e-6, 30_000, 2 * FAST));
        shares.reset();
        assert!(shares.is_frequent(ClassId(2)), "it stays so");
        assert_eq!([1, 2, 3, 4, 5].map(|id| shares.is_fast(ClassId(id))), [false, false, false, false, true]);
    }

    #[test]
    fn a_frequent_class_is_fast_once_a_thread_makes_many_of_it_in_little_time() {
        let shares = Shares::new(false);
        // "Not known, too few were followed" of 137 classes of which a first object was made as the program started.
        let mut reached = Progression::default();
        assert_eq!(shares.look_again(HOT, &mut reached, 300), Some(LOOK_AGAIN), "who knows since when");
        let mut reached = Progression { looked_ms: 10_000, ..Progression::default() };
        assert_eq!(shares.look_again(HOT, &mut reached, 12_700), Some(LOOK_AGAIN), "97 in a millisecond");
        assert_eq!(shares.look_again(HOT, &mut reached, 13_700), None, "262");
        assert!(shares.is_fast(HOT) && shares.is_frequent(HOT));
        assert_eq!(shares.look_again(HOT, &mut reached, 99_000), None, "it stays so");
    }

    #[test]
    fn what_was_picked_stands_for_as_many_as_its_probability_says() {
        let room = room();
        for (p, over_budget) in [(1.0, 1), (0.7, 1), (0.3, 1), (1e-3, 1), (1e-3, 3)] {
            let mut seed = random(29);
            let mut draw = || (seed(1 << 30) - 1) as f64 / f64::from(1 << 30);
            let shares = overspent(over_budget);
            let picks = 40_000;
            let weights: Vec<f64> = (0..picks)
                .filter_map(|_| shares.stands_for(p, &room, &mut draw))
                .map(|log2| f64::from(log2).exp2())
                .collect();
            let (sum, expected) = (weights.iter().sum::<f64>(), f64::from(picks) / p);
            let squares = weights.iter().map(|weight| weight * weight).sum::<f64>();
            let error = (squares - expected * expected / f64::from(picks)).max(0.0).sqrt();
            assert!(
                (sum - expected).abs() <= 5.0 * error,
                "{sum} of {expected} ± {error} at {p}, {over_budget}"
            );
        }
    }

    #[test]
    fn a_reset_makes_all_classes_small_again() {
        let (shares, room, mut draw) = (overspent(9), room(), random(5));
        let mut hot = Maker::default();
        let followed = (0..1_000_000).filter(|_| hot.make(&shares, HOT, &room, &mut draw).is_some()).count();
        assert!(followed < 20_000, "{followed}");
        shares.reset();
        // What Java keeps is cleared, too.
        hot.due = 0;
        assert!((0..1000).all(|_| hot.make(&shares, HOT, &room, &mut draw) == Some(1)));
    }

    #[test]
    fn stacks_are_taken_of_a_share_that_stands_for_all_that_are_followed() {
        let (shares, mut draw) = (overspent(2), random(17));
        let mut reached = Progression::default();
        let first: Vec<_> = (0..128).map(|_| shares.stack_turn(HOT, &mut reached, &mut draw)).collect();
        assert_eq!(first, [Some(0); 128]);
        let later: Vec<_> =
            (0..100_000).filter_map(|_| shares.stack_turn(HOT, &mut reached, &mut draw)).collect();
        let stands_for: u64 = later.iter().map(|log2| 1u64 << log2).sum();
        assert!(later.len() < 3_000 && stands_for.abs_diff(100_000) < 8_000, "{} {stands_for}", later.len());
    }
}
