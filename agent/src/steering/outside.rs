//! The JVM as a session may ask it, on a thread that the JVM knows.

use mayfly_jvmti::Jni;

use super::profiler::Profiler;
use crate::session::JvmBytes;
use crate::target::Target;

/// For one call.
#[derive(Clone, Copy)]
pub(super) struct Outside<'call> {
    target: &'call Target,
    jni: Jni<'call>,
}

impl<'call> Outside<'call> {
    /// On this thread.
    pub(super) fn of(profiler: &'call Profiler, jni: Jni<'call>) -> Self {
        Self { target: profiler.target, jni }
    }
}

impl JvmBytes for Outside<'_> {
    fn allocated(&self) -> Option<u64> {
        self.target.allocated(self.jni)
    }

    fn allocated_on_carriers(&self) -> u64 {
        self.target.allocated_on_carriers(self.jni)
    }
}
