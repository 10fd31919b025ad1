//! HotSpot's management interface: bytes allocated per thread, and VM flags.
//!
//! `JVM_GetManagement` gives the table behind `ThreadMXBean.getThreadAllocatedBytes` and `HotSpotDiagnosticMXBean`. It
//! is read directly: the Java API would load the management classes into the target and may be missing from its image.
//! Slots are those of `jmm.h`; a version we do not know, or one that fails its self-check, is not used.

use std::ffi::{CStr, c_void};
use std::{mem, ptr};

use jvmti_bindings::sys::jni as sys;

use crate::jni::Jni;
use crate::refs::Object;

/// A version of the table, with the slots that we use.
#[derive(Clone, Copy, Debug)]
struct Version {
    number: i32,
    allocated: usize,
    /// Whether `allocated` takes one thread id, or arrays of ids and sizes.
    one_thread: bool,
    vm_globals: usize,
}

const VERSIONS: [Version; 4] = [
    // JDK 26.
    Version { number: 0x2005_0000, allocated: 10, one_thread: true, vm_globals: 20 },
    // JDK 21: GetTotalThreadAllocatedMemory came before it.
    Version { number: 0x2004_0000, allocated: 10, one_thread: true, vm_globals: 20 },
    // JDK 14.
    Version { number: 0x2003_0000, allocated: 9, one_thread: true, vm_globals: 19 },
    // JDK 10.
    Version { number: 0x2002_0000, allocated: 9, one_thread: false, vm_globals: 18 },
];
/// Enough to stand out, and little: the JVM clears it, and the pages may be new (a megabyte was 1 ms at start).
const SELF_CHECK_BYTES: i32 = 64 << 10;
const NO_THREAD: i64 = i64::MAX;
const TYPE_BOOLEAN: i32 = 1;
const TYPE_TEXT: i32 = 2;
const TYPE_LONG: i32 = 3;

type GetManagement = unsafe extern "C" fn(version: i32) -> *const *const c_void;
type OneThread = unsafe extern "system" fn(env: *mut sys::JNIEnv, thread_id: i64) -> i64;
type ManyThreads = unsafe extern "system" fn(env: *mut sys::JNIEnv, ids: sys::jobject, sizes: sys::jobject);
type VmGlobals = unsafe extern "system" fn(
    env: *mut sys::JNIEnv,
    names: sys::jobject,
    out: *mut VmGlobal,
    count: i32,
) -> i32;

/// `jmmVMGlobal` of `jmm.h`.
#[repr(C)]
struct VmGlobal {
    name: sys::jobject,
    value: sys::jvalue,
    kind: i32,
    origin: i32,
    flags: u32,
    reserved1: *mut c_void,
    reserved2: *mut c_void,
}

/// The management table of this VM.
#[derive(Clone, Copy)]
pub struct Management {
    version: Version,
    table: *const *const c_void,
}

impl Management {
    /// The table, if the VM has one of a version we know.
    pub fn find() -> Option<Self> {
        // SAFETY: dlsym with a NUL-terminated name; HotSpot exports this symbol with this type (jmm.h).
        let get: GetManagement = unsafe {
            let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"JVM_GetManagement".as_ptr());
            if symbol.is_null() {
                return None;
            }
            mem::transmute::<*mut c_void, GetManagement>(symbol)
        };
        VERSIONS.into_iter().find_map(|version| {
            // SAFETY: the function takes any version and answers null for one it does not have.
            let table = unsafe { get(version.number) };
            (!table.is_null()).then_some(Self { version, table })
        })
    }

    fn slot(self, index: usize) -> *const c_void {
        // SAFETY: the table has more than 30 entries in each version that we know.
        unsafe { *self.table.add(index) }
    }

    /// Value of a boolean VM flag; `None` if there is no such flag.
    pub fn flag(self, jni: Jni<'_>, name: &CStr) -> Option<bool> {
        let global = self.global(jni, name).filter(|global| global.kind == TYPE_BOOLEAN)?;
        // SAFETY: the kind says that the value is a boolean.
        Some(unsafe { global.value.z } != sys::JNI_FALSE)
    }

    /// Value of a VM flag that is a number; `None` if there is no such flag.
    pub fn number(self, jni: Jni<'_>, name: &CStr) -> Option<u64> {
        let global = self.global(jni, name).filter(|global| global.kind == TYPE_LONG)?;
        // SAFETY: the kind says that the value is a long.
        u64::try_from(unsafe { global.value.j }).ok()
    }

    /// Value of a VM flag that is a text; `None` if there is no such flag, or it has none.
    pub fn text(self, jni: Jni<'_>, name: &CStr) -> Option<String> {
        let global = self.global(jni, name).filter(|global| global.kind == TYPE_TEXT)?;
        // SAFETY: the kind says that the value is a string, of which the VM gave us a reference, or null.
        let text = jni.object(unsafe { global.value.l })?;
        let value = jni.string(text);
        jni.forget(text);
        value
    }

    fn global(self, jni: Jni<'_>, name: &CStr) -> Option<VmGlobal> {
        let names = jni.string_array(name)?;
        let mut global = VmGlobal {
            name: ptr::null_mut(),
            value: sys::jvalue { j: 0 },
            kind: 0,
            origin: 0,
            flags: 0,
            reserved1: ptr::null_mut(),
            reserved2: ptr::null_mut(),
        };
        // SAFETY: in the versions that we know the slot has this type (jmm.h); there is room for the one flag.
        let found = unsafe {
            let function = mem::transmute::<*const c_void, VmGlobals>(self.slot(self.version.vm_globals));
            function(jni.raw(), names.raw(), &raw mut global, 1)
        };
        jni.forget(names);
        // The VM gives the name back as a reference of its own.
        if let Some(name) = jni.object(global.name) {
            jni.forget(name);
        }
        (!jni.clear_exception() && found == 1).then_some(global)
    }

    /// The counter of allocated bytes, checked on the current thread, whose id is `thread_id`.
    pub fn allocation_counter(self, jni: Jni<'_>, thread_id: i64) -> Option<AllocationCounter> {
        let function = self.slot(self.version.allocated);
        if function.is_null() {
            return None;
        }
        // SAFETY: in these versions the slot has these types (jmm.h).
        let counter = AllocationCounter(unsafe {
            if self.version.one_thread {
                Function::OneThread(mem::transmute::<*const c_void, OneThread>(function))
            } else {
                Function::ManyThreads(mem::transmute::<*const c_void, ManyThreads>(function))
            }
        });
        counter.passes_self_check(jni, thread_id).then_some(counter)
    }
}

/// Reads the allocated bytes of live threads.
#[derive(Clone, Copy)]
pub struct AllocationCounter(Function);

#[derive(Clone, Copy)]
enum Function {
    OneThread(OneThread),
    ManyThreads(ManyThreads),
}

impl AllocationCounter {
    fn passes_self_check(self, jni: Jni<'_>, thread_id: i64) -> bool {
        // A function of another slot would not tell threads apart.
        if self.allocated_bytes(jni, NO_THREAD).is_some() {
            return false;
        }
        let Some(before) = self.allocated_bytes(jni, thread_id) else { return false };
        let Some(array) = jni.new_byte_array(SELF_CHECK_BYTES) else { return false };
        jni.forget(array);
        let Some(after) = self.allocated_bytes(jni, thread_id) else { return false };
        let step = SELF_CHECK_BYTES as u64;
        (step..step + step / 2).contains(&(after - before))
    }

    /// Bytes that the live thread of that Java thread id allocated since its start; `None` if it is gone.
    pub fn allocated_bytes(self, jni: Jni<'_>, thread_id: i64) -> Option<u64> {
        let bytes = match self.0 {
            // SAFETY: a function of the management table, called with this thread's environment.
            Function::OneThread(function) => unsafe { function(jni.raw(), thread_id) },
            Function::ManyThreads(function) => many(function, jni, thread_id)?,
        };
        if jni.clear_exception() { None } else { u64::try_from(bytes).ok() }
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
