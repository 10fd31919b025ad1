//! How the JVM is asked, and the questions that need no more than asking it.

use std::sync::OnceLock;

use mayfly_jvmti::{HeapWalk, Jni, Object, Tool};

use super::error::ApiError;
use crate::steering::{self, Profiler};

/// The environment for what needs no tags. One for the life of the process.
pub(super) fn tool(jni: Jni<'_>) -> Result<&'static Tool, ApiError> {
    static TOOL: OnceLock<Tool> = OnceLock::new();
    if let Some(tool) = TOOL.get() {
        return Ok(tool);
    }
    let tool = Tool::of(jni.vm().ok_or(ApiError::NoMemory)?)?;
    Ok(TOOL.get_or_init(|| tool))
}

/// An environment with tags of its own.
pub(super) fn walk(jni: Jni<'_>) -> Result<HeapWalk<'_>, ApiError> {
    Ok(HeapWalk::new(jni.vm().ok_or(ApiError::NoMemory)?, jni)?)
}

/// Shallow size of an object.
pub(crate) fn size(jni: Jni<'_>, object: Object<'_>) -> Result<i64, ApiError> {
    Ok(tool(jni)?.object_size(object).and_then(|size| i64::try_from(size).ok()).unwrap_or(0))
}

/// Collects the whole heap. A profiler that runs beside takes it for one of its own making.
pub(crate) fn collect(jni: Jni<'_>) -> Result<(), ApiError> {
    match Profiler::get() {
        Some(profiler) => steering::force_gc(profiler),
        None => tool(jni)?.force_gc(),
    }
    Ok(())
}
