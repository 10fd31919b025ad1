//! The JVM as a session may ask it, on a thread that the JVM knows.

use std::sync::atomic::Ordering::Relaxed;

use mayfly_jvmti::Jni;
use mayfly_profile::Readings;

use super::profiler::Profiler;
use crate::session::{JvmBytes, Session};
use crate::target_jvm::Target;

/// For one call.
#[derive(Clone, Copy)]
pub(super) struct Outside<'call> {
    target: &'call Target,
    before: u64,
    jni: Jni<'call>,
}

impl<'call> Outside<'call> {
    /// On this thread.
    pub(super) fn of(profiler: &'call Profiler, jni: Jni<'call>) -> Self {
        Self { target: profiler.target, before: profiler.allocated_before.load(Relaxed), jni }
    }

    /// Reads how much memory outside of the heap followed objects stand for.
    pub(super) fn measure(&self, profiler: &Profiler, session: &mut Session) {
        session.measure_outside(&mut profiler.shared.references.handles(self.jni));
    }

    /// What it says of itself.
    pub(super) fn readings(&self) -> Readings {
        self.target.readings(self.jni)
    }
}

impl JvmBytes for Outside<'_> {
    fn allocated(&self) -> Option<u64> {
        Some(self.target.allocated(self.jni)?.saturating_sub(self.before))
    }

    fn allocated_on_carriers(&self) -> u64 {
        self.target.allocated_on_carriers(self.jni)
    }
}
