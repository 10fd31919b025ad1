//! How a native method is exported: by its JNI name, with what the JVM passes to it.
//!
//! Not here: what the methods are (`exports`, `exports_api`).

/// Exports native methods. Each gets the environment, and arguments of the types that Java declares; its body may take them as such.
macro_rules! natives {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($env:ident $(, $argument:ident: $type:ty)* $(,)?) $(-> $result:ty)? $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Called by the JVM as a static native method.
        #[allow(unused_unsafe)] // Some take nothing.
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $name(
            $env: *mut sys::JNIEnv,
            _class: sys::jclass
            $(, $argument: $type)*
        ) $(-> $result)? {
            // SAFETY: environment and arguments are those of the running native method.
            unsafe { $body }
        }
    )*};
}

pub(super) use natives;
