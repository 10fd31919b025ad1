//! The JVM's sampler: how it is left, and the buffer from which a thread allocates, as far as it passes over that.

use std::cell::Cell;

use mayfly_jvmti::{Capabilities, Jni, JvmtiEnv};

/// Objects small enough for any thread-local allocation buffer, and how much of them renews all but giant ones.
const FILLER_BYTES: i32 = 512;
const MOST_FILLER_BYTES: i32 = 16 << 20;

/// HotSpot's own mean of bytes between two samples.
pub(crate) const JVMS_SAMPLING_INTERVAL: u64 = 512 << 10;

thread_local! {
    /// Whether the JVM's sampler has picked anything on this thread.
    static SAMPLED: Cell<bool> = const { Cell::new(false) };
}

/// The JVM's sampler picked an allocation of this thread; whether that is the first one.
pub(crate) fn note_sample() -> bool {
    !SAMPLED.replace(true)
}

/// Gives the JVM's sampler back as it was, and with it what was asked for together with it.
pub(crate) fn give_sampler_back(jvmti: &JvmtiEnv, capabilities: Capabilities) {
    // Can't fail while the capability is ours.
    let _ = jvmti.set_sampling_interval(JVMS_SAMPLING_INTERVAL);
    jvmti.give_back(capabilities);
}

/// Uses up this thread's allocation buffer, until the sampler picks something. Up to JDK 21 it passes over the rest of a
/// buffer that was there before it was switched on, which for the main thread may be megabytes.
pub(crate) fn renew_buffer(jni: Jni<'_>) {
    for _ in 0..MOST_FILLER_BYTES / FILLER_BYTES {
        let Some(filler) = jni.new_byte_array(FILLER_BYTES) else { return };
        jni.forget(filler);
        if SAMPLED.get() {
            return;
        }
    }
}
