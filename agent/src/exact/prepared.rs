//! A session whose hooks make no tests: threads have a slab when they begin to run, and classes a cell before they are initialised.
//!
//! Why, and what it gave: docs/design/counting.md#0065-where-a-session-only-counts-its-hooks-make-no-tests. Arrays of references are not announced by the JVM: their hooks ask.

use std::ffi::CStr;

use mayfly_jvmti::{Class, Event, Jni, Thread};
use mayfly_tracking::Shape;

use super::allocations::{enter_thread, register};
use super::hooks::{ConnectError, Hooks};
use super::state::{Exact, Prepared};
use crate::conduct::own_threads;

const PRIMITIVE_ARRAYS: [&CStr; 8] = [c"[Z", c"[B", c"[C", c"[S", c"[I", c"[J", c"[F", c"[D"];

impl Exact {
    /// Gives all threads and classes that are there what they need, and those to come as they do. Counting is off.
    pub(super) fn prepare_all(&self, jni: Jni<'_>, hooks: &Hooks) -> Result<(), ConnectError> {
        let jvmti = &self.target.jvmti;
        let sizes = hooks.object_sizes(jni, jvmti).ok_or(ConnectError::NoSizes)?;
        let thread = jni.find_class(c"java/lang/Thread").ok_or(ConnectError::NoSizes)?;
        let size = sizes.of(jni, jvmti, thread).ok_or(ConnectError::NoSizes)?;
        let registered = register(self, jni, hooks, thread, Shape::Object { size });
        let thread_cell = registered.ok_or(ConnectError::NoSizes)?.cell;
        let _ = self.prepared.set(Prepared { sizes, thread_cell });
        let listening = [Event::ThreadStart, Event::ClassPrepare].map(|event| jvmti.enable(event));
        if listening.into_iter().any(|enabled| enabled.is_err()) {
            return Err(ConnectError::NoSizes);
        }
        jni.with_frame(16, || {
            for name in PRIMITIVE_ARRAYS {
                if let Some(class) = jni.find_class(name) {
                    register(self, jni, hooks, class, Shape::Array);
                }
            }
            for thread in jvmti.threads(jni) {
                enter_thread(self, jni, hooks, thread);
                jni.forget(thread.as_object());
            }
        });
        let all = jvmti.with_loaded_classes(jni, |classes| {
            classes.iter().for_each(|class| self.prepare(jni, hooks, *class));
        });
        all.ok_or(ConnectError::NoSizes)
    }

    /// A thread begins to run.
    pub(crate) fn thread_starts(&self, jni: Jni<'_>, thread: Thread<'_>) {
        let (Some(hooks), Some(prepared)) = (self.hooks_in_use(), self.prepared.get()) else { return };
        let (slabs, is_own) = (&self.counters.slabs, own_threads::is_own());
        if is_own {
            hooks.set_slab(jni, thread, slabs.unread());
        } else {
            enter_thread(self, jni, hooks, thread);
        }
        // One that the JVM has made known has run the constructor of its own object by now.
        slabs.arrived(prepared.thread_cell, !is_own, &self.shared.classes, &self.counters.places);
    }

    /// A class is about to be initialised.
    pub(crate) fn class_prepared(&self, jni: Jni<'_>, class: Class<'_>) {
        if let Some(hooks) = self.hooks_in_use() {
            self.prepare(jni, hooks, class);
        }
    }

    fn prepare(&self, jni: Jni<'_>, hooks: &Hooks, class: Class<'_>) {
        if hooks.cell.get(jni, class) == 0
            && let Some(size) = self.size_of_objects(jni, class)
        {
            register(self, jni, hooks, class, Shape::Object { size });
        }
    }

    fn size_of_objects(&self, jni: Jni<'_>, class: Class<'_>) -> Option<u32> {
        self.prepared.get().and_then(|prepared| prepared.sizes.of(jni, &self.target.jvmti, class))
    }
}
