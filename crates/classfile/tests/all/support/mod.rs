//! What the tests share: JVMs and their classes, an assembler, and the check of an edited class by another reader.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "tests read files and start JVMs"
)]

pub(crate) mod agreement;
pub(crate) mod assembler;
pub(crate) mod expected_hooks;
pub(crate) mod jvms;
pub(crate) mod rewriting;
