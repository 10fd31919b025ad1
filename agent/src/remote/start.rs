//! The way in which profiling begins on request: given by what is above us, and knows the engines.

use std::sync::OnceLock;
use std::time::Duration;

use mayfly_jvmti::Jni;

use crate::target_jvm::Target;

/// Begins to profile with such options, for so long at most; why not, if it can't.
pub(crate) type Start = fn(&'static Target, &str, Option<Duration>, Jni<'_>) -> Result<(), String>;

static START: OnceLock<Start> = OnceLock::new();

/// This is the way.
pub(super) fn set(start: Start) {
    START.get_or_init(|| start);
}

/// The way, once there is one.
pub(super) fn get() -> Option<Start> {
    START.get().copied()
}
