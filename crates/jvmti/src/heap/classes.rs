//! The classes that are loaded, and what a walk has to know of each.

use std::ptr;

use jvmti_bindings::sys::jni;

use super::environment::{HeapWalk, call};
use crate::error::JvmtiError;
use crate::names::class_name;
use crate::refs::{Class, Object};

/// `ACC_STATIC` (JVMS Table 4.5-A).
const STATIC: i32 = 0x0008;
/// `ACC_FINAL` (JVMS Table 4.1-B).
const FINAL: i32 = 0x0010;
/// `ACC_ABSTRACT` (JVMS Table 4.1-B); of interfaces, too.
const ABSTRACT: i32 = 0x0400;

/// Local references that are made of one class at a time, at most, about: its loader, superclass, interfaces.
const SPARE_LOCALS: i32 = 256;

/// A field that a class declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFacts {
    /// Its name.
    pub name: String,
    /// Its descriptor (JVMS 4.3.2), e.g. `Ljava/lang/String;`.
    pub descriptor: String,
    /// Access flags (JVMS Table 4.5-A).
    pub modifiers: i32,
}

impl FieldFacts {
    /// Whether it is static.
    pub fn is_static(&self) -> bool {
        self.modifiers & STATIC != 0
    }
}

impl<'call> HeapWalk<'call> {
    /// Hands over all loaded classes, arrays and hidden ones included (`GetLoadedClasses`). Their references end with
    /// `body`, so that a walk does not meet them as roots.
    ///
    /// # Errors
    /// Refused by the VM, or out of native memory.
    pub fn with_classes<R>(
        &self,
        body: impl for<'frame> FnOnce(&[Class<'frame>]) -> R,
    ) -> Result<R, JvmtiError> {
        self.in_frame(|| {
            let (mut count, mut classes) = (0, ptr::null_mut());
            call!(self, GetLoadedClasses, &raw mut count, &raw mut classes)?;
            self.jni.expect_locals(count.saturating_add(SPARE_LOCALS));
            Ok(body(&classes_of(self.take(classes, count))))
        })?
    }

    /// The classes that carry one of these tags, as local references, each with its tag (`GetObjectsWithTags`). Other objects are left out.
    ///
    /// # Errors
    /// Refused by the VM, e.g. for a tag 0.
    pub fn classes_with_tags(&self, tags: &[i64]) -> Result<Vec<(Class<'call>, i64)>, JvmtiError> {
        let mut classes = Vec::new();
        for (object, tag) in self.objects_with_tags(tags)? {
            let of = self.jni.class_of(object);
            if self.class_name(of)? == "java.lang.Class" {
                // SAFETY: it is a fresh local reference to an instance of `java.lang.Class`, which has no subclasses.
                classes.push((unsafe { object.as_class() }, tag));
            }
            self.jni.forget(of.as_object());
        }
        Ok(classes)
    }

    /// Its name, as `Class.getName()` gives it (`GetClassSignature`).
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn class_name(&self, class: Class<'_>) -> Result<String, JvmtiError> {
        let mut signature = ptr::null_mut();
        call!(self, GetClassSignature, class.raw(), &raw mut signature, ptr::null_mut())?;
        Ok(class_name(&self.take_text(signature)))
    }

    /// Whether there may be instances of it: not of interfaces and abstract classes. An array class is abstract and final
    /// (`GetClassModifiers`).
    pub fn may_have_instances(&self, class: Class<'_>) -> bool {
        let mut modifiers = 0;
        let told = call!(self, GetClassModifiers, class.raw(), &raw mut modifiers);
        told.is_err() || modifiers & ABSTRACT == 0 || modifiers & FINAL != 0
    }

    /// Its loader, as a local reference; `None` for the boot loader (`GetClassLoader`).
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn loader(&self, class: Class<'_>) -> Result<Option<Object<'call>>, JvmtiError> {
        let mut loader = ptr::null_mut();
        call!(self, GetClassLoader, class.raw(), &raw mut loader)?;
        // SAFETY: a fresh local reference of this call, or null.
        Ok(unsafe { Object::from_raw(loader) })
    }

    /// Its superclass, as a local reference; `None` for `Object` and interfaces (JNI `GetSuperclass`).
    pub fn superclass(&self, class: Class<'_>) -> Option<Class<'call>> {
        self.jni.superclass(class)
    }

    /// The interfaces that it names itself, as local references (`GetImplementedInterfaces`). None if it is not prepared
    /// yet.
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn interfaces(&self, class: Class<'_>) -> Result<Vec<Class<'call>>, JvmtiError> {
        let (mut count, mut interfaces) = (0, ptr::null_mut());
        let done = call!(self, GetImplementedInterfaces, class.raw(), &raw mut count, &raw mut interfaces);
        unprepared_has_none(done.map(|()| classes_of(self.take(interfaces, count))))
    }

    /// The fields that it declares, in the order that JVMTI indices follow (`GetClassFields`). None if it is not prepared
    /// yet.
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn fields(&self, class: Class<'_>) -> Result<Vec<FieldFacts>, JvmtiError> {
        let (mut count, mut fields) = (0, ptr::null_mut());
        let done = call!(self, GetClassFields, class.raw(), &raw mut count, &raw mut fields);
        let fields = unprepared_has_none(done.map(|()| self.take(fields, count)))?;
        fields.into_iter().map(|field| self.field(class, field)).collect()
    }

    /// Whether it declares a method of this name (`GetClassMethods`). Not if it is not prepared yet.
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn declares(&self, class: Class<'_>, name: &str) -> Result<bool, JvmtiError> {
        let (mut count, mut methods) = (0, ptr::null_mut());
        let done = call!(self, GetClassMethods, class.raw(), &raw mut count, &raw mut methods);
        for method in unprepared_has_none(done.map(|()| self.take(methods, count)))? {
            let mut declared = ptr::null_mut();
            call!(self, GetMethodName, method, &raw mut declared, ptr::null_mut(), ptr::null_mut())?;
            if self.take_text(declared) == name {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn field(&self, class: Class<'_>, field: jni::jfieldID) -> Result<FieldFacts, JvmtiError> {
        let (mut name, mut descriptor, mut modifiers) = (ptr::null_mut(), ptr::null_mut(), 0);
        call!(self, GetFieldName, class.raw(), field, &raw mut name, &raw mut descriptor, ptr::null_mut())?;
        let (name, descriptor) = (self.take_text(name), self.take_text(descriptor));
        call!(self, GetFieldModifiers, class.raw(), field, &raw mut modifiers)?;
        Ok(FieldFacts { name, descriptor, modifiers })
    }
}

fn classes_of<'frame>(classes: Vec<jni::jclass>) -> Vec<Class<'frame>> {
    // SAFETY: fresh local references to classes, of the frame that they are handed out in.
    classes.into_iter().filter_map(|raw| unsafe { Some(Object::from_raw(raw)?.as_class()) }).collect()
}

/// JVMTI knows fields and interfaces of prepared classes only.
fn unprepared_has_none<T>(done: Result<Vec<T>, JvmtiError>) -> Result<Vec<T>, JvmtiError> {
    match done {
        Err(refused) if refused.is_unprepared() => Ok(Vec::new()),
        done => done,
    }
}
