//! What threads share things by: the standard library's, or `loom`'s, which tries every order of their steps (`just loom`).

#[cfg(mayfly_loom)]
pub(crate) use loom::sync::{Arc, Mutex, MutexGuard, atomic};
#[cfg(not(mayfly_loom))]
pub(crate) use std::sync::{Arc, Mutex, MutexGuard, atomic};
