//! What the hooks report: new threads, new classes, objects to follow.

use std::sync::atomic::Ordering::Relaxed;

use mayfly_jvmti::{Class, Jni, Object, Thread};
use mayfly_profile::Tracking;
use mayfly_tracking::{EntryId, Registered, Shape};

use super::hooks::Hooks;
use super::state::Exact;
use super::thread::{with_this_thread, with_this_thread_if_known};
use crate::conduct::own_threads;
use crate::tracking::{Followed, Stacks};

/// Gives a thread a slab and a class its cell, where they have none.
pub(crate) fn enter(exact: &Exact, jni: Jni<'_>, thread: Thread<'_>, class: Class<'_>) {
    let Some(hooks) = exact.hooks_in_use() else { return };
    if own_threads::is_own() {
        return;
    }
    enter_thread(exact, jni, hooks, thread);
    if hooks.cell.get(jni, class) == 0
        && let Some(shape) = shape_of(exact, class, || size_of_example(exact, jni, class))
    {
        register(exact, jni, hooks, class, shape);
    }
}

/// Gives a thread a slab where it has none.
pub(super) fn enter_thread(exact: &Exact, jni: Jni<'_>, hooks: &Hooks, thread: Thread<'_>) {
    if hooks.slab(jni, thread) == 0 && !own_threads::is_own() {
        let slab = exact.counters.slabs.open();
        if exact.attached.is_some() && exact.target.is_carrier(jni, thread) {
            exact.counters.slabs.note_moving(slab);
        }
        hooks.set_slab(jni, thread, slab);
        if hooks.slab(jni, thread) == 0 {
            // Nothing to keep it in: the thread's object is not whole yet.
            exact.counters.close(slab, &exact.shared);
        }
    }
}

/// How objects of a class are counted; the size of one is asked for if all have the same.
pub(super) fn shape_of(
    exact: &Exact,
    class: Class<'_>,
    object_size: impl FnOnce() -> Option<u64>,
) -> Option<Shape> {
    if exact.target.jvmti.is_array(class) {
        return Some(Shape::Array);
    }
    Some(Shape::Object { size: u32::try_from(object_size()?).ok()? })
}

/// Size of the class's objects. No object itself is at hand: passing it here would keep the JIT from removing it.
fn size_of_example(exact: &Exact, jni: Jni<'_>, class: Class<'_>) -> Option<u64> {
    let example = jni.allocate(class)?;
    let size = exact.target.jvmti.object_size(example);
    jni.forget(example);
    exact.examples.fetch_add(size.unwrap_or(0), Relaxed);
    size
}

/// Gives a class its cell.
pub(super) fn register(
    exact: &Exact,
    jni: Jni<'_>,
    hooks: &Hooks,
    class: Class<'_>,
    shape: Shape,
) -> Option<Registered> {
    let shared = &*exact.shared;
    let name = exact.target.jvmti.class_name(class)?;
    let (plan, filter) = (&shared.plan, &shared.plan.filter);
    let large_enough = match shape {
        Shape::Object { size } => filter.admits_size(size.into()),
        Shape::Array | Shape::NameOnly => true,
    };
    let tracked = plan.hands_each_over() && large_enough && filter.admits(&name);
    let registered = shared.classes.register(&name, shape, tracked);
    hooks.cell.set(jni, class, registered.cell as i32);
    if matches!(shape, Shape::Object { .. }) {
        shared.soft.meet(&exact.target.jvmti, jni, class, registered.id);
    }
    Some(registered)
}

/// An object that the hooks hand over.
#[derive(Clone, Copy)]
pub(crate) struct HandedOver<'call> {
    pub(crate) object: Object<'call>,
    /// Of its class.
    pub(crate) cell: u32,
    /// Bytes of an array, else 0.
    pub(crate) size: u64,
    /// No stack may be taken.
    pub(crate) moving: bool,
    /// The entry of a scope in which it was made, if any.
    pub(crate) entry: Option<EntryId>,
}

/// Takes an object handed over by the hooks.
pub(crate) fn track(exact: &Exact, jni: Jni<'_>, handed_over: HandedOver<'_>) {
    let HandedOver { object, cell, size, moving, entry } = handed_over;
    let shared = &*exact.shared;
    let every = if let Tracking::EveryNth(every) = shared.plan.tracking { every } else { 1 };
    let examined = every == 1 || (exact.examined.fetch_add(1, Relaxed) + 1).is_multiple_of(every);
    with_this_thread(shared, |thread| {
        thread.tracked_last = None;
        if !examined || shared.switches.is_finished() {
            return;
        }
        let Some(class) = thread.class(shared, (None, cell)) else { return };
        let size = if size == 0 { u64::from(class.size) } else { size };
        let trace = shared.traces.of_this_thread(&exact.target.jvmti, jni, moving);
        let followed = Followed { object, size, bytes: size * every, entry, trace };
        let stacks = Stacks { shared, jvmti: &exact.target.jvmti, jni };
        thread.tracked_last = thread.add(stacks, class, followed, moving, 0);
    });
}

/// Takes back the object that this thread handed over last: its caller hands it over again.
pub(crate) fn untrack(exact: &Exact, jni: Jni<'_>) {
    with_this_thread_if_known(&exact.shared, |thread| {
        if let Some(object) = thread.tracked_last.take() {
            thread.tracker.take_back(&exact.shared, jni, object);
        }
    });
}
