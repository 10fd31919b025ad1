//! Why a walk came to nothing.

use std::io;

use mayfly_jvmti::JvmtiError;

/// Why a walk came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HeapError {
    /// The JVM refused.
    #[error("the JVM refuses a heap walk now ({0}); try again when the program runs")]
    Jvm(#[from] JvmtiError),
    /// Where the dump goes takes no more.
    #[error("the heap dump can't be kept: {0}")]
    Sink(io::Error),
    /// The file can't be made or written.
    #[error(
        "cannot write {path} ({cause}): give a new file in a folder that the JVM's user may write to, with room for it"
    )]
    File {
        /// The file.
        path: String,
        /// Why.
        cause: io::Error,
    },
    /// More objects than a dump has numbers for.
    #[error("the heap holds more than 4294967295 objects, which is more than a dump can hold")]
    TooManyObjects,
}
