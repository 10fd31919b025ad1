//! What the JVM answers to a JVMTI call that it refuses.

use std::fmt;

use jvmti_bindings::sys::jvmti as sys;

/// A JVMTI call that the JVM refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JvmtiError(pub(crate) i32);

impl fmt::Display for JvmtiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JVMTI error {}", self.0)
    }
}

impl std::error::Error for JvmtiError {}

impl JvmtiError {
    /// Whether the class that was asked about is not prepared yet.
    pub(crate) fn is_unprepared(self) -> bool {
        self == error(sys::jvmtiError::CLASS_NOT_PREPARED)
    }
}

pub(crate) fn error(code: sys::jvmtiError) -> JvmtiError {
    JvmtiError(code.raw())
}
