//! The JVM's own count of bytes allocated per thread.
//!
//! HotSpot's management interface (`JVM_GetManagement`, the table behind `ThreadMXBean.getThreadAllocatedBytes`) is
//! read directly: the Java API would load the management classes into the target and may be missing from its image.
//! The table's versions are those of `jmm.h`; a version we do not know, or one that fails the self-check, is not used.

use std::ffi::c_void;
use std::mem;

use jvmti_bindings::sys::jni as sys;

use crate::{Jni, Object};

/// From JDK 14 on.
const VERSIONS_WITH_ONE_THREAD: [i32; 2] = [0x2004_0000, 0x2003_0000];
/// JDK 10 to 13.
const VERSION_WITH_ARRAYS: i32 = 0x2002_0000;
/// Slot of GetOneThreadAllocatedMemory (14+), and of GetThreadAllocatedMemory (10-13).
const SLOT: usize = 9;
const SELF_CHECK_BYTES: i32 = 1 << 20;

type GetManagement = unsafe extern "C" fn(version: i32) -> *const *const c_void;
type OneThread = unsafe extern "system" fn(env: *mut sys::JNIEnv, thread_id: i64) -> i64;
type ManyThreads = unsafe extern "system" fn(env: *mut sys::JNIEnv, ids: sys::jobject, sizes: sys::jobject);

/// Reads the allocated bytes of live threads.
#[derive(Clone, Copy)]
pub struct AllocationCounter(Function);

#[derive(Clone, Copy)]
enum Function {
    OneThread(OneThread),
    ManyThreads(ManyThreads),
}

impl AllocationCounter {
    /// Finds the counter and checks it on the current thread, whose id is `thread_id`; `None` if the JVM has none.
    pub fn find(jni: Jni<'_>, thread_id: i64) -> Option<Self> {
        // SAFETY: dlsym with a NUL-terminated name; HotSpot exports this symbol with this type (jmm.h).
        let get: GetManagement = unsafe {
            let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"JVM_GetManagement".as_ptr());
            if symbol.is_null() {
                return None;
            }
            mem::transmute::<*mut c_void, GetManagement>(symbol)
        };
        let counter = Self(Function::find(get)?);
        counter.passes_self_check(jni, thread_id).then_some(counter)
    }

    fn passes_self_check(self, jni: Jni<'_>, thread_id: i64) -> bool {
        let Some(before) = self.allocated_bytes(jni, thread_id) else { return false };
        let Some(array) = jni.new_byte_array(SELF_CHECK_BYTES) else { return false };
        jni.forget(array);
        let Some(after) = self.allocated_bytes(jni, thread_id) else { return false };
        let step = i64::from(SELF_CHECK_BYTES);
        (step..step + step / 2).contains(&(after - before))
    }

    /// Bytes that the live thread of that Java thread id allocated since its start; `None` if it is gone.
    pub fn allocated_bytes(self, jni: Jni<'_>, thread_id: i64) -> Option<i64> {
        let bytes = match self.0 {
            // SAFETY: a function of the management table, called with this thread's environment.
            Function::OneThread(function) => unsafe { function(jni.raw(), thread_id) },
            Function::ManyThreads(function) => many(function, jni, thread_id)?,
        };
        (!jni.clear_exception() && bytes >= 0).then_some(bytes)
    }
}

impl Function {
    fn find(get: GetManagement) -> Option<Self> {
        let slot = |version| {
            // SAFETY: the table has more than `SLOT` entries in each version that `get` knows.
            unsafe {
                let table = get(version);
                if table.is_null() { std::ptr::null() } else { *table.add(SLOT) }
            }
        };
        for version in VERSIONS_WITH_ONE_THREAD {
            let function = slot(version);
            if !function.is_null() {
                // SAFETY: in these versions the slot has this type (jmm.h).
                return Some(Self::OneThread(unsafe { mem::transmute::<*const c_void, OneThread>(function) }));
            }
        }
        let function = slot(VERSION_WITH_ARRAYS);
        // SAFETY: in this version the slot has this type (jmm.h).
        (!function.is_null())
            .then(|| Self::ManyThreads(unsafe { mem::transmute::<*const c_void, ManyThreads>(function) }))
    }
}

fn many(function: ManyThreads, jni: Jni<'_>, thread_id: i64) -> Option<i64> {
    let ids: Object<'_> = jni.long_array(&[thread_id])?;
    let sizes = jni.long_array(&[-1])?;
    // SAFETY: both are live `long[]` of one element.
    unsafe { function(jni.raw(), ids.raw(), sizes.raw()) };
    let bytes = if jni.clear_exception() { None } else { jni.first_long(sizes) };
    jni.forget(ids);
    jni.forget(sizes);
    bytes
}
