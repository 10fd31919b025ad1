//! Which request a thread works for: as the program says through the API, or as its tracer says in OpenTelemetry's thread context.
//!
//! What the program says comes first, and belongs to the Java thread, virtual or not. A tracer writes for the thread of the system that
//! runs, and switches when a virtual thread is mounted. Not here: the tracer's record (`mayfly-jvmti`), and which objects keep ids
//! (`mayfly-tracking`).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use mayfly_jvmti::{Field, Jni, JvmtiEnv, OfThread, Thread, look_for_thread_context, thread_context};
use mayfly_profile::TraceContext;

/// Tables, so that threads seldom wait for each other.
const TABLES: usize = 64;
/// Threads in one of them: of more, those with the smallest ids are forgotten, which are the oldest.
const MOST_THREADS: usize = 1024;

/// What threads work for.
#[derive(Default)]
pub(crate) struct Traces {
    /// Whether any thread may say it. Until then it is all that is read.
    are_known: AtomicBool,
    by_program: ByProgram,
}

impl Traces {
    /// Looks for a tracer, if a library was loaded since the last time.
    pub(crate) fn look(&self) {
        if look_for_thread_context() {
            self.are_known.store(true, Relaxed);
        }
    }

    /// The span that the current thread is in. `moving`: a virtual thread is being mounted or unmounted, and the JVM is not asked.
    #[inline]
    pub(crate) fn of_this_thread(
        &self,
        jvmti: &JvmtiEnv,
        jni: Jni<'_>,
        moving: bool,
    ) -> Option<TraceContext> {
        if !self.are_known.load(Relaxed) {
            return None;
        }
        let by_program = (!moving).then(|| self.by_program.get(jvmti, jni)).flatten();
        by_program.or_else(|| TraceContext::of_bytes(thread_context()?))
    }

    /// The current thread is in that span from now on, or in none.
    pub(crate) fn set(&self, jvmti: &JvmtiEnv, jni: Jni<'_>, context: Option<TraceContext>) {
        if context.is_none() && !self.are_known.load(Relaxed) {
            return;
        }
        self.by_program.set(jvmti, jni, context);
        self.are_known.store(true, Relaxed);
    }

    /// A platform thread ends.
    pub(crate) fn thread_ends(&self, jni: Jni<'_>, thread: Thread<'_>) {
        if self.are_known.load(Relaxed)
            && let Some(id) = self.by_program.id(jni, thread)
        {
            self.by_program.contexts.put(id, None);
        }
    }

    /// Threads whose spans were forgotten as there were too many.
    pub(crate) fn forgotten(&self) -> u64 {
        self.by_program.contexts.forgotten.load(Relaxed)
    }
}

/// What the program says through the API.
#[derive(Default)]
struct ByProgram {
    /// Whether it has ever said anything.
    used: AtomicBool,
    /// Where a thread's object has its id; `None`: it has none.
    ids: OnceLock<Option<Field<OfThread, i64>>>,
    contexts: Contexts,
}

impl ByProgram {
    fn get(&self, jvmti: &JvmtiEnv, jni: Jni<'_>) -> Option<TraceContext> {
        if !self.used.load(Relaxed) {
            return None;
        }
        self.contexts.get(self.current_id(jvmti, jni)?)
    }

    fn set(&self, jvmti: &JvmtiEnv, jni: Jni<'_>, context: Option<TraceContext>) {
        if let Some(id) = self.current_id(jvmti, jni) {
            self.contexts.put(id, context);
            self.used.store(true, Relaxed);
        }
    }

    fn current_id(&self, jvmti: &JvmtiEnv, jni: Jni<'_>) -> Option<i64> {
        let thread = jvmti.current_thread(jni)?;
        let id = self.id(jni, thread);
        jni.forget(thread.as_object());
        id
    }

    /// The number that `Thread.getId` gives: of no other thread ever.
    fn id(&self, jni: Jni<'_>, thread: Thread<'_>) -> Option<i64> {
        let field = self.ids.get_or_init(|| Field::of_thread(jni, c"tid"));
        field.as_ref().map(|field| field.get(jni, thread))
    }
}

/// Spans by thread.
struct Contexts {
    tables: [Mutex<BTreeMap<i64, TraceContext>>; TABLES],
    forgotten: AtomicU64,
}

impl Default for Contexts {
    fn default() -> Self {
        Self { tables: std::array::from_fn(|_| Mutex::default()), forgotten: AtomicU64::new(0) }
    }
}

impl Contexts {
    fn get(&self, thread: i64) -> Option<TraceContext> {
        self.table(thread)?.get(&thread).copied()
    }

    fn put(&self, thread: i64, context: Option<TraceContext>) {
        let Some(mut table) = self.table(thread) else { return };
        match context {
            Some(context) => table.insert(thread, context),
            None => table.remove(&thread),
        };
        if table.len() > MOST_THREADS {
            table.pop_first();
            self.forgotten.fetch_add(1, Relaxed);
        }
    }

    fn table(&self, thread: i64) -> Option<MutexGuard<'_, BTreeMap<i64, TraceContext>>> {
        let table = self.tables.get(thread.rem_euclid(TABLES as i64) as usize)?;
        Some(table.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_threads_the_oldest_are_forgotten_and_counted() {
        let contexts = Contexts::default();
        let context = |thread: i64| TraceContext::new([1 + (thread % 200) as u8; 16], [1; 8]);
        let most = (TABLES * MOST_THREADS) as i64;
        (1..=most + 3).for_each(|thread| contexts.put(thread, context(thread)));
        assert_eq!(contexts.forgotten.load(Relaxed), 3);
        assert_eq!(
            (contexts.get(1), contexts.get(4), contexts.get(most + 3)),
            (None, context(4), context(most + 3))
        );
        contexts.put(4, None);
        assert_eq!(contexts.get(4), None);
    }
}
