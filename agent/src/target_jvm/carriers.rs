//! Threads that virtual ones are mounted on.

use mayfly_jvmti::{Jni, JvmtiEnv, Thread};

use super::release::{CARRIER_CLASS, FIRST_WITH_VIRTUAL_THREADS};

/// Whether virtual threads are mounted on this thread, in a JVM of that release.
pub(super) fn is_carrier(jvmti: &JvmtiEnv, jdk: u32, jni: Jni<'_>, thread: Thread<'_>) -> bool {
    if jdk < FIRST_WITH_VIRTUAL_THREADS {
        return false;
    }
    let class = jni.class_of(thread.as_object());
    let is_it = jvmti.class_name(class).as_deref() == Some(CARRIER_CLASS);
    jni.forget(class.as_object());
    is_it
}
