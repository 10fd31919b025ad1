//! Balanced tracking: objects that are due by their class's count, handed over one by one, and of frequent classes those that the
//! JVM's sampler picks.
//!
//! Whose turn it is, `Shares` of `mayfly-tracking` says; how Java knows that an object is due is in `MayflyHooks.java`.

use std::time::Duration;

use cpu_time::ThreadTime;
use mayfly_jvmti::{Jni, Object};
use mayfly_profile::{ClassId, Estimate};
use mayfly_tracking::{CpuBudget, EntryId, Progression, Shares, StandsFor, Tracked, Turn};

use super::allocations::HandedOver;
use super::hooks::Hooks;
use super::spending::spend;
use super::state::Exact;
use super::thread::{CountedAt, KnownClass, LastDue, OfThread, with_this_thread, with_this_thread_if_known};
use crate::conduct::own_threads;
use crate::tracking::{Followed, Stacks};

/// One object in so many is timed: reading the clock takes a good part of what following takes.
const TIMED: u32 = 16;

/// When an object of a class is due after one that was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextDue {
    /// So many objects on.
    After(u32),
    /// No other one is.
    Never,
    /// The class is frequent: the JVM's sampler chooses its objects from now on.
    BySampler,
}

/// An object that the JVM's sampler picked.
pub(super) struct SampledObject<'call> {
    pub(super) class: ClassId,
    /// Of the class.
    pub(super) cell: u32,
    pub(super) object: Object<'call>,
    pub(super) size: u64,
    /// At which it was drawn.
    pub(super) interval: u64,
}

/// An object that is followed.
struct Chosen<'call> {
    followed: Followed<'call>,
    /// It stands for two to this power of its class.
    log2: u32,
    /// No stack may be taken.
    moving: bool,
    by: ChosenBy,
}

/// Why an object is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChosenBy {
    /// It is due.
    Turn,
    /// It is large.
    Size,
    /// It is due in its scope alone: objects that the sampler picks stand for the class and the site.
    TurnInScope,
    /// The JVM's sampler picked it.
    Sampler,
}

/// Follows an object that is due by its class's count, if it is its turn, or as it is large.
pub(crate) fn follow(exact: &Exact, jni: Jni<'_>, due: HandedOver<'_>, by_count: bool) -> NextDue {
    let Some(shares) = shares_in_use(exact).filter(|_| !own_threads::is_own()) else { return NextDue::Never };
    let budget = if due.entry.is_some() { shares.in_scopes() } else { shares.objects() };
    timed(exact, budget, |thread| thread.take_turn(exact, shares, jni, due, by_count))
        .unwrap_or(NextDue::Never)
}

/// Follows an object that the JVM's sampler picked, if its class is frequent. What became of the objects of its scope, if it was made in
/// one, others tell, unless they are made too fast.
pub(super) fn follow_sampled(exact: &Exact, jni: Jni<'_>, hooks: &Hooks, picked: &SampledObject<'_>) {
    let Some(shares) = shares_in_use(exact).filter(|shares| shares.is_frequent(picked.class)) else { return };
    let entry = entry_of_fast(exact, jni, hooks, shares, picked.class);
    follow_picked(exact, jni, shares, picked, (entry, ChosenBy::Sampler));
}

/// The same for its scope alone, where a byte sample stands for the class: if objects of the class are made too fast to be due.
pub(super) fn follow_in_scope(exact: &Exact, jni: Jni<'_>, hooks: &Hooks, picked: &SampledObject<'_>) {
    let Some(shares) = shares_in_use(exact) else { return };
    let Some(entry) = entry_of_fast(exact, jni, hooks, shares, picked.class) else { return };
    follow_picked(exact, jni, shares, picked, (Some(entry), ChosenBy::TurnInScope));
}

/// The entry in which an object of a class is made, where the sampler tells of the class in scopes, too. Java answers: nothing of this thread may
/// be held.
fn entry_of_fast(
    exact: &Exact,
    jni: Jni<'_>,
    hooks: &Hooks,
    shares: &Shares,
    class: ClassId,
) -> Option<EntryId> {
    let is_for_scope = exact.shared.scopes.are_used() && shares.is_fast(class);
    is_for_scope.then(|| hooks.entry(jni)).flatten()
}

fn follow_picked(
    exact: &Exact,
    jni: Jni<'_>,
    shares: &Shares,
    picked: &SampledObject<'_>,
    (entry, by): (Option<EntryId>, ChosenBy),
) {
    let &SampledObject { cell, object, size, interval, .. } = picked;
    let shared = &*exact.shared;
    let of_class = by == ChosenBy::Sampler;
    let budget = if of_class { shares.objects() } else { shares.in_scopes() };
    timed(exact, budget, |thread| {
        let at = (None, cell);
        let mut known = thread.class(shared, at).filter(|known| known.tracked)?;
        let p = Estimate::probability(size, interval);
        let log2 = shares.stands_for(p, &shared.budget, &mut fastrand::f64)?;
        if of_class {
            shared.clock.advance_by_estimate((size as f64 / p) as u64);
        }
        let trace = shared.traces.of_this_thread(&exact.target.jvmti, jni, false);
        let followed = Followed { object, size, bytes: 0, entry, trace };
        // The JVM samples nothing while a virtual thread is being mounted or unmounted.
        let chosen = Chosen { followed, log2, moving: false, by };
        let (_, on_stack) = thread.follow_chosen(exact, shares, jni, &mut known, chosen);
        thread.has_reached(at, known.reached);
        Some(((), on_stack))
    });
}

fn shares_in_use(exact: &Exact) -> Option<&Shares> {
    let shared = &*exact.shared;
    shared.shares.as_ref().filter(|_| !shared.switches.is_finished())
}

/// Whether what becomes of the objects of scopes is of interest: some are entered, or will be.
fn looks_after_scopes(exact: &Exact) -> bool {
    let shared = &*exact.shared;
    shared.plan.scope_survivors && (!shared.plan.scopes.is_empty() || shared.scopes.are_used())
}

/// Whether objects of a class are to be made without a test where many are, though those of scopes are known by it. It costs little itself:
/// beside it the JIT compiler removes none, and of arrays it hardly removes any.
fn is_worth_no_test(class: &KnownClass) -> bool {
    class.size > 0
}

/// What an action gives that follows an object, told to the budget; it says how long it took a stack.
fn timed<R>(
    exact: &Exact,
    budget: &CpuBudget,
    action: impl FnOnce(&mut OfThread) -> Option<(R, Duration)>,
) -> Option<R> {
    with_this_thread(&exact.shared, |thread| {
        thread.due = thread.due.wrapping_add(1);
        let timed = thread.due.is_multiple_of(TIMED).then(ThreadTime::now);
        let done = action(thread);
        if let Some(began) = timed {
            let on_stack = done.as_ref().map_or(Duration::ZERO, |(_, on_stack)| *on_stack);
            let time = began.elapsed().saturating_sub(on_stack);
            spend(budget, time * TIMED);
        }
        done.map(|(result, _)| result)
    })
}

/// Forgets that this thread's last object was due: its caller counts it again.
pub(crate) fn unfollow(exact: &Exact, jni: Jni<'_>) {
    with_this_thread_if_known(&exact.shared, |thread| {
        let Some(LastDue { at, before, tracked }) = thread.last_due.take() else { return };
        thread.has_reached(at, before);
        if let Some(object) = tracked {
            thread.tracker.take_back(&exact.shared, jni, object);
        }
    });
}

impl OfThread {
    /// When the next object is due, and the time that went into a stack; `None`: no object of the class is.
    fn take_turn(
        &mut self,
        exact: &Exact,
        shares: &Shares,
        jni: Jni<'_>,
        due: HandedOver<'_>,
        by_count: bool,
    ) -> Option<(NextDue, Duration)> {
        let shared = &*exact.shared;
        self.last_due = None;
        let at: CountedAt = (due.entry.map(EntryId::node), due.cell);
        let mut known = self.class(shared, at).filter(|known| known.tracked)?;
        let sampling = exact.sampling_of_frequent_classes();
        let by_sampler = shares.are_of_scopes_alone() || sampling.is_some() && shares.is_frequent(known.id);
        let scope = due.entry.filter(|_| shared.plan.scope_survivors).map(EntryId::node);
        if by_sampler && (scope.is_none() || shares.is_fast(known.id)) {
            // How fast objects are made is told by how far apart those are that are due.
            if !by_count || sampling.is_none() {
                return Some((NextDue::Never, Duration::ZERO));
            }
            return Some((self.leave_to_sampler(exact, shares, (at, known)), Duration::ZERO));
        }
        let size = if due.size == 0 { u64::from(known.size) } else { due.size };
        let before = known.reached;
        let mut draw = |n| fastrand::u64(1..=n);
        let turn = match by_count {
            true => shares.turn((known.id, scope), &mut known.reached, &shared.budget, &mut draw),
            false => Turn::default(),
        };
        // A large one stands for itself, due or not: of those that are due none stands for it then.
        let is_large = shares.follows_each_large(due.size, scope);
        let (tracked, on_stack) = match if is_large { Some(0) } else { turn.follow } {
            Some(log2) => {
                // Where threads come and go it is not left to the JVM's sampler, which draws the same in each of them.
                if let Some(interval) = sampling.filter(|_| !exact.threads_are_brief()) {
                    let p = Estimate::probability(size, interval);
                    // Where scopes matter, outside of them it is looked again.
                    let looks = !looks_after_scopes(exact) || scope.is_some() && is_worth_no_test(&known);
                    let ms = looks.then(|| shared.clock.now_ms());
                    shares.note_followed((known.id, scope), log2, p, ms);
                }
                let trace = shared.traces.of_this_thread(&exact.target.jvmti, jni, due.moving);
                let HandedOver { object, entry, .. } = due;
                let bytes = if by_sampler { 0 } else { size << log2 };
                let followed = Followed { object, size, bytes, entry, trace };
                let by = match (by_sampler, is_large) {
                    (true, _) => ChosenBy::TurnInScope,
                    (false, true) => ChosenBy::Size,
                    (false, false) => ChosenBy::Turn,
                };
                let chosen = Chosen { followed, log2, moving: due.moving, by };
                self.follow_chosen(exact, shares, jni, &mut known, chosen)
            }
            None => (None, Duration::ZERO),
        };
        self.has_reached(at, known.reached);
        self.last_due = Some(LastDue { at, before, tracked });
        Some((NextDue::After(turn.ahead), on_stack))
    }

    /// The JVM's sampler chooses the objects of a class: no hook needs to test for that, but in scopes as long as few are made.
    fn leave_to_sampler(
        &mut self,
        exact: &Exact,
        shares: &Shares,
        (at, mut known): (CountedAt, KnownClass),
    ) -> NextDue {
        let shared = &*exact.shared;
        if !looks_after_scopes(exact) {
            shares.note_fast(known.id);
            return NextDue::BySampler;
        }
        if !is_worth_no_test(&known) {
            return NextDue::Never;
        }
        let again = shares.look_again(known.id, &mut known.reached, shared.clock.now_ms());
        self.has_reached(at, known.reached);
        again.map_or(NextDue::BySampler, NextDue::After)
    }

    /// So far it has come with the class that is counted there.
    fn has_reached(&mut self, at: CountedAt, reached: Progression) {
        if let Some(kept) = self.classes.get_mut(&at) {
            kept.reached = reached;
        }
    }

    /// Has an object followed; also the time that went into its stack.
    fn follow_chosen(
        &mut self,
        exact: &Exact,
        shares: &Shares,
        jni: Jni<'_>,
        known: &mut KnownClass,
        chosen: Chosen<'_>,
    ) -> (Option<Tracked>, Duration) {
        let shared = &*exact.shared;
        let Chosen { followed, log2, moving, by } = chosen;
        let stack = match by {
            _ if !shared.plan.stacks.are_taken() => None,
            ChosenBy::TurnInScope => None,
            ChosenBy::Size => Some(0),
            ChosenBy::Sampler => shares.stack_of_picked(&mut fastrand::f64),
            ChosenBy::Turn => shares.stack_turn(known.id, &mut known.reached, &mut |n| fastrand::u64(1..=n)),
        };
        let mut on_stack = Duration::ZERO;
        let (site, stack_log2) = match stack {
            Some(log2) => {
                let began = ThreadTime::now();
                let stacks = Stacks { shared, jvmti: &exact.target.jvmti, jni };
                let site = self.tracker.site(stacks, known.id, moving);
                on_stack = began.elapsed();
                spend(shares.stacks(), on_stack);
                (site, log2)
            }
            None => (known.site, 0),
        };
        let in_scope_alone = by == ChosenBy::TurnInScope;
        let stands_for = StandsFor { objects_log2: log2, stack_log2, in_scope_alone };
        (self.tracker.follow(shared, jni, followed, site, stands_for), on_stack)
    }
}
