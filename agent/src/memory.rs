//! What native memory the agent takes. What it allocates is counted as it is allocated, whoever does; what it maps, and
//! what the JVM holds for it, are their owners' to say.

use std::alloc::System;

use cap::Cap;

use crate::engine::Engine;

/// Counts; there is no limit.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Native memory held, in bytes: by the agent's own data, pages of counters that were touched (as of when they were last
/// added up), and weak references of the JVM. Not the library's code.
pub(crate) fn held(engine: &Engine) -> u64 {
    let mapped = engine.slabs.bytes() + engine.classes.mapped_bytes() + engine.places.mapped_bytes();
    HEAP.allocated() as u64 + mapped + engine.budget.handle_bytes()
}

/// As [`held`], of now: looks at all counters.
pub(crate) fn held_now(engine: &Engine) -> u64 {
    engine.slabs.words(&engine.classes, &engine.places);
    held(engine)
}
