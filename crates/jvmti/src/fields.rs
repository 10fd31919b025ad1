//! Instance fields of well-known classes, typed by owner and value so that reading them is safe; and static methods that stand in
//! for fields which a class can't be given.

use std::ffi::{CStr, CString};
use std::marker::PhantomData;

use jvmti_bindings::sys::jni as sys;

use crate::jni::Jni;
use crate::refs::{Class, GlobalClass, Thread};

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
    /// # Safety
    /// `method` must be a static method of `class` that takes the live `object` and returns this type.
    #[doc(hidden)]
    unsafe fn call(jni: Jni<'_>, class: sys::jclass, method: sys::jmethodID, object: sys::jobject) -> Self;
    #[doc(hidden)]
    fn as_argument(self) -> sys::jvalue;
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
    unsafe fn call(jni: Jni<'_>, class: sys::jclass, method: sys::jmethodID, object: sys::jobject) -> Self {
        // SAFETY: by the caller's contract.
        unsafe { ((**jni.raw()).CallStaticIntMethodA)(jni.raw(), class, method, &sys::jvalue { l: object }) }
    }
    fn as_argument(self) -> sys::jvalue {
        sys::jvalue { i: self }
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
    unsafe fn call(jni: Jni<'_>, class: sys::jclass, method: sys::jmethodID, object: sys::jobject) -> Self {
        // SAFETY: by the caller's contract.
        unsafe { ((**jni.raw()).CallStaticLongMethodA)(jni.raw(), class, method, &sys::jvalue { l: object }) }
    }
    fn as_argument(self) -> sys::jvalue {
        sys::jvalue { j: self }
    }
}

/// Marks fields of `java.lang.Thread`.
pub struct OfThread;
/// Marks fields of `java.lang.Class`.
pub struct OfClass;

/// A field of type `V` in the class marked by `O`, or what stands in for it. These classes are never unloaded, so it stays valid.
pub struct Field<O, V> {
    access: Access,
    types: PhantomData<fn(O) -> V>,
}

/// How a field is reached.
enum Access {
    /// It is there.
    Field(sys::jfieldID),
    /// By static methods of this class: told the object; told the object and the value.
    Methods(GlobalClass, sys::jmethodID, sys::jmethodID),
}

// SAFETY: JNI ids of fields and methods, and global references, are valid on every thread.
unsafe impl<O, V> Send for Field<O, V> {}
// SAFETY: as above.
unsafe impl<O, V> Sync for Field<O, V> {}

impl<V: FieldValue> Field<OfThread, V> {
    /// Looks a field of `java.lang.Thread` up; `None` if it has none of that name and type.
    pub fn of_thread(jni: Jni<'_>, name: &CStr) -> Option<Self> {
        Self::find(jni, <Thread<'_> as InstanceOf<OfThread>>::CLASS, name)
    }

    /// What stands in for a field of `java.lang.Thread`: two static methods of that name, of a class that is never unloaded.
    pub fn stood_in_for_thread(jni: Jni<'_>, by: GlobalClass, name: &CStr) -> Option<Self> {
        Self::find_methods(jni, <Thread<'_> as InstanceOf<OfThread>>::CLASS, by, name)
    }
}

impl<V: FieldValue> Field<OfClass, V> {
    /// Looks a field of `java.lang.Class` up; `None` if it has none of that name and type.
    pub fn of_class(jni: Jni<'_>, name: &CStr) -> Option<Self> {
        Self::find(jni, <Class<'_> as InstanceOf<OfClass>>::CLASS, name)
    }

    /// As [`Field::stood_in_for_thread`], of `java.lang.Class`.
    pub fn stood_in_for_class(jni: Jni<'_>, by: GlobalClass, name: &CStr) -> Option<Self> {
        Self::find_methods(jni, <Class<'_> as InstanceOf<OfClass>>::CLASS, by, name)
    }
}

impl<O, V: FieldValue> Field<O, V> {
    fn find(jni: Jni<'_>, class: &CStr, name: &CStr) -> Option<Self> {
        let id = jni.field_id(jni.find_class(class)?, name, V::DESCRIPTOR)?;
        Some(Self { access: Access::Field(id), types: PhantomData })
    }

    fn find_methods(jni: Jni<'_>, owner: &CStr, by: GlobalClass, name: &CStr) -> Option<Self> {
        let (owner, value) = (owner.to_str().ok()?, V::DESCRIPTOR.to_str().ok()?);
        let method = |signature: String| jni.static_method(by.get(), name, &CString::new(signature).ok()?);
        let get = method(format!("(L{owner};){value}"))?;
        let set = method(format!("(L{owner};{value})V"))?;
        Some(Self { access: Access::Methods(by, get, set), types: PhantomData })
    }

    /// Reads it.
    pub fn get(&self, jni: Jni<'_>, object: impl InstanceOf<O>) -> V {
        match &self.access {
            // SAFETY: `find` looked the id up by this type, in the class that the marker `O` ties the object to.
            Access::Field(id) => unsafe { V::get(jni, object.raw(), *id) },
            Access::Methods(class, get, _) => {
                // SAFETY: `find_methods` looked the id up by these types, in this class.
                let value = unsafe { V::call(jni, class.get().raw(), *get, object.raw()) };
                // A stack that is full to its end.
                jni.clear_exception();
                value
            }
        }
    }

    /// Writes it.
    pub fn set(&self, jni: Jni<'_>, object: impl InstanceOf<O>, value: V) {
        match &self.access {
            // SAFETY: as for `get`.
            Access::Field(id) => unsafe { value.set(jni, object.raw(), *id) },
            Access::Methods(class, _, set) => {
                let arguments = [sys::jvalue { l: object.raw() }, value.as_argument()];
                // SAFETY: as for `get`; the arguments outlive the call.
                unsafe {
                    ((**jni.raw()).CallStaticVoidMethodA)(
                        jni.raw(),
                        class.get().raw(),
                        *set,
                        arguments.as_ptr(),
                    );
                }
                jni.clear_exception();
            }
        }
    }
}
