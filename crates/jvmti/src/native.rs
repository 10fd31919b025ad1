//! The boundary for native methods: what the JVM passes in raw, and what a panic turns into.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jvmti_bindings::sys::jni as sys;

use crate::Jni;

/// Raw arguments every native method starts with.
#[derive(Clone, Copy)]
pub struct RawMethod {
    /// The calling thread's environment.
    pub env: *mut sys::JNIEnv,
}

/// Runs the body of a native method; a panic becomes `on_panic`'s value and never reaches the JVM.
///
/// # Safety
/// `raw.env` must be the environment that the JVM passed to the native method now running.
pub unsafe fn method_body<R>(
    raw: RawMethod,
    body: impl FnOnce(Jni<'_>) -> R,
    on_panic: impl FnOnce() -> R,
) -> R {
    // SAFETY: by the caller's contract the environment is valid on this thread during the call.
    let jni = unsafe { Jni::from_raw(raw.env) };
    catch_unwind(AssertUnwindSafe(|| body(jni))).unwrap_or_else(|_| on_panic())
}
