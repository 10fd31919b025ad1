//! Java values that native methods take and return: arrays, strings, fields as objects.
//!
//! Nothing here leaves a pending exception behind, but [`Jni::throw`].

use std::ffi::CStr;
use std::ptr;

use jvmti_bindings::sys::jni as sys;

use crate::error::{JvmtiError, error};
use crate::jni::Jni;
use crate::jni::call;
use crate::jvmti_env::JvmtiEnv;
use crate::refs::{Class, Object};

/// A local reference to an array of references.
#[derive(Clone, Copy)]
pub struct ObjectArray<'call>(Object<'call>);

impl<'call> ObjectArray<'call> {
    /// Takes an object for an array.
    ///
    /// # Safety
    /// The object must be an array of references.
    pub unsafe fn of(object: Object<'call>) -> Self {
        Self(object)
    }

    /// The array as an object.
    pub fn as_object(self) -> Object<'call> {
        self.0
    }

    /// Number of elements.
    pub fn len(self, jni: Jni<'_>) -> usize {
        usize::try_from(call!(jni, GetArrayLength, self.0.raw())).unwrap_or(0)
    }

    /// An element, as a local reference; `None` for null, and beyond the end.
    pub fn get<'now>(self, jni: Jni<'now>, index: usize) -> Option<Object<'now>> {
        let index = i32::try_from(index).ok()?;
        let raw = call!(jni, GetObjectArrayElement, self.0.raw(), index);
        if jni.clear_exception() { None } else { jni.object(raw) }
    }

    /// Sets an element; whether index and value fit.
    pub fn set(self, jni: Jni<'_>, index: usize, value: Option<Object<'_>>) -> bool {
        let Ok(index) = i32::try_from(index) else { return false };
        let value = value.map_or(ptr::null_mut(), Object::raw);
        call!(jni, SetObjectArrayElement, self.0.raw(), index, value);
        !jni.clear_exception()
    }
}

impl<'call> Jni<'call> {
    /// A new array of references, of nulls; `None` without memory.
    pub fn new_array(self, element: Class<'_>, length: usize) -> Option<ObjectArray<'call>> {
        let length = i32::try_from(length).ok()?;
        let array = call!(self, NewObjectArray, length, element.raw(), ptr::null_mut());
        self.clear_exception();
        self.object(array).map(ObjectArray)
    }

    /// An object as the array of references that it is; `None` if it is none.
    pub fn array_of_objects(self, object: Object<'call>) -> Option<ObjectArray<'call>> {
        let array = self.find_class(c"[Ljava/lang/Object;")?;
        let is_one = call!(self, IsInstanceOf, object.raw(), array.raw()) != sys::JNI_FALSE;
        self.forget(array.as_object());
        is_one.then_some(ObjectArray(object))
    }

    /// Elements of a `long[]`.
    ///
    /// # Safety
    /// The object must be a `long[]`.
    pub unsafe fn longs(self, array: Object<'_>) -> Vec<i64> {
        let length = call!(self, GetArrayLength, array.raw());
        let mut values = vec![0; usize::try_from(length).unwrap_or(0)];
        call!(self, GetLongArrayRegion, array.raw(), 0, length, values.as_mut_ptr());
        self.clear_exception();
        values
    }

    /// A new `String`; `None` without memory.
    pub fn new_string(self, text: &str) -> Option<Object<'call>> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let string = call!(self, NewString, units.as_ptr(), i32::try_from(units.len()).ok()?);
        self.clear_exception();
        self.object(string)
    }

    /// Leaves an exception of that class pending; the native method must return at once.
    pub fn throw(self, class: &CStr, message: &CStr) {
        if let Some(class) = self.find_class(class) {
            call!(self, ThrowNew, class.raw(), message.as_ptr());
        }
    }

    /// # Safety
    /// `id` must be a field of the class, static as said.
    unsafe fn reflected(self, class: Class<'_>, id: sys::jfieldID, is_static: bool) -> Option<Object<'call>> {
        let field = call!(self, ToReflectedField, class.raw(), id, sys::jboolean::from(is_static));
        self.clear_exception();
        self.object(field)
    }

    /// The id of a field, as a number.
    ///
    /// # Safety
    /// The object must be a `java.lang.reflect.Field`.
    pub unsafe fn field_number(self, field: Object<'_>) -> i64 {
        let id = call!(self, FromReflectedField, field.raw());
        self.clear_exception();
        id.expose_provenance() as i64
    }

    /// Value of an instance field that holds a reference.
    ///
    /// # Safety
    /// `id` must come from [`Self::field_number`], of such a field of the object's class.
    pub unsafe fn object_field(self, object: Object<'_>, id: i64) -> Option<Object<'call>> {
        let id = ptr::with_exposed_provenance_mut(id as usize);
        self.object(call!(self, GetObjectField, object.raw(), id))
    }

    /// Value of a static field that holds a reference.
    ///
    /// # Safety
    /// `id` must come from [`Self::field_number`], of such a field of the class.
    pub unsafe fn static_object_field(self, class: Class<'_>, id: i64) -> Option<Object<'call>> {
        let id = ptr::with_exposed_provenance_mut(id as usize);
        self.object(call!(self, GetStaticObjectField, class.raw(), id))
    }

    /// Whether objects of class `from` can be assigned to variables of type `to`.
    pub fn is_assignable(self, from: Class<'_>, to: Class<'_>) -> bool {
        call!(self, IsAssignableFrom, from.raw(), to.raw()) != sys::JNI_FALSE
    }

    /// Runs a `Runnable`. If it throws, the exception stays pending and the answer is `false`: the native method must
    /// return at once.
    ///
    /// # Safety
    /// The object must be a `Runnable`.
    pub unsafe fn run(self, runnable: Object<'_>) -> bool {
        let Some(class) = self.find_class(c"java/lang/Runnable") else { return false };
        let id = call!(self, GetMethodID, class.raw(), c"run".as_ptr(), c"()V".as_ptr());
        if self.clear_exception() || id.is_null() {
            return false;
        }
        // Called often, it must not fill the frame.
        self.forget(class.as_object());
        call!(self, CallVoidMethodA, runnable.raw(), id, ptr::null());
        call!(self, ExceptionCheck) == sys::JNI_FALSE
    }

    /// What a `java.lang.ref.Reference` refers to. Reading it does not count as a use of a soft reference.
    ///
    /// # Safety
    /// The object must be a `java.lang.ref.Reference`.
    pub unsafe fn referent(self, reference: Object<'_>) -> Option<Object<'call>> {
        let class = self.find_class(c"java/lang/ref/Reference")?;
        let id = self.field_id(class, c"referent", c"Ljava/lang/Object;")?;
        self.forget(class.as_object());
        self.object(call!(self, GetObjectField, reference.raw(), id))
    }
}

impl JvmtiEnv {
    /// The fields that a class declares, as `java.lang.reflect.Field`, those that reflection hides too, in the order of
    /// `GetClassFields`. `None` if it is not prepared yet.
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn reflected_fields<'call>(
        &self,
        jni: Jni<'call>,
        class: Class<'_>,
    ) -> Result<Option<Vec<Object<'call>>>, JvmtiError> {
        /// `ACC_STATIC` (JVMS Table 4.5-A).
        const STATIC: i32 = 0x0008;
        let jvmti = self.jvmti();
        // SAFETY: a live class, by its type.
        let ids = match unsafe { jvmti.get_class_fields(class.raw()) }.map_err(error) {
            Err(refused) if refused.is_unprepared() => return Ok(None),
            ids => ids?,
        };
        let mut fields = Vec::with_capacity(ids.len());
        for id in ids {
            // SAFETY: the class has just named the field.
            fields.extend(unsafe {
                let modifiers = jvmti.get_field_modifiers(class.raw(), id).map_err(error)?;
                jni.reflected(class, id, modifiers & STATIC != 0)
            });
        }
        Ok(Some(fields))
    }

    /// All loaded classes, as local references.
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn loaded_classes<'call>(&self, _jni: Jni<'call>) -> Result<Vec<Class<'call>>, JvmtiError> {
        let classes = self.jvmti().get_loaded_classes().map_err(error)?;
        // SAFETY: fresh local references of this call, to classes.
        Ok(classes.into_iter().filter_map(|raw| unsafe { Some(Object::from_raw(raw)?.as_class()) }).collect())
    }
}
