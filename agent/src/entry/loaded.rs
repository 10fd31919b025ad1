//! The exact engine by its type: what hooks call at allocations goes there without an interface in between.

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;

use crate::exact::Exact;

/// There from the launch on.
static LAUNCHED: OnceLock<Arc<Exact>> = OnceLock::new();
/// Begun in the JVM when it ran, until it ends.
static ATTACHED: ArcSwapOption<Exact> = ArcSwapOption::const_empty();

/// Keeps the exact engine of a launch for the life of the process.
pub(super) fn keep(exact: Exact) -> Arc<Exact> {
    Arc::clone(LAUNCHED.get_or_init(|| Arc::new(exact)))
}

/// Keeps one that begins later, until [`forget_attached`].
pub(super) fn keep_attached(exact: Exact) -> Arc<Exact> {
    let exact = Arc::new(exact);
    ATTACHED.store(Some(Arc::clone(&exact)));
    exact
}

/// The one that began later has ended.
pub(super) fn forget_attached() {
    ATTACHED.store(None);
}

/// Does something with the exact engine, if that is the one; it stays for so long.
pub(super) fn with_exact<R>(body: impl FnOnce(&Exact) -> R) -> Option<R> {
    match LAUNCHED.get() {
        Some(exact) => Some(body(exact)),
        None => ATTACHED.load().as_deref().map(body),
    }
}
