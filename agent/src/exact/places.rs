//! Counting by place: a place gets its counter when it is first executed, and a stack is taken when a sample is due.
//!
//! Places are numbered while classes are rewritten (`numbering`).

use cpu_time::ThreadTime;
use mayfly_classfile::allocation::tells_of_places;
use mayfly_jvmti::{Class, Jni, Thread};
use mayfly_profile::{ClassId, FrameId, SiteId, Tracking};
use mayfly_tracking::{Due, Kind, RawStack, is_unplaced};

use super::allocations;
use super::spending::spend;
use super::state::Exact;
use super::thread::{Awaited, with_this_thread};
use crate::conduct::own_threads;
use crate::target_jvm::release::is_taken_back;
use crate::tracking::Stacks;

/// Gives a thread a slab and a place its counter; where in the slab that is, 0 if nowhere. `class` is that of the
/// arrays made there, `None` at a place that makes objects.
pub(crate) fn enter(
    exact: &Exact,
    jni: Jni<'_>,
    thread: Thread<'_>,
    class: Option<Class<'_>>,
    place: u32,
) -> u32 {
    let Some(hooks) = exact.hooks_in_use() else { return 0 };
    let (class, kind) = match class {
        Some(class) => {
            allocations::enter(exact, jni, thread, class);
            (exact.shared.classes.at_cell(hooks.cell.get(jni, class) as u32), Kind::Arrays)
        }
        None => {
            allocations::enter_thread(exact, jni, hooks, thread);
            let made = exact.counters.places.facts(place).and_then(|facts| facts.made);
            (made.map(|made| exact.shared.classes.named(&made)), Kind::Objects)
        }
    };
    if hooks.slab(jni, thread) == 0 {
        return 0;
    }
    class.and_then(|class| exact.counters.places.enter(place, class, kind, true)).unwrap_or(0)
}

/// As [`enter`], at a place where classes differ, of the class with this cell.
pub(crate) fn enter_pair(exact: &Exact, place: u32, cell: u32) -> u32 {
    let Some(class) = exact.shared.classes.at_cell(cell) else { return 0 };
    let is_array = exact.shared.classes.object_size(class).is_none();
    let kind = if is_array { Kind::OtherArrays } else { Kind::OtherObjects };
    let wanted = exact.shared.classes.name(class).is_some_and(|name| exact.shared.plan.filter.admits(name));
    exact.counters.places.enter_pair(place, cell, class, kind, wanted).unwrap_or(0)
}

/// An allocation at which a sample is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampled {
    /// Where in a slab its place is counted.
    pub(crate) offset: u32,
    /// Bytes of an array, else 0.
    pub(crate) size: u64,
    /// A virtual thread is being mounted or unmounted: no stack may be taken.
    pub(crate) moving: bool,
}

/// Takes the stack, if it is the sample's turn; the plan is for `MayflyHooks.due`.
pub(crate) fn sample(exact: &Exact, jni: Jni<'_>, at: Sampled, state: u32) -> u64 {
    if exact.shared.switches.is_finished() || own_threads::is_own() {
        return Due::NEVER.plan;
    }
    let due = exact
        .counters
        .places
        .due(at.offset, state, &exact.counters.stack_budget, &mut |n| fastrand::u64(1..=n));
    if let Some(log2) = due.take {
        let start = ThreadTime::now();
        take(exact, jni, at, log2);
        spend(&exact.counters.stack_budget, start.elapsed() / (1 << due.unpaid_log2));
    }
    due.plan
}

fn take(exact: &Exact, jni: Jni<'_>, at: Sampled, log2: u32) {
    let Sampled { offset, size, moving } = at;
    let Some((place, class)) = exact.counters.places.at(offset) else { return };
    let site = take_stack(exact, jni, class, place, moving, log2);
    // No frames: the caller takes the array back, a place told of the object after all, or the JVM gave none.
    if exact.shared.sites.has_frames(site) {
        // More stacks of who makes most cost little only beside following each object.
        let each = match exact.shared.plan.tracking {
            Tracking::EveryObject if size > 0 => size,
            Tracking::EveryObject => exact.shared.classes.object_size(class).unwrap_or(0).into(),
            _ => 0,
        };
        exact.counters.places.book(offset, site, log2, (size, each));
    }
}

/// Takes the stack at a place where an object is about to be made, which stands for two to the power `log2`.
fn take_stack(exact: &Exact, jni: Jni<'_>, class: ClassId, place: u32, moving: bool, log2: u32) -> SiteId {
    let shared = &*exact.shared;
    let stacks = Stacks { shared, jvmti: &exact.target.jvmti, jni };
    with_this_thread(shared, |thread| {
        let raw = &mut thread.tracker.stack;
        let site = if moving {
            let lines = shared.plan.lines;
            let frame = || exact.counters.places.facts(place).map(|facts| facts.frame(lines));
            stacks.of_moving_at(raw, class, place, frame)
        } else {
            stacks.take_at(raw, class, place);
            shared.sites.of_stack(raw, |raw| name(exact, stacks, raw, (class, place)))
        };
        let is_void = is_unplaced(place) && !shared.sites.has_frames(site);
        if shared.plan.lifetimes && !is_void {
            thread.await_object(Awaited { class, site, log2 });
        }
        site
    })
}

/// The frames of a new stack.
fn name(exact: &Exact, stacks: Stacks<'_>, raw: &RawStack, (class, place): (ClassId, u32)) -> Vec<FrameId> {
    if is_unplaced(place) {
        let name = exact.shared.classes.name(class).unwrap_or_default();
        let tells = |method| {
            let code = exact.target.jvmti.method_code(stacks.jni, method);
            code.is_some_and(|method| tells_of_places(&method.constants, &method.code))
        };
        return stacks.name_unplaced(raw, name, tells);
    }
    // Of what the caller takes back, its own caller is the site (see `mayfly_classfile::allocation`).
    stacks.name_unless(raw, |frames| is_taken_back(frames))
}
