//! Objects whose class and size are known, held by JNI: where the JVM keeps their addresses can be read in a pause.

use std::ffi::CStr;

use jvmti_bindings::sys::jni as sys;

use crate::jni::Jni;
use crate::jvmti_env::JvmtiEnv;
use crate::refs::Object;

/// HotSpot's tags in the low bits of a handle (`jniHandles.hpp`).
const HANDLE_TAG: usize = 0b111;

/// Classes of which an object is made, with their internal names: of several sizes, and harmless.
const INSTANCES: [(&CStr, &str); 4] = [
    (c"java/lang/Object", "java/lang/Object"),
    (c"java/lang/Long", "java/lang/Long"),
    (c"java/lang/String", "java/lang/String"),
    (c"java/util/HashMap", "java/util/HashMap"),
];

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct KnownObject {
    /// Where the JVM keeps its address.
    pub slot: u64,
    /// Its size by JVMTI.
    pub bytes: u64,
    /// The internal name of its class.
    pub class: &'static str,
}

/// A few objects that live until they are released.
pub struct KnownObjects(Vec<(sys::jobject, KnownObject)>);

// SAFETY: JNI global references are valid on every thread.
unsafe impl Send for KnownObjects {}

impl KnownObjects {
    /// Makes them; `None` if the JVM refuses.
    pub fn hold(jni: Jni<'_>, jvmti: &JvmtiEnv) -> Option<Self> {
        let mut held = Self(Vec::new());
        jni.with_frame(16, || {
            for (name, class) in INSTANCES {
                held.add((jni, jvmti), jni.allocate(jni.find_class(name)?)?, class)?;
            }
            held.add((jni, jvmti), jni.byte_array(&[7; 13])?, "[B")?;
            held.add((jni, jvmti), jni.long_array(&[1, 2, 3])?, "[J")?;
            held.add((jni, jvmti), jni.find_class(c"java/lang/Long")?.as_object(), "java/lang/Class")
        })??;
        Some(held)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = KnownObject> {
        self.0.iter().map(|(_, known)| *known)
    }

    /// Gives them back.
    pub fn release(self, jni: Jni<'_>) {
        for (global, _) in self.0 {
            // SAFETY: a global reference of ours, given back once.
            unsafe { ((**jni.raw()).DeleteGlobalRef)(jni.raw(), global) };
        }
    }

    fn add(
        &mut self,
        (jni, jvmti): (Jni<'_>, &JvmtiEnv),
        object: Object<'_>,
        class: &'static str,
    ) -> Option<()> {
        let bytes = jvmti.object_size(object)?;
        // SAFETY: a local reference of this call.
        let global = unsafe { ((**jni.raw()).NewGlobalRef)(jni.raw(), object.raw()) };
        let slot = (global.expose_provenance() & !HANDLE_TAG) as u64;
        (slot != 0).then(|| self.0.push((global, KnownObject { slot, bytes, class })))
    }
}
