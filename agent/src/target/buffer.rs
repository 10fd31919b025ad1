//! The buffer from which a thread allocates, as far as the JVM's sampler passes over it.

use std::cell::Cell;

use mayfly_jvmti::Jni;

/// Objects small enough for any thread-local allocation buffer, and how much of them renews all but giant ones.
const FILLER_BYTES: i32 = 512;
const MOST_FILLER_BYTES: i32 = 16 << 20;

thread_local! {
    /// Whether the JVM's sampler has picked anything on this thread.
    static SAMPLED: Cell<bool> = const { Cell::new(false) };
}

/// The JVM's sampler picked an allocation of this thread; whether that is the first one.
pub(crate) fn note_sample() -> bool {
    !SAMPLED.replace(true)
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
