//! What native memory the agent allocates. It is counted as it is allocated, whoever does; what is mapped, and what the
//! JVM holds for us, are their owners' to say.

use std::alloc::System;

use cap::Cap;

/// Counts; there is no limit.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that the agent's own data takes. Not the library's code.
pub(crate) fn allocated() -> u64 {
    HEAP.allocated() as u64
}
