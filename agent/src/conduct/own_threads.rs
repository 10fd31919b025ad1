//! The agent's own threads, which are not the program.

use std::cell::Cell;

thread_local! {
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as the agent's: nothing it allocates is sampled, or counted if that begins after this call.
pub(crate) fn exclude_this_thread() {
    OWN.set(true);
}

/// Whether this thread is the agent's.
pub(crate) fn is_own() -> bool {
    OWN.get()
}
