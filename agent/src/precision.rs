//! `#gc-every-BYTES`: forces a collection each time so many bytes were allocated.
//!
//! The allocating thread that crosses the line collects, so that the program cannot run ahead. What the byte clock does not
//! see at once is left to the worker.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use mayfly_jvmti::Jni;

use crate::control;
use crate::engine::Engine;

/// Where on the byte clock the next collection is due.
#[derive(Default)]
pub(crate) struct Precision {
    line: AtomicU64,
    collecting: AtomicBool,
}

/// Lets counting begin at the byte clock as it stands.
pub(crate) fn begin(engine: &Engine) {
    if let Some(every) = engine.options.gc_every_bytes {
        engine.precision.line.store(engine.clock.bytes() + every, Relaxed);
    }
}

/// Whether a collection is due.
pub(crate) fn is_due(engine: &Engine) -> bool {
    engine.options.gc_every_bytes.is_some() && engine.clock.bytes() >= engine.precision.line.load(Relaxed)
}

/// Collects and sweeps if it is due. The caller holds no lock, and is a thread of the VM.
pub(crate) fn collect_if_due(engine: &Engine, jni: Jni<'_>) {
    let Some(every) = engine.options.gc_every_bytes else { return };
    let precision = &engine.precision;
    if !is_due(engine) || !engine.control.may_collect() || precision.collecting.swap(true, Relaxed) {
        return;
    }
    // From the begin of the collection: what is allocated during a concurrent one counts for the next.
    precision.line.store(engine.clock.bytes() + every, Relaxed);
    control::force_gc(engine);
    // Here and not later: before the next collection it must be known what this one left.
    if let Some(session) = engine.control.session().as_mut() {
        session.collect(engine, jni);
    }
    precision.collecting.store(false, Relaxed);
}
