//! Changing classes that are loaded: which there are, and having the JVM ask for their bytes again.

use jvmti_bindings::sys::jvmti::jvmtiError;

use crate::error::{JvmtiError, error};
use crate::jni::Jni;
use crate::jvmti_env::JvmtiEnv;
use crate::refs::{Class, Object};

impl JvmtiEnv {
    /// Hands over all loaded classes, arrays and hidden ones included (`GetLoadedClasses`). Their references end with `body`.
    /// `None` if the JVM has no memory for them.
    pub fn with_loaded_classes<R>(
        &self,
        jni: Jni<'_>,
        body: impl for<'frame> FnOnce(&[Class<'frame>]) -> R,
    ) -> Option<R> {
        jni.with_frame(16, || {
            let classes = self.jvmti().get_loaded_classes().ok()?;
            jni.expect_locals(i32::try_from(classes.len()).unwrap_or(i32::MAX));
            // SAFETY: fresh local references to classes, of the frame that they are handed out in.
            let classes =
                classes.into_iter().filter_map(|raw| unsafe { Some(Object::from_raw(raw)?.as_class()) });
            Some(body(&classes.collect::<Vec<_>>()))
        })?
    }

    /// Whether the class may be changed: arrays, primitive types and hidden classes may not (`IsModifiableClass`).
    pub fn is_modifiable(&self, class: Class<'_>) -> bool {
        // SAFETY: a live class reference, by its type.
        unsafe { self.jvmti().is_modifiable_class(class.raw()) }.unwrap_or(false)
    }

    /// Has the JVM ask the class hooks for these classes' bytes again, starting from those that they were loaded with, and take
    /// what they give: for all of them, or none (`RetransformClasses`). Who runs one of their methods goes on in the old one.
    ///
    /// # Errors
    /// One of the classes can't be changed, or its new bytes are not taken.
    pub fn retransform(&self, classes: &[Class<'_>]) -> Result<(), JvmtiError> {
        let raw: Vec<_> = classes.iter().map(|class| class.raw()).collect();
        // SAFETY: live class references, by their type.
        unsafe { self.jvmti().retransform_classes(&raw) }.map_err(error)
    }

    /// The constants of a class, without their count (`GetConstantPool`); `None` of one that is not linked yet. To be asked for
    /// with [`crate::Capabilities::bytecodes`].
    pub fn class_constants(&self, class: Class<'_>) -> Option<Vec<u8>> {
        // SAFETY: a live class reference, by its type.
        unsafe { self.jvmti().get_constant_pool(class.raw()) }.ok()
    }

    /// The code of each method of a class that has some, fetched one by one (`GetBytecodes`); `None` of a class that is not linked
    /// yet. To be asked for as above.
    pub fn class_codes(&self, class: Class<'_>) -> Option<impl Iterator<Item = Result<Vec<u8>, JvmtiError>>> {
        let jvmti = self.jvmti();
        // SAFETY: a live class reference, by its type.
        let methods = unsafe { jvmti.get_class_methods(class.raw()) }.ok()?;
        // SAFETY: methods of a class that the caller refers to, so that it is not unloaded.
        let codes = methods.into_iter().map(move |method| unsafe { jvmti.get_bytecodes(method) });
        let has_code = |code: &Result<_, _>| !matches!(code, Err(jvmtiError::NATIVE_METHOD));
        Some(codes.filter(has_code).map(|code| code.map_err(error)))
    }
}
