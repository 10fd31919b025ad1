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

/// A local reference to a `java.lang.Thread`.
#[derive(Clone, Copy)]
pub struct Thread<'call>(pub(crate) Object<'call>);

impl<'call> Thread<'call> {
    /// As [`Object::from_raw`].
    ///
    /// # Safety
    /// As there, and a thread.
    pub(crate) unsafe fn from_raw(raw: jni::jobject) -> Option<Self> {
        // SAFETY: by the caller's contract.
        unsafe { Object::from_raw(raw) }.map(Thread)
    }

    /// The thread as an object.
    pub fn as_object(self) -> Object<'call> {
        self.0
    }
}

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

    /// The reference as the JVM takes it, to be returned from a native method.
    pub fn into_raw(self) -> jni::jobject {
        self.raw
    }

    /// The same reference as a thread.
    ///
    /// # Safety
    /// The object must be a `java.lang.Thread`.
    pub unsafe fn as_thread(self) -> Thread<'call> {
        Thread(self)
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

/// A JNI weak global reference, to be given back with [`crate::jni::Jni::release`]. Valid on every thread.
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

    /// What [`Self::into_bits`] was given; `None` for 0.
    pub(crate) fn from_bits(bits: u64) -> Option<Self> {
        NonZeroUsize::new(bits as usize).map(Self)
    }
}

/// A global reference to a class, usable on every thread. Never given back: for classes that are never unloaded.
#[derive(Clone, Copy)]
pub struct GlobalClass(pub(crate) jni::jclass);

// SAFETY: JNI global references are valid on every thread.
unsafe impl Send for GlobalClass {}
// SAFETY: as above.
unsafe impl Sync for GlobalClass {}

impl GlobalClass {
    /// The class, for a call.
    pub fn get(&self) -> Class<'_> {
        Class(Object { raw: self.0, call: PhantomData })
    }
}
