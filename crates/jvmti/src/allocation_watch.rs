//! Each allocation of one thread while a body runs on it: the JVM's sampler at its densest, in an environment of its own.
//!
//! One environment at a time may have the sampler. Not here: what is made of an allocation.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use jvmti_bindings::sys::{jni as jni_sys, jvmti as sys};

use crate::error::{JvmtiError, error};
use crate::events::SampledAllocation;
use crate::jni::Jni;
use crate::jvmti_env::{Capabilities, Event, JVMS_SAMPLING_INTERVAL, JvmtiEnv};
use crate::refs::Object;
use crate::vm::Vm;

/// Takes allocations.
pub trait TakesAllocations {
    /// An allocation of the watched thread. No Java may run meanwhile.
    fn take(&mut self, watch: &AllocationWatch, jni: Jni<'_>, allocation: SampledAllocation<'_>);
}

/// What is taken on this thread now.
#[derive(Clone, Copy)]
struct Current {
    watch: NonNull<AllocationWatch>,
    taker: NonNull<dyn TakesAllocations>,
}

thread_local! {
    static CURRENT: Cell<Option<Current>> = const { Cell::new(None) };
    /// Whether the sampler picked anything since it was switched on here.
    static PICKED: Cell<bool> = const { Cell::new(false) };
}

/// An environment that has the JVM's sampler.
pub struct AllocationWatch {
    jvmti: JvmtiEnv,
    /// Threads that are watched now: the interval is that of all.
    watched: Mutex<usize>,
}

impl AllocationWatch {
    /// Takes the sampler.
    ///
    /// # Errors
    /// Another environment has it.
    pub fn new(vm: Vm) -> Result<Self, JvmtiError> {
        let jvmti = JvmtiEnv::of(vm)?;
        let wanted = Capabilities {
            sampled_allocations: true,
            sources: true,
            bytecodes: true,
            ..Capabilities::default()
        };
        jvmti.add_capabilities(wanted)?;
        let mut callbacks = sys::jvmtiEventCallbacks::default();
        callbacks.SampledObjectAlloc = Some(sampled);
        jvmti.jvmti().set_event_callbacks(callbacks).map_err(error)?;
        Ok(Self { jvmti, watched: Mutex::new(0) })
    }

    /// Its environment, for names and stacks.
    pub fn jvmti(&self) -> &JvmtiEnv {
        &self.jvmti
    }

    /// Mean bytes between two allocations that are taken from the next one on; 0: each is.
    pub fn set_interval(&self, bytes: u64) {
        // Can't fail while the capability is ours.
        let _ = self.jvmti.set_sampling_interval(bytes);
    }

    /// Runs the body; `taker` gets each allocation that this thread makes meanwhile.
    ///
    /// # Errors
    /// The JVM refuses.
    pub fn during<T: TakesAllocations + 'static, R>(
        &self,
        jni: Jni<'_>,
        taker: &mut T,
        body: impl FnOnce() -> R,
    ) -> Result<R, JvmtiError> {
        self.begin()?;
        PICKED.set(false);
        jni.renew_buffer(|| PICKED.get());
        let taker: NonNull<dyn TakesAllocations> = NonNull::from(taker);
        let before = CURRENT.replace(Some(Current { watch: NonNull::from(self), taker }));
        let result = body();
        CURRENT.set(before);
        self.end();
        Ok(result)
    }

    /// For all threads: JDK 11 knows this event for no single one. Others pass over it.
    fn begin(&self) -> Result<(), JvmtiError> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        self.jvmti.enable(Event::SampledObjectAlloc)?;
        self.set_interval(0);
        *watched += 1;
        Ok(())
    }

    fn end(&self) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        *watched -= 1;
        if *watched == 0 {
            self.jvmti.disable(Event::SampledObjectAlloc);
            self.set_interval(JVMS_SAMPLING_INTERVAL);
        }
    }
}

unsafe extern "system" fn sampled(
    _env: *mut sys::jvmtiEnv,
    jni: *mut jni_sys::JNIEnv,
    _thread: jni_sys::jobject,
    object: jni_sys::jobject,
    class: jni_sys::jclass,
    size: jni_sys::jlong,
) {
    PICKED.set(true);
    // None while one is being taken.
    let Some(current) = CURRENT.take() else { return };
    let take = || {
        // SAFETY: the event's environment and local references, valid while it runs on this thread.
        let (jni, object, class) =
            unsafe { (Jni::from_raw(jni), Object::from_raw(object)?, Object::from_raw(class)?.as_class()) };
        let allocation = SampledAllocation { object, class, size: u64::try_from(size).ok()? };
        // SAFETY: `during` borrows both as long as they are current, on this thread, and uses neither meanwhile.
        let (watch, taker) = unsafe { (current.watch.as_ref(), &mut *current.taker.as_ptr()) };
        taker.take(watch, jni, allocation);
        Some(())
    };
    // A panic must not reach the JVM; what it was about is missing.
    let _ = catch_unwind(AssertUnwindSafe(take));
    CURRENT.set(Some(current));
}
