//! The exact engine by its type: what hooks call at allocations goes there without an interface in between.

use std::sync::{Arc, OnceLock};

use crate::exact::Exact;

static EXACT: OnceLock<Arc<Exact>> = OnceLock::new();

/// Keeps the exact engine for the life of the process.
pub(super) fn keep(exact: Exact) -> Arc<Exact> {
    Arc::clone(EXACT.get_or_init(|| Arc::new(exact)))
}

/// The exact engine, if that is the one.
pub(super) fn exact() -> Option<&'static Exact> {
    EXACT.get().map(|exact| &**exact)
}
