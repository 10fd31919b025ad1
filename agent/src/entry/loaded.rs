//! The engine by its type: what the JVM calls at allocations goes there without an interface in between.

use std::sync::OnceLock;

use crate::exact::Exact;

static EXACT: OnceLock<Exact> = OnceLock::new();

/// Keeps the exact engine for the life of the process.
pub(super) fn keep(exact: Exact) -> &'static Exact {
    EXACT.get_or_init(|| exact)
}

/// The exact engine, if that is the one.
pub(super) fn exact() -> Option<&'static Exact> {
    EXACT.get()
}
