//! How the JVM is asked, and the questions that need no more than asking it.

use std::sync::OnceLock;

use mayfly_jvmti::{HeapWalk, Jni, JvmtiEnv, Object};

use super::error::ApiError;
use crate::steering::{self, Profiler};

/// The environment for what needs no tags. One for the life of the process.
pub(super) fn jvmti(jni: Jni<'_>) -> Result<&'static JvmtiEnv, ApiError> {
    static JVMTI: OnceLock<JvmtiEnv> = OnceLock::new();
    if let Some(jvmti) = JVMTI.get() {
        return Ok(jvmti);
    }
    let jvmti = JvmtiEnv::of(jni.vm().ok_or(ApiError::NoMemory)?)?;
    Ok(JVMTI.get_or_init(|| jvmti))
}

/// An environment with tags of its own.
pub(super) fn walk(jni: Jni<'_>) -> Result<HeapWalk<'_>, ApiError> {
    Ok(HeapWalk::new(jni.vm().ok_or(ApiError::NoMemory)?, jni)?)
}

/// Shallow size of an object.
pub(crate) fn size(jni: Jni<'_>, object: Object<'_>) -> Result<i64, ApiError> {
    Ok(jvmti(jni)?.object_size(object).and_then(|size| i64::try_from(size).ok()).unwrap_or(0))
}

/// Collects the whole heap. A profiler that runs beside takes it for one of its own making.
pub(crate) fn collect(jni: Jni<'_>) -> Result<(), ApiError> {
    match Profiler::get() {
        Some(profiler) => steering::force_gc(&profiler),
        None => jvmti(jni)?.force_gc(),
    }
    Ok(())
}
