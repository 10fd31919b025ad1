//! Balanced tracking: objects that are due by their class's count, handed over one by one.
//!
//! Whose turn it is, `Shares` of `mayfly-tracking` says; how Java knows that an object is due is in `MayflyHooks.java`.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use mayfly_jvmti::Jni;
use mayfly_tracking::{CpuBudget, EntryId, Shares, StandsFor};

use super::allocations::HandedOver;
use super::state::Exact;
use super::thread::{Asked, CountedAt, KnownClass, OfThread, with_this_thread, with_this_thread_if_known};
use crate::tracking::Followed;

/// One object in so many is timed: reading the clock takes a good part of what following takes.
const TIMED: u32 = 16;
/// Time beyond which a thread was probably not running: it is no part of what following takes.
const MOST_TIME: Duration = Duration::from_micros(50);
/// The same of a stack whose frames may have to be named.
const MOST_STACK_TIME: Duration = Duration::from_millis(1);
/// The CPU time of the process is asked for once per so many measurements.
const SPENDS_PER_CPU_TIME: u64 = 32;

/// Follows an object that is due, if it is its turn; which of its class from it on is due next, 0 for none.
pub(crate) fn follow(exact: &Exact, jni: Jni<'_>, due: HandedOver<'_>) -> u32 {
    let population = &*exact.population;
    let Some(shares) = population.shares.as_ref().filter(|_| !population.switches.is_finished()) else {
        return 0;
    };
    with_this_thread(population, |thread| {
        thread.due = thread.due.wrapping_add(1);
        let timed = thread.due.is_multiple_of(TIMED).then(Instant::now);
        let (ahead, on_stack) = thread.take_turn((exact, shares), jni, due).unwrap_or_default();
        if let Some(began) = timed {
            let time = began.elapsed().saturating_sub(on_stack).min(MOST_TIME);
            spend(shares.objects(), time * TIMED);
        }
        ahead
    })
}

/// Forgets that this thread's last object was due: its caller counts it again.
pub(crate) fn unfollow(exact: &Exact, jni: Jni<'_>) {
    with_this_thread_if_known(&exact.population, |thread| {
        let Some(Asked { at, before, tracked }) = thread.asked.take() else { return };
        if let Some(known) = thread.classes.get_mut(&at) {
            known.reached = before;
        }
        if let Some(object) = tracked {
            thread.tracker.take_back(&exact.population, jni, object);
        }
    });
}

impl OfThread {
    /// Which object is due next, and the time that went into a stack; `None`: no object of the class is.
    fn take_turn(
        &mut self,
        (exact, shares): (&Exact, &Shares),
        jni: Jni<'_>,
        due: HandedOver<'_>,
    ) -> Option<(u32, Duration)> {
        let population = &*exact.population;
        self.asked = None;
        let at: CountedAt = (due.entry.map(EntryId::node), due.cell);
        let mut known = self.class(population, at).filter(|known| known.tracked)?;
        let before = known.reached;
        let draw = &mut |n| fastrand::u64(1..=n);
        let turn = shares.turn(known.id, &mut known.reached, &population.budget, draw);
        let stack = turn
            .follow
            .filter(|_| population.options.trace)
            .and_then(|_| shares.stack_turn(known.id, &mut known.reached, draw));
        if let Some(kept) = self.classes.get_mut(&at) {
            kept.reached = known.reached;
        }
        let mut on_stack = Duration::ZERO;
        let tracked = turn.follow.and_then(|objects_log2| {
            let (site, stack_log2) = match stack {
                Some(log2) => {
                    let began = Instant::now();
                    let site =
                        self.tracker.site((population, &exact.target.jvmti), jni, known.id, due.moving);
                    on_stack = began.elapsed();
                    spend(shares.stacks(), on_stack.min(MOST_STACK_TIME));
                    (site, log2)
                }
                None => (known.site, 0),
            };
            let stands_for = StandsFor { objects_log2, stack_log2 };
            self.tracker.follow(population, jni, followed(due, known, objects_log2), (site, stands_for))
        });
        self.asked = Some(Asked { at, before, tracked });
        Some((turn.ahead, on_stack))
    }
}

fn followed(due: HandedOver<'_>, known: KnownClass, log2: u32) -> Followed<'_> {
    let size = if due.size == 0 { u64::from(known.size) } else { due.size };
    Followed { object: due.object, size, bytes: size << log2, entry: due.entry }
}

fn spend(budget: &CpuBudget, time: Duration) {
    if budget.spend(time.as_nanos() as u64).is_multiple_of(SPENDS_PER_CPU_TIME) {
        budget.set_cpu(ProcessTime::now().as_duration().as_nanos() as u64);
    }
}
