//! What is used instead of the fields that a class can't be given once it is loaded: fields that the JDK has no use for any more.
//!
//! How they are used is in `MayflyHooks.java`, and why these, in docs/design/counting.md#0060-exact-counts-after-an-attach.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use mayfly_jvmti::{FieldOffset, Jni};

use crate::target_jvm::release::{
    REDEFINED_COUNT_FIELD, STACK_SIZE_FIELD, THREAD_HOLDER_CLASS, THREAD_HOLDER_FIELD,
};

/// Where they are in this JVM, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct StandIns {
    /// In a thread, what holds its stack size; 0 if the thread itself does.
    pub(super) holder_at: i64,
    /// In that, the stack size.
    pub(super) slab_at: i64,
    /// Added to the address of a slab that is kept there: upper 16 bits, never 0.
    pub(super) session: i64,
    /// In a class, how often it was redefined.
    pub(super) cell_at: i64,
}

impl StandIns {
    /// Those of this JVM, for a new session; `None` if it has others than we know.
    pub(super) fn find(jni: Jni<'_>) -> Option<Self> {
        let at = |class, (field, descriptor)| FieldOffset::find(jni, class, field, descriptor).map(|at| at.0);
        let (holder_at, slab_at) = match at(c"java/lang/Thread", STACK_SIZE_FIELD) {
            Some(slab_at) => (0, slab_at),
            None => {
                (at(c"java/lang/Thread", THREAD_HOLDER_FIELD)?, at(THREAD_HOLDER_CLASS, STACK_SIZE_FIELD)?)
            }
        };
        let cell_at = at(c"java/lang/Class", REDEFINED_COUNT_FIELD)?;
        Some(Self { holder_at, slab_at, session: next_session(), cell_at })
    }
}

/// Negative, as no stack size of a thread is.
fn next_session() -> i64 {
    static SESSIONS: AtomicI64 = AtomicI64::new(0);
    (SESSIONS.fetch_add(1, Relaxed) & 0x7fff | !0x7fff) << 48
}
