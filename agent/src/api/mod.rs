//! What stands behind the Java API's questions about the heap (`io.mayfly.Natives`): sizes, counts, paths.
//!
//! Works in every JVM that has this library in it, whether or not it was started or attached as an agent: all that is
//! needed comes with the call. Not here: the native methods themselves (`exports_api`), and what their answers mean to
//! an assertion, which Java decides.

mod count;
mod fields;
mod paths;
mod rows;
mod snapshot;
mod steps;
mod survivors;

use std::sync::OnceLock;

use mayfly_jvmti::{HeapWalk, Jni, JvmtiError, Tool};
use thiserror::Error;

use crate::control;
use crate::engine::Engine;

pub(crate) use count::count;
pub(crate) use fields::{fields, interesting_roots};
pub(crate) use paths::{Search, paths, retained};
pub(crate) use snapshot::Asked;
pub(crate) use steps::Steps;
pub(crate) use survivors::{Survivors, survivors};

/// Version of the native methods, which the Java side compares with its own.
pub(crate) const VERSION: i32 = 2;

/// Why a question has no answer.
#[derive(Debug, Error)]
pub(crate) enum ApiError {
    /// The JVM refused.
    #[error("the JVM refuses to show its heap ({0})")]
    Refused(#[from] JvmtiError),
    /// The walk came to nothing.
    #[error(transparent)]
    Heap(#[from] crate::heap::HeapError),
    /// The snapshot does not make sense: a fault of ours.
    #[error("the snapshot of the heap can't be read: {0}")]
    Unreadable(mayfly_heap::HeapError),
    /// Java objects for the answer could not be made.
    #[error("no memory for the answer: the Java heap is full")]
    NoMemory,
}

/// The environment for what needs no tags. One for the life of the process.
fn tool(jni: Jni<'_>) -> Result<&'static Tool, ApiError> {
    static TOOL: OnceLock<Tool> = OnceLock::new();
    if let Some(tool) = TOOL.get() {
        return Ok(tool);
    }
    let tool = Tool::of(jni.vm().ok_or(ApiError::NoMemory)?)?;
    Ok(TOOL.get_or_init(|| tool))
}

/// An environment with tags of its own.
fn walk(jni: Jni<'_>) -> Result<HeapWalk<'_>, ApiError> {
    Ok(HeapWalk::new(jni.vm().ok_or(ApiError::NoMemory)?, jni)?)
}

/// Shallow size of an object.
pub(crate) fn size(jni: Jni<'_>, object: mayfly_jvmti::Object<'_>) -> Result<i64, ApiError> {
    Ok(tool(jni)?.object_size(object).and_then(|size| i64::try_from(size).ok()).unwrap_or(0))
}

/// Collects the whole heap. A profiler that runs beside takes it for one of its own making.
pub(crate) fn collect(jni: Jni<'_>) -> Result<(), ApiError> {
    match Engine::get() {
        Some(engine) => control::force_gc(engine),
        None => tool(jni)?.force_gc(),
    }
    Ok(())
}
