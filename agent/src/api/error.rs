//! Why a question has no answer.

use mayfly_jvmti::JvmtiError;
use thiserror::Error;

/// Why a question has no answer.
#[derive(Debug, Error)]
pub(crate) enum ApiError {
    /// The JVM refused.
    #[error("the JVM refuses to show its heap ({0})")]
    Refused(#[from] JvmtiError),
    /// Another environment has the JVM's sampler.
    #[error(
        "what allocates can't be watched: another agent, or one that profiles, has the JVM's sampler ({0})"
    )]
    NoSampler(JvmtiError),
    /// The walk came to nothing.
    #[error(transparent)]
    Heap(#[from] crate::heap::HeapError),
    /// The snapshot does not make sense: a fault of ours.
    #[error("the snapshot of the heap can't be read: {0}")]
    Unreadable(mayfly_heap::HeapError),
    /// Profiling does not begin.
    #[error("profiling can't begin: {0}")]
    NotStarted(String),
    /// Java objects for the answer could not be made.
    #[error("no memory for the answer: the Java heap is full")]
    NoMemory,
}
