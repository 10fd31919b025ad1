//! Handles of JVM things: local references tied to a JNI call, weak global references, field ids.

use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::ptr;

use jvmti_bindings::sys::jni;

/// A JNI local reference, valid on this thread until the native call it came with returns.
#[derive(Clone, Copy)]
pub struct Object<'call> {
    raw: jni::jobject,
    call: PhantomData<&'call *mut ()>,
}

/// A local reference to a `java.lang.Class`.
#[derive(Clone, Copy)]
pub struct Class<'call>(pub(crate) Object<'call>);

impl<'call> Object<'call> {
    /// Wraps what the JVM handed to a native method or an event callback; `None` for null.
    ///
    /// # Safety
    /// `raw` must be null or a reference that stays valid on this thread for `'call`.
    pub unsafe fn from_raw(raw: jni::jobject) -> Option<Self> {
        (!raw.is_null()).then_some(Self { raw, call: PhantomData })
    }

    pub(crate) fn raw(self) -> jni::jobject {
        self.raw
    }

    /// The same reference as a class.
    ///
    /// # Safety
    /// The object must be a `java.lang.Class`.
    pub unsafe fn as_class(self) -> Class<'call> {
        Class(self)
    }
}

impl<'call> Class<'call> {
    /// The class as an object.
    pub fn as_object(self) -> Object<'call> {
        self.0
    }

    pub(crate) fn raw(self) -> jni::jclass {
        self.0.raw
    }
}

/// A JNI weak global reference, to be given back with [`crate::Jni::release`]. Valid on every thread.
#[derive(Debug, PartialEq, Eq)]
pub struct Weak(NonZeroUsize);

impl Weak {
    pub(crate) fn from_raw(raw: jni::jweak) -> Option<Self> {
        NonZeroUsize::new(raw.expose_provenance()).map(Self)
    }

    pub(crate) fn raw(&self) -> jni::jweak {
        ptr::with_exposed_provenance_mut(self.0.get())
    }

    /// The reference as a number, to be kept where only numbers fit.
    pub fn into_bits(self) -> u64 {
        self.0.get() as u64
    }

    /// The reference that [`Weak::into_bits`] made a number of; `None` for zero.
    ///
    /// # Safety
    /// `bits` must come from `into_bits` and not have been turned back before.
    pub unsafe fn from_bits(bits: u64) -> Option<Self> {
        NonZeroUsize::new(bits as usize).map(Self)
    }
}

/// Id of an instance field. Valid as long as its class is loaded; boot classes always are.
#[derive(Clone, Copy)]
pub struct InstanceField(pub(crate) jni::jfieldID);

// SAFETY: JNI field ids are process-wide constants.
unsafe impl Send for InstanceField {}
// SAFETY: as above.
unsafe impl Sync for InstanceField {}
