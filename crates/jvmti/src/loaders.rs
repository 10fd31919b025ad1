//! Who loaded the class of a method, and how that loader is called.
//!
//! Fields are looked up through JVMTI: JNI makes an exception, which runs Java, where there is none. Not here: which fields name a loader,
//! and how names are shown.

use jvmti_bindings::sys::jni as sys;

use crate::jni::{Jni, call};
use crate::jvmti_env::JvmtiEnv;
use crate::refs::{Class, Object};

/// References that are held at a time: a class and an object for each field on a way, and superclasses.
const REFERENCES: i32 = 32;
const STRING: &str = "Ljava/lang/String;";

/// A class loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderFacts {
    /// Name of its class.
    pub class: String,
    /// The first text that a way of fields leads to, if any does.
    pub name: Option<String>,
}

impl JvmtiEnv {
    /// The loader of the class that declares a method; within, `None`: the boot loader. `None` if the method's class is gone. `ways`: names of
    /// fields, from the loader to a `String`.
    pub fn loader_of(&self, jni: Jni<'_>, method: u64, ways: &[&[&str]]) -> Option<Option<LoaderFacts>> {
        jni.with_frame(REFERENCES, || {
            let id = std::ptr::with_exposed_provenance_mut(method as usize);
            // SAFETY: the id came from a stack of this VM; JVMTI answers INVALID_METHODID for unloaded ones. The class is a fresh reference.
            let class =
                unsafe { Object::from_raw(self.jvmti().get_method_declaring_class(id).ok()?)?.as_class() };
            // SAFETY: a live class; the loader comes back as a fresh local reference, or null.
            let Some(loader) =
                (unsafe { Object::from_raw(self.jvmti().get_class_loader(class.raw()).ok()?) })
            else {
                return Some(None);
            };
            let class = self.class_name(jni.class_of(loader))?;
            Some(Some(LoaderFacts {
                class,
                name: ways.iter().find_map(|way| self.text_at(jni, loader, way)),
            }))
        })?
    }

    /// The text that these fields lead to, one after the other.
    fn text_at(&self, jni: Jni<'_>, from: Object<'_>, way: &[&str]) -> Option<String> {
        let (last, before) = way.split_last()?;
        let mut at = from;
        for name in before {
            at = self.referred(jni, at, name, |signature| signature.starts_with('L'))?;
        }
        jni.string(self.referred(jni, at, last, |signature| signature == STRING)?)
    }

    /// What a field of an object refers to, if it has one of this name and type.
    fn referred<'call>(
        &self,
        jni: Jni<'call>,
        object: Object<'_>,
        name: &str,
        is_type: impl Fn(&str) -> bool,
    ) -> Option<Object<'call>> {
        let mut class = jni.class_of(object);
        loop {
            if let Some(field) = self.field_of(class, name, &is_type) {
                return jni.object(call!(jni, GetObjectField, object.raw(), field));
            }
            class = jni.superclass(class)?;
        }
    }

    /// A field that a class declares and that is no static one.
    fn field_of(
        &self,
        class: Class<'_>,
        name: &str,
        is_type: impl Fn(&str) -> bool,
    ) -> Option<sys::jfieldID> {
        /// `ACC_STATIC` (JVMS Table 4.5-A).
        const STATIC: i32 = 0x0008;
        let jvmti = self.jvmti();
        // SAFETY: a live class, by its type.
        let fields = unsafe { jvmti.get_class_fields(class.raw()) }.ok()?;
        fields.into_iter().find(|&field| {
            // SAFETY: the class has just named the field.
            let (found, modifiers) = unsafe {
                (jvmti.get_field_name(class.raw(), field), jvmti.get_field_modifiers(class.raw(), field))
            };
            let is_of_objects = modifiers.is_ok_and(|modifiers| modifiers & STATIC == 0);
            is_of_objects && found.is_ok_and(|(found, signature, _)| found == name && is_type(&signature))
        })
    }
}
