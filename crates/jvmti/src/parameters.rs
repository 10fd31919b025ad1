//! Names and modifiers of the parameters of a loaded class's methods, as reflection shows them.

use std::ptr;

use jvmti_bindings::sys::jni as sys;

use crate::jni::{Jni, call};
use crate::jvmti_env::JvmtiEnv;
use crate::refs::{Class, Object};

const STATIC: u32 = 8;

/// A method, and its parameters that have names or modifiers: each a name in modified UTF-8, empty if it has none, and flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedParameters {
    /// The method's name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// In order.
    pub parameters: Vec<(Vec<u8>, u16)>,
}

/// Members of the JDK's own classes that hold a parameter.
struct ReflectedParameters {
    parameters: sys::jmethodID,
    name: sys::jfieldID,
    modifiers: sys::jfieldID,
}

impl ReflectedParameters {
    fn find(jni: Jni<'_>) -> Option<Self> {
        let executable = jni.find_class(c"java/lang/reflect/Executable")?;
        let parameter = jni.find_class(c"java/lang/reflect/Parameter")?;
        Some(Self {
            parameters: jni.method(executable, c"getParameters0", c"()[Ljava/lang/reflect/Parameter;")?,
            name: jni.field_id(parameter, c"name", c"Ljava/lang/String;")?,
            modifiers: jni.field_id(parameter, c"modifiers", c"I")?,
        })
    }
}

impl JvmtiEnv {
    /// Of all methods of a linked class for which the JVM has such facts. Makes objects on the Java heap.
    pub fn named_parameters(&self, jni: Jni<'_>, class: Class<'_>) -> Vec<NamedParameters> {
        // An event has room for 32. Only what is asked for beyond them has `-Xcheck:jni` see that the frames around it hold others.
        jni.expect_locals(33);
        let found = jni.with_frame(16, || {
            let members = ReflectedParameters::find(jni)?;
            // SAFETY: a live class reference, by its type.
            let methods = unsafe { self.jvmti().get_class_methods(class.raw()) }.ok()?;
            let of_method = |method| jni.with_frame(16, || self.of_method(jni, class, method, &members))?;
            Some(methods.into_iter().filter_map(of_method).collect())
        });
        found.flatten().unwrap_or_default()
    }

    fn of_method(
        &self,
        jni: Jni<'_>,
        class: Class<'_>,
        method: sys::jmethodID,
        members: &ReflectedParameters,
    ) -> Option<NamedParameters> {
        // SAFETY: a method of a class that the caller refers to, so that it is not unloaded.
        let (name, descriptor, _) = unsafe { self.jvmti().get_method_name(method) }.ok()?;
        if name == "<clinit>" || descriptor.starts_with("()") {
            return None;
        }
        // SAFETY: as above.
        let modifiers = unsafe { self.jvmti().get_method_modifiers(method) }.ok()?;
        let is_static = modifiers as u32 & STATIC != 0;
        let array = jni.reflected_parameters(class, method, is_static, members.parameters)?;
        let parameter = |index| {
            let parameter = jni.element(array, index)?;
            let name = jni.text_field(parameter, members.name);
            let name = name.map(|name| jni.modified_utf8(name)).unwrap_or_default();
            Some((name, jni.int_field(parameter, members.modifiers) as u16))
        };
        let parameters: Option<Vec<_>> = (0..jni.length(array)).map(parameter).collect();
        Some(NamedParameters { method: name, descriptor, parameters: parameters? })
    }
}

impl<'call> Jni<'call> {
    /// The `Parameter[]` of a method; `None` if the JVM has no facts of them.
    fn reflected_parameters(
        self,
        class: Class<'_>,
        method: sys::jmethodID,
        is_static: bool,
        getter: sys::jmethodID,
    ) -> Option<Object<'call>> {
        let reflected = call!(self, ToReflectedMethod, class.raw(), method, is_static.into());
        let cleared = self.clear_exception();
        let reflected = self.object(reflected).filter(|_| !cleared)?;
        let array = call!(self, CallObjectMethodA, reflected.raw(), getter, ptr::null());
        if self.clear_exception() { None } else { self.object(array) }
    }

    fn length(self, array: Object<'_>) -> i32 {
        call!(self, GetArrayLength, array.raw())
    }

    fn element(self, array: Object<'_>, index: i32) -> Option<Object<'call>> {
        let element = call!(self, GetObjectArrayElement, array.raw(), index);
        if self.clear_exception() { None } else { self.object(element) }
    }

    fn text_field(self, object: Object<'_>, field: sys::jfieldID) -> Option<Object<'call>> {
        self.object(call!(self, GetObjectField, object.raw(), field))
    }

    fn int_field(self, object: Object<'_>, field: sys::jfieldID) -> i32 {
        call!(self, GetIntField, object.raw(), field)
    }

    /// The characters of a `String` as class files have them.
    fn modified_utf8(self, string: Object<'_>) -> Vec<u8> {
        let (units, bytes) =
            (call!(self, GetStringLength, string.raw()), call!(self, GetStringUTFLength, string.raw()));
        // The JVM may write a zero behind them.
        let mut text = vec![0u8; usize::try_from(bytes).unwrap_or(0) + 1];
        call!(self, GetStringUTFRegion, string.raw(), 0, units, text.as_mut_ptr().cast());
        text.pop();
        if self.clear_exception() { Vec::new() } else { text }
    }
}
