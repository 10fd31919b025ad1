//! Scopes on the way between Java and the slabs: who enters one for the first time on a thread, and whose end matters.
//!
//! How a thread knows its scopes is in `MayflyHooks.java`.

use mayfly_jvmti::{Jni, Thread};
use mayfly_tracking::EntryId;

use super::allocations::enter_thread;
use super::state::Exact;

/// The slab in which a thread counts in the scope of that name inside of the slab `outer`; of its own one, which it gets if it has
/// none, if that is 0. 0: there is none, it goes on where it is.
pub(crate) fn enter_inner(exact: &Exact, jni: Jni<'_>, thread: Thread<'_>, outer: u64, name: u32) -> u64 {
    let Some(hooks) = exact.hooks_in_use() else { return 0 };
    let outer = match outer {
        0 => {
            enter_thread(exact, jni, hooks, thread);
            hooks.slab(jni, thread)
        }
        outer => outer,
    };
    if outer == 0 { 0 } else { exact.counters.slabs.open_inner(outer, name, &exact.shared.scopes) }
}

/// An entry of a scope in which objects may have been tracked ends on this thread, or goes on in it as in another one.
pub(crate) fn note_entry(exact: &Exact, entry: EntryId, ends: bool) {
    let shared = &*exact.shared;
    if shared.plan.scope_survivors {
        shared.nurseries.note_entry(entry, ends);
    }
}

/// The number of a scope's name; 0 if nothing is counted any more.
pub(crate) fn scope_name(exact: &Exact, name: &str) -> u32 {
    if exact.shared.switches.is_finished() { 0 } else { exact.shared.scopes.name(name) }
}
