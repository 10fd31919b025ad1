//! Instance fields of well-known classes, typed by owner and value so that reading them is safe.

use std::ffi::CStr;
use std::marker::PhantomData;

use jvmti_bindings::sys::jni as sys;

use crate::jni::Jni;
use crate::refs::{Class, Thread};

/// A reference to an instance of the class that the marker `O` stands for.
pub trait InstanceOf<O> {
    /// Internal name of the class.
    const CLASS: &'static CStr;
    #[doc(hidden)]
    fn raw(&self) -> sys::jobject;
}

impl InstanceOf<OfThread> for Thread<'_> {
    const CLASS: &'static CStr = c"java/lang/Thread";
    fn raw(&self) -> sys::jobject {
        self.as_object().raw()
    }
}

impl InstanceOf<OfClass> for Class<'_> {
    const CLASS: &'static CStr = c"java/lang/Class";
    fn raw(&self) -> sys::jobject {
        self.as_object().raw()
    }
}

/// A primitive field type.
pub trait FieldValue: Copy {
    /// Its descriptor (JVMS 4.3.2).
    const DESCRIPTOR: &'static CStr;
    /// # Safety
    /// `field` must be a field of this type in the class of the live `object`.
    #[doc(hidden)]
    unsafe fn get(jni: Jni<'_>, object: sys::jobject, field: sys::jfieldID) -> Self;
    /// # Safety
    /// As for `get`.
    #[doc(hidden)]
    unsafe fn set(self, jni: Jni<'_>, object: sys::jobject, field: sys::jfieldID);
}

impl FieldValue for i32 {
    const DESCRIPTOR: &'static CStr = c"I";
    unsafe fn get(jni: Jni<'_>, object: sys::jobject, field: sys::jfieldID) -> Self {
        // SAFETY: by the caller's contract.
        unsafe { ((**jni.raw()).GetIntField)(jni.raw(), object, field) }
    }
    unsafe fn set(self, jni: Jni<'_>, object: sys::jobject, field: sys::jfieldID) {
        // SAFETY: by the caller's contract.
        unsafe { ((**jni.raw()).SetIntField)(jni.raw(), object, field, self) }
    }
}

impl FieldValue for i64 {
    const DESCRIPTOR: &'static CStr = c"J";
    unsafe fn get(jni: Jni<'_>, object: sys::jobject, field: sys::jfieldID) -> Self {
        // SAFETY: by the caller's contract.
        unsafe { ((**jni.raw()).GetLongField)(jni.raw(), object, field) }
    }
    unsafe fn set(self, jni: Jni<'_>, object: sys::jobject, field: sys::jfieldID) {
        // SAFETY: by the caller's contract.
        unsafe { ((**jni.raw()).SetLongField)(jni.raw(), object, field, self) }
    }
}

/// Marks fields of `java.lang.Thread`.
pub struct OfThread;
/// Marks fields of `java.lang.Class`.
pub struct OfClass;

/// Id of a field of type `V` in the class marked by `O`. These classes are never unloaded, so it stays valid.
pub struct Field<O, V> {
    id: sys::jfieldID,
    types: PhantomData<fn(O) -> V>,
}

// SAFETY: JNI field ids are process-wide constants.
unsafe impl<O, V> Send for Field<O, V> {}
// SAFETY: as above.
unsafe impl<O, V> Sync for Field<O, V> {}

impl<V: FieldValue> Field<OfThread, V> {
    /// Looks a field of `java.lang.Thread` up; `None` if it has none of that name and type.
    pub fn of_thread(jni: Jni<'_>, name: &CStr) -> Option<Self> {
        Self::find(jni, <Thread<'_> as InstanceOf<OfThread>>::CLASS, name)
    }
}

impl<V: FieldValue> Field<OfClass, V> {
    /// Looks a field of `java.lang.Class` up; `None` if it has none of that name and type.
    pub fn of_class(jni: Jni<'_>, name: &CStr) -> Option<Self> {
        Self::find(jni, <Class<'_> as InstanceOf<OfClass>>::CLASS, name)
    }
}

impl<O, V: FieldValue> Field<O, V> {
    fn find(jni: Jni<'_>, class: &CStr, name: &CStr) -> Option<Self> {
        let id = jni.field_id(jni.find_class(class)?, name, V::DESCRIPTOR)?;
        Some(Self { id, types: PhantomData })
    }

    /// Reads it.
    pub fn get(&self, jni: Jni<'_>, object: impl InstanceOf<O>) -> V {
        // SAFETY: `find` looked the id up by this type, in the class that the marker `O` ties the object to.
        unsafe { V::get(jni, object.raw(), self.id) }
    }

    /// Writes it.
    pub fn set(&self, jni: Jni<'_>, object: impl InstanceOf<O>, value: V) {
        // SAFETY: as for `get`.
        unsafe { value.set(jni, object.raw(), self.id) };
    }
}
