//! The boundary for native methods: the JVM's raw environment becomes a typed one, and a panic a value.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jvmti_bindings::sys::jni as sys;

use crate::jni::Jni;

/// Runs the body of a native method; a panic becomes `on_panic`'s value and never reaches the JVM.
///
/// # Safety
/// `env` must be the environment that the JVM passed to the native method now running.
pub unsafe fn method_body<R>(
    env: *mut sys::JNIEnv,
    body: impl FnOnce(Jni<'_>) -> R,
    on_panic: impl FnOnce() -> R,
) -> R {
    // SAFETY: by the caller's contract the environment is valid on this thread during the call.
    let jni = unsafe { Jni::from_raw(env) };
    catch_unwind(AssertUnwindSafe(|| body(jni))).unwrap_or_else(|_| on_panic())
}
