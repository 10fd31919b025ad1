//! Whether this copy of the library, or another one, is an agent of the JVM.
#![allow(missing_docs)] // The marker is found by its name.
#![allow(unsafe_code)] // A symbol is exported, and looked up in other libraries.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mayfly_jvmti::{keep_library, other_library_marked};

/// Whether this copy of the library is an agent of the JVM, and not only loaded, by a jar of the Java API say. Other
/// copies look it up by its name.
#[unsafe(no_mangle)]
#[used]
pub static MAYFLY_IS_AGENT: AtomicBool = AtomicBool::new(false);

/// Marks this copy for others.
pub(super) fn mark_agent() {
    MAYFLY_IS_AGENT.store(true, Relaxed);
}

/// Another copy of the library that is an agent of this JVM: two would define the same class, and find each other's
/// fields.
pub(super) fn other_agent() -> Option<PathBuf> {
    // SAFETY: no other library has reason to export this name.
    unsafe { other_library_marked(c"MAYFLY_IS_AGENT", &MAYFLY_IS_AGENT) }
}

/// Keeps this copy in the process for good. One that Java code has loaded is otherwise unloaded with its class loader, and the agent's
/// threads would run into nothing.
pub(super) fn keep_loaded() {
    keep_library(&MAYFLY_IS_AGENT);
}
