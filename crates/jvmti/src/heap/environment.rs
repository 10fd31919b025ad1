//! A short-lived environment with tags of its own, for one walk of the heap.
//!
//! Tags live in an environment, so two walks in two of them never mix, and disposing of it clears them all at once. No meaning
//! is given to tags here.

use std::ffi::{CStr, c_char};
use std::ptr;

use jvmti_bindings::sys::{jni, jvmti as sys};

use crate::error::{JvmtiError, error};
use crate::jni::Jni;
use crate::refs::Object;
use crate::vm::Vm;
use crate::vm_flags::keeping_the_heap;

/// A JVMTI environment for one walk of the heap, on one thread. Dropping it disposes of the environment and its tags.
///
/// Needs the live phase (from VMInit to the end of VMDeath), and no heap space: everything of it is native.
pub struct HeapWalk<'call> {
    pub(super) env: *mut sys::jvmtiEnv,
    pub(super) jni: Jni<'call>,
}

/// Calls a function of the environment and gives its outcome; a slot that this JVM leaves empty is "not available" (98).
macro_rules! call {
    ($walk:expr, $function:ident $(, $argument:expr)*) => {{
        let env = $walk.env;
        // SAFETY: the environment is disposed of by `drop` only; every function used exists since JVMTI 1.1, and the
        // arguments are live handles or out-pointers that outlive the call.
        let code = unsafe {
            match (*(*env).functions).$function {
                Some(function) => function(env $(, $argument)*),
                None => $crate::heap::environment::MISSING,
            }
        };
        $crate::heap::environment::outcome(code)
    }};
}
pub(super) use call;

/// For a function that this JVM does not have.
pub(super) const MISSING: sys::jvmtiError = sys::jvmtiError::NOT_AVAILABLE;

pub(super) fn outcome(code: sys::jvmtiError) -> Result<(), JvmtiError> {
    if code == sys::jvmtiError::NONE { Ok(()) } else { Err(error(code)) }
}

impl<'call> HeapWalk<'call> {
    /// A new environment that may tag objects (`GetEnv`, `can_tag_objects`).
    ///
    /// # Errors
    /// The VM is not in its live phase, or has no JVMTI.
    pub fn new(vm: Vm, jni: Jni<'call>) -> Result<Self, JvmtiError> {
        let walk = Self { env: vm.jvmti(sys::JVMTI_VERSION_11)?, jni };
        let mut wanted = sys::jvmtiCapabilities::default();
        wanted.set_can_tag_objects(true);
        call!(walk, AddCapabilities, &raw const wanted)?;
        Ok(walk)
    }

    /// The thread's JNI environment.
    pub fn jni(&self) -> Jni<'call> {
        self.jni
    }

    /// Collects the whole heap and waits for it (`ForceGarbageCollection`). The heap keeps its size.
    ///
    /// # Errors
    /// Refused by the VM: it is not in its live phase.
    pub fn collect(&self) -> Result<(), JvmtiError> {
        keeping_the_heap(|| call!(self, ForceGarbageCollection))
    }

    /// Sets the object's tag; 0 takes it away (`SetTag`).
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn set_tag(&self, object: Object<'_>, tag: i64) -> Result<(), JvmtiError> {
        call!(self, SetTag, object.raw(), tag)
    }

    /// The object's tag, 0 if it has none (`GetTag`).
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn tag(&self, object: Object<'_>) -> Result<i64, JvmtiError> {
        let mut tag = 0;
        call!(self, GetTag, object.raw(), &raw mut tag)?;
        Ok(tag)
    }

    /// Shallow size in bytes, header and padding included (`GetObjectSize`).
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn size(&self, object: Object<'_>) -> Result<u64, JvmtiError> {
        let mut size = 0;
        call!(self, GetObjectSize, object.raw(), &raw mut size)?;
        Ok(u64::try_from(size).unwrap_or(0))
    }

    /// The objects that carry one of these tags, as local references, each with its tag (`GetObjectsWithTags`).
    ///
    /// # Errors
    /// Refused by the VM, e.g. for a tag 0.
    pub fn objects_with_tags(&self, tags: &[i64]) -> Result<Vec<(Object<'call>, i64)>, JvmtiError> {
        let (mut count, mut objects, mut found) = (0, ptr::null_mut(), ptr::null_mut());
        let wanted = i32::try_from(tags.len()).unwrap_or(i32::MAX);
        call!(
            self,
            GetObjectsWithTags,
            wanted,
            tags.as_ptr(),
            &raw mut count,
            &raw mut objects,
            &raw mut found
        )?;
        let objects = self.take(objects, count);
        let found = self.take(found, count);
        // SAFETY: fresh local references of this call.
        let objects = objects.into_iter().map(|raw| unsafe { Object::from_raw(raw) });
        Ok(objects.zip(found).filter_map(|(object, tag)| Some((object?, tag))).collect())
    }

    /// Copies an array that the JVM allocated, and gives it back.
    pub(super) fn take<T: Copy>(&self, array: *mut T, count: jni::jint) -> Vec<T> {
        let count = usize::try_from(count).unwrap_or(0);
        if array.is_null() {
            return Vec::new();
        }
        // SAFETY: the JVM wrote `count` elements (contract of the functions that allocate).
        let copy = unsafe { std::slice::from_raw_parts(array, count) }.to_vec();
        self.deallocate(array);
        copy
    }

    /// Copies a text that the JVM allocated, and gives it back; empty for null.
    pub(super) fn take_text(&self, text: *mut c_char) -> String {
        if text.is_null() {
            return String::new();
        }
        // SAFETY: the JVM ends its texts with a zero byte.
        let copy = jvmti_bindings::mutf8::decode_cstr_lossy(unsafe { CStr::from_ptr(text) });
        self.deallocate(text);
        copy
    }

    fn deallocate<T>(&self, memory: *mut T) {
        // Fails only for null, which is checked before.
        let _: Result<(), JvmtiError> = call!(self, Deallocate, memory.cast());
    }

    /// Frees the local references that `body` makes.
    pub(super) fn in_frame<R>(&self, body: impl FnOnce() -> R) -> Result<R, JvmtiError> {
        self.jni.with_frame(16, body).ok_or(error(sys::jvmtiError::OUT_OF_MEMORY))
    }
}

/// The tags of a walk that ended, for the next one: objects that are gone by then have none. Every collection of the JVM looks at
/// them, so they should not be kept for long. They end with the walk that goes on with them.
#[derive(Debug)]
#[must_use = "the tags stay until a walk goes on with them and ends"]
pub struct KeptTags {
    env: *mut sys::jvmtiEnv,
}

// SAFETY: JVMTI environments are of the process, not of a thread (JVMTI, "Environments").
unsafe impl Send for KeptTags {}

impl KeptTags {
    /// The next walk, with these tags.
    pub fn resume(self, jni: Jni<'_>) -> HeapWalk<'_> {
        HeapWalk { env: self.env, jni }
    }
}

impl HeapWalk<'_> {
    /// Ends the walk, and leaves its tags on the objects.
    pub fn keep(self) -> KeptTags {
        let kept = KeptTags { env: self.env };
        std::mem::forget(self);
        kept
    }
}

impl Drop for HeapWalk<'_> {
    fn drop(&mut self) {
        let _: Result<(), JvmtiError> = call!(self, DisposeEnvironment);
    }
}
