//! The Java VM itself: attaching native threads to it.

use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::ptr;

use jvmti_bindings::agent::AgentLoadContext;
use jvmti_bindings::sys::{jni as sys, jvmti};

use crate::error::JvmtiError;
use crate::jni::{Jni, call};

/// The VM this process runs.
#[derive(Clone, Copy)]
pub struct Vm(*mut sys::JavaVM);

// SAFETY: the invocation interface may be used from every thread (JNI specification, "The Invocation API").
unsafe impl Send for Vm {}
// SAFETY: as above.
unsafe impl Sync for Vm {}

impl Vm {
    /// The VM that loads the agent.
    pub fn of(context: &AgentLoadContext<'_>) -> Self {
        Self(context.vm().raw())
    }

    /// The VM that loads the library.
    ///
    /// # Safety
    /// `vm` must be what the JVM passed to `JNI_OnLoad`.
    pub unsafe fn from_raw(vm: *mut sys::JavaVM) -> Self {
        Self(vm)
    }

    /// Attaches this native thread as a Java daemon thread of that name; `None` if the VM refuses (it is ending).
    pub fn attach_daemon(self, name: &str) -> Option<Attached> {
        let name = CString::new(name).ok()?;
        let mut arguments = sys::JavaVMAttachArgs {
            version: sys::JNI_VERSION_1_8,
            name: name.as_ptr().cast_mut(),
            group: ptr::null_mut(),
        };
        let mut env: *mut c_void = ptr::null_mut();
        // SAFETY: the VM pointer is valid for the life of the process; both out-pointers outlive the call.
        let result = unsafe {
            ((**self.0).AttachCurrentThreadAsDaemon)(self.0, &mut env, ptr::from_mut(&mut arguments).cast())
        };
        (result == sys::JNI_OK && !env.is_null()).then(|| Attached { env: env.cast(), thread: PhantomData })
    }

    /// Runs `body` with this thread's JNI environment; `None` if the VM does not know the thread. For events that come
    /// without one.
    pub fn with_jni<R>(self, body: impl FnOnce(Jni<'_>) -> R) -> Option<R> {
        let env = self.env(sys::JNI_VERSION_1_8).ok()?;
        // SAFETY: the environment is this thread's, which stays attached during the call.
        Some(body(unsafe { Jni::from_raw(env.cast()) }))
    }

    /// A new JVMTI environment, to be disposed of by the caller.
    pub(crate) fn jvmti(self, version: i32) -> Result<*mut jvmti::jvmtiEnv, JvmtiError> {
        self.env(version).map(|env| env.cast())
    }

    fn env(self, version: i32) -> Result<*mut c_void, JvmtiError> {
        let mut env: *mut c_void = ptr::null_mut();
        // SAFETY: the VM pointer is valid for the life of the process; the out-pointer outlives the call.
        let result = unsafe { ((**self.0).GetEnv)(self.0, &mut env, version) };
        if result == sys::JNI_OK && !env.is_null() { Ok(env) } else { Err(JvmtiError(result)) }
    }

    /// Runs `body` with this native thread known to the VM as a Java daemon thread of that name; `None` if the VM refuses
    /// (it is ending, or has no memory). The thread must not be attached already.
    pub fn with_daemon<R>(self, name: &str, body: impl FnOnce(Jni<'_>) -> R) -> Option<R> {
        let visit = Visit { vm: self, thread: self.attach_daemon(name)? };
        Some(body(visit.thread.jni()))
    }
}

impl Jni<'_> {
    /// The VM that the thread belongs to.
    pub fn vm(self) -> Option<Vm> {
        let mut vm = ptr::null_mut();
        (call!(self, GetJavaVM, &raw mut vm) == sys::JNI_OK && !vm.is_null()).then_some(Vm(vm))
    }
}

/// A native thread that is attached for a while.
struct Visit {
    vm: Vm,
    thread: Attached,
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.thread.jni().clear_exception();
        // SAFETY: the VM pointer is valid for the life of the process, and this thread is attached and runs no Java.
        unsafe { ((**self.vm.0).DetachCurrentThread)(self.vm.0) };
    }
}

impl Attached {
    /// The VM forgets this thread again.
    pub fn detach(self, vm: Vm) {
        drop(Visit { vm, thread: self });
    }
}

/// An attached native thread.
pub struct Attached {
    env: *mut sys::JNIEnv,
    /// Not for another thread.
    thread: PhantomData<*mut ()>,
}

impl Attached {
    /// The thread's JNI environment.
    pub fn jni(&self) -> Jni<'_> {
        // SAFETY: the environment belongs to this thread, which stays attached while `self` lives.
        unsafe { Jni::from_raw(self.env) }
    }
}
