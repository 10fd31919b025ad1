//! Names of threads, read from the field of `java.lang.Thread`: `GetThreadInfo` keeps all virtual threads from being mounted meanwhile.

use jvmti_bindings::sys::jni as sys;

use crate::jni::Jni;
use crate::refs::{Object, Thread};

/// Reads names of threads.
#[derive(Clone, Copy, Debug)]
pub struct ThreadNames(sys::jfieldID);

// SAFETY: JNI ids of fields are valid on every thread; java.lang.Thread is never unloaded.
unsafe impl Send for ThreadNames {}
// SAFETY: as above.
unsafe impl Sync for ThreadNames {}

impl ThreadNames {
    /// Looks the field up; `None` if this JVM's threads have none.
    pub fn find(jni: Jni<'_>) -> Option<Self> {
        let class = jni.find_class(c"java/lang/Thread")?;
        let id = jni.field_id(class, c"name", c"Ljava/lang/String;");
        jni.forget(class.as_object());
        id.map(Self)
    }

    /// The thread's name; `None` while the thread is being made.
    pub fn of(self, jni: Jni<'_>, thread: Thread<'_>) -> Option<String> {
        // SAFETY: the id is that of a field of this type in the class of the live object.
        let name = unsafe { ((**jni.raw()).GetObjectField)(jni.raw(), thread.as_object().raw(), self.0) };
        // SAFETY: a fresh local reference, or null.
        let name = unsafe { Object::from_raw(name) }?;
        let text = jni.string(name);
        jni.forget(name);
        text
    }
}
