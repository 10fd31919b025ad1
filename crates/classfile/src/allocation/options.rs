//! What rewriting may do to a class.

/// What [`super::rewrite`] may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Add the fields to `java.lang.Thread` and `java.lang.Class`, and hide them from reflection; hooks of scopes need them, and
    /// are left out without. Members can be added when a class is loaded, not by RetransformClasses (JVMTI).
    pub add_fields: bool,
    /// The JVM compiles methods of any length (`-XX:-DontCompileHugeMethods`), not only up to 8,000 bytes of code: hooks may push a
    /// method beyond that.
    pub compiles_huge_methods: bool,
}
