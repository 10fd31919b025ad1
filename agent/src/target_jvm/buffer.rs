//! The JVM's sampler: how it is left, and the buffer from which a thread allocates, as far as it passes over that.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mayfly_jvmti::{Capabilities, JVMS_SAMPLING_INTERVAL, Jni, JvmtiEnv, JvmtiError};

/// At which it draws now, and at which threads have drawn their first sample that nobody saw begin.
static INTERVAL: AtomicU64 = AtomicU64::new(JVMS_SAMPLING_INTERVAL);
static FIRST: AtomicU64 = AtomicU64::new(JVMS_SAMPLING_INTERVAL);

thread_local! {
    /// Whether the JVM's sampler has picked anything on this thread.
    static SAMPLED: Cell<bool> = const { Cell::new(false) };
    /// The interval at which this thread has drawn its next sample; 0: as those that nobody saw begin.
    static DRAWN_AT: Cell<u64> = const { Cell::new(0) };
}

/// What is known of an allocation that the JVM's sampler picked, beside the allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked {
    /// Whether it is the first of its thread.
    pub(crate) is_new: bool,
    /// The interval at which it was drawn.
    pub(crate) drawn_at: u64,
}

/// Has the JVM draw at a mean of so many bytes: each thread from its next draw on.
///
/// # Errors
/// The sampler is not ours.
pub(crate) fn set_sampling_interval(jvmti: &JvmtiEnv, bytes: u64) -> Result<(), JvmtiError> {
    jvmti.set_sampling_interval(bytes)?;
    INTERVAL.store(bytes, Relaxed);
    Ok(())
}

/// No thread has begun yet: all draw at the interval that is set.
pub(crate) fn note_launch() {
    FIRST.store(INTERVAL.load(Relaxed), Relaxed);
}

/// This thread begins: it has just drawn its first sample.
pub(crate) fn note_thread() {
    DRAWN_AT.set(INTERVAL.load(Relaxed));
}

/// The JVM's sampler picked an allocation of this thread, and draws the next one.
pub(crate) fn note_sample() -> Picked {
    let drawn_at = match DRAWN_AT.replace(INTERVAL.load(Relaxed)) {
        0 => FIRST.load(Relaxed),
        bytes => bytes,
    };
    Picked { is_new: !SAMPLED.replace(true), drawn_at }
}

/// Gives the JVM's sampler back as it was, and with it what was asked for together with it.
pub(crate) fn give_sampler_back(jvmti: &JvmtiEnv, capabilities: Capabilities) {
    // Can't fail while the capability is ours.
    let _ = set_sampling_interval(jvmti, JVMS_SAMPLING_INTERVAL);
    jvmti.give_back(capabilities);
}

/// Has this thread allocate from a buffer that the sampler sees.
pub(crate) fn renew_buffer(jni: Jni<'_>) {
    jni.renew_buffer(|| SAMPLED.get());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_draws_its_first_sample_as_it_begins_whatever_is_set_later() {
        let of_thread = |begins: bool, then: u64| {
            let drawn = std::thread::spawn(move || {
                if begins {
                    note_thread();
                }
                INTERVAL.store(then, Relaxed);
                [note_sample(), note_sample()].map(|picked| (picked.is_new, picked.drawn_at))
            });
            drawn.join().expect("no panic")
        };
        INTERVAL.store(16 << 10, Relaxed);
        assert_eq!(of_thread(true, 8 << 10), [(true, 16 << 10), (false, 8 << 10)]);
        assert_eq!(of_thread(false, 4 << 10), [(true, JVMS_SAMPLING_INTERVAL), (false, 4 << 10)]);
        note_launch();
        assert_eq!(of_thread(false, 2 << 10)[0], (true, 4 << 10), "all have begun since");
        INTERVAL.store(JVMS_SAMPLING_INTERVAL, Relaxed);
        note_launch();
    }
}
