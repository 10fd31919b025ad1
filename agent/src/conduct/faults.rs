//! Faults made on purpose, in debug builds only: how a test sees that a fault of ours ends profiling and nothing else.

/// Panics if the environment names this point of the agent.
pub(crate) fn point(name: &str) {
    if cfg!(debug_assertions) && std::env::var("MAYFLY_PANIC_AT").is_ok_and(|at| at == name) {
        panic!("asked for at {name}");
    }
}
