//! The JVM's own count of allocated bytes, of all threads that are and were.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use mayfly_jvmti::{AllocationCounter, Field, Jni, JvmtiEnv, Management, OfThread, Thread};
use rustc_hash::FxHashMap;

use super::carriers::is_carrier;
use super::release::THREAD_ID_FIELD;

/// Reads the bytes allocated by all threads, dead and alive.
#[derive(Default)]
pub(super) struct JvmCounter {
    reader: OnceLock<Option<Reader>>,
    ended: Mutex<Ended>,
}

/// How a thread's bytes are read.
struct Reader {
    counter: AllocationCounter,
    thread_id: Field<OfThread, i64>,
}

/// Threads that ended.
#[derive(Default)]
struct Ended {
    bytes: u64,
    /// Of these, by threads that virtual ones were mounted on.
    on_carriers: u64,
    /// Ids of threads that ended but may still be listed.
    ids: FxHashMap<i64, ()>,
    /// What threads that live had allocated when that was last marked, by id.
    marks: FxHashMap<i64, u64>,
}

impl Reader {
    fn find(jvmti: &JvmtiEnv, jni: Jni<'_>) -> Option<Self> {
        let thread_id = Field::of_thread(jni, THREAD_ID_FIELD)?;
        let thread = jvmti.current_thread(jni)?;
        let own_id = thread_id.get(jni, thread);
        jni.forget(thread.as_object());
        let counter = Management::find()?.allocation_counter(jni, own_id)?;
        Some(Self { counter, thread_id })
    }
}

impl JvmCounter {
    /// Looks for the JVM's counter, and checks it on this thread.
    pub(super) fn find(&self, jvmti: &JvmtiEnv, jni: Jni<'_>) {
        self.reader.get_or_init(|| Reader::find(jvmti, jni));
    }

    /// What threads allocated so far is not theirs, for [`Self::retire`].
    pub(super) fn mark(&self, jvmti: &JvmtiEnv, jni: Jni<'_>) {
        let Some(reader) = self.reader() else { return };
        jni.with_frame(16, || {
            let mut marks = FxHashMap::default();
            for thread in jvmti.threads(jni) {
                let id = reader.thread_id.get(jni, thread);
                marks.insert(id, reader.counter.allocated_bytes(jni, id).unwrap_or(0));
                jni.forget(thread.as_object());
            }
            self.ended().marks = marks;
        });
    }

    /// Takes over the count of a thread that ends, and says what it allocated, since the last mark if there was one.
    pub(super) fn retire(&self, jvmti: &JvmtiEnv, jdk: u32, jni: Jni<'_>, thread: Thread<'_>) -> Option<u64> {
        let reader = self.reader()?;
        let id = reader.thread_id.get(jni, thread);
        let bytes = reader.counter.allocated_bytes(jni, id)?;
        let carrier = is_carrier(jvmti, jdk, jni, thread);
        let mut ended = self.ended();
        ended.on_carriers += if carrier { bytes } else { 0 };
        ended.bytes += bytes;
        ended.ids.insert(id, ());
        Some(bytes.saturating_sub(ended.marks.remove(&id).unwrap_or(0)))
    }

    /// Bytes allocated by all threads since the JVM started; `None` if it does not count them.
    pub(super) fn total(&self, jvmti: &JvmtiEnv, jni: Jni<'_>) -> Option<u64> {
        let reader = self.reader()?;
        jni.with_frame(16, || {
            // Locked first: a thread that ends meanwhile waits, and is counted while it is still listed.
            let mut ended = self.ended();
            let mut bytes = ended.bytes;
            let mut still_listed = FxHashMap::default();
            for thread in jvmti.threads(jni) {
                let id = reader.thread_id.get(jni, thread);
                if ended.ids.contains_key(&id) {
                    still_listed.insert(id, ());
                } else {
                    bytes += reader.counter.allocated_bytes(jni, id).unwrap_or(0);
                }
                jni.forget(thread.as_object());
            }
            ended.ids = still_listed;
            bytes
        })
    }

    /// Bytes allocated by threads that virtual ones are, or were, mounted on.
    pub(super) fn on_carriers(&self, jvmti: &JvmtiEnv, jdk: u32, jni: Jni<'_>) -> u64 {
        let Some(reader) = self.reader() else { return 0 };
        let bytes = jni.with_frame(16, || {
            // Locked first, as for the total.
            let ended = self.ended();
            let mut bytes = ended.on_carriers;
            for thread in jvmti.threads(jni) {
                let id = reader.thread_id.get(jni, thread);
                if !ended.ids.contains_key(&id) && is_carrier(jvmti, jdk, jni, thread) {
                    bytes += reader.counter.allocated_bytes(jni, id).unwrap_or(0);
                }
                jni.forget(thread.as_object());
            }
            bytes
        });
        bytes.unwrap_or(0)
    }

    fn reader(&self) -> Option<&Reader> {
        self.reader.get()?.as_ref()
    }

    fn ended(&self) -> MutexGuard<'_, Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
